"""Minesweeper as clauses, in few lines.

`python -m compare run minesweeper -b direct -b mine --plugin examples/my_encoding.py` tries it.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from models.cnf import Formula
from models.session import session
from models.solvers.solver_names import DEFAULT_SOLVER
from puzzles.backend import Unsupported, backend
from puzzles.grid import grid_of
from puzzles.minesweeper import Deduction, Minesweeper

COUNTED = "it cannot use the number of mines"


@backend(
    "minesweeper",
    "mine",
    side="models",
    source="my own: one clause for each subset of a clue's cells that breaks it",
    refuses=lambda board, **_: COUNTED * (board.mines is not None),
    options=("solver",),
)
def solve(board: Minesweeper, *, certify: bool = False, solver: str = DEFAULT_SOLVER) -> Deduction:
    """Variable k, from 1: cell k - 1 is a mine.

    A cell is certain if the other value contradicts the clauses.
    """
    if board.mines is not None:
        raise Unsupported(COUNTED)
    kinds, places = "".join(board.lines()), np.indices(board.shape).reshape(2, -1)
    clauses = [[k if kind == "X" else -k] for k, kind in enumerate(kinds, 1) if kind != "#"]
    for clue in (cell for cell, kind in enumerate(kinds) if kind in ".012345678"):
        distance = np.abs(places - places[:, [clue]]).max(axis=0)
        near = [int(cell) + 1 for cell in np.flatnonzero(distance == 1)]
        safe = len(near) - int(kinds[clue].replace(".", "0"))
        # Not one mine too many, and not one too few.
        clauses += [[-k for k in some] for some in combinations(near, len(near) - safe + 1)]
        clauses += [[*some] for some in combinations(near, max(safe + 1, 0))]
    with session(Formula.of(board.cells, clauses), solver) as opened:
        if not opened.solve():
            return Deduction(False, board)
        marks = [
            "X" if not opened.solve([-k]) else "#" if opened.solve([k]) else "O"
            for k in range(1, board.cells + 1)
        ]
    shown = "".join(mark if kind == "#" else kind for kind, mark in zip(kinds, marks, strict=True))
    width = board.columns
    rows = [shown[start : start + width] for start in range(0, board.cells, width)]
    return Deduction(True, Minesweeper(grid_of(rows)))
