"""Boards on top of each other as one grid, so that what NumPy makes of a board it makes of many small ones at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from puzzles.grid import Board
from puzzles.text import Grid

B = TypeVar("B", bound=Board)


class Stack(Generic[B]):
    """Boards and the grid of them all.

    Attributes:
        boards: from the top down.
        tops: int64 (boards + 1), the row of the grid in which each begins, and where the next one would.
        grid: uint8, the boards at its left edge; beside and below each there is what keeps them apart.
    """

    def __init__(self, boards: Sequence[B], between: int) -> None:
        self.boards = boards
        self.tops = np.cumsum([0] + [board.rows + 1 for board in boards])
        self.grid: Grid = np.full((int(self.tops[-1]), max(board.columns for board in boards)), between, np.uint8)
        for board, top in zip(boards, self.tops.tolist(), strict=False):
            self.grid[top : top + board.rows, : board.columns] = board.grid

    @property
    def ends(self) -> NDArray[np.int64]:
        """For each board a cell of the grid, below the board, that is after its last one and before the next one's first."""
        return self.tops[1:] * self.grid.shape[1] - 1

    def apart(self, cells: NDArray[np.integer]) -> list[NDArray[np.int64]]:
        """For each board those of these cells of the grid, in ascending order, that are its own, as its own flat indices."""
        rows, columns = np.divmod(cells.astype(np.int64), self.grid.shape[1])
        parts = np.split(np.arange(cells.size), np.searchsorted(cells, self.ends[:-1]))
        return [
            (rows[part] - top) * board.columns + columns[part]
            for board, top, part in zip(self.boards, self.tops.tolist(), parts, strict=False)
        ]


def stacks(boards: Sequence[B], between: int, most_cells: int) -> Iterator[Stack[B]]:
    """The boards, in their order, in stacks of at most so many cells; a board that is larger is a stack of its own."""
    held: list[B] = []
    rows = columns = 0
    for board in boards:
        rows, columns = rows + board.rows + 1, max(columns, board.columns)
        if held and rows * columns > most_cells:
            yield Stack(held, between)
            held, rows, columns = [], board.rows + 1, board.columns
        held.append(board)
    if held:
        yield Stack(held, between)
