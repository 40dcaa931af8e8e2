"""The checks under attack: no damaged answer or certificate is PROVED unless what it claims is
right all the same.
"""

from __future__ import annotations

from random import Random

import pytest

import puzzles
from compare.commands.conform.attacked import damage_once
from compare.commands.conform.corpus import certified_answers
from compare.engine.campaign.plan import bundled_datasets
from compare.engine.search.boards import boards
from compare.engine.work.contenders import SIDES
from compare.engine.work.result import Relation, Stance, relate
from puzzles.answer import Answer, Verdict
from puzzles.beams.board import Beams, Layout
from puzzles.instance import Instance
from tests.oracles import beams as oracle

MAX_CELLS = 80


def right(board: Instance, answer: Answer, reference: Answer) -> bool:
    """Whether an answer claims nothing false; a beams layout is walked by plain rules,
    which are not the check's.
    """
    if isinstance(board, Beams):
        assert isinstance(answer, Layout)
        if answer.possible:
            turned = answer.board
            assert turned is not None
            same = str(turned).replace("|", "-") == str(board).replace("|", "-")
            return same and oracle.solved(turned.lines())
    if answer.claims is None or reference.claims is None:
        return False
    ours, theirs = (
        Stance(answer.claims, getattr(answer, "complete", True)),
        Stance(reference.claims),
    )
    return relate(board.puzzle, ours, theirs) is not Relation.CONFLICT


@pytest.mark.parametrize("copies", [4, pytest.param(40, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", puzzles.names())
def test_nothing_damaged_is_proved_unless_it_is_right(name: str, copies: int) -> None:
    """As many damaged copies are made of each certified answer."""
    puzzle, rng = puzzles.get(name), Random(1)
    corpus = [
        board
        for each in bundled_datasets(puzzle)
        for board in each.instances
        if board.size <= MAX_CELLS
    ]
    corpus += [board for board in boards(puzzle, 11, 0, 64, 6) if board.size <= MAX_CELLS]
    attacks = caught = 0
    references = {board: SIDES["direct"].solve(board) for board in corpus}
    for board, _, answer in certified_answers(name, corpus):
        assert puzzle.check(board, answer).verdict is Verdict.PROVED
        for _ in range(copies):
            changed = damage_once(answer, rng)
            for _ in range(rng.randrange(3)):
                changed = damage_once(changed, rng)
            attacks += 1
            verdict = puzzle.check(board, changed).verdict
            caught += verdict is not Verdict.PROVED
            if verdict is Verdict.PROVED:
                assert right(board, changed, references[board]), f"{board}\n{answer}\n{changed}"
    assert attacks > 50 * copies
    assert caught > attacks // 3
