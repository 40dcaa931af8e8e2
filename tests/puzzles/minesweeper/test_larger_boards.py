"""Minesweeper: families, wide boards, and what a backend refuses."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from direct import SIDE as DIRECT
from direct.minesweeper import thresholds
from direct.minesweeper.decide import decide, parts_of
from direct.minesweeper.join_tree import MAX_PAIRS
from models import SIDE as MODELS
from models.cnf import Formula
from models.minesweeper import clues
from models.minesweeper import thresholds as model_thresholds
from puzzles.backend import Unsupported
from puzzles.minesweeper.board import Minesweeper
from tests.puzzles.minesweeper.boards import (
    PUZZLE,
    claimed,
    family,
    of,
    proved,
    seeded,
    solved,
    with_counts,
)
from tests.thresholds import LOW


def test_only_the_broken_family_is_inconsistent() -> None:
    for name in PUZZLE.families:
        verdicts = [
            solved(family(name, 20, seed), DIRECT, "frontier").consistent for seed in range(8)
        ]
        assert verdicts.count(False) >= 6 if name == "broken" else all(verdicts)


def test_what_a_backend_cannot_take_is_refused() -> None:
    with pytest.raises(Unsupported, match="the number of mines is given"):
        DIRECT.solve(of("#1#", 1), "two-sat")
    with pytest.raises(Unsupported, match="cannot be asked a second time"):
        MODELS.solve(of("####/2#21"), "cnf", solver="kissat404")


TOO_WIDE = "^too wide: [0-9]+ clues are open at once in a component of {} cells$"


def scattered(size: int) -> Minesweeper:
    grid = np.full((size, size), ord("#"), np.uint8)
    grid[1:-1:2, 1:-1:2] = ord("3")
    return Minesweeper(grid)


def test_wide_boards_are_solved_as_far_as_they_are() -> None:
    assert set(claimed(scattered(40), DIRECT, "two-sat").tolist()) == {-1, 0}
    board = scattered(12)
    ours, theirs = claimed(board, DIRECT, "frontier"), claimed(board, MODELS, "cnf")
    assert ours.tolist() == theirs.tolist()


@pytest.mark.slow  # with fewer pairs allowed, test_too_many_pairs_are_refused says it too
def test_too_wide_a_board_is_refused_with_its_width() -> None:
    with pytest.raises(Unsupported, match=TOO_WIDE.format(1160)) as caught:
        DIRECT.solve(scattered(40), "frontier")
    assert int(str(caught.value).split()[2]) > 10


@pytest.mark.parametrize("forced", ["FEW_PAIRS", "COUNTED_LAYOUTS"])
def test_what_is_too_large_at_first_is_decided_and_proved(
    forced: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For plain Python, which then tries again with more pairs, or for 64 bits."""
    monkeypatch.setenv("TWOFOLD_KERNELS", "python")
    monkeypatch.setattr(thresholds, forced, LOW[thresholds.__name__][forced])
    tried = 0
    for board in [*seeded(40, 8), *(family(name, 10, 5) for name in PUZZLE.families)]:
        some, expected = [board], solved(board, MODELS, "cnf")
        if expected.consistent:
            mines = np.frombuffer(expected.certificate.layouts[0], np.uint8).sum()
            some.append(replace(board, mines=int(mines)))
            tried += 1
        for each in some:
            answer = solved(each, DIRECT, "frontier")
            assert answer.claims.tolist() == claimed(each, MODELS, "cnf").tolist()
            assert proved(each, answer), each.text()
    assert tried > 20


def test_too_many_pairs_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TWOFOLD_KERNELS", "python")
    monkeypatch.setattr(thresholds, "FEW_PAIRS", 1)
    monkeypatch.setattr(import_module("direct.minesweeper.join_tree"), "MAX_PAIRS", 3)
    with pytest.raises(Unsupported, match=TOO_WIDE.format(10)):
        DIRECT.solve(of("####/#33#/####"), "frontier")


