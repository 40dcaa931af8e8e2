"""The models of a board with names for the variables, and the question whether a cell can be a mine."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from models.cnf import Formula
from models.cpsat import CpSatEncoding, CpSatModel
from models.dimacs import Encoding
from models.minesweeper.clues import MINE_AT, Clues, clues_of_board, equations, formula_of
from models.minesweeper.totalizer import totalizers_of
from puzzles.minesweeper.board import Minesweeper
from puzzles.text import UserError


def encode(board: Minesweeper, cell: int | None = None) -> Encoding:
    """The formula of `cnf`, with the number of mines if the board gives it. With `cell`: that the cell is a mine as well.

    Raises:
        UserError: the cell is not covered, or it touches no clue and the number of mines is not given.
    """
    return _encoded(board, cell, partial(formula_of, grouped=False))


def encode_totalizer(board: Minesweeper, cell: int | None = None) -> Encoding:
    """The same of `cnf-totalizer`."""
    return _encoded(board, cell, totalizers_of)


def encode_cpsat(board: Minesweeper) -> CpSatEncoding:
    """The equations of `cpsat`."""
    clues, model = clues_of_board(board), CpSatModel()
    mines = equations(clues, model)
    cells = clues.variables.tolist()
    return CpSatEncoding(model.cp, [(mine, MINE_AT.format(board.place(cell))) for mine, cell in zip(mines, cells, strict=True)])


def _encoded(board: Minesweeper, cell: int | None, build: Callable[[Clues], Formula]) -> Encoding:
    """The formula of a board, and of a question about a cell, with its names.

    Cells that touch no clue are interchangeable; one variable stands for all of them, and only if the number of mines is given.

    Raises:
        UserError: the cell is not covered, or it touches no clue and the number of mines is not given.
    """
    clues = clues_of_board(board)
    formula = build(clues)
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
        formula.rule("the question about the cell")
        formula.add(int(indices[0]) + 1)
        meaning += f" and has a mine at {board.place(cell)}"
    return Encoding.of(formula, meaning, board, lambda claims: bool(claims[0] and (cell is None or claims[1 + cell] != 0)))
