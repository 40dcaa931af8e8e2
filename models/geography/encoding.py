"""The strategy written down without cuts: for the whole board with ranks, for one cell without."""

from __future__ import annotations

import numpy as np

from models.cnf import Formula
from models.dimacs import Encoding, named
from models.geography.graph import Graph, graph_of
from models.geography.strategy import Literals, pairing, paths_of
from puzzles.geography.board import Geography
from puzzles.text import UserError


def encode(board: Geography, cell: int | None) -> Encoding:
    """The formula of `cnf` with a rank for each cell; with a cell, that some strategy leaves it exposed.

    Raises:
        UserError: the cell is a wall.
    """
    graph, formula = graph_of(board), Formula()
    literals = pairing(graph, formula)
    cells = graph.cells.tolist()
    asks = "satisfiable; the losing cells are the same in all models"
    if cell is None:
        _ranked(graph, formula, literals)
    else:
        place = f"{cell // board.columns + 1},{cell % board.columns + 1}"
        found = np.flatnonzero(graph.cells == cell)
        if not found.size:
            raise UserError(f"the cell {place} is a wall")
        formula.add(int(literals.exposed[found[0]]))
        asks = f"satisfiable if and only if the first mover loses from {place}"
    losing = "the first mover loses from {}" if cell is None else "{} is in the losing strategy's set"
    names = named(literals.losing, cells, board.columns, losing)
    names += named(literals.exposed, cells, board.columns, "{} is exposed")
    for edge, (one, other) in zip(literals.edge.tolist(), graph.cells[graph.edges].tolist(), strict=True):
        (row, column), (down, right) = divmod(one, board.columns), divmod(other, board.columns)
        names.append((edge, f"{row + 1},{column + 1} is matched to {down + 1},{right + 1}"))
    return Encoding(formula, asks, names)


def _ranked(graph: Graph, formula: Formula, literals: Literals) -> None:
    """Every losing cell is exposed, or its mate is a neighbour of a losing cell of smaller rank."""
    paths, cells = paths_of(graph), graph.cells.size
    bits = max(1, (cells - 1).bit_length())
    rank = formula.new(cells * bits) + np.arange(cells * bits).reshape(cells, bits)
    way = formula.new(len(paths.cells)) + np.arange(len(paths.cells))
    first, _, last = paths.cells.T
    formula.extend(np.column_stack([-way, literals.edge[paths.edges[:, 0]]]))
    formula.extend(np.column_stack([-way, literals.losing[last]]))
    formula.below(way, rank[last], rank[first])
    ways: list[list[int]] = [[] for _ in range(cells)]
    for cell, variable in zip(first.tolist(), way.tolist(), strict=True):
        ways[cell].append(variable)
    for cell, own in enumerate(ways):
        formula.add(-int(literals.losing[cell]), int(literals.exposed[cell]), *own)
