"""Geography as bipartite matching: the first mover loses from exactly the cells that some maximum
matching misses.

Source: write-up "LOJ6033, board game (bipartite game)", TheLostWeak. From any other cell the first
mover wins by always moving to the mate of the current cell.
"""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from direct.geography.pairing import (
    FREE,
    MATE,
    OPEN,
    WALL,
    losing_cells,
    memory,
    neighbours,
    offsets,
    parts,
    row_length,
)
from direct.kernel import Array, inner_kernel, kernel
from puzzles.answer import Effort
from puzzles.backend import backend
from puzzles.geography.board import Geography, Losing

COMPILING_S = 3
"""CPU seconds that compiling the kernels takes, about."""

EXPOSED, BLOCKED = -1, -2
"""Entries of `mate` that name no cell: of an exposed (unmatched) cell, and of a wall."""


class DepthFirst(NamedTuple):
    """Scratch of `augment`, int32 arrays with an entry per cell.

    Attributes:
        seen: the number of the search that last saw a cell.
        path: the cells on the path that start a search step, by depth.
        taken: the neighbours that they take, by depth.
        edge: the next neighbour to try, by depth.
    """

    seen: Array
    path: Array
    taken: Array
    edge: Array


@kernel
def rematched(steps: Array, mate: Array, losing: Array, scratch: DepthFirst) -> None:
    """Match one cell at a time, then remove each in turn; `losing` (uint8, all 0 before) is 1 where
    its mate finds another mate.

    `mate` (int32, all EXPOSED or BLOCKED) becomes a maximum matching. `scratch` is all 0 before.
    """
    seen, size = scratch.seen, mate.size
    search = 0
    for v in range(size):
        if mate[v] == EXPOSED:
            search += 1
            augment(steps, mate, v, search, scratch)
    for v in range(size):
        if mate[v] == EXPOSED:
            losing[v] = 1
        elif mate[v] >= 0:
            partner = mate[v]
            mate[v] = mate[partner] = EXPOSED
            search += 1
            seen[v] = search  # so that the path avoids v
            if augment(steps, mate, partner, search, scratch):
                losing[v] = 1
            else:
                mate[v], mate[partner] = partner, v


@inner_kernel
def augment(steps: Array, mate: Array, root: int, search: int, scratch: DepthFirst) -> bool:
    """Search an augmenting path from `root` depth-first, past no cell that search number `search`
    has seen; apply it if found.
    """
    seen, path, taken, edge = scratch
    path[0] = root
    edge[0] = 0
    depth = 0
    while depth >= 0:
        v = path[depth]
        if edge[depth] == steps.size:
            depth -= 1
            continue
        u = v + steps[edge[depth]]
        edge[depth] += 1
        if mate[u] == BLOCKED or seen[u] == search:
            continue
        seen[u] = search
        taken[depth] = u
        if mate[u] == EXPOSED:
            while depth >= 0:
                mate[path[depth]], mate[taken[depth]] = taken[depth], path[depth]
                depth -= 1
            return True
        depth += 1
        path[depth] = mate[u]
        edge[depth] = 0
    return False


@backend(
    "geography",
    "matching",
    side="direct",
    source="the theorem of TheLostWeak's write-up; Karp-Sipser, push-relabel, and one alternating "
    "search for all cells at once",
    assumes="the first mover loses from exactly the cells that some maximum matching misses",
)
def solve_matching(board: Geography, *, certify: bool = False) -> Losing:
    """It pairs neighbouring cells, as many as possible. One search then walks from the cells that
    are left over, in turn along a step that is no pair and one that is. The first player loses from
    each cell that it reaches after an even number of steps.

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
    source="TheLostWeak's write-up: one augmenting path a cell, then for each cell whether its "
    "mate "
    "finds another one",
    assumes="the first mover loses from exactly the cells that some maximum matching misses",
    limit=10_000,
)
def solve_hungarian(board: Geography, *, certify: bool = False) -> Losing:
    """It pairs neighbouring cells by one augmenting path after the other. Then it takes each cell
    away and asks whether its partner finds another one. If so, the first player loses from that
    cell.

    This is Kuhn's method, in time O(cells^2). The write-up calls it Hungarian, but it is not the
    algorithm for weighted assignment.
    """
    started = time.perf_counter()
    mate = np.full((board.rows + 2, row_length(board.columns)), BLOCKED, np.int32)
    mate[1:-1, : board.columns] = np.where(board.grid == OPEN, EXPOSED, BLOCKED)
    losing = np.zeros(mate.size, np.uint8)
    rematched.at(mate.size**2)(
        neighbours(board.columns),
        mate.reshape(-1),
        losing,
        DepthFirst(*np.zeros((4, mate.size), np.int32)),
    )
    cells = np.flatnonzero(_inside(losing, board)).astype(np.int32)
    return _answer(board, cells, mate.reshape(-1) if certify else None, started)


def _mates(board: Geography, used: NDArray[np.int32]) -> NDArray[np.int32]:
    """The mate of each cell with the walls around the board, EXPOSED or BLOCKED, from the memory
    after a board was solved.
    """
    size = (board.rows + 2) * row_length(board.columns)
    end = parts(size)
    code = used[end.exposed : end.code].view(np.uint8)[:size] & MATE
    mate = np.arange(size, dtype=np.int32) + offsets(board.columns).astype(np.int32)[code]
    mate[code == FREE] = EXPOSED
    mate[code == WALL] = BLOCKED
    return mate


def _inside(padded: NDArray[Any], board: Geography) -> NDArray[Any]:
    """The board's part of a padded array, flat."""
    return padded.reshape(board.rows + 2, -1)[1:-1, : board.columns].ravel()


def _answer(
    board: Geography, cells: NDArray[np.int32], mate: NDArray[np.int32] | None, started: float
) -> Losing:
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
        neighbours(board.columns), mate, parent, rank, np.empty(mate.size, np.int32)
    )
    rows = np.stack([_inside(part, board) for part in (mate, parent, rank)])
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
