"""The models of a board without cuts, with names for their variables.

The strategy of a whole board has ranks in place of cuts; the formula of one cell needs none.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from models.cnf import Formula
from models.cpsat import CpSatEncoding, CpSatModel
from models.dimacs import Encoding
from models.geography.cover import cover_formula
from models.geography.graph import MATCHED, BoardGraph, graph_of
from models.geography.strategy import IN_STRATEGY, LOSES, StrategyVariables, pairing, paths_of
from puzzles.geography.board import Geography
from puzzles.text import UserError


def encode(board: Geography, cell: int | None = None) -> Encoding:
    """The formula of `cnf`, with a rank for each cell. With `cell`: that some strategy leaves the cell exposed.

    Raises:
        UserError: the cell is a wall.
    """
    graph, formula = graph_of(board), Formula()
    variables = pairing(graph, formula, LOSES if cell is None else IN_STRATEGY)
    meaning = "satisfiable; the losing cells are the same in all models"
    if cell is None:
        _ranked(graph, formula, variables)
    else:
        place = board.place(cell)
        numbers = np.flatnonzero(graph.cells == cell)
        if not numbers.size:
            raise UserError(f"the cell {place} is a wall")
        formula.rule("the question about the cell")
        formula.add(int(variables.exposed[numbers[0]]))
        meaning = f"satisfiable if and only if the first mover loses from {place}"
    return Encoding.of(formula, meaning, board, lambda claims: cell is None or bool(claims[cell]))


def encode_cover(board: Geography) -> Encoding:
    """The formula of `cnf-cover` for the whole board at once; no dead ends are paired beforehand."""
    graph = graph_of(board)
    cells, edges = np.unique(graph.edges), np.arange(len(graph.edges))
    formula = cover_formula(graph, cells, edges)
    return Encoding.of(formula, "satisfiable; the matched edges are a maximum matching", board, lambda claims: True)


def encode_cpsat(board: Geography) -> CpSatEncoding:
    """The model of `cpsat`, with its objective."""
    graph, model = graph_of(board), CpSatModel()
    places = [[board.place(cell) for cell in pair] for pair in graph.cells[graph.edges].tolist()]
    return CpSatEncoding(
        model.cp, [(edge, MATCHED.format(*pair)) for edge, pair in zip(most_edges(graph, model), places, strict=True)]
    )


def most_edges(graph: BoardGraph, model: CpSatModel) -> list[Any]:
    """State a matching with as many edges as possible, in an empty model; returns the variable of each edge."""
    matched = model.variables(len(graph.edges), "e")
    for around in graph.around.tolist():
        model.cp.add_at_most_one(matched[edge] for edge in around if edge >= 0)
    model.cp.maximize(sum(matched))
    return matched


def _ranked(graph: BoardGraph, formula: Formula, variables: StrategyVariables) -> None:
    """State that no cell is unsupported: a losing cell is exposed, or its mate is a neighbour of a losing cell of smaller rank."""
    paths, cells = paths_of(graph), graph.cells.size
    bits = max(1, (cells - 1).bit_length())
    rank = formula.array(cells, bits)
    way = formula.array(len(paths.cells))
    first, middle, last = paths.cells.T
    for bit in range(bits):
        formula.name(rank[:, bit], f"bit {bit} of the rank of {{}}", graph.cells, auxiliary=True)
    formula.name(way, "{} loses by its mate {} and {}", graph.cells[np.column_stack([first, middle, last])], auxiliary=True)
    formula.rule("a losing cell is exposed, or its mate is a neighbour of a losing cell of smaller rank")
    formula.state(-way, variables.edge[paths.edges[:, 0]])
    formula.state(-way, variables.losing[last])
    formula.less_than(way, rank[last], rank[first])
    ways: list[list[int]] = [[] for _ in range(cells)]
    for cell, variable in zip(first.tolist(), way.tolist(), strict=True):
        ways[cell].append(variable)
    for cell, own in enumerate(ways):
        formula.add(-int(variables.losing[cell]), int(variables.exposed[cell]), *own)
