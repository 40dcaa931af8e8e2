"""Wrong geography backends: one augmenting path at a time, and in each backend one defect that
somebody would really write.
"""

from __future__ import annotations

import sys

import numpy as np

from puzzles.geography.board import Geography, Losing
from tests.planted import plant

BUGS = {
    "isolated": "isolated cells called winning: a cell without a neighbour never gets into the "
    "graph",
    "unmatched": "the cells that one matching misses, not all that some maximum matching misses",
    "one-class": "only the cells of one colour searched from",
    "marks": "marks not cleared between augmentations",
    "cover": "the exposed cells alone, with a vertex cover as their certificate: the matching "
    "is maximum, "
    "but the set is wrong",
}


def near_of(board: Geography) -> dict[int, list[int]]:
    """The open neighbours of each open cell."""
    free = {cell for cell in range(board.cells) if board.grid.flat[cell] == ord(".")}
    graph: dict[int, list[int]] = {}
    for cell in sorted(free):
        column = cell % board.columns
        places = (
            cell - board.columns,
            cell - (column > 0),
            cell + (column < board.columns - 1),
            cell + board.columns,
        )
        graph[cell] = [near for near in places if near in free and near != cell]
    return graph


def match(board: Geography, graph: dict[int, list[int]], bug: str) -> dict[int, int]:
    """A matching by augmenting from the cells of one colour, one after another; maximum but for the
    defect.
    """
    mate: dict[int, int] = {}
    seen: set[int] = set()

    def augment(cell: int) -> bool:
        for near in graph[cell]:
            if near not in seen:
                seen.add(near)
                if near not in mate or augment(mate[near]):
                    mate[near], mate[cell] = cell, near
                    return True
        return False

    for cell in graph:
        if sum(divmod(cell, board.columns)) % 2 == 0:
            if bug != "marks":
                seen.clear()
            augment(cell)
    return mate


def solve(board: Geography, bug: str) -> Losing:
    sys.setrecursionlimit(10_000)
    graph = near_of(board)
    if bug == "isolated":
        graph = {cell: near for cell, near in graph.items() if near}
    mate = match(board, graph, bug)
    exposed = [cell for cell in graph if cell not in mate]
    if bug == "one-class":
        exposed = [cell for cell in exposed if sum(divmod(cell, board.columns)) % 2 == 0]
    losing, beside = set(exposed), set[int]()
    for cell in exposed:
        for near in graph[cell]:
            beside.add(near)
            if near in mate and mate[near] not in losing:
                losing.add(mate[near])
                exposed.append(mate[near])
    if bug not in ("unmatched", "cover"):
        return Losing(board, np.array(sorted(losing), np.int32))
    alone = np.array([cell for cell in graph if cell not in mate], np.int32)
    if bug == "unmatched":
        return Losing(board, alone)
    certificate = np.full((3, board.cells), -1, np.int32)
    for cell in graph:
        even = sum(divmod(cell, board.columns)) % 2 == 0
        certificate[0, cell] = mate.get(cell, -1)
        certificate[1, cell] = cell in beside or (even and cell not in losing)
    return Losing(board, alone, certificate=certificate)


plant("geography", BUGS, solve)
