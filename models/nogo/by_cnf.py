"""NoGo move by move: the rules of one move as clauses, and lazy cuts for its liberties."""

from __future__ import annotations

from functools import lru_cache, partial

from models.cnf import Formula
from models.dimacs import Encoding
from models.nogo.legality import (
    MoveVariables,
    connected_sets,
    liberty_clause,
    neighbours_on,
    one_move,
)
from models.nogo.move_by_move import first_move, play_all
from models.solvers.solver_names import DEFAULT_SOLVER, called_once
from puzzles.backend import Unsupported, backend
from puzzles.nogo.board import Game, NoGo

_MAX_CELLS = 16
"""The largest board whose cuts are all written down.

A 4x4 board has some eleven thousand connected sets of cells.
"""


def encode(board: NoGo, cell: int | None = None) -> Encoding:
    """The formula for a first move of black (with `cell`, for a move there), and every
    cut that there is.

    Raises:
        Unsupported: the board has more than `_MAX_CELLS` cells.
    """
    if board.cells > _MAX_CELLS:
        raise Unsupported(
            f"all cuts of models:cnf are written for boards up to {_MAX_CELLS} cells: take a "
            "backend that states the same move without cuts"
        )
    formula, move = _with_every_cut(*board.grid.shape)
    stated = Formula.of(formula.variables, formula.clauses)
    stated.rules, stated.meanings = list(formula.rules), list(formula.meanings)
    return first_move(board, cell, stated, move)


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


@backend(
    "nogo",
    "cnf",
    side="models",
    default=True,
    quick=400,
    source="the rules of Luogu P4997 as clauses, liberties by lazy cuts",
    options=("solver",),
    refuses=called_once,
    many=partial(play_all, ranks=False),
    encode=encode,
)
def solve(board: NoGo, *, certify: bool = False, solver: str = DEFAULT_SOLVER) -> Game:
    """One formula states which moves are legal in any position. A SAT solver is asked for a legal
    point, then for an earlier one, until there is none. Clauses about liberties are added when a
    model breaks them.

    The position is assumed, and a bound on the move: "at this point or before it". It begins at the
    first empty point and moves on until a point is legal. If the solver serves a single game, the
    bound begins at the player's last move, and soon leaps to the end. Then a model shows a legal
    point, and the bound moves back, until no earlier point is legal. Stones are clauses in such a
    game, and the empty points are assumed.
    """
    return play_all([board], solver, ranks=False)[0]
