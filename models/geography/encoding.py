"""The strategy as a formula without cuts. The formula of a whole board has ranks; the formula of one cell needs none."""

from __future__ import annotations

import numpy as np

from models.cnf import Formula
from models.dimacs import Encoding, cell_names
from models.geography.graph import BoardGraph, graph_of
from models.geography.strategy import StrategyVariables, pairing, paths_of
from puzzles.geography.board import Geography
from puzzles.text import UserError


def encode(board: Geography, cell: int | None) -> Encoding:
    """The formula of `cnf`, with a rank for each cell. With `cell`: that some strategy leaves the cell exposed.

    Raises:
        UserError: the cell is a wall.
    """
    graph, formula = graph_of(board), Formula()
    variables = pairing(graph, formula)
    cells = graph.cells.tolist()
    meaning = "satisfiable; the losing cells are the same in all models"
    if cell is None:
        _ranked(graph, formula, variables)
    else:
        place = f"{cell // board.columns + 1},{cell % board.columns + 1}"
        numbers = np.flatnonzero(graph.cells == cell)
        if not numbers.size:
            raise UserError(f"the cell {place} is a wall")
        formula.add(int(variables.exposed[numbers[0]]))
        meaning = f"satisfiable if and only if the first mover loses from {place}"
    losing = "the first mover loses from {}" if cell is None else "{} is in the losing strategy's set"
    names = cell_names(variables.losing, cells, board.columns, losing)
    names += cell_names(variables.exposed, cells, board.columns, "{} is exposed")
    for edge, (one, other) in zip(variables.edge.tolist(), graph.cells[graph.edges].tolist(), strict=True):
        (row, column), (down, right) = divmod(one, board.columns), divmod(other, board.columns)
        names.append((edge, f"{row + 1},{column + 1} is matched to {down + 1},{right + 1}"))
    return Encoding(formula, meaning, names, lambda claims: cell is None or bool(claims[cell]))


def _ranked(graph: BoardGraph, formula: Formula, variables: StrategyVariables) -> None:
    """State that no cell is unsupported: a losing cell is exposed, or its mate is a neighbour of a losing cell of smaller rank."""
    paths, cells = paths_of(graph), graph.cells.size
    bits = max(1, (cells - 1).bit_length())
    rank = formula.new(cells * bits) + np.arange(cells * bits).reshape(cells, bits)
    way = formula.new(len(paths.cells)) + np.arange(len(paths.cells))
    first, _, last = paths.cells.T
    formula.extend(np.column_stack([-way, variables.edge[paths.edges[:, 0]]]))
    formula.extend(np.column_stack([-way, variables.losing[last]]))
    formula.less_than(way, rank[last], rank[first])
    ways: list[list[int]] = [[] for _ in range(cells)]
    for cell, variable in zip(first.tolist(), way.tolist(), strict=True):
        ways[cell].append(variable)
    for cell, own in enumerate(ways):
        formula.add(-int(variables.losing[cell]), int(variables.exposed[cell]), *own)
