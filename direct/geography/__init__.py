"""Geography as bipartite matching: the first mover loses from exactly the cells that some maximum matching misses.

Source: write-up "LOJ6033, board game (bipartite game)", TheLostWeak. From any other cell the first mover wins by always moving to
the mate of the current cell.
"""

from __future__ import annotations

import time
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from direct.geography.field import FREE, MATE, OPEN, WALL, memory, neighbours, offsets, parts, row_length
from direct.geography.hungarian import BLOCKED, EXPOSED, DepthFirst, rematched
from direct.geography.pairing import losing_cells
from direct.kernel import Array, kernel
from puzzles.answer import Effort
from puzzles.backend import backend
from puzzles.geography.board import Geography, Losing

T = TypeVar("T", bound=np.generic)


@backend(
    "geography",
    "matching",
    side="direct",
    source="the theorem of TheLostWeak's write-up; Karp-Sipser, push-relabel, and one alternating search for all cells at once",
    assumes="the first mover loses from exactly the cells that some maximum matching misses",
)
def solve_matching(board: Geography, *, certify: bool = False) -> Losing:
    """It pairs neighbouring cells, as many as possible. One search then walks from the cells that are left over, in turn along a
    step that is no pair and one that is. The first player loses from each cell that it reaches after an even number of steps.

    See `direct.geography.pairing`.
    """
    started = time.perf_counter()
    used = memory(board.rows, board.columns)
    cells = used[: losing_cells.at(board.cells)(board.grid, used, offsets(board.columns))]
    return _answer(board, cells, _mates(board, used) if certify else None, started)


@backend(
    "geography",
    "hungarian",
    side="direct",
    source="TheLostWeak's write-up: one augmenting path a cell, then for each cell whether its mate finds another one",
    assumes="the first mover loses from exactly the cells that some maximum matching misses",
    limit=10_000,
)
def solve_hungarian(board: Geography, *, certify: bool = False) -> Losing:
    """It pairs neighbouring cells by one augmenting path after the other. Then it takes each cell away and asks whether its partner
    finds another one. If so, the first player loses from that cell.

    This is Kuhn's method, in time O(cells^2). The write-up calls it Hungarian, but it is not the algorithm for weighted assignment.
    """
    started = time.perf_counter()
    mate = np.full((board.rows + 2, row_length(board.columns)), BLOCKED, np.int32)
    mate[1:-1, : board.columns] = np.where(board.grid == OPEN, EXPOSED, BLOCKED)
    losing = np.zeros(mate.size, np.uint8)
    rematched.at(mate.size**2)(neighbours(board.columns), mate.reshape(-1), losing, DepthFirst(*np.zeros((4, mate.size), np.int32)))
    cells = np.flatnonzero(_inside(losing, board)).astype(np.int32)
    return _answer(board, cells, mate.reshape(-1) if certify else None, started)


def _mates(board: Geography, used: NDArray[np.int32]) -> NDArray[np.int32]:
    """The mate of each cell with the walls around the board, EXPOSED or BLOCKED, from the memory after a board was solved."""
    size = (board.rows + 2) * row_length(board.columns)
    end = parts(size)
    code = used[end.exposed : end.code].view(np.uint8)[:size] & MATE
    mate = np.arange(size, dtype=np.int32) + offsets(board.columns).astype(np.int32)[code]
    mate[code == FREE] = EXPOSED
    mate[code == WALL] = BLOCKED
    return mate


def _inside(padded: NDArray[T], board: Geography) -> NDArray[T]:
    """The board's part of a padded array, flat."""
    return padded.reshape(board.rows + 2, -1)[1:-1, : board.columns].ravel()


def _answer(board: Geography, cells: NDArray[np.int32], mate: NDArray[np.int32] | None, started: float) -> Losing:
    effort = Effort(solve_s=time.perf_counter() - started)
    return Losing(board, cells, certificate=None if mate is None else _certificate(board, mate), effort=effort)


def _certificate(board: Geography, mate: NDArray[np.int32]) -> NDArray[np.int32]:
    """The matching, and for each losing cell its parent and rank on a path to an exposed cell; see `puzzles.geography`."""
    parent, rank = np.full((2, mate.size), -1, np.int32)
    exposed_tree.at(mate.size)(neighbours(board.columns), mate, parent, rank, np.empty(mate.size, np.int32))
    rows = np.stack([_inside(part, board) for part in (mate, parent, rank)])
    rows[0][rows[0] == BLOCKED] = EXPOSED
    cells = rows[:2] >= 0
    row, column = np.divmod(rows[:2][cells], np.int32(row_length(board.columns)))
    rows[:2][cells] = (row - 1) * board.columns + column
    return rows


@kernel
def exposed_tree(steps: Array, mate: Array, parent: Array, rank: Array, queue: Array) -> None:
    """Breadth-first search from all exposed cells.

    Puts into `parent` and `rank` (int32, all -1 before) the parent and the distance of each losing cell; `queue` is scratch.
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
