"""The open cells of a board as a graph; matchings of it, and the alternating paths that decide who
loses.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.cnf import Bools, Formula, Ints
from puzzles.answer import Effort
from puzzles.geography.board import Geography, Losing

MATCHED = "{} is matched to {}"
"""What the variable of an edge says."""


class BoardGraph(NamedTuple):
    """The open cells, numbered 0, 1, ..., and their neighbours. Arrays are int64.

    Attributes:
        cells: the flat index of each cell.
        colour: 1 and -1 in turn along rows and columns, as on a chessboard.
        near: shape (open cells, 4), the cells beside each cell; -1 if there is none on that side.
        edges: shape (n, 2), the pairs of neighbours.
        around: shape (open cells, 4), the edges at each cell; -1 if there is none on that side.
    """

    cells: Ints
    colour: Ints
    near: Ints
    edges: Ints
    around: Ints


def graph_of(board: Geography) -> BoardGraph:
    """The graph of a board, in linear time."""
    inside = np.flatnonzero(np.pad(board.grid == ord("."), 1))
    count, stride = inside.size, board.columns + 2
    number = np.full((board.rows + 2) * stride, -1, np.int64)
    number[inside] = np.arange(count)
    near = number[inside[:, None] + (-stride, -1, 1, stride)]
    around = np.full((count, 4), -1, np.int64)
    edges: list[Ints] = []
    total = 0
    for side, opposite in ((2, 1), (3, 0)):
        one = np.flatnonzero(near[:, side] >= 0)
        other = near[one, side]
        around[one, side] = around[other, opposite] = total + np.arange(one.size)
        edges.append(np.column_stack([one, other]))
        total += one.size
    cells = np.flatnonzero(board.grid == ord("."))
    colour = np.where(np.add(*np.divmod(cells, board.columns)) % 2 == 1, 1, -1)
    return BoardGraph(cells, colour, near, np.concatenate(edges), around)


def cell_components(count: int, edges: Ints) -> Ints:
    """For each of the cells 0..count-1 the smallest cell in its component."""
    least = np.arange(count)
    one, other = edges.T
    while True:
        before = least.copy()
        np.minimum.at(least, one, before[other])
        np.minimum.at(least, other, before[one])
        least = least[least]
        if (least == before).all():
            return least


def majority(graph: BoardGraph, edges: Ints) -> Bools:
    """The cells of the colour that most cells of their component have, if these are the edges."""
    component = cell_components(graph.cells.size, edges)
    surplus = np.bincount(component, graph.colour, graph.cells.size)[component]
    return surplus * graph.colour > 0


def state_matched(formula: Formula, otherwise: Ints, around: Ints) -> None:
    """State of each cell that one of its edges is matched, or else a literal holds.

    Args:
        otherwise: the literal of each cell.
        around: shape (cells, 4), the variables of its edges; 0 if there is none on that side.
    """
    around = np.sort(around, axis=1)
    degree = np.count_nonzero(around, axis=1)
    for number in range(5):
        here = degree == number
        formula.extend(np.column_stack([otherwise[here], around[here, 4 - number :]]))


def mates(graph: BoardGraph, matched: Bools) -> Ints:
    """Each cell's mate, if the matching consists of these edges; -1 if the cell is exposed."""
    mate = np.full(graph.cells.size, -1, np.int64)
    one, other = graph.edges[matched].T
    mate[one], mate[other] = other, one
    return mate


def alternating_paths(graph: BoardGraph, mate: Ints) -> tuple[Ints, Ints]:
    """The cells that an alternating path of even length reaches from an exposed cell, in linear
    time.

    If the matching is maximum, these are the cells from which the first mover loses.

    Returns:
        For each cell its rank (the number of steps from parent to parent back to an exposed cell)
        and its parent. Both are -1 if no path reaches the cell; an exposed cell has rank 0 and
        parent -1.
    """
    near, mate_of = (
        graph.near.tolist(),
        [*mate.tolist(), -1],
    )  # index -1 stands for "no cell", which has no mate
    rank, parent = np.where(mate < 0, 0, -1).tolist(), [-1] * mate.size
    queue = np.flatnonzero(mate < 0).tolist()
    for above in queue:
        for beside in near[above]:
            cell = mate_of[beside]
            if cell >= 0 and rank[cell] < 0:
                rank[cell], parent[cell] = rank[above] + 1, above
                queue.append(cell)
    return np.array(rank, np.int64), np.array(parent, np.int64)


def answer_of_matching(
    board: Geography,
    graph: BoardGraph,
    mate: Ints,
    effort: Effort,
    certify: bool,
    losing: Bools | None = None,
) -> Losing:
    """The answer that a maximum matching gives; `losing`: by default the cells that alternating
    paths reach.
    """
    if losing is None:
        losing = alternating_paths(graph, mate)[0] >= 0
    uncertified = Losing(board, graph.cells[losing].astype(np.int32), effort=effort)

    def certify_answer() -> Losing:
        return replace(uncertified, certificate=_certificate(board, graph, mate))

    return certify_answer() if certify else uncertified.later(certify_answer)


def _certificate(board: Geography, graph: BoardGraph, mate: Ints) -> NDArray[np.int32]:
    """The certificate of an answer: mates, parents and ranks, for all cells of the board; see
    `Losing`.
    """
    rows = np.full((3, board.cells), -1, np.int32)
    rank, parent = alternating_paths(graph, mate)
    for row, cells in ((0, mate), (1, parent)):
        known = cells >= 0
        rows[row, graph.cells[known]] = graph.cells[cells[known]]
    rows[2, graph.cells] = rank
    return rows
