"""Geography as a maximum matching with an objective: a linear program, or a CP-SAT model, as many
edges as possible.

In the linear program edges have weights from 0 to 1, at most 1 in all at each cell.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from models.cpsat import CpSatEncoding, CpSatModel
from models.geography.graph import MATCHED, BoardGraph, Ints, alternating_paths, graph_of, mates
from models.stopwatch import Stopwatch
from puzzles.answer import Effort
from puzzles.backend import Unsupported
from puzzles.geography.board import Geography

_CLOSE = 1e-6
"""How far a weight of the optimum may be from 0 or 1."""


def maximum_matching(graph: BoardGraph) -> tuple[Ints, Effort]:
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
    watch.built()
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


def encode(board: Geography) -> CpSatEncoding:
    """The model of `cpsat`, with its objective."""
    graph, model = graph_of(board), CpSatModel()
    places = [[board.place(cell) for cell in pair] for pair in graph.cells[graph.edges].tolist()]
    return CpSatEncoding(
        model.cp,
        [
            (edge, MATCHED.format(*pair))
            for edge, pair in zip(most_edges(graph, model), places, strict=True)
        ],
    )


def most_edges(graph: BoardGraph, model: CpSatModel) -> list[Any]:
    """State a matching with as many edges as possible, in an empty model; returns the variable of
    each edge.
    """
    matched = model.variables(len(graph.edges), "e")
    for around in graph.around.tolist():
        model.cp.add_at_most_one(matched[edge] for edge in around if edge >= 0)
    model.cp.maximize(sum(matched))
    return matched
