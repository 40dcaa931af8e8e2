"""Beams without channels.

`python -m compare run beams -b cnf -b merged --plugin examples/beams_merged.py` tries it.

`cnf` has a variable for each cell and direction, and clauses that set most of them equal to another
one. Here variables that are equal are one. Each is equal to a turret's in the end, so that turrets
are the only variables.
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


def clauses_of(board: Beams) -> tuple[dict[int, int], list[tuple[int, list[int]]]]:
    """The variable of each turret, by its cell; the clauses, each with the cell that demands it."""
    width = board.columns + 1
    kinds = "".join(f"{line}#" for line in board.lines()) + "#" * width
    steps = [rows * width + columns for rows, columns in STEPS]
    armed = [cell for cell, kind in enumerate(kinds) if kind in "-|"]
    turrets = {cell: k for k, cell in enumerate(armed, 1)}
    lit_by: list[list[int]] = [[] for _ in kinds]
    for start, turret in turrets.items():
        for heading in range(4):
            cell, direction = start, heading
            while (kind := kinds[cell := cell + steps[direction]]) != "#":
                lit_by[cell].append(-turret if heading % 2 else turret)
                if kind in "-|":
                    break
                direction = TURNS[kind][direction] if kind in TURNS else direction
    # No turret is hit, and every open cell is lit.
    clauses = [(cell, [-literal]) for cell in turrets for literal in lit_by[cell]]
    clauses += [(cell, lit_by[cell]) for cell, kind in enumerate(kinds) if kind == "."]
    cells = {cell: cell // width * board.columns + cell % width for cell in range(len(kinds))}
    of_turrets = {cells[cell]: k for cell, k in turrets.items()}
    return of_turrets, [(cells[cell], clause) for cell, clause in clauses]


def encode(board: Beams) -> tuple[int, list[list[int]], dict[int, str]]:
    """The number of variables, the clauses, and what the variables say, in the words of `cnf`."""
    turrets, clauses = clauses_of(board)
    names = {k: f"the turret at {board.place(cell)} is horizontal" for cell, k in turrets.items()}
    return len(turrets), [clause for _, clause in clauses], names


@backend(
    "beams",
    "merged",
    side="models",
    source="my own: cnf with equal variables merged",
    certifies=True,
    encode=encode,
)
def solve(board: Beams, *, certify: bool = False) -> Layout:
    """The formula above in a solver; its effort says how large it is, for `--show sizes`."""
    watch, formula = Stopwatch(), Formula()
    turrets, clauses = clauses_of(board)
    formula.new(len(turrets))
    formula.clauses = [clause for _, clause in clauses]
    watch.start_solving()
    with session(formula, watch=watch) as opened:
        solution = opened.model() if opened.solve() else None
    effort = watch.effort(formula.variables, len(clauses))
    if solution is None:
        return Layout(
            False, certificate=core(formula.variables, clauses) if certify else None, effort=effort
        )
    grid = board.grid.copy()
    for cell, k in turrets.items():
        grid.flat[cell] = ord("-" if solution[k] else "|")
    return Layout(True, Beams(grid), effort=effort)


def core(variables: int, clauses: list[tuple[int, list[int]]]) -> tuple[int, ...]:
    """Some cells whose clauses contradict each other: the certificate of a no."""
    grouped = Formula(grouped=True)
    grouped.new(variables)
    for cell, clause in clauses:
        grouped.extend_groups([cell], np.array([clause], np.int64).reshape(1, -1))
    return core_groups(grouped)