@pytest.mark.slow
def test_a_component_of_twenty_open_clues_is_solved(monkeypatch: pytest.MonkeyPatch) -> None:
    """Covered cells in a square, between each two neighbours a clue that just one is a mine: wide,
    but of two layouts.
    """
    monkeypatch.setenv("TWOFOLD_KERNELS", "python")
    widths: list[int] = []
    for side in range(17, 22):
        grid = np.full((2 * side - 1, 2 * side - 1), ord("O"), np.uint8)
        grid[::2, ::2] = ord("#")
        grid[1::2, ::2] = grid[::2, 1::2] = ord("1")
        board = Minesweeper(grid)
        decided = decide(board.grid, -1, MAX_PAIRS)
        assert (decided.clash, decided.too_wide) == (0, 0)
        widths.append(decided.width)
        answer = solved(board, DIRECT, "frontier")
        assert answer.board == board
        assert len(answer.certificate.layouts) == 2
        assert proved(board, answer)
    assert max(widths) > 20


def test_cells_whose_small_core_is_not_found_get_all_clues_as_their_core(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(
        "TWOFOLD_KERNELS", "python"
    )  # a compiled kernel holds the threshold that it was compiled with
    monkeypatch.setattr(thresholds, "MAX_BRANCHES", 0)
    board = of("#1./#21/###")
    answer = solved(board, DIRECT, "frontier")
    assert [(core.clues, core.cells) for core in answer.certificate.cores] == [((1, 2, 4, 5), (6,))]
    assert proved(board, answer)


def test_cores_are_found_in_one_block_and_in_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the blocks, each certain cell gets a core, and the number of mines takes part for
    the same cells.
    """
    boards = list(with_counts(seeded(40, 5, 7), 6))
    counted: list[list[set[int]]] = []
    for side, margin in ((16, 6), (2, 1)):
        monkeypatch.setattr(model_thresholds, "CORE_BLOCK", side)
        monkeypatch.setattr(model_thresholds, "CORE_MARGIN", margin)
        answers = [solved(board, MODELS, "cnf") for board in boards]
        assert all(map(proved, boards, answers))
        counted.append(
            [
                {cell for core in answer.certificate.cores if core.counted for cell in core.cells}
                for answer in answers
            ]
        )
    assert counted[0] == counted[1]
    assert sum(map(bool, counted[0])) > 5


def test_cores_and_smallest_cores_are_asked_of_one_formula(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside the formula of the answer itself, in which nothing can be switched off."""
    stated: list[bool] = []

    def counting(formula: Formula, of_board: clues.Clues) -> None:
        stated.append(formula.grouped)
        state_clues(formula, of_board)

    state_clues = clues.state_clues
    monkeypatch.setattr(clues, "state_clues", counting)
    for board in (of("####/2#21"), of("#####/#32#2"), of("1#1/#1#")):
        stated.clear()
        answer = solved(board, MODELS, "cnf")
        for core in answer.certificate.cores:
            assert answer.why(core.cell).core.fewest
        assert stated == [False, True]


def test_however_many_layouts_a_component_needs_its_states_are_computed_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    computed: list[int] = []

    def counting(grid: Any, most_pairs: int) -> Any:
        computed.append(grid.size)
        return parts_of(grid, most_pairs)

    monkeypatch.setenv("TWOFOLD_KERNELS", "python")
    monkeypatch.setattr(import_module("direct.minesweeper.layouts"), "parts_of", counting)
    board = of("#######/#1#1#1#/#######")
    answer = solved(board, DIRECT, "frontier")
    assert len(answer.certificate.layouts) > 3
    assert computed == [board.cells]
    assert proved(board, answer)


@pytest.mark.parametrize("seed", [2, 8, 11])
def test_small_cores_are_found_among_hundreds_of_clues(seed: int) -> None:
    """Without weights of clues the search gave up on these boards, and a core was all clues."""
    board = PUZZLE.any_family("spread").board(40, seed)
    assert isinstance(board, Minesweeper)
    answer = solved(board, DIRECT, "frontier")
    assert max(len(core.clues) for core in answer.certificate.cores) < 30
    assert proved(board, answer)
