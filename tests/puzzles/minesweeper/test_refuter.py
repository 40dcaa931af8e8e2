"""What clues count, by whole boards."""

from __future__ import annotations

import numpy as np

from puzzles.minesweeper.board import numbers_around


def test_the_marked_neighbours_of_every_cell_are_counted() -> None:
    rng = np.random.default_rng(6)
    for rows, columns in ((1, 1), (1, 7), (6, 1), (5, 8), (12, 3)):
        marked = rng.random((rows, columns)) < 0.6
        numbers = numbers_around(marked)
        for row, column in np.ndindex(rows, columns):
            square = marked[max(row - 1, 0) : row + 2, max(column - 1, 0) : column + 2]
            assert numbers[row, column] == square.sum() - marked[row, column]
