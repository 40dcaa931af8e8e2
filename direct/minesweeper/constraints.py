"""Boards as the kernels take them: padded arrays of what is known of each cell, and of what each clue still needs."""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from direct.kernel import Array, inner_kernel

T = TypeVar("T", bound=np.generic)

NO_MINE, MINE, UNKNOWN = range(3)
"""What is known of a cell."""

_COVERED, _FLAG, _SAFE, _DOT, _ZERO, _EIGHT = (ord(character) for character in "#XO.08")


class Constraints(NamedTuple):
    """Boards of one width below one another: what is known of the cells, and what the clues say of the others.

    The cell (row, column) of board b, rows counted through all boards, stands at (row + b + 1) * stride + column + 1. The
    padding around and between the boards is known to have no mine.

    Attributes:
        known: int8 per padded cell, NO_MINE, MINE or UNKNOWN.
        need: int8 per padded cell, at a clue the number of mines among its unknown neighbours; 0 elsewhere.
        unknown: int8 per padded cell, at a clue the number of its unknown neighbours; 0 elsewhere.
        stride: columns + 1.
    """

    known: Array
    need: Array
    unknown: Array
    stride: int


@inner_kernel
def constraints_of(grid: Array, starts: Array) -> Constraints:
    """The constraints that boards state.

    Args:
        grid: uint8 (rows, columns), the boards' character codes, board after board.
        starts: int64 (boards + 1), the row at which each board begins; last the number of rows.
    """
    rows, columns = grid.shape
    stride = columns + 1
    size = (rows + starts.size) * stride + 1
    known = np.zeros(size, np.int8)
    need = np.zeros(size, np.int8)
    unknown = np.zeros(size, np.int8)
    steps = around(stride)
    for count in range(2):
        for board in range(starts.size - 1):
            for row in range(starts[board], starts[board + 1]):
                at = (row + board + 1) * stride + 1
                for column in range(columns):
                    code = grid[row, column]
                    if count == 0:
                        if code == _COVERED:
                            known[at + column] = UNKNOWN
                        elif code == _FLAG:
                            known[at + column] = MINE
                    elif is_opened(code):
                        cell = at + column
                        mines = 0
                        open_cells = 0
                        for k in range(8):
                            near = known[cell + steps[k]]
                            open_cells += near == UNKNOWN
                            mines += near == MINE
                        unknown[cell] = open_cells
                        need[cell] = (int(code) - _ZERO if code != _DOT else 0) - mines
    return Constraints(known, need, unknown, stride)


@inner_kernel
def is_opened(code: int) -> bool:
    """Whether a board's character stands for an opened cell."""
    return code == _DOT or _ZERO <= code <= _EIGHT


@inner_kernel
def around(stride: int) -> Array:
    """The offsets of the eight neighbours in a padded array (int64)."""
    steps = np.empty(8, np.int64)
    for k in range(3):
        steps[k] = k - 1 - stride
        steps[5 + k] = k - 1 + stride
    steps[3] = -1
    steps[4] = 1
    return steps


@inner_kernel
def marked(grid: Array, starts: Array, known: Array) -> Array:
    """The boards (as `constraints_of` takes them) with `X` or `O` on each covered cell that is known."""
    columns = grid.shape[1]
    out = grid.copy()
    for board in range(starts.size - 1):
        for row in range(starts[board], starts[board + 1]):
            at = (row + board + 1) * (columns + 1) + 1
            for column in range(columns):
                if out[row, column] == _COVERED:
                    state = known[at + column]
                    if state != UNKNOWN:
                        out[row, column] = _FLAG if state == MINE else _SAFE
    return out


@inner_kernel
def board_of(cell: int, stride: int, starts: Array) -> int:
    """The number of the board that a padded cell belongs to, by binary search."""
    row = cell // stride
    low, high = 0, starts.size - 2
    while low < high:
        middle = (low + high + 1) >> 1
        if starts[middle] + middle + 1 <= row:
            low = middle
        else:
            high = middle - 1
    return low


@inner_kernel
def longer(array: Array, most: int) -> Array:
    """A copy of twice the length, but of at most `most` entries; what the new ones hold is undefined."""
    wider = np.empty(2 * array.size if 2 * array.size < most else most, array.dtype)
    for k in range(array.size):  # to compile the assignment of a slice takes Numba ten times as long
        wider[k] = array[k]
    return wider


def interior(padded: NDArray[T], columns: int) -> NDArray[T]:
    """The cells of one board in a padded array, as a view of shape (rows, columns)."""
    stride = columns + 1
    return padded[stride : padded.size - stride - 1].reshape(-1, stride)[:, 1:]
