"""Minesweeper with its number of mines, by a cardinality encoding that a command line chooses.

`python -m compare run minesweeper --family counted --size 8 --cases 3 -b totals
--plugin examples/totals.py --grid card solver=cadical153,glucose4,minisat22` tries four encodings
with three SAT solvers.
"""

from __future__ import annotations

import numpy as np
from pysat.card import CardEnc, EncType

from models.cnf import Formula
from models.session import session
from models.solvers.solver_names import DEFAULT_SOLVER
from models.stopwatch import Stopwatch
from puzzles.backend import backend
from puzzles.grid import grid_of
from puzzles.minesweeper import Deduction, Minesweeper

CARDS = ("seqcounter", "totalizer", "cardnetwrk", "kmtotalizer")


def build(board: Minesweeper, card: str) -> Formula:
    """Variable k, from 1: cell k - 1 is a mine. "Exactly n of these" is python-sat's `card`."""
    kinds, places = "".join(board.lines()), np.indices(board.shape).reshape(2, -1)
    formula = Formula.of(
        board.cells, ([k if kind == "X" else -k] for k, kind in enumerate(kinds, 1) if kind != "#")
    )

    def exactly(number: int, cells: list[int]) -> None:
        if not 0 <= number <= len(cells):
            formula.clauses += [[1], [-1]]
        elif cells:
            counted = CardEnc.equals(
                cells, number, top_id=formula.variables, encoding=getattr(EncType, card)
            )
            formula.variables = max(formula.variables, counted.nv)
            formula.clauses += counted.clauses

    for clue in (cell for cell, kind in enumerate(kinds) if kind in ".012345678"):
        distance = np.abs(places - places[:, [clue]]).max(axis=0)
        near = (np.flatnonzero(distance == 1) + 1).tolist()
        exactly(int(kinds[clue].replace(".", "0")), near)
    if board.mines is not None:
        exactly(board.mines, [*range(1, board.cells + 1)])
    return formula


def encode(
    board: Minesweeper, *, card: str = CARDS[0]
) -> tuple[int, list[list[int]], dict[int, str]]:
    """What the backend states with this option, for `equivalent` and `--dimacs`."""
    formula = build(board, card)
    names = {k: f"{board.place(k - 1)} is a mine" for k in range(1, board.cells + 1)}
    return formula.variables, formula.clauses, names


@backend(
    "minesweeper",
    "totals",
    side="models",
    source="my own: exactly n of k by python-sat's cardinality encodings",
    options={"card": CARDS, "solver": ()},
    encode=encode,
)
def solve(
    board: Minesweeper,
    *,
    certify: bool = False,
    card: str = CARDS[0],
    solver: str = DEFAULT_SOLVER,
) -> Deduction:
    """A cell is certain if the other value contradicts the clauses."""
    watch = Stopwatch()
    formula = build(board, card)
    watch.start_solving()
    with session(formula, solver, watch) as opened:
        marks = [
            "X" if not opened.solve([-k]) else "#" if opened.solve([k]) else "O"
            for k in range(1, board.cells + 1)
        ]
        consistent = opened.solve()
    effort = watch.effort(formula.variables, len(formula.clauses))
    if not consistent:
        return Deduction(False, board, effort=effort)
    kinds = "".join(board.lines())
    shown = "".join(mark if kind == "#" else kind for kind, mark in zip(kinds, marks, strict=True))
    rows = [shown[start : start + board.columns] for start in range(0, board.cells, board.columns)]
    return Deduction(True, Minesweeper(grid_of(rows), board.mines), effort=effort)
