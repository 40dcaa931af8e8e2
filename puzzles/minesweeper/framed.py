"""What is around a cell; boards with a frame of one cell around them, so that every cell has eight neighbours.

This is for the check alone: `direct` and `models` read boards by code of their own.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from puzzles.minesweeper.board import Minesweeper

_NUMBER = {".": 0, **{kind: int(kind) for kind in "012345678"}}


def number(kind: str) -> int | None:
    """How many mines a clue counts; None for a cell that is no clue."""
    return _NUMBER.get(kind)


def neighbours(board: Minesweeper, cell: int) -> Iterator[int]:
    """The flat indices of the cells around a cell."""
    row, column = divmod(cell, board.columns)
    for r in range(max(row - 1, 0), min(row + 2, board.rows)):
        for c in range(max(column - 1, 0), min(column + 2, board.columns)):
            if (r, c) != (row, column):
                yield r * board.columns + c


def framed(grid: NDArray[np.uint8] | NDArray[np.bool_]) -> bytes:
    """The cells of a grid in row-major order with the frame, which is zeros."""
    rows, columns = grid.shape
    padded = np.zeros((rows + 2, columns + 2), np.uint8)
    padded[1:-1, 1:-1] = grid
    return padded.tobytes()


class FramedBoard:
    """A board with its frame. A *place* is a flat index that counts the frame.

    Attributes:
        board: without the frame.
        kinds: the characters.
        width: how many places a row has.
        clues: the place and the number of each clue, in row-major order.
    """

    def __init__(self, board: Minesweeper) -> None:
        self.board = board
        self.kinds = framed(board.grid).decode("ascii")
        self.width = board.columns + 2
        self.clues = [(place, _NUMBER[kind]) for place, kind in enumerate(self.kinds) if kind in _NUMBER]

    def place_of(self, cell: int) -> int:
        """The place of a flat index."""
        row, column = divmod(cell, self.board.columns)
        return (row + 1) * self.width + column + 1

    def shown(self, place: int) -> str:
        """How a message names a place."""
        row, column = divmod(place, self.width)
        return f"{row},{column}"

    def around(self, place: int) -> tuple[str, str, str]:
        """The characters around a place, in three rows of three; the place itself is in the middle."""
        kinds, above, below = self.kinds, place - self.width, place + self.width
        return kinds[above - 1 : above + 2], kinds[place - 1 : place + 2], kinds[below - 1 : below + 2]

    def numbers(self, marked: NDArray[np.bool_]) -> bytes:
        """For each place how many cells of its 3x3 square are marked; those of the frame mean nothing.

        The marks are one integer with a byte for each place, so a few additions count for all places at once.
        """
        marks = int.from_bytes(framed(marked), "little")
        row = 8 * self.width
        marks += (marks << 8) + (marks >> 8)
        marks += (marks << row) + (marks >> row)
        return marks.to_bytes(len(self.kinds), "little")
