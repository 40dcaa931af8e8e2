"""The formula of a board, and the question whether a cell can be a mine."""

from __future__ import annotations

import numpy as np

from models.dimacs import Encoding, named
from models.minesweeper.clues import clues_of_board, formula_of
from puzzles.backend import Unsupported
from puzzles.minesweeper.board import Minesweeper
from puzzles.text import UserError


def encode(board: Minesweeper, cell: int | None) -> Encoding:
    """The formula of `cnf`; with a cell, that it is a mine as well.

    Raises:
        Unsupported: the number of mines is given.
        UserError: the cell is not covered, or beside no clue.
    """
    if board.mines is not None:
        raise Unsupported("the number of mines is given, which this encoding does not state")
    clues = clues_of_board(board)
    formula = formula_of(clues, guarded=False)
    names = named(np.arange(1, clues.variables.size + 1), clues.variables.tolist(), board.columns, "a mine at {}")
    asks = "satisfiable if and only if some layout of mines fits the clues"
    if cell is not None:
        found = np.flatnonzero(clues.variables == cell)
        if not found.size:
            raise UserError(f"the cell {cell // board.columns + 1},{cell % board.columns + 1} is not a covered one beside a clue")
        formula.add(int(found[0]) + 1)
        asks += f" and has a mine at {cell // board.columns + 1},{cell % board.columns + 1}"
    return Encoding(formula, asks, names)
