"""The formula of a board, and the question whether a cell can be a mine."""

from __future__ import annotations

import numpy as np

from models.dimacs import Encoding, cell_names
from models.minesweeper.clues import clues_of_board, formula_of
from puzzles.minesweeper.board import Minesweeper
from puzzles.text import UserError


def encode(board: Minesweeper, cell: int | None) -> Encoding:
    """The formula of `cnf`, with the number of mines if the board gives it. With `cell`: that the cell is a mine as well.

    Cells that touch no clue are interchangeable; one variable stands for all of them, and only if the number of mines is given.

    Raises:
        UserError: the cell is not covered, or it touches no clue and the number of mines is not given.
    """
    clues = clues_of_board(board)
    formula = formula_of(clues, grouped=False)
    names = cell_names(np.arange(1, clues.variables.size + 1), clues.variables.tolist(), board.columns, "a mine at {}")
    meaning = "satisfiable if and only if some layout of mines fits the clues"
    if clues.total is not None:
        meaning += f" and the number of mines, {board.mines}"
    if cell is not None:
        representative = cell
        if clues.total is not None and cell in clues.total.interchangeable:
            representative = clues.total.interchangeable[0]
        indices = np.flatnonzero(clues.variables == representative)
        if not indices.size:
            beside = "" if clues.total is not None else " beside a clue"
            raise UserError(f"the cell {board.place(cell)} is not a covered one{beside}")
        formula.add(int(indices[0]) + 1)
        meaning += f" and has a mine at {board.place(cell)}"
    return Encoding(formula, meaning, names, lambda claims: bool(claims[0] and (cell is None or claims[1 + cell] != 0)))
