"""Geography as a maximum matching, stated for CP-SAT: as many edges as possible."""

from __future__ import annotations

from typing import Any

import numpy as np

from models.cpsat import WORKERS, CpSatEncoding, CpSatModel
from models.geography.graph import MATCHED, BoardGraph, answer_of_matching, graph_of, mates
from models.stopwatch import Stopwatch
from puzzles.backend import backend
from puzzles.geography.board import Geography, Losing


def encode(board: Geography) -> CpSatEncoding:
    """The model with its objective."""
    graph, model = graph_of(board), CpSatModel()
    places = [[board.place(cell) for cell in pair] for pair in graph.cells[graph.edges].tolist()]
    return CpSatEncoding(
        model.cp,
        [
            (edge, MATCHED.format(*pair))
            for edge, pair in zip(most_edges(graph, model), places, strict=True)
        ],
    )


@backend(
    "geography",
    "cpsat",
    side="models",
    source="the maximum matching: as many edges as possible, at most one a cell, all of it in "
    "CP-SAT's linear relaxation",
    assumes="the cells that some maximum matching leaves exposed are those from which one loses",
    options={"workers": WORKERS},
    limit=10_000,
    requires=("ortools",),
    slow=True,
    encode=encode,
)
def solve(board: Geography, *, certify: bool = False, workers: int = 1) -> Losing:
    """A variable for each pair of neighbours says whether they are partners, at most one at each
    cell. CP-SAT looks for the largest number of pairs. Its linear relaxation has integral vertices,
    so its bound ends the search at the root.
    """
    watch, model = Stopwatch(), CpSatModel(workers=workers)
    graph = graph_of(board)
    matched = most_edges(graph, model)
    model.solver.parameters.linearization_level = 2
    watch.start_solving(*model.size)
    if not model.solve():
        raise RuntimeError("every board has a matching, but the solver found none")
    mate = mates(graph, np.array([model.value(edge) for edge in matched], np.bool_))
    watch.add_steps(*model.steps)
    return answer_of_matching(board, graph, mate, watch.effort(*model.size), certify)


def most_edges(graph: BoardGraph, model: CpSatModel) -> list[Any]:
    """State a matching with as many edges as possible, in an empty model; returns the variable of
    each edge.
    """
    matched = model.variables(len(graph.edges), "e")
    for around in graph.around.tolist():
        model.cp.add_at_most_one(matched[edge] for edge in around if edge >= 0)
    model.cp.maximize(sum(matched))
    return matched
