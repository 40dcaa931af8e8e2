"""Geography as the strategy of the player who moves second: a matching to reply with, and the cells from which it wins.

The rules are a game, which no small formula states. What is stated is that strategy: a matching M and a set L of cells, such
that every exposed cell is in L and every neighbour of a member of L is matched to a member of L. The first mover wins from
outside L by moving to the mate. Inside, a cell loses if it hangs on an exposed one: if a chain of such mates leads to it from
there. The others, *loose* cells that only hang on each other in circles, win: L without them is a solution too, and all
solutions agree on who loses. That is the rule which is not written down but added lazily, a clause for each loose cell.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.cnf import DEFAULT_SOLVER, Formula, paused_collector, session
from models.stopwatch import Stopwatch
from puzzles.backend import backend
from puzzles.geography.board import Geography, Losing

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@backend(
    "geography",
    "cnf",
    side="models",
    source="the loser's pairing strategy (write-up 004's argument), circular support cut lazily",
    takes_for_granted="the pairing strategy decides the game",
    options=("solver",),
    limit=1600,
)
def solve_cnf(board: Geography, *, certify: bool = False, solver: str = DEFAULT_SOLVER) -> Losing:
    """One satisfiable formula for the whole board."""
    watch = Stopwatch()
    with paused_collector():
        graph = _graph(board)
        formula = Formula()
        literals = _strategy(graph, formula)
        watch.built()
        with session(formula, solver) as opened:
            opened.phases(_phases(board, graph, literals, formula.variables))

            def cuts(values: Bools) -> list[list[int]]:
                loose = _loose(graph, values[literals.losing], values[literals.edge])
                return (-literals.losing[loose])[:, None].tolist()

            if not opened.solve_lazily(cuts):
                raise RuntimeError("every board has a strategy, but the solver found none")
            values = opened.model()
        effort = watch.effort(formula.variables, len(formula.clauses))
    losing, edge = values[literals.losing], values[literals.edge]
    certificate = _certificate(board, graph, losing, edge) if certify else None
    return Losing(board, graph.cells[losing].astype(np.int32), certificate=certificate, effort=effort)


@backend(
    "geography",
    "cpsat",
    side="models",
    source="the loser's pairing strategy (write-up 004's argument) as CP-SAT constraints, circular support cut lazily",
    takes_for_granted="the pairing strategy decides the game",
    limit=300,
    requires=("ortools",),
)
def solve_cpsat(board: Geography, *, certify: bool = False) -> Losing:
    """The variables and rules of `cnf` as constraints."""
    from models.cpsat import Model

    watch = Stopwatch()
    graph, model = _graph(board), Model()
    cells, edges = graph.cells.size, len(graph.edges)
    loses, lone, matched = model.variables(cells, "l"), model.variables(cells, "u"), model.variables(edges, "e")
    for cell, around in enumerate(graph.around.tolist()):
        model.cp.add_exactly_one([lone[cell], *(matched[edge] for edge in around if edge >= 0)])
        model.cp.add_implication(lone[cell], loses[cell])
    for one, other in graph.edges.tolist():
        model.cp.add_bool_or(~loses[one], ~lone[other])
        model.cp.add_bool_or(~loses[other], ~lone[one])
    for (first, _, last), (_, go) in zip(graph.paths.tolist(), graph.path_edges.tolist(), strict=True):
        model.cp.add_bool_or(~loses[first], ~matched[go], loses[last])
    watch.built()
    while True:
        if not model.solve():
            raise RuntimeError("every board has a strategy, but the solver found none")
        losing = np.array([model.value(each) for each in loses], np.bool_)
        edge = np.array([model.value(each) for each in matched], np.bool_)
        loose = np.flatnonzero(_loose(graph, losing, edge)).tolist()
        if not loose:
            break
        for cell in loose:
            model.cp.add_bool_and(~loses[cell])
    certificate = _certificate(board, graph, losing, edge) if certify else None
    return Losing(board, graph.cells[losing].astype(np.int32), certificate=certificate, effort=watch.effort(*model.size))


class _Graph(NamedTuple):
    """The open cells, numbered 0, 1, ..., and how they lie; arrays int64.

    Attributes:
        cells: their flat indices.
        edges: (n, 2), neighbours.
        around: (open cells, 4), the edges at each cell, -1 where there is none.
        paths: (n, 3), u, w, t: a cell, a neighbour of it, and another neighbour of that one.
        path_edges: (n, 2), the edges u-w and w-t of each path.
    """

    cells: Ints
    edges: Ints
    around: Ints
    paths: Ints
    path_edges: Ints


class _Literals(NamedTuple):
    """The variables: a cell is in L, a cell is exposed, an edge is matched."""

    losing: Ints
    exposed: Ints
    edge: Ints


def _graph(board: Geography) -> _Graph:
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
    paths, path_edges = [np.empty((0, 3), np.int64)], [np.empty((0, 2), np.int64)]
    for come in range(4):
        for go in range(4):
            middle = np.flatnonzero((near[:, come] >= 0) & (near[:, go] >= 0)) if come != go else np.empty(0, np.int64)
            paths.append(np.column_stack([near[middle, come], middle, near[middle, go]]))
            path_edges.append(np.column_stack([around[middle, come], around[middle, go]]))
    return _Graph(np.flatnonzero(free), np.concatenate(edges), around, np.concatenate(paths), np.concatenate(path_edges))


def _strategy(graph: _Graph, formula: Formula) -> _Literals:
    """State the strategy, but for loose cells."""
    cells, edges = graph.cells.size, len(graph.edges)
    losing, exposed = formula.new(cells) + np.arange(cells), formula.new(cells) + np.arange(cells)
    edge = formula.new(edges) + np.arange(edges)
    first, _, last = graph.paths.T
    come, go = edge[graph.path_edges].T
    formula.extend(-np.column_stack([come, go])[come < go])
    for end in (0, 1):
        formula.extend(-np.column_stack([exposed[graph.edges[:, end]], edge]))
        formula.extend(-np.column_stack([losing[graph.edges[:, end]], exposed[graph.edges[:, 1 - end]]]))
    for lone, around in zip(exposed.tolist(), graph.around.tolist(), strict=True):
        formula.add(lone, *(int(edge[k]) for k in around if k >= 0))
    formula.extend(np.column_stack([-exposed, losing]))
    formula.extend(np.column_stack([-losing[first], -go, losing[last]]))
    return _Literals(losing, exposed, edge)


def _phases(board: Geography, graph: _Graph, literals: _Literals, variables: int) -> list[int]:
    """Prefer to match, and that the cells lose whose colour has the majority in their component: mostly they do.

    With a solver's own phases boards with few walls take up to a hundred times longer.
    """
    component = _components(graph)
    colour = np.where(np.add(*np.divmod(graph.cells, board.columns)) % 2 == 1, 1, -1)
    surplus = np.bincount(component, colour, graph.cells.size)[component]
    preferred = -np.arange(1, variables + 1)
    preferred[literals.edge - 1] *= -1
    preferred[literals.losing[surplus * colour > 0] - 1] *= -1
    return preferred.tolist()


def _loose(graph: _Graph, losing: Bools, edge: Bools) -> Bools:
    """The members of L that hang on no exposed cell."""
    return losing & (_hang(graph, losing, edge)[0] < 0)


def _components(graph: _Graph) -> Ints:
    """For each open cell the smallest number in its component."""
    least = np.arange(graph.cells.size)
    one, other = graph.edges.T
    while True:
        before = least.copy()
        np.minimum.at(least, one, before[other])
        np.minimum.at(least, other, before[one])
        least = least[least]
        if (least == before).all():
            return least


def _hang(graph: _Graph, losing: Bools, edge: Bools) -> tuple[Ints, Ints]:
    """Each losing cell's rank, counted from the exposed cells along parents, and its parent (-1 where there is none)."""
    matched = np.zeros(losing.size, np.bool_)
    matched[graph.edges[edge].ravel()] = True
    rank = np.where(losing & ~matched, 0, -1)
    chosen = np.full(losing.size, -1)
    below: dict[int, list[int]] = {}
    for cell, above in graph.paths[edge[graph.path_edges[:, 0]]][:, [0, 2]].tolist():
        below.setdefault(above, []).append(cell)
    queue = np.flatnonzero(rank == 0).tolist()
    for above in queue:
        for cell in below.get(above, ()):
            if losing[cell] and rank[cell] < 0:
                rank[cell], chosen[cell] = rank[above] + 1, above
                queue.append(cell)
    return rank, chosen


def _certificate(board: Geography, graph: _Graph, losing: Bools, edge: Bools) -> NDArray[np.int32]:
    """Mates, parents and ranks in the board's own cells; see the answer."""
    made = np.full((3, board.cells), -1, np.int32)
    rank, chosen = _hang(graph, losing, edge)
    one, other = graph.cells[graph.edges[edge]].T
    made[0, one], made[0, other] = other, one
    hanging = chosen >= 0
    made[1, graph.cells[hanging]] = graph.cells[chosen[hanging]]
    made[2, graph.cells] = rank
    return made
