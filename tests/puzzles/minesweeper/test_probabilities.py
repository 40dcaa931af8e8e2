"""Minesweeper counted: exact probabilities against an enumeration of layouts, with and without the
number of mines.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import chain, islice

import numpy as np
import pytest

from compare.campaign.relation import Relation, Stance, relate
from direct import SIDE as DIRECT
from direct import thresholds
from direct.minesweeper import probabilities, probability
from models import SIDE as MODELS
from puzzles.backend import Side, Unsupported
from puzzles.minesweeper.board import COVERED, Certificate, Chances, Core, Deduction, Minesweeper
from puzzles.verdict import Verdict
from tests.puzzles.minesweeper.boards import (
    COMPLETE,
    PUZZLE,
    enumerated,
    expert,
    family,
    judge_claims,
    judge_counts,
    of,
    proved,
    seeded,
    solved,
    views,
    with_counts,
)

SEPARATE = "###O###O##/#1#O#2#O#1"
"""Three clues of which no other knows."""

CLUES = ("12", "33", "24", "43", "55")
"""Two clues side by side, with ten covered cells around them."""


def chances_of(board: Minesweeper) -> Chances:
    """The counts of a board that has a layout."""
    chances = probabilities(board)
    assert chances is not None
    return chances


@pytest.mark.parametrize(
    ("rows", "columns", "every"),
    [(1, 5, 1), (2, 3, 1), (3, 3, 76), (2, 4, 7), pytest.param(3, 3, 19, marks=pytest.mark.slow)],
)
def test_views_are_counted_exactly(
    rows: int, columns: int, every: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TWOFOLD_KERNELS", "python")
    for board in with_counts(
        islice(views(rows, columns), 0, None, every), 1 if rows * columns < 8 else 3
    ):
        judge_counts(board, solved(board, DIRECT, "frontier", certify=False, probabilities=True))


@pytest.mark.parametrize(
    ("kernels", "forced"),
    [
        ("compiled", ""),
        *(("python", each) for each in ("", "COUNTED_LAYOUTS", "COUNTED_SIZE", "JOINED_NUMBERS")),
    ],
)
def test_boards_with_flags_and_wrong_clues_are_counted_exactly(
    kernels: str, forced: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the ways of counting that only large boards take, too."""
    monkeypatch.setenv("TWOFOLD_KERNELS", kernels)
    if forced:
        monkeypatch.setattr(thresholds, forced, 0)
    apart = (
        SEPARATE,
        f"{SEPARATE}/OOOOOOOOOO/##OOOOOOOO",
        *(f"####/#{two}#/####" for two in CLUES),
    )
    for board in with_counts(chain(map(of, apart), seeded(120, 1, 12)), 3):
        judge_counts(board, solved(board, DIRECT, "frontier", certify=False, probabilities=True))


@pytest.mark.parametrize(("side", "backend"), COMPLETE)
def test_the_number_of_mines_decides_and_is_proved(
    side: Side, backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TWOFOLD_KERNELS", "python")
    decided = 0
    for board in with_counts(seeded(100, 2, 12), 4):
        answer = solved(board, side, backend)
        judge_claims(board, answer, enumerated(board))
        decided += any(core.counted for core in answer.certificate.cores)
    assert decided > 20


def test_components_that_are_contracted_give_the_same_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TWOFOLD_KERNELS", "python")
    board = family("isolated", 24, 1)
    along = chances_of(board)
    monkeypatch.setattr(thresholds, "COUNTED_LAYOUTS", 1)
    contracted = chances_of(board)
    assert along.exact == contracted.exact
    assert along.distribution == contracted.distribution


def test_too_wide_a_component_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probability, "MAX_BYTES", 10_000)
    board = family("isolated", 100, 1)
    with pytest.raises(
        Unsupported,
        match=r"^too wide: [0-9]+ clues are open at once in a component of [0-9]+ cells$",
    ):
        probabilities(board)


@pytest.mark.parametrize("seed", range(3))
def test_expert_boards_add_up_and_the_sides_agree(seed: int) -> None:
    board = expert(seed)
    chances = chances_of(board)
    assert chances.expected == 99
    answers = [solved(board, DIRECT, "frontier"), solved(board, MODELS, "cnf")]
    assert answers[0].claims.tolist() == answers[1].claims.tolist()
    assert [PUZZLE.check(board, answer).verdict for answer in answers] == [Verdict.PROVED] * 2
    claims = answers[1].claims[1:]
    for cell, chance in enumerate(answers[0].probability):
        assert claims[cell] == (0 if chance is None else chance if chance in (0, 1) else 2)


