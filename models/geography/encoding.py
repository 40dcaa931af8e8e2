"""The models of a board without cuts, with names for their variables.

The strategy of a whole board has ranks in place of cuts; the formula of one cell needs none.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from models.cnf import Formula
from models.cpsat import CpSatEncoding, CpSatModel
from models.dimacs import Encoding, cell_names
from models.geography.cover import cover_formula
from models.geography.graph import BoardGraph, graph_of
from models.geography.strategy import StrategyVariables, pairing, paths_of
from puzzles.geography.board import Geography
from puzzles.text import UserError


def encode(board: Geography, cell: int | None = None) -> Encoding:
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
        place = board.place(cell)
        numbers = np.flatnonzero(graph.cells == cell)
        if not numbers.size:
            raise UserError(f"the cell {place} is a wall")
        formula.add(int(variables.exposed[numbers[0]]))
        meaning = f"satisfiable if and only if the first mover loses from {place}"
    losing = "the first mover loses from {}" if cell is None else "{} is in the losing strategy's set"
    names = cell_names(variables.losing, cells, board.columns, losing)
    names += cell_names(variables.exposed, cells, board.columns, "{} is exposed")
    names += zip(variables.edge.tolist(), edge_names(board, graph), strict=True)
    return Encoding(formula, meaning, names, lambda claims: cell is None or bool(claims[cell]))


def encode_cover(board: Geography) -> Encoding:
    """The formula of `cnf-cover` for the whole board at once; no dead ends are paired beforehand."""
    graph = graph_of(board)
    cells, edges = np.unique(graph.edges), np.arange(len(graph.edges))
    formula = cover_formula(graph, cells, edges)
    variables = np.arange(1, formula.variables + 1)
    outside = cell_names(variables, graph.cells[cells].tolist(), board.columns, "{} is outside the independent set")
    matched = list(zip(variables[cells.size :].tolist(), edge_names(board, graph), strict=True))
    return Encoding(formula, "satisfiable; the matched edges are a maximum matching", outside + matched, lambda claims: True)


def encode_cpsat(board: Geography) -> CpSatEncoding:
    """The model of `cpsat`, with its objective."""
    graph, model = graph_of(board), CpSatModel()
    return CpSatEncoding(model.cp, list(zip(most_edges(graph, model), edge_names(board, graph), strict=True)))


def most_edges(graph: BoardGraph, model: CpSatModel) -> list[Any]:
    """State a matching with as many edges as possible, in an empty model; returns the variable of each edge."""
    matched = model.variables(len(graph.edges), "e")
    for around in graph.around.tolist():
        model.cp.add_at_most_one(matched[edge] for edge in around if edge >= 0)
    model.cp.maximize(sum(matched))
    return matched


def edge_names(board: Geography, graph: BoardGraph) -> list[str]:
    """What the variable of each edge says."""
    return [f"{board.place(one)} is matched to {board.place(other)}" for one, other in graph.cells[graph.edges].tolist()]


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
