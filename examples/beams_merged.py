"""Beams without channels: `python -m compare run beams -b cnf -b merged --plugin examples/beams_merged.py`.

`cnf` has a variable for each cell and direction, and clauses that set neighbours equal. Here variables that are equal are one: the
light of a cell is followed back to its turret, so that turrets are the only variables.
"""

from __future__ import annotations

import numpy as np

from models.cnf import Formula
from models.session import core_groups, session
from models.stopwatch import Stopwatch
from puzzles.backend import backend
from puzzles.beams import Beams, Layout

STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))
TURNS = {"/": (3, 2, 1, 0), "\\": (1, 0, 3, 2)}


class Lights:
    """The turrets, numbered from 1, and for each cell whose light can enter it."""

    def __init__(self, board: Beams) -> None:
        self.kinds = {(row, column): kind for row, line in enumerate(board.lines()) for column, kind in enumerate(line)}
        self.turret = {place: k for k, place in enumerate((at for at, kind in self.kinds.items() if kind in "-|"), 1)}
        self.sources: dict[tuple[tuple[int, int], int], int] = {}

    def into(self, row: int, column: int) -> list[int]:
        """The literals whose turrets light the cell: k if turret k does so when it is horizontal, -k when it is vertical."""
        return [literal for direction in range(4) if (literal := self.source((row, column), direction))]

    def source(self, cell: tuple[int, int], direction: int) -> int:
        """Whose light enters a cell in this direction; 0 for nobody's. What comes from itself alone is no light."""
        way = [(cell, direction)]
        while way[-1] not in self.sources:
            (row, column), heading = way[-1]
            place = row - STEPS[heading][0], column - STEPS[heading][1]
            kind = self.kinds.get(place, "#")
            before = place, TURNS[kind][heading] if kind in TURNS else heading
            if kind in "-|":
                self.sources[way[-1]] = self.turret[place] if heading % 2 == 0 else -self.turret[place]
            elif kind == "#" or before == way[0]:
                self.sources[way[-1]] = 0
            else:
                way.append(before)
        source = self.sources[way[-1]]
        self.sources.update(dict.fromkeys(way, source))  # so that no way is gone twice
        return source


def clauses_of(board: Beams, lights: Lights) -> list[tuple[int, list[int]]]:
    """The clauses, each with the cell that demands it."""
    clauses: list[tuple[int, list[int]]] = []
    for (row, column), kind in lights.kinds.items():
        cell = row * board.columns + column
        if kind in "-|":  # no turret is hit
            clauses += [(cell, [-literal]) for literal in lights.into(row, column)]
        elif kind == ".":  # every open cell is lit
            clauses.append((cell, lights.into(row, column)))
    return clauses


def encode(board: Beams) -> tuple[int, list[list[int]], dict[int, str]]:
    """The number of variables, the clauses, and what the variables say, in the words of `cnf`."""
    lights = Lights(board)
    names = {k: f"the turret at {row + 1},{column + 1} is horizontal" for (row, column), k in lights.turret.items()}
    return len(names), [clause for _, clause in clauses_of(board, lights)], names


@backend("beams", "merged", side="models", source="my own: cnf with equal variables merged", certifies=True, encode=encode)
def solve(board: Beams, *, certify: bool = False) -> Layout:
    watch, lights, formula = Stopwatch(), Lights(board), Formula()
    formula.new(len(lights.turret))
    clauses = clauses_of(board, lights)
    formula.clauses = [clause for _, clause in clauses]
    watch.built()
    with session(formula) as opened:
        solution = opened.model() if opened.solve() else None
    effort = watch.effort(formula.variables, len(clauses))
    if solution is None:
        return Layout(False, certificate=core(formula.variables, clauses) if certify else None, effort=effort)
    grid = board.grid.copy()
    for (row, column), k in lights.turret.items():
        grid[row, column] = ord("-" if solution[k] else "|")
    return Layout(True, Beams(grid), effort=effort)


def core(variables: int, clauses: list[tuple[int, list[int]]]) -> tuple[int, ...]:
    """Some cells whose clauses contradict each other: the certificate of a no."""
    grouped = Formula(grouped=True)
    grouped.new(variables)
    for cell, clause in clauses:
        grouped.extend_groups([cell], np.array([clause], np.int64).reshape(1, -1))
    return core_groups(grouped)
