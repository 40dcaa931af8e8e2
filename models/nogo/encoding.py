"""A whole game, or one move, as a formula without cuts or assumptions."""

from __future__ import annotations

import numpy as np

from models.cnf import Formula
from models.dimacs import Encoding, cell_names
from models.nogo.legality import neighbours, one_move, ranked
from models.nogo.onecall import whole_game
from puzzles.answer import Claims
from puzzles.nogo.board import BLACK, WHITE, NoGo


def encode(board: NoGo, cell: int | None) -> Encoding:
    """The formula of `cnf-onecall`, with ranks in place of cuts. With `cell`: that of `cnf-ranked`, for a first move of black
    there.

    Raises:
        Unsupported: the board is too large for a whole game as one formula.
    """
    near, formula, cells = neighbours(board), Formula(), range(board.cells)
    if cell is None:
        game = whole_game(near, board.grid, formula)
        ranked(near, formula, game.black, game.white)
        names = cell_names(game.black, cells, board.columns, "black at {} in the last position")
        names += cell_names(game.white, cells, board.columns, "white at {} in the last position")
        for turn, goes_to in enumerate(game.move, 1):
            names += cell_names(goes_to, cells, board.columns, f"move {turn} goes to {{}}")
        return Encoding(formula, "satisfiable; the model is the game", names, lambda claims: True)
    move = one_move(near, formula)
    ranked(near, formula, move.after, move.other)
    for colour, variables in ((BLACK, move.own), (WHITE, move.other)):
        formula.extend(np.where(board.grid.ravel() == colour, variables, -variables)[:, None])
    formula.add(int(move.move[cell]))
    place = f"{cell // board.columns + 1},{cell % board.columns + 1}"
    names = cell_names(move.own, cells, board.columns, "black at {} before the move")
    names += cell_names(move.other, cells, board.columns, "white at {}")
    names += cell_names(move.move, cells, board.columns, "the move goes to {}")
    names += cell_names(move.after, cells, board.columns, "black at {} after the move")

    def legal(moves: Claims) -> bool | None:
        return None if moves.size and int(moves[0]) < cell else bool(moves.size) and int(moves[0]) == cell

    return Encoding(formula, f"satisfiable if and only if black may move to {place}", names, legal)
