"""The open cells of a board as a graph, and what a maximum matching of it tells."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzles.geography.board import Geography

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


class Graph(NamedTuple):
    """The open cells, numbered 0, 1, ..., and how they lie; arrays int64.

    Attributes:
        cells: their flat indices.
        colour: 1 and -1 in turn along rows and columns.
        near: (open cells, 4), the cells beside each cell, -1 where there is none.
        edges: (n, 2), neighbours.
        around: (open cells, 4), the edges at each cell, -1 where there is none.
    """

    cells: Ints
    colour: Ints
    near: Ints
    edges: Ints
    around: Ints


def graph_of(board: Geography) -> Graph:
    free = board.grid == ord(".")
    count = int(free.sum())
    number = np.full((board.rows + 2, board.columns + 2), -1, np.int64)
    number[1:-1, 1:-1][free] = np.arange(count)
    near = np.stack([view[free] for view in (number[:-2, 1:-1], number[1:-1, :-2], number[1:-1, 2:], number[2:, 1:-1])], axis=1)
    around = np.full((count, 4), -1, np.int64)
    edges: list[Ints] = []
    total = 0
    for side, opposite in ((2, 1), (3, 0)):
        one = np.flatnonzero(near[:, side] >= 0)
        other = near[one, side]
        around[one, side] = around[other, opposite] = total + np.arange(one.size)
        edges.append(np.column_stack([one, other]))
        total += one.size
    cells = np.flatnonzero(free)
    colour = np.where(np.add(*np.divmod(cells, board.columns)) % 2 == 1, 1, -1)
    return Graph(cells, colour, near, np.concatenate(edges), around)


def components(count: int, edges: Ints) -> Ints:
    """For each of `count` cells the smallest number in its component."""
    least = np.arange(count)
    one, other = edges.T
    while True:
        before = least.copy()
        np.minimum.at(least, one, before[other])
        np.minimum.at(least, other, before[one])
        least = least[least]
        if (least == before).all():
            return least


def mates(graph: Graph, matched: Bools) -> Ints:
    """Each cell's mate under the matching of those edges, -1 where it is exposed."""
    mate = np.full(graph.cells.size, -1, np.int64)
    one, other = graph.edges[matched].T
    mate[one], mate[other] = other, one
    return mate


def hang(graph: Graph, mate: Ints) -> tuple[Ints, Ints]:
    """The cells to which alternating paths of even length lead from exposed ones: each one's rank, counted from there along
    parents, and its parent; -1 where there is none. Under a maximum matching these are the cells from which one loses. Linear.
    """
    near, mate_of = graph.near.tolist(), [*mate.tolist(), -1]  # -1, no cell, has no mate
    rank, parent = np.where(mate < 0, 0, -1).tolist(), [-1] * mate.size
    queue = np.flatnonzero(mate < 0).tolist()
    for above in queue:
        for beside in near[above]:
            cell = mate_of[beside]
            if cell >= 0 and rank[cell] < 0:
                rank[cell], parent[cell] = rank[above] + 1, above
                queue.append(cell)
    return np.array(rank, np.int64), np.array(parent, np.int64)


def certificate(board: Geography, graph: Graph, mate: Ints) -> NDArray[np.int32]:
    """Mates, parents and ranks in the board's own cells; see the answer."""
    made = np.full((3, board.cells), -1, np.int32)
    rank, parent = hang(graph, mate)
    for row, cells in ((0, mate), (1, parent)):
        known = cells >= 0
        made[row, graph.cells[known]] = graph.cells[cells[known]]
    made[2, graph.cells] = rank
    return made
