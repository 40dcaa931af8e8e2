"""Geography as a linear program: the maximum matching, each edge between 0 and 1 of it, at most 1 a cell in all."""

from __future__ import annotations

import numpy as np

from models.geography.graph import Graph, Ints, hang, mates
from models.stopwatch import Stopwatch
from puzzles.answer import Effort
from puzzles.backend import Unsupported

_CLOSE = 1e-6


def maximum_matching(graph: Graph) -> tuple[Ints, Effort]:
    """Each cell's mate under a maximum matching, -1 where it is exposed.

    That it is one is seen in integers: no alternating path leads from an exposed cell to another.

    Raises:
        Unsupported: GLOP found no optimum, or one that is no matching, or not the largest.
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
    watch.built()
    if solver.Solve() != pywraplp.Solver.OPTIMAL:
        raise Unsupported("GLOP found no optimum")
    share = np.array([edge.solution_value() for edge in edges], np.float64)
    effort = watch.effort(solver.NumVariables(), solver.NumConstraints())
    matched = share > 0.5
    mate = mates(graph, matched)
    if (abs(share - matched) > _CLOSE).any() or 2 * int(matched.sum()) != int((mate >= 0).sum()):
        raise Unsupported("the optimum that GLOP found is no vertex")
    rank = hang(graph, mate)[0]
    one, other = graph.edges.T
    if ((rank[one] >= 0) & (mate[other] < 0) | (rank[other] >= 0) & (mate[one] < 0)).any():
        raise Unsupported("the optimum that GLOP found is not the largest matching")
    return mate, effort
