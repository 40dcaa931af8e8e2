"""Mates of the cells of a board with walls around it, and the answer that a maximum matching
gives.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from direct.kernel import Array, kernel
from puzzles.answer import Effort
from puzzles.geography.board import Geography, Losing

OPEN_CELL = ord(".")

EXPOSED, BLOCKED = -1, -2
"""Entries of `mate` that name no cell: of an exposed (unmatched) cell, and of a wall."""


def neighbour_offsets(columns: int) -> NDArray[np.int64]:
    """The offsets of a cell's four neighbours, by their directions."""
    down = row_length(columns)
    return np.array([-down, -1, 1, down])


def row_length(columns: int) -> int:
    """The entries from a cell to the one below it."""
    return (columns + 1) | 1


def inside(padded: NDArray[Any], board: Geography) -> NDArray[Any]:
    """The board's part of a padded array, flat."""
    return padded.reshape(board.rows + 2, -1)[1:-1, : board.columns].ravel()


def answer_of_cells(
    board: Geography, cells: NDArray[np.int32], mate: NDArray[np.int32] | None, started: float
) -> Losing:
    """The losing cells as an answer, certified if there are mates; `started` is when solving
    began.
    """
    effort = Effort(solve_s=time.perf_counter() - started)
    return Losing(
        board, cells, certificate=None if mate is None else _certificate(board, mate), effort=effort
    )


def _certificate(board: Geography, mate: NDArray[np.int32]) -> NDArray[np.int32]:
    """The matching, and for each losing cell its parent and rank on a path to an exposed cell; see
    `puzzles.geography`.
    """
    parent, rank = np.full((2, mate.size), -1, np.int32)
    exposed_tree.at(mate.size)(
        neighbour_offsets(board.columns), mate, parent, rank, np.empty(mate.size, np.int32)
    )
    rows = np.stack([inside(part, board) for part in (mate, parent, rank)])
    rows[0][rows[0] == BLOCKED] = EXPOSED
    cells = rows[:2] >= 0
    row, column = np.divmod(rows[:2][cells], np.int32(row_length(board.columns)))
    rows[:2][cells] = (row - 1) * board.columns + column
    return rows


@kernel
def exposed_tree(steps: Array, mate: Array, parent: Array, rank: Array, queue: Array) -> None:
    """Breadth-first search from all exposed cells.

    Puts into `parent` and `rank` (int32, all -1 before) the parent and the distance of each losing
    cell; `queue` is scratch.
    """
    head, tail = 0, 0
    for cell in range(mate.size):
        if mate[cell] == EXPOSED:
            rank[cell] = 0
            queue[tail] = cell
            tail += 1
    while head < tail:
        cell = queue[head]
        head += 1
        for step in steps:
            after = mate[cell + step]
            if after >= 0 and rank[after] < 0:
                parent[after] = cell
                rank[after] = rank[cell] + 1
                queue[tail] = after
                tail += 1
