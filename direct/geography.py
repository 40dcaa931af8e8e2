"""Geography as bipartite matching: the first mover loses from exactly the cells that some maximum matching misses.

Source: write-up "LOJ6033, board game (bipartite game)", TheLostWeak. From any other cell the first mover wins by always moving to
the mate of the current cell.
"""

from __future__ import annotations

import time
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from direct.bipartite import BLOCKED, EVEN, EXPOSED, alternating, count, maximum_matching, neighbour, vertex_arrays
from direct.kernel import Array, kernel
from puzzles.answer import Effort
from puzzles.backend import backend
from puzzles.geography.board import Geography, Losing

T = TypeVar("T", bound=np.generic)

OPEN = ord(".")


@backend(
    "geography",
    "matching",
    side="direct",
    source="the theorem of TheLostWeak's write-up; Karp-Sipser, push-relabel, and one alternating search for all cells at once",
    assumes="the first mover loses from exactly the cells that some maximum matching misses",
)
def solve_matching(board: Geography, *, certify: bool = False) -> Losing:
    """A maximum matching of the board, then every cell at even distance from an exposed one; see `direct.bipartite`."""
    started = time.perf_counter()
    arrays = _arrays(board)
    mate = arrays[0]
    cells = losing_cells.at(board.cells)(board.grid, mate, arrays[1:])
    return _answer(board, cells, mate, certify, started)


@backend(
    "geography",
    "hungarian",
    side="direct",
    source="TheLostWeak's write-up: one augmenting path a cell, then for each cell whether its mate finds another one",
    assumes="the first mover loses from exactly the cells that some maximum matching misses",
    limit=10_000,
)
def solve_hungarian(board: Geography, *, certify: bool = False) -> Losing:
    """Kuhn's augmenting-path method, which the write-up calls Hungarian, in time O(cells^2); iterative, its program recurses.

    It is not the Hungarian algorithm for weighted assignment.
    """
    started = time.perf_counter()
    mate = _arrays(board)[0]
    degrees.at(board.cells)(board.grid, mate)
    losing = rematched.at(mate.size**2)(None, neighbours(board.columns), mate)
    return _answer(board, np.flatnonzero(_inside(losing, board)).astype(np.int32), mate, certify, started)


def _arrays(board: Geography) -> NDArray[np.int32]:
    """Three arrays in the padded layout of `degrees`, uninitialised."""
    return vertex_arrays((board.rows + 2) * ((board.columns + 1) | 1))


def _inside(padded: NDArray[T], board: Geography) -> NDArray[T]:
    """The board's part of a padded array, as a view of shape (rows, columns)."""
    return padded.reshape(board.rows + 2, -1)[1:-1, : board.columns]


def _answer(board: Geography, cells: NDArray[np.int32], mate: NDArray[np.int32], certify: bool, started: float) -> Losing:
    effort = Effort(solve_s=time.perf_counter() - started)
    return Losing(board, cells, certificate=_certificate(board, mate) if certify else None, effort=effort)


def _certificate(board: Geography, mate: NDArray[np.int32]) -> NDArray[np.int32]:
    """The matching, and for each losing cell its parent and rank on a path to an exposed cell; see `puzzles.geography`."""
    steps = neighbours(board.columns)
    parent, rank = exposed_tree.at(mate.size)(steps, mate)
    stride = int(steps[-1])
    rows = np.stack([_inside(part, board).ravel() for part in (mate, parent, rank)])
    rows[0][rows[0] == BLOCKED] = EXPOSED
    cells = rows[:2] >= 0
    row, column = np.divmod(rows[:2][cells], np.int32(stride))
    rows[:2][cells] = (row - 1) * board.columns + column
    return rows


@kernel
def neighbours(columns: int) -> Array:
    """The offsets of a cell's four neighbours in the padded layout of `degrees` (int64)."""
    stride = (columns + 1) | 1
    return np.array([-stride, -1, 1, stride])


@kernel
def degrees(grid: Array, mate: Array) -> Array:
    """Put a board with blocked cells around it into `mate` (int32, flat): EXPOSED if a cell is open, else BLOCKED.

    Rows are an odd number of entries apart, so that the parity of a cell's index is its colour on a chessboard. Returns in the
    same layout (uint8) the number of open neighbours of each open cell, 0 for a blocked one.
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
def losing_cells(grid: Array, mate: Array, scratch: Array) -> Array:
    """The cells (int32, flat, ascending) from which the first mover loses; `mate` becomes a maximum matching.

    `mate` (int32) and each of the two rows of `scratch` (int32) have the layout of `degrees`.
    """
    rows, columns = grid.shape
    steps = neighbours(columns)
    degree = degrees(grid, mate)
    maximum_matching(None, steps, mate, degree, EVEN, scratch)
    even = alternating(None, steps, mate, mate.size, scratch[0])
    cells = np.empty(grid.size, np.int32)
    number = 0
    for row in range(rows):
        at = (row + 1) * steps[3]
        for column in range(columns):
            cells[number] = row * columns + column
            number += int(even[at + column])  # a small integer would overflow where this is not compiled
    return cells[:number]


@kernel
def exposed_tree(steps: Array, mate: Array) -> tuple[Array, Array]:
    """Breadth-first search from all exposed cells: the parent and the distance of each losing cell (int32, -1 elsewhere)."""
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


class DepthFirst(NamedTuple):
    """Scratch of `augment`, int32 arrays with an entry per vertex.

    Attributes:
        seen: the number of the search that last saw a vertex.
        path: the vertices on the path that start a search step, by depth.
        taken: the neighbours that they take, by depth.
        edge: the next neighbour to try, by depth.
    """

    seen: Array
    path: Array
    taken: Array
    edge: Array


@kernel
def rematched(start: Array, target: Array, mate: Array) -> Array:
    """Match one vertex at a time, then remove each in turn: uint8, 1 if its mate finds another mate without it.

    `mate` (int32, all EXPOSED or BLOCKED) becomes a maximum matching.
    """
    size = mate.size
    seen = np.zeros(size, np.int32)
    scratch = DepthFirst(seen, np.empty(size, np.int32), np.empty(size, np.int32), np.empty(size, np.int32))
    losing = np.zeros(size, np.uint8)
    search = 0
    for v in range(size):
        if mate[v] == EXPOSED:
            search += 1
            augment(start, target, mate, v, search, scratch)
    for v in range(size):
        if mate[v] == EXPOSED:
            losing[v] = 1
        elif mate[v] >= 0:
            partner = mate[v]
            mate[v] = mate[partner] = EXPOSED
            search += 1
            seen[v] = search  # so that the path avoids v
            if augment(start, target, mate, partner, search, scratch):
                losing[v] = 1
            else:
                mate[v], mate[partner] = partner, v
    return losing


@kernel
def augment(start: Array, target: Array, mate: Array, root: int, search: int, scratch: DepthFirst) -> bool:
    """Search an augmenting path from `root` depth-first, past no vertex that search number `search` has seen; apply it if found."""
    seen, path, taken, edge = scratch
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
