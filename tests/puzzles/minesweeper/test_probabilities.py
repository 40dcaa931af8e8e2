"""Minesweeper counted: exact probabilities against an enumeration of layouts, with and without the
number of mines.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from importlib import import_module
from importlib.util import find_spec
from itertools import chain, islice

import numpy as np
import pytest

from compare.engine.work.result import Relation, Stance, relate
from direct import SIDE as DIRECT
from direct.minesweeper import probability, thresholds
from models import SIDE as MODELS
from puzzles.answer import Verdict
from puzzles.backend import Side, Unsupported
from puzzles.minesweeper.board import (
    COVERED,
    MINE,
    SAFE,
    Certificate,
    Chances,
    Core,
    Deduction,
    Minesweeper,
)
from tests.installed import slow
from tests.puzzles.minesweeper.boards import (
    enumerated,
    family,
    judge_claims,
    layouts,
    of,
    proved,
    seeded,
    solved,
    verdict,
    views,
    with_counts,
)

SEPARATE = "###O###O##/#1#O#2#O#1"
"""Three clues of which no other knows."""

CLUES = ("12", "33", "24", "43", "55")
"""Two clues side by side, with ten covered cells around them."""


def distribution(chances: Chances) -> dict[int, int]:
    """Number of mines -> number of layouts, if not 0."""
    whole = np.array([1], object)
    for coefficients, times in chances.factors:
        for _ in range(times):
            whole = np.convolve(whole, np.array(coefficients, object))
    return {chances.mines[0] + k: int(count) for k, count in enumerate(whole) if count}


def probabilities(board: Minesweeper) -> Chances | None:
    """The counts of a board by `frontier`; None if it has no layout."""
    return solved(board, DIRECT, "frontier", certify=False, probabilities=True).chances


def chances_of(board: Minesweeper) -> Chances:
    """The counts of a board that has a layout."""
    chances = probabilities(board)
    assert chances is not None
    return chances


WITHOUT_PYSDD = pytest.mark.skipif(find_spec("pysdd") is None, reason="pysdd is not installed")

COMPLETE = [
    (DIRECT, "frontier"),
    (MODELS, "cnf"),
    (MODELS, "cnf-totalizer"),
    (MODELS, "cpsat"),
    pytest.param(MODELS, "count", marks=WITHOUT_PYSDD),
]


def judge_counts(board: Minesweeper) -> None:
    """The layouts counted by `frontier` are those enumerated."""
    answer = solved(board, DIRECT, "frontier", certify=False, probabilities=True)
    every, chances = layouts(board), answer.chances
    assert answer.consistent == (len(every) > 0) == (chances is not None), board.text()
    if chances is None:
        assert answer.probability == ()
        return
    certain = np.isin(board.grid.ravel(), (COVERED, MINE, SAFE)).tolist()
    wanted = tuple(
        Fraction(mine, len(every)) if known else None
        for mine, known in zip(every.sum(axis=0).tolist(), certain, strict=True)
    )
    assert answer.probability == wanted, board.text()
    assert chances.layouts == len(every)
    totals = Counter(every.sum(axis=1).tolist())
    assert distribution(chances) == totals
    assert chances.mines == (min(totals), max(totals))
    assert chances.expected == sum(filter(None, wanted), Fraction(0))
    mark = {None: "", Fraction(0): "O", Fraction(1): "X"}
    shown = zip(wanted, answer.board.kinds, strict=True)
    assert all(mark.get(each, "#") in ("", kind) for each, kind in shown), board.text()


@pytest.mark.parametrize(
    ("rows", "columns", "every"),
    [(1, 5, 1), (2, 3, 3), (2, 4, 14), slow(3, 3, 152), slow(3, 3, 19)],
)
def test_views_are_counted_exactly(
    rows: int, columns: int, every: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TWOFOLD_KERNELS", "python")
    for board in with_counts(
        islice(views(rows, columns), 0, None, every), 1 if rows * columns < 8 else 3
    ):
        judge_counts(board)


@pytest.mark.parametrize(
    ("kernels", "forced"),
    [
        ("compiled", ""),
        *(("python", each) for each in ("", "COUNTED_LAYOUTS", "JOINED_NUMBERS")),
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
    for board in with_counts(chain(map(of, apart), seeded(80, 1, 12)), 3):
        judge_counts(board)


@pytest.mark.parametrize(("side", "backend"), COMPLETE)
def test_the_number_of_mines_decides_and_is_proved(
    side: Side, backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TWOFOLD_KERNELS", "python")
    decided = 0
    for board in with_counts(seeded(70, 2, 12), 4):
        answer = solved(board, side, backend)
        judge_claims(board, answer, enumerated(board))
        decided += any(core.counted for core in answer.certificate.cores)
    assert decided > 20


def test_too_many_coefficients_are_refused_by_their_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probability, "MAX_COEFFICIENTS", 1)
    for board in (of("1#/##"), family("isolated", 100, 1)):
        with pytest.raises(
            Unsupported,
            match=r"^too many layouts to count: that takes more than 1 coefficients$",
        ):
            probabilities(board)


def test_a_wide_component_is_refused_by_its_width_though_the_first_one_is_narrow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TWOFOLD_KERNELS", "python")
    monkeypatch.setattr(thresholds, "FEW_PAIRS", 1)
    monkeypatch.setattr(import_module("direct.minesweeper.join_tree"), "MAX_PAIRS", 3)
    with pytest.raises(
        Unsupported, match="^too wide: 2 clues are open at once in a component of 10 cells$"
    ):
        probabilities(of("1#OO/##OO/OOOO/####/#33#/####"))


@pytest.mark.parametrize("thirds", [366, slow(1366)])
def test_a_component_of_many_cells_and_layouts_is_counted(thirds: int) -> None:
    """Any three neighbouring columns have 3 mines, the first two and the last two have 2."""
    columns = 3 * thirds + 2
    board = of("/".join(["#" * columns, "2" + "3" * (columns - 2) + "2", "#" * columns]))
    chances = chances_of(board)
    assert chances.layouts == 2**columns + 2 * 2**thirds
    assert set(chances.fractions[2:]) == {Fraction(1, 2)}


@pytest.mark.parametrize("seed", range(3))
def test_expert_boards_add_up_and_the_sides_agree(seed: int) -> None:
    board = family("expert", 16, seed)
    chances = chances_of(board)
    assert chances.expected == 99
    answers = [
        solved(board, DIRECT, "frontier", probabilities=True),
        solved(board, MODELS, "cnf"),
    ]
    assert answers[0].claims.tolist() == answers[1].claims.tolist()
    assert all(proved(board, answer) for answer in answers)
    claims = answers[1].claims[1:]
    for cell, chance in enumerate(answers[0].probability):
        assert claims[cell] == (0 if chance is None else chance if chance in (0, 1) else 2)


@pytest.mark.parametrize("seed", range(2))
def test_the_engines_agree(seed: int) -> None:
    pytest.importorskip("pysdd")
    whole = family("expert", 16, seed)
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
        assert distribution(ours) == distribution(theirs.chances)


def test_nothing_but_covered_cells() -> None:
    rows = "/".join(["#" * 30] * 30)
    assert set(chances_of(of(rows, 200)).fractions[2:]) == {Fraction(2, 9)}
    assert probabilities(of(rows, 901)) is None
    whole = chances_of(of(rows))
    assert whole.layouts == 2**900
    assert whole.mines == (0, 900)


def test_exact_claims_are_related() -> None:
    board = of("#1##/####")
    ours, theirs = (
        solved(each, DIRECT, "frontier", probabilities=True) for each in (board, of("#1##/###O"))
    )
    for exact, relation in (
        (replace(ours, certificate=None).exact, Relation.EQUAL),
        ({}, Relation.EQUAL),
        (theirs.exact, Relation.CONFLICT),
    ):
        one, other = Stance(ours.claims, exact=ours.exact), Stance(ours.claims, exact=exact)
        assert relate("minesweeper", one, other) is relation
    assert solved(board, DIRECT, "frontier").exact == {}


def test_wrong_probabilities_are_refuted() -> None:
    for given in (of("######/#1##2#/######", 3), of("####/2#21")):
        good = solved(given, DIRECT, "frontier", probabilities=True)
        counted = good.chances
        assert counted is not None
        assert proved(given, good)
        swapped = counted.value_of.copy()
        swapped[np.flatnonzero(swapped > 1)[0]] = 1
        for wrong in (
            replace(counted, value_of=swapped),
            replace(counted, values=tuple((n, d + (d > 1)) for n, d in counted.values)),
            replace(counted, layouts=counted.layouts + 1),
            replace(counted, factors=(*counted.factors, ((2,), 1))),
        ):
            assert verdict(given, replace(good, chances=wrong)) is Verdict.REFUTED
    broken = of("8#")
    answer = replace(solved(broken, DIRECT, "frontier"), chances=probabilities(of("1#")))
    assert verdict(broken, answer) is Verdict.REFUTED


def test_a_core_with_the_number_of_mines_is_checked() -> None:
    board, more, four = (of("#1##/OOOO", mines) for mines in (1, 2, 4))
    good = solved(board, DIRECT, "frontier")
    assert good.board.lines()[0] == "#1#O"
    assert proved(board, good)
    proof: Certificate = good.certificate
    for cores in (
        tuple(core._replace(counted=False) for core in proof.cores),
        (Core((), (3,), True),),
    ):
        wrong = replace(good, certificate=replace(proof, cores=cores))
        assert verdict(board, wrong) is Verdict.UNPROVED
    same = replace(good, board=Minesweeper(good.board.grid, 2))
    assert verdict(more, same) is Verdict.UNPROVED
    for given, says in ((four, Verdict.PROVED), (more, Verdict.UNPROVED)):
        refusal = Deduction(False, given, certificate=Certificate((Core((1,), (), True),)))
        assert verdict(given, refusal) is says
