"""Geography as bipartite matching: the first mover loses from exactly the cells that some maximum matching misses.

Source: write-up "LOJ6033, board game (bipartite game)", TheLostWeak. Who starts elsewhere keeps moving to the mate.
"""

from __future__ import annotations

import time
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from direct.kernel import Array, kernel
from direct.matching import BLOCKED, EVEN, EXPOSED, alternating, count, match, neighbour, room
from puzzles.answer import Effort
from puzzles.backend import backend
from puzzles.geography.board import Geography, Losing

T = TypeVar("T", bound=np.generic)

OPEN = ord(".")


@backend(
    "geography",
    "matching",
    side="direct",
    source="write-up 004's theorem; Karp-Sipser, push-relabel, and one alternating search for all cells at once",
    assumes="the first mover loses from exactly the cells that some maximum matching misses",
)
def solve_matching(board: Geography, *, certify: bool = False) -> Losing:
    """A maximum matching of the board, then every cell at even distance from an exposed one; see `direct.matching`."""
    started = time.perf_counter()
    mate, label, queue = _room(board)
    cells = lost.at(board.cells)(board.grid, mate, label, queue)
    return _answer(board, cells, mate, certify, started)


@backend(
    "geography",
    "hungarian",
    side="direct",
    source="write-up 004: one augmenting path a cell, then for each cell whether its mate finds another one",
    assumes="the first mover loses from exactly the cells that some maximum matching misses",
    limit=10_000,
)
def solve_hungarian(board: Geography, *, certify: bool = False) -> Losing:
    """The write-up's own method in time O(cells^2); iterative, where its program recurses."""
    started = time.perf_counter()
    mate = _room(board)[0]
    field.at(board.cells)(board.grid, mate)
    losing = rematched.at(mate.size**2)(None, neighbours(board.columns), mate)
    return _answer(board, np.flatnonzero(_inside(losing, board)).astype(np.int32), mate, certify, started)


def _room(board: Geography) -> NDArray[np.int32]:
    """Three arrays in the layout of `field`."""
    return room((board.rows + 2) * ((board.columns + 1) | 1))


def _inside(padded: NDArray[T], board: Geography) -> NDArray[T]:
    """The board's part of a padded array, as a view of shape (rows, columns)."""
    return padded.reshape(board.rows + 2, -1)[1:-1, : board.columns]


def _answer(board: Geography, cells: NDArray[np.int32], mate: NDArray[np.int32], certify: bool, started: float) -> Losing:
    effort = Effort(solve_s=time.perf_counter() - started)
    return Losing(board, cells, certificate=_certificate(board, mate) if certify else None, effort=effort)


def _certificate(board: Geography, mate: NDArray[np.int32]) -> NDArray[np.int32]:
    """The matching, and how each losing cell hangs on an exposed one, in the board's own cells."""
    steps = neighbours(board.columns)
    parent, rank = descent.at(mate.size)(steps, mate)
    stride = int(steps[-1])
    made = np.stack([_inside(part, board).ravel() for part in (mate, parent, rank)])
    made[0][made[0] == BLOCKED] = EXPOSED
    named = made[:2] >= 0
    row, column = np.divmod(made[:2][named], np.int32(stride))
    made[:2][named] = (row - 1) * board.columns + column
    return made


@kernel
def neighbours(columns: int) -> Array:
    """The steps from a cell to its four neighbours, where rows have that many columns and stand as in `field`."""
    stride = (columns + 1) | 1
    return np.array([-stride, -1, 1, stride])


@kernel
def field(grid: Array, mate: Array) -> Array:
    """Lay a board with blocked cells around it into `mate` (int32, flat): EXPOSED where a cell is open, else BLOCKED.

    Rows are an odd number of entries apart, so that the colour of a cell is its index's parity. Returns in the same layout
    (uint8) how many open neighbours an open cell has, 0 for a blocked one.
    """
    rows, columns = grid.shape
    stride = (columns + 1) | 1
    size = mate.size
    mate[:] = BLOCKED
    free = np.zeros(size, np.uint8)
    for row in range(rows):
        at = (row + 1) * stride
        for column in range(columns):
            free[at + column] = grid[row, column] == OPEN
            mate[at + column] = BLOCKED + (grid[row, column] == OPEN) * (EXPOSED - BLOCKED)
    degree = np.zeros(size, np.uint8)
    for cell in range(stride, size - stride):
        degree[cell] = free[cell] * (free[cell - stride] + free[cell - 1] + free[cell + 1] + free[cell + stride])
    return degree


@kernel
def lost(grid: Array, mate: Array, label: Array, queue: Array) -> Array:
    """The cells (int32, flat, ascending) from which the first mover loses; `mate` becomes a maximum matching.

    `mate`, `label` and `queue` are room for an int32 a cell in the layout of `field`.
    """
    rows, columns = grid.shape
    steps = neighbours(columns)
    degree = field(grid, mate)
    match(None, steps, mate, degree, EVEN, label, queue)
    even = alternating(None, steps, mate, mate.size, queue)
    cells = np.empty(grid.size, np.int32)
    found = 0
    for row in range(rows):
        at = (row + 1) * steps[-1]
        for column in range(columns):
            cells[found] = row * columns + column
            found += int(even[at + column])  # a small integer would overflow where this is not compiled
    return cells[:found]


@kernel
def descent(steps: Array, mate: Array) -> tuple[Array, Array]:
    """Breadth-first from all exposed cells: whence each losing cell was reached, and how far it is (int32, -1 elsewhere)."""
    parent = np.full(mate.size, -1, np.int32)
    rank = np.full(mate.size, -1, np.int32)
    queue = np.empty(mate.size, np.int32)
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
    return parent, rank


@kernel
def rematched(start: Array, target: Array, mate: Array) -> Array:
    """Match one vertex at a time, then take each out in turn: uint8, 1 where its mate finds another one without it.

    `mate` (int32, all EXPOSED or BLOCKED) becomes a maximum matching.
    """
    seen = np.zeros(mate.size, np.int32)
    path = np.empty(mate.size, np.int32)
    taken = np.empty(mate.size, np.int32)
    edge = np.empty(mate.size, np.int32)
    losing = np.zeros(mate.size, np.uint8)
    clock = 0
    for v in range(mate.size):
        if mate[v] == EXPOSED:
            clock += 1
            augment(start, target, mate, v, -1, clock, seen, path, taken, edge)
    for v in range(mate.size):
        if mate[v] == EXPOSED:
            losing[v] = 1
        elif mate[v] >= 0:
            partner = mate[v]
            mate[v] = mate[partner] = EXPOSED
            clock += 1
            if augment(start, target, mate, partner, v, clock, seen, path, taken, edge):
                losing[v] = 1
            else:
                mate[v], mate[partner] = partner, v
    return losing


@kernel
def augment(
    start: Array,
    target: Array,
    mate: Array,
    root: int,
    without: int,
    clock: int,
    seen: Array,
    path: Array,
    taken: Array,
    edge: Array,
) -> bool:
    """Depth-first search of an augmenting path from `root` that avoids the vertex `without`; applied where there is one."""
    path[0] = root
    edge[0] = 0
    depth = 0
    while depth >= 0:
        v = path[depth]
        if edge[depth] == count(start, target, v):
            depth -= 1
            continue
        u = neighbour(start, target, v, edge[depth])
        edge[depth] += 1
        if mate[u] == BLOCKED or u == without or seen[u] == clock:
            continue
        seen[u] = clock
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
