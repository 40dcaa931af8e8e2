"""NoGo models, wrong on purpose:

`over` loses moves but no game, `under` has too many moves, `symmetric` has others.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from models.cnf import Formula
from models.dimacs import Encoding
from models.nogo.encoding import encode_ranked
from models.nogo.legality import neighbours, one_move
from models.session import session
from puzzles.backend import backend
from puzzles.nogo.board import BLACK, EMPTY, WHITE, Game, NoGo


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


def _first_move(stated: Callable[[NoGo], Encoding], position: NoGo) -> int | None:
    encoding = stated(position)
    move = {name: variable for variable, name in encoding.names}
    with session(encoding.formula) as opened:
        points = (
            cell
            for cell in range(position.cells)
            if opened.solve([move[f"the move goes to {position.place(cell)}"]])
        )
        return next(points, None)


def _register(name: str, stated: Callable[[NoGo], Encoding]) -> None:
    first_move = partial(_first_move, stated)

    @backend("nogo", name, side="models", source="wrong on purpose", encode=stated, limit=16)
    def solve(board: NoGo, *, certify: bool = False) -> Game:
        del certify
        grid, moves = board.grid.copy(), list[int]()
        swapped = np.arange(256, dtype=np.uint8)
        swapped[[BLACK, WHITE]] = WHITE, BLACK
        while (
            cell := first_move(
                NoGo.from_valid_grid(swapped[grid] if len(moves) % 2 else grid.copy())
            )
        ) is not None:
            grid.flat[cell] = WHITE if len(moves) % 2 else BLACK
            moves.append(cell)
        return Game(board, np.array(moves, np.int32))


_register("over", over)
_register("under", under)
_register("symmetric", symmetric)