def test_without_a_number_of_mines_components_are_independent() -> None:
    board = family("d20", 24, 2)
    chances = chances_of(board)
    assert sum(chances.distribution.values()) == chances.layouts
    assert min(chances.distribution) == chances.mines[0]
    assert max(chances.distribution) == chances.mines[1]
    for mines, counted in chances.distribution.items():
        with_count = chances_of(Minesweeper(board.grid, mines))
        assert with_count.layouts == counted
        assert with_count.expected == mines


@pytest.mark.parametrize("seed", range(4))
def test_the_engines_agree(seed: int) -> None:
    pytest.importorskip("pysdd")
    whole = expert(seed)
    for board in (
        whole,
        Minesweeper(whole.grid),
        family("d20", 24, seed),
        family("isolated", 12, seed),
    ):
        ours, theirs = probabilities(board), MODELS.solve(board, "count")
        assert ours is not None
        assert isinstance(theirs, Deduction)
        assert theirs.chances is not None
        assert ours.exact == theirs.chances.exact
        assert ours.fractions[2:]
        assert ours.distribution == theirs.chances.distribution


def test_nothing_but_covered_cells() -> None:
    board = Minesweeper(np.full((30, 30), COVERED, np.uint8), 200)
    chances = chances_of(board)
    assert set(chances.fractions[2:]) == {Fraction(2, 9)}
    assert probabilities(Minesweeper(board.grid, 901)) is None
    whole = chances_of(Minesweeper(board.grid))
    assert whole.layouts == 2**900
    assert whole.mines == (0, 900)


def test_exact_claims_are_related() -> None:
    board = of("#1##/####")
    ours, theirs = solved(board, DIRECT, "frontier"), solved(of("#1##/###O"), DIRECT, "frontier")
    same = replace(ours, certificate=None)
    assert (
        relate(
            "minesweeper",
            Stance(ours.claims, exact=ours.exact),
            Stance(same.claims, exact=same.exact),
        )
        is Relation.EQUAL
    )
    assert (
        relate("minesweeper", Stance(ours.claims, exact=ours.exact), Stance(ours.claims))
        is Relation.EQUAL
    )
    assert (
        relate(
            "minesweeper",
            Stance(ours.claims, exact=ours.exact),
            Stance(ours.claims, exact=theirs.exact),
        )
        is Relation.CONFLICT
    )
    assert solved(board, DIRECT, "frontier", certify=False).exact == {}


def test_wrong_probabilities_are_refuted() -> None:
    board = Minesweeper(of("######/#1##2#/######").grid, 3)
    small = of("####/2#21")
    for given in (board, small):
        good = solved(given, DIRECT, "frontier")
        counted = good.chances
        assert counted is not None
        assert proved(given, good)
        swapped = counted.value_of.copy()
        swapped[np.flatnonzero(swapped > 1)[0]] = 1
        wrong = [
            replace(counted, value_of=swapped),
            replace(counted, values=tuple((n, d + (d > 1)) for n, d in counted.values)),
            replace(counted, layouts=counted.layouts + 1),
            replace(counted, factors=(*counted.factors, ((2,), 1))),
        ]
        for each in wrong:
            assert PUZZLE.check(given, replace(good, chances=each)).verdict is Verdict.REFUTED
    broken = of("8#")
    answer = solved(broken, DIRECT, "frontier")
    assert (
        PUZZLE.check(broken, replace(answer, chances=probabilities(of("1#")))).verdict
        is Verdict.REFUTED
    )


def test_a_core_with_the_number_of_mines_is_checked() -> None:
    board = Minesweeper(of("#1##/OOOO").grid, 1)
    good = replace(solved(board, DIRECT, "frontier"), chances=None)
    assert good.board.lines()[0] == "#1#O"
    assert proved(board, good)
    proof: Certificate = good.certificate
    without = tuple(core._replace(counted=False) for core in proof.cores)
    assert (
        PUZZLE.check(board, replace(good, certificate=replace(proof, cores=without))).verdict
        is Verdict.UNPROVED
    )
    assert (
        PUZZLE.check(
            board, replace(good, certificate=replace(proof, cores=(Core((), (3,), True),)))
        ).verdict
        is Verdict.UNPROVED
    )
    more = Minesweeper(board.grid, 2)
    assert (
        PUZZLE.check(more, replace(good, board=Minesweeper(good.board.grid, 2))).verdict
        is Verdict.UNPROVED
    )
    four = Minesweeper(board.grid, 4)
    assert proved(four, Deduction(False, four, certificate=Certificate((Core((1,), (), True),))))
    assert (
        PUZZLE.check(
            more, Deduction(False, more, certificate=Certificate((Core((1,), (), True),)))
        ).verdict
        is Verdict.UNPROVED
    )
