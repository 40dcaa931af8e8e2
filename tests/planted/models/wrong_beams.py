"""Beams models, wrong on purpose:

`over` loses solutions but no verdict, `under` has too many, `symmetric` has others.
"""

from __future__ import annotations

from models.beams.by_cnf_traced import encode, trace, turrets_of
from models.cnf import Formula
from models.dimacs import Encoding
from puzzles.backend import backend
from puzzles.beams import Beams, Layout
from puzzles.grid import grid_lines


def over(board: Beams) -> Encoding:
    """A turret whose beams cross no open cell and hit no turret is horizontal."""
    encoding, cells = encode(board), grid_lines(board.grid)
    for turret, start in enumerate(turrets_of(cells), 1):
        if all(trace(cells, start, direction) == ([], None) for direction in range(4)):
            encoding.formula.add(turret)
    return encoding


def under(board: Beams) -> tuple[int, list[list[int]], dict[int, str]]:
    """A turret may hit itself."""
    cells = grid_lines(board.grid)
    turrets = turrets_of(cells)
    lit = {
        (row, column): list[int]()
        for row, line in enumerate(cells)
        for column, kind in enumerate(line)
        if kind == "."
    }
    clauses: list[list[int]] = []
    for turret, start in enumerate(turrets, 1):
        for direction in range(4):
            literal = -turret if direction % 2 else turret
            crossed, hit = trace(cells, start, direction)
            for cell in crossed:
                lit[cell].append(literal)
            if hit is not None and hit != start:
                clauses.append([-literal])
    names = {
        k: f"the turret at {row + 1},{column + 1} is horizontal"
        for k, (row, column) in enumerate(turrets, 1)
    }
    return len(turrets), [*clauses, *lit.values()], names


def symmetric(board: Beams) -> Encoding:
    """The turrets are named after the other direction, as if the board were mirrored at its
    diagonal.
    """
    encoding = encode(board)
    formula = Formula()
    formula.new(encoding.formula.variables)
    turrets = len(turrets_of(grid_lines(board.grid)))
    for clause in encoding.formula.clauses:
        formula.add(*(-literal if abs(literal) <= turrets else literal for literal in clause))
    return encoding._replace(formula=formula)


def unsolved(board: Beams, *, certify: bool = False) -> Layout:
    raise NotImplementedError("the models are compared, and nobody solves by them")


for stated in (over, under, symmetric):
    backend("beams", stated.__name__, side="models", source="wrong on purpose", encode=stated)(
        unsolved
    )
