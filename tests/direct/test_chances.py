"""Counts of layouts that are large, and counts that do not add up; small ones are tried with the
puzzle.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import Any

import pytest

from direct.minesweeper import probability
from direct.minesweeper.probability import chances_of
from puzzles.grid import grid_of
from puzzles.minesweeper.board import Minesweeper


@pytest.mark.parametrize(
    ("kernels", "columns", "strips"),
    [("python", 50, 25), ("compiled", 50, 25), ("python", 59, 2), ("compiled", 200, 3)],
)
def test_many_components_of_many_layouts_are_counted_exactly(
    kernels: str, columns: int, strips: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also such as have more layouts than 64 bits can say."""
    monkeypatch.setenv("TWOFOLD_KERNELS", kernels)
    clues = (
        "2" + "3" * (columns - 2) + "2"
    )  # any three neighbouring columns have 3 mines, the first two and the last two have 2
    rows = ["#" * columns, clues, "#" * columns] * strips + ["#" * columns]
    board = Minesweeper(grid_of(rows), strips * columns + 20)
    counted = chances_of(board)
    assert counted is not None
    chances = counted[0]
    alternating = (
        columns - 2
    ) // 3  # columns with one mine, if those between them have 0 and 2 or 2 and 0
    assert chances.layouts == (2**columns + 2 * 2**alternating) ** strips * comb(columns, 20)
    around = [chances.of(cell) for cell in range(board.cells)]
    strip = [Fraction(1, 2)] * columns + [None] * columns + [Fraction(1, 2)] * columns
    assert around == strip * strips + [Fraction(20, columns)] * columns


@pytest.mark.parametrize("part", ["component", "board"])
def test_counts_that_do_not_add_up_are_refused(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong_shares(*args: Any) -> Any:
        times, layouts, on_free = shares(*args)
        return times, layouts, on_free + 1

    shares = probability._shares
    if part == "component":
        monkeypatch.setattr(
            probability.Counts, "with_mine", lambda counts, times: [1] * len(counts.sizes)
        )
    else:
        monkeypatch.setattr(probability, "_shares", wrong_shares)
    with pytest.raises(ArithmeticError, match=f"layouts of .* {part} do not add up"):
        chances_of(Minesweeper(grid_of(["########", "#33##12#", "########", "########"]), 9))
