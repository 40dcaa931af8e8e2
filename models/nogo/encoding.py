"""A whole game, or one move, written down without cuts or assumptions."""

from __future__ import annotations

import numpy as np

from models.cnf import Formula
from models.dimacs import Encoding, named
from models.nogo.onecall import whole_game
from models.nogo.rules import neighbours, one_move, ranked
from puzzles.nogo.board import BLACK, WHITE, NoGo


def encode(board: NoGo, cell: int | None) -> Encoding:
    """The formula of `cnf-onecall` with ranks; with a cell, that of `cnf-ranked` for black's first move there.

    Raises:
        Unsupported: the board is too large for a whole game as one formula.
    """
    near, formula, cells = neighbours(board), Formula(), range(board.cells)
    if cell is None:
        game = whole_game(near, board.grid, formula)
        ranked(near, formula, game.black, game.white)
        names = named(game.black, cells, board.columns, "black at {} in the last position")
        names += named(game.white, cells, board.columns, "white at {} in the last position")
        for turn, move in enumerate(game.move, 1):
            names += named(move, cells, board.columns, f"move {turn} goes to {{}}")
        return Encoding(formula, "satisfiable; the model is the game", names)
    names_of = one_move(near, formula)
    ranked(near, formula, names_of.after, names_of.other)
    for colour, variables in ((BLACK, names_of.own), (WHITE, names_of.other)):
        formula.extend(np.where(board.grid.ravel() == colour, variables, -variables)[:, None])
    formula.add(int(names_of.move[cell]))
    place = f"{cell // board.columns + 1},{cell % board.columns + 1}"
    names = named(names_of.own, cells, board.columns, "black at {} before the move")
    names += named(names_of.other, cells, board.columns, "white at {}")
    names += named(names_of.move, cells, board.columns, "the move goes to {}")
    names += named(names_of.after, cells, board.columns, "black at {} after the move")
    return Encoding(formula, f"satisfiable if and only if black may move to {place}", names)
