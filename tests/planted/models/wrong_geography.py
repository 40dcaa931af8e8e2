"""Geography models, wrong on purpose:

`over` loses strategies but no verdict, `under` has too many, `symmetric` has others.
"""

from __future__ import annotations

from models.cnf import Formula
from models.dimacs import Encoding
from models.geography.by_cnf import encode, pairing
from models.geography.graph import graph_of
from puzzles.backend import backend
from puzzles.geography import Geography, Losing


def over(board: Geography) -> Encoding:
    """In a block of four cells no two pairs stand beside each other; two that lie upon each other
    serve as well.
    """
    encoding = encode(board)
    pair = {name: variable for variable, name in encoding.names}
    for row in range(1, board.rows):
        for column in range(1, board.columns):
            beside = [f"{row},{c} is matched to {row + 1},{c}" for c in (column, column + 1)]
            if all(name in pair for name in beside):
                encoding.formula.add(*(-pair[name] for name in beside))
    return encoding


def under(board: Geography) -> Encoding:
    """Losing cells may support each other in circles: there are neither cuts nor ranks."""
    graph, formula = graph_of(board), Formula()
    losing = pairing(graph, formula).losing.tolist()
    cells = graph.cells.tolist()
    names = [
        (variable, f"the first mover loses from {board.place(cell)}")
        for variable, cell in zip(losing, cells, strict=True)
    ]
    return Encoding(formula, "satisfiable", names)


def symmetric(board: Geography) -> Encoding:
    """The strategies of the board mirrored at its diagonal."""
    return encode(Geography(board.grid.T))


def unsolved(board: Geography, *, certify: bool = False) -> Losing:
    raise NotImplementedError("the models are compared, and nobody solves by them")


for stated in (over, under, symmetric):
    backend(
        "geography",
        stated.__name__,
        side="models",
        source="wrong on purpose",
        encode=stated,
        limit=64,
    )(unsolved)
