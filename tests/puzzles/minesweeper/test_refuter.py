"""What the check of minesweeper counts by whole boards."""

from __future__ import annotations

import numpy as np

from puzzles.grid import grid_of
from puzzles.minesweeper.board import Minesweeper
from puzzles.minesweeper.refuter import FramedBoard


def test_marked_cells_are_counted_in_every_square() -> None:
    rng = np.random.default_rng(6)
    for rows, columns in ((1, 1), (1, 7), (6, 1), (5, 8), (12, 3)):
        marked = rng.random((rows, columns)) < 0.6
        view = FramedBoard(Minesweeper(grid_of(["#" * columns] * rows)))
        numbers = view.numbers(marked)
        for row, column in np.ndindex(rows, columns):
            square = marked[max(row - 1, 0) : row + 2, max(column - 1, 0) : column + 2]
            assert numbers[view.place_of(row * columns + column)] == square.sum()
