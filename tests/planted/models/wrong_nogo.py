"""NoGo models, wrong on purpose:

`over` loses moves but no game, `under` has too many moves, `symmetric` has others.
"""

from __future__ import annotations

import numpy as np

from models.cnf import Formula
from models.dimacs import Encoding
from models.nogo.by_cnf_ranked import encode as encode_ranked
from models.nogo.legality import neighbours, one_move
from puzzles.backend import backend
from puzzles.nogo.board import EMPTY, Game, NoGo


def over(board: NoGo) -> Encoding:
    """No move goes to a point after a lonely one: an empty point with neighbours, all of them
    empty. That one is always legal.
    """
    encoding, near, kinds = encode_ranked(board), neighbours(board), board.grid.ravel()
    move = {name: variable for variable, name in encoding.names}
    lonely = [
        cell
        for cell, beside in enumerate(near)
        if beside and (kinds[[cell, *beside]] == EMPTY).all()
    ]
    for cell in range(lonely[0] + 1, board.cells) if lonely else ():
        encoding.formula.add(-move[f"the move goes to {board.place(cell)}"])
    return encoding


def under(board: NoGo) -> Encoding:
    """The stones of a chain count each other as liberties: there are neither cuts nor ranks."""
    formula = Formula()
    move = one_move(neighbours(board), formula)
    formula.extend(np.array([*move.position(board.grid), move.black_moves])[:, None])
    names = [
        (int(move.move[cell]), f"the move goes to {board.place(cell)}")
        for cell in range(board.cells)
    ]
    return Encoding(formula, "satisfiable if and only if black may move", names)


def symmetric(board: NoGo) -> Encoding:
    """The moves on the board mirrored at its diagonal."""
    return encode_ranked(NoGo(board.grid.T))


def unsolved(board: NoGo, *, certify: bool = False) -> Game:
    raise NotImplementedError("the models are compared, and nobody solves by them")


for stated in (over, under, symmetric):
    backend(
        "nogo", stated.__name__, side="models", source="wrong on purpose", encode=stated, limit=16
    )(unsolved)
