"""How a board lies in memory while its cells are matched.

The board has walls around it, and its rows are an odd number of entries apart. So the parity of a cell's index is its colour on a
chessboard, and a cell's neighbours have the other colour. The cells of one colour have arrays of their own, with cell c at c >> 1.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from direct.kernel import Array, inner_kernel

FREE, WALL = 4, 5
"""Codes of an exposed (unmatched) cell and of a wall. The code of any other cell is the direction k of its mate: 0 up, 1 left,
2 right, 3 down; 3 - k is the opposite one."""

EVEN = 8
"""Added to the code of a cell that some maximum matching leaves exposed."""

MATE = EVEN - 1
"""A mask for the other bits of a code."""

NONE = 255
"""In place of a direction: a cell that no search has reached."""

OPEN = ord(".")

FAR = 2**14 - 1
"""The label of a cell from which no augmenting path starts, or only one of more than `thresholds.FARTHEST` matched pairs.

A label and a direction fit into 16 bits."""

DISTANCES = 4096
"""Exposed cells are sorted by their distance, up to this one."""

NATURAL = 2**40 - 1
"""A mask that changes no index. It tells the compiler that the index is not negative."""

JUMP = 16
"""Where the second part of `offsets` begins."""

ONWARD = 48
"""Where the third part of `offsets` begins."""


class Parts(NamedTuple):
    """Where the parts of a board's memory end, in entries of four bytes. See `memory`."""

    exposed: int
    code: int
    label: int
    way: int
    queue: int
    table: int


def memory(rows: int, columns: int) -> NDArray[np.int32]:
    """Uninitialised memory for a board of this size, in one piece: a small board is solved sooner than many arrays are made.

    NumPy gives large arrays huge pages, which Numba does not. The parts, in this order:

    - exposed: int32, twice the cells of a colour.
    - code: uint8 per cell.
    - label: uint16 per cell of a colour. Before, the same memory is degree: uint8 per cell.
    - way: uint16 per cell of the other colour.
    - queue: int32, the cells of one colour, and one entry more.
    - table: int32: DISTANCES + 1 numbers.
    """
    return np.empty(parts((rows + 2) * row_length(columns)).table, np.int32)


@inner_kernel
def parts(cells: int) -> Parts:
    """The parts of the memory of a board that has so many cells with the walls around it."""
    half = cells // 2 + 1
    exposed = 2 * half
    code = exposed + (cells + 3) // 4
    label = code + (half + 1) // 2
    way = label + (half + 1) // 2
    queue = way + half + 1
    return Parts(exposed, code, label, way, queue, queue + DISTANCES + 1)


@lru_cache(maxsize=100)
def offsets(columns: int) -> NDArray[np.int64]:
    """At k the offset of a cell's neighbour in direction k, 0 from 4 on.

    At JUMP + 8 * k + code the offset of the mate of that neighbour if it has this code, 0 if it has no mate. From ONWARD + 4 * k
    on, half the offsets of the three other neighbours of the cell's mate in direction k. Not to be changed.
    """
    step, jump, onward = np.zeros(JUMP, np.int64), np.zeros((4, 8), np.int64), np.zeros((4, 4), np.int64)
    step[:4] = neighbours(columns)
    jump[:, :4] = step[:4, None] + step[:4]
    for k in range(4):
        onward[k, :3] = np.delete(jump[k, :4], 3 - k) // 2
    return np.concatenate([step, jump.ravel(), onward.ravel()])


def neighbours(columns: int) -> NDArray[np.int64]:
    """The offsets of a cell's four neighbours, by their directions."""
    down = row_length(columns)
    return np.array([-down, -1, 1, down])


def row_length(columns: int) -> int:
    """The entries from a cell to the one below it."""
    return (columns + 1) | 1


@inner_kernel
def lay_out(grid: Array, code: Array, degree: Array) -> None:
    """Put a board into `code`, all cells FREE or WALL, and into `degree` the number of free neighbours of each free cell."""
    rows, columns = grid.shape
    # unsigned, so that the loops are done for many cells at a time
    down, size, one = np.uint64((columns + 1) | 1), np.uint64(code.size), np.uint64(1)
    for cell in range(down):
        code[cell] = code[size - one - cell] = WALL
        degree[cell] = degree[size - one - cell] = 0
    for row in range(np.uint64(rows)):
        at = (row + one) * down
        for column in range(np.uint64(columns)):
            code[at + column] = WALL - (grid[row, column] == OPEN)
        for column in range(np.uint64(columns), down):
            code[at + column] = WALL
    for cell in range(down, size - down):
        near = code[cell - down] + code[cell - one] + code[cell + one] + code[cell + down]
        degree[cell] = (WALL - code[cell]) * (4 * WALL - near)
