"""The counts of all components combined in one kernel: against a closed form, and against products of polynomials."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import comb

import numpy as np
import pytest

from direct import thresholds
from direct.minesweeper import probabilities
from direct.minesweeper.counts import BoardCounts
from puzzles.grid import grid_of
from puzzles.minesweeper.board import Chances, Minesweeper
from tests.puzzles.minesweeper.boards import expert, family


@pytest.mark.parametrize("kernels", ["python", "compiled"])
def test_many_components_of_many_layouts_are_counted_exactly(kernels: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TWOFOLD_KERNELS", kernels)
    columns, strips = 50, 25
    clues = "2" + "3" * (columns - 2) + "2"  # any three neighbouring columns have 3 mines, the first two and the last two have 2
    rows = ["#" * columns, clues, "#" * columns] * strips + ["#" * columns]
    board = Minesweeper(grid_of(rows), strips * columns + 20)
    chances = probabilities(board)
    assert chances is not None
    alternating = (columns - 2) // 3  # columns with one mine, if those between them have 0 and 2 or 2 and 0
    assert chances.layouts == (2**columns + 2 * 2**alternating) ** strips * comb(columns, 20)
    around = [chances.of(cell) for cell in range(board.cells)]
    strip = [Fraction(1, 2)] * columns + [None] * columns + [Fraction(1, 2)] * columns
    assert around == strip * strips + [Fraction(20, columns)] * columns


def test_counts_combined_by_the_kernel_equal_those_from_polynomials(monkeypatch: pytest.MonkeyPatch) -> None:
    boards = [expert(seed) for seed in range(6)]
    any_number = probabilities(replace(boards[0], mines=None))
    assert any_number is not None
    least, most = any_number.mines
    boards += [replace(boards[0], mines=mines) for mines in (least - 1, least, 79, 159, most - 4, most, most + 1)]
    boards += [replace(family("isolated", 10, seed), mines=20) for seed in range(4)]
    combined: dict[str, list[Chances | None]] = {}
    for kernels in ("python", "compiled"):
        monkeypatch.setenv("TWOFOLD_KERNELS", kernels)
        combined[kernels] = [probabilities(board) for board in boards]
    monkeypatch.setenv("TWOFOLD_KERNELS", "python")
    monkeypatch.setattr(thresholds, "COMBINED_RANGE", 0)
    varied = 0
    for k, board in enumerate(boards):
        multiplied = probabilities(board)
        for chances in (combined["python"][k], combined["compiled"][k]):
            assert (chances is None) == (multiplied is None)
            if chances is not None and multiplied is not None:
                assert chances.exact == multiplied.exact
                assert np.array_equal(chances.percent, multiplied.percent)
                varied += len(chances.values) > 10
    assert varied > 12


def test_counts_that_do_not_add_up_are_refused() -> None:
    digits = np.array([[5, 1], [2**24 - 1, 3], [5 * 7 + 1, 7 - 4]], np.int64)
    right = BoardCounts(digits, 7, 9, 3, 5)
    assert right.rows() == [5 + 2**24, 2**26 - 1, 36 + 3 * 2**24]
    with pytest.raises(ArithmeticError, match="do not add up"):
        right._replace(left=8).rows()
