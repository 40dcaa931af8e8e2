"""The formula of a board, and the question whether a cell can be a mine."""

from __future__ import annotations

import numpy as np

from models.dimacs import Encoding, named
from models.minesweeper.clues import clues_of_board, formula_of
from puzzles.minesweeper.board import Minesweeper
from puzzles.text import UserError


def encode(board: Minesweeper, cell: int | None) -> Encoding:
    """The formula of `cnf`, with the number of mines where that is told; with a cell, that it is a mine as well.

    Of the cells beside no clue only one is a variable, and only with the number of mines: the others take what that leaves.

    Raises:
        UserError: the cell is not covered, or beside no clue where the number of mines is not told.
    """
    clues = clues_of_board(board)
    formula = formula_of(clues, guarded=False)
    names = named(np.arange(1, clues.variables.size + 1), clues.variables.tolist(), board.columns, "a mine at {}")
    asks = "satisfiable if and only if some layout of mines fits the clues"
    if clues.total is not None:
        asks += f" and the number of mines, {board.mines}"
    if cell is not None:
        alike = clues.total is not None and cell in clues.total.alike
        found = np.flatnonzero(clues.variables == (clues.total.alike[0] if clues.total is not None and alike else cell))
        if not found.size:
            beside = "" if clues.total is not None else " beside a clue"
            raise UserError(f"the cell {board.place(cell)} is not a covered one{beside}")
        formula.add(int(found[0]) + 1)
        asks += f" and has a mine at {board.place(cell)}"
    return Encoding(formula, asks, names)
