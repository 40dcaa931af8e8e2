"""NoGo move by move: the rules of one move as clauses, and a rank for each stone."""

from __future__ import annotations

from functools import partial

from models.cnf import Formula
from models.dimacs import Encoding
from models.nogo.legality import neighbours, one_move, state_ranks
from models.nogo.move_by_move import first_move, play_all
from models.solvers.solver_names import DEFAULT_SOLVER, called_once
from puzzles.backend import backend
from puzzles.nogo.board import Game, NoGo


def encode(board: NoGo, cell: int | None = None) -> Encoding:
    """The formula for a first move of black; with `cell`, for a move there."""
    near, formula = neighbours(board), Formula()
    move = one_move(near, formula)
    state_ranks(near, formula, move.black, move.white)
    return first_move(board, cell, formula, move)


@backend(
    "nogo",
    "cnf-ranked",
    side="models",
    source="the rules of Luogu P4997 as clauses, each stone ranked by its way to a liberty",
    options=("solver",),
    refuses=called_once,
    many=partial(play_all, ranks=True),
    limit=64,
    encode=encode,
    encodes_first=True,
)
def solve(board: NoGo, *, certify: bool = False, solver: str = DEFAULT_SOLVER) -> Game:
    """One formula states which moves are legal in any position, as in `cnf`. Each stone has a rank,
    a binary number, and ranks fall on the way to a liberty. So no clause has to be added while the
    game is played.
    """
    return play_all([board], solver, ranks=True)[0]
