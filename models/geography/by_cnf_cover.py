"""Geography as a maximum matching, together with an independent set of cells that proves it
maximum.

The variables: c of a cell says that the cell is not in the independent set I; e of an edge says
that the edge is matched. Of two neighbours at least one is outside I, and every cell outside I is
matched to a cell of I. So the matching has one edge for each cell outside I, and no matching has
more. By König's theorem every board has such a matching and set. Who loses is read off the matching
without search, so no circular support can arise.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from models.cnf import Formula, Ints, paused_collector
from models.dimacs import Encoding
from models.geography import thresholds
from models.geography.graph import (
    MATCHED,
    BoardGraph,
    answer_of_matching,
    cell_components,
    graph_of,
    majority,
    state_matched,
)
from models.geography.portfolio import portfolio
from models.solvers.sat_solver import SolverFailure
from models.solvers.solver_names import DEFAULT_SOLVER, solver_name
from models.stopwatch import Stopwatch
from puzzles.answer import Effort
from puzzles.backend import backend
from puzzles.geography.board import Geography, Losing


def encode(board: Geography) -> Encoding:
    """The formula of `cnf-cover` for the whole board at once; no dead ends are paired
    beforehand.
    """
    graph = graph_of(board)
    cells, edges = np.unique(graph.edges), np.arange(len(graph.edges))
    formula = cover_formula(graph, cells, edges)
    return Encoding.of(
        formula, "satisfiable; the matched edges are a maximum matching", board, lambda claims: True
    )


@backend(
    "geography",
    "cnf-cover",
    side="models",
    quick=1300,
    source="Kőnig's theorem: an independent set outside which every cell is matched into it; "
    "read off by alternating paths",
    assumes="the cells that some maximum matching leaves exposed are those from which one loses",
    options=("solver",),
    limit=10_000,
    encode=encode,
)
def solve(board: Geography, *, certify: bool = False, solver: str = DEFAULT_SOLVER) -> Losing:
    """It pairs dead ends beforehand, and states a formula for each component of the rest. The
    formula asks for a matching and for cells that prove it to be a largest one. Alternating paths
    then tell the losing cells.
    """
    name = solver_name(solver)
    with paused_collector():
        graph = graph_of(board)
        mate, effort = _maximum_matching(graph, name)
    return answer_of_matching(board, graph, mate, effort, certify)


def _maximum_matching(graph: BoardGraph, solver: str) -> tuple[Ints, Effort]:
    """Each cell's mate under a maximum matching; -1 if the cell is exposed.

    Dead ends are paired before the rest is stated.
    """
    watch = Stopwatch()
    mate = _dead_ends(graph)
    parts = _parts(graph, mate)
    formulas = [cover_formula(graph, cells, edges) for cells, edges in parts]
    watch.start_solving()
    for (cells, edges), formula in zip(parts, formulas, strict=True):
        model = portfolio(
            formula,
            [_phases(graph, cells, edges), list(range(1, 1 + cells.size))],
            solver,
            watch=watch,
        )
        if model is None:
            raise SolverFailure(solver, "found no minimum cover, and every board has one")
        one, other = graph.edges[edges[model[1 + cells.size :]]].T
        mate[one], mate[other] = other, one
    return mate, watch.effort(
        sum(formula.variables for formula in formulas),
        sum(len(formula.clauses) for formula in formulas),
    )


def _dead_ends(graph: BoardGraph) -> Ints:
    """Match each cell that has only one neighbour to it, take both away, and repeat.

    Some maximum matching has these pairs.
    """
    near = [[cell for cell in row if cell >= 0] for row in graph.near.tolist()]
    degree = [len(row) for row in near]
    mate = [-1] * len(near)
    queue = [cell for cell, count in enumerate(degree) if count == 1]
    for end in queue:
        if mate[end] >= 0:
            continue
        for only in near[end]:
            if mate[only] < 0:
                mate[end], mate[only] = only, end
                for beside in near[only]:
                    degree[beside] -= 1
                    if degree[beside] == 1:
                        queue.append(beside)
    return np.array(mate, np.int64)


def _parts(graph: BoardGraph, mate: Ints) -> list[tuple[Ints, Ints]]:
    """The cells and edges that are not matched yet: those of each larger component, then those of
    all small ones together.
    """
    edges = np.flatnonzero((mate[graph.edges] < 0).all(axis=1))
    part = cell_components(mate.size, graph.edges[edges])
    part[np.bincount(part, minlength=mate.size)[part] <= thresholds.COVER_CELLS] = mate.size
    cells = np.unique(graph.edges[edges])
    cells, edges = (
        cells[np.argsort(part[cells], kind="stable")],
        edges[np.argsort(part[graph.edges[edges, 0]], kind="stable")],
    )
    of_cells, of_edges = (
        np.flatnonzero(np.diff(part[of])) + 1 for of in (cells, graph.edges[edges, 0])
    )
    return (
        list(zip(np.split(cells, of_cells), np.split(edges, of_edges), strict=True))
        if cells.size
        else []
    )


def cover_formula(graph: BoardGraph, cells: Ints, edges: Ints) -> Formula:
    """The formula of these cells and edges.

    Its variables are c of each cell, then e of each edge.
    """
    formula = Formula()
    cover, edge = np.zeros(graph.cells.size, np.int64), np.zeros(len(graph.edges) + 1, np.int64)
    cover[cells] = formula.array(cells.size)
    edge[edges] = formula.array(edges.size)
    formula.name(cover[cells], "{} is outside the independent set", graph.cells[cells])
    formula.name(edge[edges], MATCHED, graph.cells[graph.edges[edges]])
    one, other = cover[graph.edges[edges]].T
    formula.rule(
        "of two neighbours one is outside the independent set; if they are matched, the other is "
        "in it"
    )
    formula.state(one, other)
    formula.state(-edge[edges], -one, -other)
    around = np.sort(edge[graph.around[cells]], axis=1)
    formula.rule("a cell outside the independent set has a matched edge")
    state_matched(formula, -cover[cells], around)
    formula.rule("no cell has two matched edges")
    for pair in combinations(range(4), 2):
        two = around[:, pair]
        formula.extend(-two[two.all(axis=1)])
    return formula


def _phases(graph: BoardGraph, cells: Ints, edges: Ints) -> list[int]:
    """The literals to try first: in each component, I is the set of cells of the majority colour.

    Nearly always this is a good guess. A few boards, with one wall in ten cells, are solved only
    without it; the portfolio's second solver begins with an empty I.
    """
    numbers = np.arange(1, cells.size + 1)
    return np.where(majority(graph, graph.edges[edges])[cells], -numbers, numbers).tolist()
