"""Geography as the strategy of the player who moves second: a matching to reply with, and the cells from which it wins.

The rules are a game, which no small formula states. What is stated is that strategy: a matching M and a set L of cells, such
that every exposed cell is in L and every neighbour of a member of L is matched to a member of L. The first mover wins from
outside L by moving to the mate. Inside, a cell loses if it hangs on an exposed one: if a chain of such mates leads to it from
there. The others, *loose* cells that only hang on each other in circles, win: L without them is a solution too, and all
solutions agree on who loses. That is the rule which is not written down but added lazily, a clause for each loose cell; or
written down after all, with a rank for each cell by which it hangs.
"""

from __future__ import annotations

from itertools import permutations
from typing import NamedTuple

import numpy as np

from models.cnf import Formula
from models.geography.graph import Bools, Graph, Ints, components, hang, mates


class Literals(NamedTuple):
    """The variables: a cell is in L, a cell is exposed, an edge is matched."""

    losing: Ints
    exposed: Ints
    edge: Ints


class Paths(NamedTuple):
    """Two steps from cell to cell, arrays int64.

    Attributes:
        cells: (n, 3), u, w, t: a cell, a neighbour of it, and another neighbour of that one.
        edges: (n, 2), the edges u-w and w-t of each path.
    """

    cells: Ints
    edges: Ints


_COME, _GO = (np.array(sides) for sides in zip(*permutations(range(4), 2), strict=True))
"""Every two of the four sides of a cell."""


def paths_of(graph: Graph) -> Paths:
    come, go = graph.near.T[_COME], graph.near.T[_GO]
    way, middle = np.nonzero((come >= 0) & (go >= 0))
    cells = np.column_stack([come[way, middle], middle, go[way, middle]])
    return Paths(cells, np.column_stack([graph.around[middle, _COME[way]], graph.around[middle, _GO[way]]]))


def pairing(graph: Graph, formula: Formula) -> Literals:
    """State the strategy, but for loose cells."""
    paths = paths_of(graph)
    cells, edges = graph.cells.size, len(graph.edges)
    losing, exposed = formula.new(cells) + np.arange(cells), formula.new(cells) + np.arange(cells)
    edge = formula.new(edges) + np.arange(edges)
    first, _, last = paths.cells.T
    come, go = edge[paths.edges].T
    formula.extend(-np.column_stack([come, go])[come < go])
    for end in (0, 1):
        formula.extend(-np.column_stack([exposed[graph.edges[:, end]], edge]))
        formula.extend(-np.column_stack([losing[graph.edges[:, end]], exposed[graph.edges[:, 1 - end]]]))
    for lone, around in zip(exposed.tolist(), graph.around.tolist(), strict=True):
        formula.add(lone, *(int(edge[k]) for k in around if k >= 0))
    formula.extend(np.column_stack([-exposed, losing]))
    formula.extend(np.column_stack([-losing[first], -go, losing[last]]))
    return Literals(losing, exposed, edge)


def phases(graph: Graph, literals: Literals, variables: int) -> list[int]:
    """Prefer to match, and that the cells lose whose colour has the majority in their component: mostly they do.

    With a solver's own phases boards with few walls take up to a hundred times longer.
    """
    component = components(graph.cells.size, graph.edges)
    surplus = np.bincount(component, graph.colour, graph.cells.size)[component]
    preferred = -np.arange(1, variables + 1)
    preferred[literals.edge - 1] *= -1
    preferred[literals.losing[surplus * graph.colour > 0] - 1] *= -1
    return preferred.tolist()


def loose(graph: Graph, losing: Bools, matched: Bools) -> Bools:
    """The members of L that hang on no exposed cell."""
    return losing & (hang(graph, mates(graph, matched))[0] < 0)
