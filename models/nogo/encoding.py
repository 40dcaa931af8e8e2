"""A whole game, or one move, as a model without cuts or assumptions, with names for its
variables.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from models.cnf import Formula
from models.dimacs import Encoding
from models.nogo.legality import (
    MoveVariables,
    connected_sets,
    liberty_clause,
    neighbours,
    neighbours_on,
    one_move,
    ranked,
)
from models.nogo.onecall import whole_game
from puzzles.answer import Claims
from puzzles.backend import Unsupported
from puzzles.nogo.board import NoGo

MAX_CELLS = 16
"""The largest board whose cuts are all written down.

A 4x4 board has some eleven thousand connected sets of cells.
"""


def encode(board: NoGo, cell: int | None = None) -> Encoding:
    """The whole game (`encode_game`), or with `cell` a first move of black there
    (`encode_ranked`).
    """
    return encode_game(board) if cell is None else encode_ranked(board, cell)


def encode_game(board: NoGo) -> Encoding:
    """The formula of `cnf-onecall`, with ranks in place of cuts.

    Raises:
        Unsupported: the board is too large for a whole game as one formula.
    """
    near, formula = neighbours(board), Formula()
    game = whole_game(near, board.grid, formula)
    ranked(near, formula, game.black, game.white)
    return Encoding.of(formula, "satisfiable; the model is the game", board, lambda claims: True)


def encode_ranked(board: NoGo, cell: int | None = None) -> Encoding:
    """The formula of `cnf-ranked`, for a first move of black; with `cell`, for a move there."""
    near, formula = neighbours(board), Formula()
    move = one_move(near, formula)
    ranked(near, formula, move.black, move.white)
    return _first_move(board, cell, formula, move)


def encode_cuts(board: NoGo, cell: int | None = None) -> Encoding:
    """The formula of `cnf`, for a first move of black (with `cell`, for a move there), and every
    cut that there is.

    Raises:
        Unsupported: the board has more than `MAX_CELLS` cells.
    """
    if board.cells > MAX_CELLS:
        raise Unsupported(
            f"all cuts of models:cnf are written for boards up to {MAX_CELLS} cells: take "
            "models:cnf-ranked, which states the "
            "same move with ranks"
        )
    formula, move = _with_every_cut(*board.grid.shape)
    stated = Formula.of(formula.variables, formula.clauses)
    stated.rules, stated.meanings = list(formula.rules), list(formula.meanings)
    return _first_move(board, cell, stated, move)


@lru_cache(4)
def _with_every_cut(rows: int, columns: int) -> tuple[Formula, MoveVariables]:
    """One move on an empty board of this shape, with the rule of liberties for each connected set
    of cells.
    """
    near, formula = neighbours_on(rows, columns), Formula()
    move = one_move(near, formula)
    formula.rule("a chain of several stones has a liberty or a neighbour of its colour")
    met = {tuple(sorted(clause)) for clause in formula.clauses}
    for chain, edge in connected_sets(near):
        for ours, theirs in ((move.black, move.white), (move.white, move.black)):
            clause = sorted(liberty_clause(ours, theirs, chain, edge))
            if (
                tuple(clause) not in met
            ):  # two sets that fill the board say the same, and single stones have been stated
                met.add(tuple(clause))
                formula.add(*clause)
    return formula, move


def _first_move(board: NoGo, cell: int | None, formula: Formula, move: MoveVariables) -> Encoding:
    """The formula with the stones of the board as they are, black to move, and with names."""
    formula.rule("the stones of the board; black moves")
    formula.state(np.array([*move.position(board.grid), move.black_moves]))
    before = formula.array(board.cells)  # only for its name
    formula.name(before, "black at {} before the move", range(board.cells))
    formula.rule(
        "black stands there before the move if it does afterwards and the point was not empty"
    )
    formula.state(-before, move.black)
    formula.state(-before, -move.empty)
    formula.state(before, -move.black, move.empty)
    if cell is None:
        return Encoding.of(
            formula,
            "satisfiable if and only if black may move",
            board,
            lambda moves: bool(moves.size),
        )
    formula.rule("the question about the cell")
    formula.add(int(move.move[cell]))

    def legal(moves: Claims) -> bool | None:
        return (
            None
            if moves.size and int(moves[0]) < cell
            else bool(moves.size) and int(moves[0]) == cell
        )

    return Encoding.of(
        formula, f"satisfiable if and only if black may move to {board.place(cell)}", board, legal
    )
