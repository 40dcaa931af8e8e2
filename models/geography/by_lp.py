"""Geography as a maximum matching, stated as a linear program: edges have weights from 0 to 1, at
most 1 in all at each cell, as much as possible over the board.
"""

from __future__ import annotations

import numpy as np

from models.cnf import Ints
from models.geography.graph import (
    BoardGraph,
    alternating_paths,
    answer_of_matching,
    graph_of,
    mates,
)
from models.stopwatch import Stopwatch
from puzzles.answer import Effort
from puzzles.backend import Unsupported, backend
from puzzles.geography.board import Geography, Losing

_CLOSE = 1e-6
"""How far a weight of the optimum may be from 0 or 1."""


@backend(
    "geography",
    "lp",
    side="models",
    source="the maximum matching as a linear program, whose vertices are integral on bipartite "
    "graphs; GLOP of ortools",
    assumes="the cells that some maximum matching leaves exposed are those from which one loses",
    limit=10_000,
    requires=("ortools",),
    slow=True,
)
def solve(board: Geography, *, certify: bool = False) -> Losing:
    """A linear programme asks for as many pairs of neighbours as possible, at most one at each
    cell. GLOP finds the optimum in floating point, and that is checked in integers. Alternating
    paths then tell the losing cells.

    Raises:
        Unsupported: the solver finds no optimum, or its optimum is no vertex.
    """
    graph = graph_of(board)
    mate, effort = _maximum_matching(graph)
    return answer_of_matching(board, graph, mate, effort, certify)


def _maximum_matching(graph: BoardGraph) -> tuple[Ints, Effort]:
    """Each cell's mate under a maximum matching; -1 if the cell is exposed.

    The matching is checked in integers: no alternating path leads from one exposed cell to another.

    Raises:
        Unsupported: GLOP finds no optimum, or its optimum is no matching, or the matching is not
            the largest.
    """
    from ortools.linear_solver import pywraplp

    watch = Stopwatch()
    solver = pywraplp.Solver.CreateSolver("GLOP")
    edges = [solver.NumVar(0, 1, "") for _ in range(len(graph.edges))]
    objective = solver.Objective()
    objective.SetMaximization()
    for edge in edges:
        objective.SetCoefficient(edge, 1)
    for around in graph.around.tolist():
        constraint = solver.Constraint(0, 1)
        for edge in around:
            if edge >= 0:
                constraint.SetCoefficient(edges[edge], 1)
    watch.start_solving(solver.NumVariables(), solver.NumConstraints())
    if solver.Solve() != pywraplp.Solver.OPTIMAL:
        raise Unsupported("GLOP found no optimum")
    weight = np.array([edge.solution_value() for edge in edges], np.float64)
    effort = watch.effort(solver.NumVariables(), solver.NumConstraints())
    matched = weight > 0.5
    mate = mates(graph, matched)
    if (abs(weight - matched) > _CLOSE).any() or 2 * int(matched.sum()) != int((mate >= 0).sum()):
        raise Unsupported("the optimum that GLOP found is no vertex")
    rank = alternating_paths(graph, mate)[0]
    one, other = graph.edges.T
    if ((rank[one] >= 0) & (mate[other] < 0) | (rank[other] >= 0) & (mate[one] < 0)).any():
        raise Unsupported("the optimum that GLOP found is not the largest matching")
    return mate, effort
