"""Minesweeper: clues that force a cell and of which none can be left out; the models find the
fewest.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from itertools import combinations

import numpy as np
import pytest

from direct import SIDE as DIRECT
from models import SIDE as MODELS
from puzzles import cardinality
from puzzles.backend import Side
from puzzles.minesweeper import explain, refuter
from puzzles.minesweeper.board import COVERED, Minesweeper
from puzzles.minesweeper.explain import Explanation
from puzzles.text import UserError
from tests.puzzles.minesweeper.boards import (
    family,
    layouts,
    of,
    seeded,
    solved,
    with_counts,
)

BOTH = pytest.mark.parametrize(("side", "backend"), [(DIRECT, "frontier"), (MODELS, "cnf")])


@BOTH
def test_explanations_force_and_none_can_be_left_out(
    side: Side, backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TWOFOLD_KERNELS", "python")
    seen = {True: 0, False: 0}
    for board in with_counts(seeded(60, 3, 10), 4):
        answer = solved(board, side, backend)
        if not answer.consistent:
            core = answer.why(None).core
            assert not len(layouts(board, np.array(core.clues, np.int64), core.counted))
            continue
        for cell in (cell for core in answer.certificate.cores for cell in core.cells[:2]):
            core = answer.why(cell).core
            seen[core.counted] += 1

            def forces(
                clues: Iterable[int],
                counted: bool = core.counted,
                at: int = cell,
                board: Minesweeper = board,
            ) -> bool:
                values = layouts(board, np.array([*clues], np.int64), counted)[:, at]
                return bool(values.all() or not values.any())

            assert forces(core.clues), board.text()
            assert not core.counted or not forces(board.clues, False)
            assert core.fewest == (side is MODELS)
            among = board.clues if core.fewest else core.clues
            fewer = combinations(among, len(core.clues) - 1) if core.clues else ()
            assert not any(map(forces, fewer)), board.text()
    assert min(seen.values()) > 10


def test_beyond_brute_force_no_core_has_fewer_clues_than_the_smallest() -> None:
    sizes: list[tuple[int, int]] = []
    for name in ("d20", "flags", "counted", "broken", "short", "rounds", "wall"):
        board = family(name, 18, 7)
        ours, theirs = solved(board, DIRECT, "frontier"), solved(board, MODELS, "cnf")
        certain = np.flatnonzero((board.grid == COVERED) & (ours.board.grid != COVERED)).tolist()
        for cell in certain[:: len(certain) // 9 + 1] if ours.consistent else [None]:
            one, other = ours.why(cell).core, theirs.why(cell).core
            assert other.fewest
            assert not one.fewest
            assert one.counted == other.counted
            sizes.append((len(other.clues), len(one.clues)))
    assert all(fewest <= some for fewest, some in sizes)
    assert max(sizes)[0] > 6


def test_the_check_leaves_out_what_a_search_calls_the_fewest_clues() -> None:
    """Whoever searched: a clue too many is noticed, and clues that do not force the cell."""
    board = of("####/2#21/OOO0")
    answer = solved(board, DIRECT, "frontier")
    right = answer.why(0).core
    for clues, fewest in (((4, 6, 7), True), ((4, 6, 7, 11), False)):
        found = right._replace(clues=clues, fewest=True)
        core = replace(answer).knowing(smallest_core_search=lambda *_, core=found: core).why(0).core
        assert (core.clues, core.fewest) == ((4, 6, 7), fewest)
    wrong = replace(answer).knowing(smallest_core_search=lambda *_: right._replace(clues=(4, 6)))
    with pytest.raises(UserError, match="does not force it"):
        wrong.why(0)


def test_out_of_time_nothing_is_claimed_of_fewer_clues(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explain, "_SECONDS", 0.0)
    answer = solved(of("####/2#21"), MODELS, "cnf")
    explanation = answer.why(0)
    assert not explanation.core.fewest
    assert explanation.core.clues == (4, 6, 7)
    assert str(explanation).endswith("force it. None of these clues can be left out.")
    assert solved(family("broken", 9, 1), MODELS, "cnf").why(None).core.clues


def test_out_of_branches_it_is_not_said_that_no_clue_can_be_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answer = solved(of("####/2#21"), DIRECT, "frontier")
    for branches, end in (
        (0, "Perhaps some of these clues can be left out: a search stopped at its limit."),
        (20_000, "None of these clues can be left out."),
    ):
        limited = partial(cardinality.find_solution, max_branches=branches)
        monkeypatch.setattr(refuter, "find_solution", limited)
        explanation = answer.why(0)
        assert explanation.core.clues == (4, 6, 7)
        assert explanation.irreducible == (branches > 0)
        assert str(explanation).endswith(f" force it. {end}")


@BOTH
def test_a_single_clue_needs_no_search(
    side: Side, backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(explain, "_SECONDS", 0.0)
    for rows, cell in (("1#", 1), ("2#", None)):
        explanation = solved(of(rows), side, backend).why(cell)
        core = explanation.core
        assert (core.clues, core.counted, core.fewest) == ((0,), False, side is MODELS)


def test_the_search_for_smallest_cores_stays_in_its_process() -> None:
    answer = solved(of("####/2#21"), MODELS, "cnf", solver="glucose4")
    assert answer.why(0).core.fewest
    assert str(answer.why(0)).endswith("force it. No fewer clues do.")
    assert getattr(answer.smallest_core_search, "keywords", {}) == {"solver": "glucose4"}
    again = pickle.loads(pickle.dumps(answer))
    assert again == answer
    assert again.smallest_core_search is None
    assert again.why(0).core.clues == (4, 6, 7)
    assert not again.why(0).core.fewest


@pytest.mark.parametrize(("side", "backend"), [(DIRECT, "frontier"), (MODELS, "cnf-totalizer")])
def test_a_backend_without_a_search_says_that_no_clue_can_be_left_out(
    side: Side, backend: str
) -> None:
    answer = solved(of("####/2#21"), side, backend)
    explanation = answer.why(0)
    assert answer.smallest_core_search is None
    assert explanation.core.clues == (4, 6, 7)
    assert str(explanation).endswith("force it. None of these clues can be left out.")


def test_the_number_of_mines_takes_no_part_where_clues_suffice() -> None:
    """Two clues fewer would do with it, as the help and the guide say."""
    board = of("#1##/##10", 1)
    explanation = solved(board, DIRECT, "frontier").why(4)
    assert not explanation.core.counted
    assert len(explanation.core.clues) == 3
    assert 4 in solved(of("#O##/##1O", 1), DIRECT, "frontier").safe


def test_an_explanation_reads_as_a_sentence() -> None:
    explanation = solved(of("####/2#21/OOO0"), DIRECT, "frontier").why(0)
    assert isinstance(explanation, Explanation)
    assert str(explanation) == (
        "The cell at 1,1 is a mine: the clues at 2,1, 2,3 and 2,4 force it. "
        "None of these clues can be left out."
    )
    assert explanation.board == of("####/2#21/OOOO")
    last = solved(of("#1##", 1), DIRECT, "frontier").why(3)
    assert str(last) == (
        "The cell at 1,4 is safe: the clue at 1,2 and the number of mines (1) force it."
    )
    assert last.board == of("#1##", 1)
    assert (
        str(solved(of("8#"), DIRECT, "frontier").why(None))
        == "There is no layout: the clue at 1,1 cannot hold."
    )
    answer = solved(of("X#3#/###O"), DIRECT, "frontier")
    for cell, message in (
        (0, "1,1 is given"),
        (2, "1,3 is opened"),
        (1, "1,2 is not certain"),
        (99, "no such cell"),
    ):
        with pytest.raises(UserError, match=message):
            answer.why(cell)
    with pytest.raises(UserError, match="certificate"):
        replace(answer, certificate=None).why(1)
