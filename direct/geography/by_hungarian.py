"""Geography by one augmenting path after the other."""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np

from direct.geography.mates import (
    BLOCKED,
    EXPOSED,
    OPEN_CELL,
    answer_of_cells,
    inside,
    neighbour_offsets,
    row_length,
)
from direct.kernel import Array, inner_kernel, kernel
from puzzles.backend import backend
from puzzles.geography.board import Geography, Losing


@backend(
    "geography",
    "hungarian",
    side="direct",
    source="TheLostWeak's write-up: one augmenting path a cell, then for each cell whether its "
    "mate finds another one",
    assumes="the first mover loses from exactly the cells that some maximum matching misses",
    limit=10_000,
)
def solve(board: Geography, *, certify: bool = False) -> Losing:
    """It pairs neighbouring cells by one augmenting path after the other. Then it takes each cell
    away and asks whether its partner finds another one. If so, the first player loses from that
    cell.

    This is Kuhn's method, in time O(cells^2). The write-up calls it Hungarian, but it is not the
    algorithm for weighted assignment.
    """
    started = time.perf_counter()
    mate = np.full((board.rows + 2, row_length(board.columns)), BLOCKED, np.int32)
    mate[1:-1, : board.columns] = np.where(board.grid == OPEN_CELL, EXPOSED, BLOCKED)
    losing = np.zeros(mate.size, np.uint8)
    rematch.at(mate.size**2)(
        neighbour_offsets(board.columns),
        mate.reshape(-1),
        losing,
        DepthFirst(*np.zeros((4, mate.size), np.int32)),
    )
    cells = np.flatnonzero(inside(losing, board)).astype(np.int32)
    return answer_of_cells(board, cells, mate.reshape(-1) if certify else None, started)


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
def rematch(steps: Array, mate: Array, losing: Array, scratch: DepthFirst) -> None:
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
