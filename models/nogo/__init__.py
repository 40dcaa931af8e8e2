"""NoGo as clauses and constraints: each move is a search for the first point after which every
chain has a liberty.

`cnf`, `cnf-ranked` and `cpsat` state the rules of one move. They carry nothing over from one
position to the next, except stones, which stay where they are, and clauses that hold in all
positions. `cnf-monotone` and `cnf-onecall` also use that a move that is illegal once stays illegal.

The stones of a chain must not count each other as liberties. `cnf`, `cnf-monotone` and
`cnf-onecall` forbid a chain without liberty when it turns up (a cut). `cnf-ranked` and `cpsat` rank
the stones of a chain by their way to a liberty.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from models.cpsat import CpSatEncoding, CpSatModel
from models.nogo import monotone, onecall
from models.nogo.encoding import encode as encode
from models.nogo.encoding import encode_cuts, encode_game, encode_ranked
from models.nogo.legality import Near, neighbours
from models.nogo.move_by_move import play_all
from models.solvers.solver_names import DEFAULT_SOLVER, called_once
from models.stopwatch import Stopwatch
from puzzles.backend import backend
from puzzles.nogo.board import BLACK, EMPTY, WHITE, Game, NoGo
from puzzles.text import Grid


@backend(
    "nogo",
    "cnf",
    side="models",
    quick=400,
    source="the rules of Luogu P4997 as clauses, liberties by lazy cuts",
    options=("solver",),
    refuses=called_once,
    many=partial(play_all, ranks=False),
    encode=encode_cuts,
)
def solve_cnf(board: NoGo, *, certify: bool = False, solver: str = DEFAULT_SOLVER) -> Game:
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


@backend(
    "nogo",
    "cnf-ranked",
    side="models",
    source="the rules of Luogu P4997 as clauses, each stone ranked by its way to a liberty",
    options=("solver",),
    refuses=called_once,
    many=partial(play_all, ranks=True),
    limit=64,
    encode=encode_ranked,
)
def solve_ranked(board: NoGo, *, certify: bool = False, solver: str = DEFAULT_SOLVER) -> Game:
    """One formula states which moves are legal in any position, as in `cnf`. Each stone has a rank,
    a binary number, and ranks fall on the way to a liberty. So no clause has to be added while the
    game is played.
    """
    return play_all([board], solver, ranks=True)[0]


@backend(
    "nogo",
    "cnf-monotone",
    side="models",
    quick=400,
    source="the final position's liberties as clauses without positive literals, the moves as "
    "facts, "
    "unit propagation",
    assumes="a move that is illegal once stays illegal, so a position is legal where a later "
    "one is",
    options=("solver",),
    refuses=called_once,
)
def solve_monotone(board: NoGo, *, certify: bool = False, solver: str = DEFAULT_SOLVER) -> Game:
    """A move that is illegal once stays illegal, so a position is legal if a later one is. Clauses
    state the liberties of the last position, and unit propagation says whether a move is legal.
    Nothing is searched, and each colour tries each point at most once.
    """
    return monotone.solve(board, solver)


@backend(
    "nogo",
    "cnf-onecall",
    side="models",
    source="the whole game as one formula: moves by time, the points passed over with their "
    "reasons; "
    "liberties by lazy cuts",
    assumes="a move that is illegal once stays illegal, so a position is legal where a later "
    "one is",
    options=("solver",),
    refuses=called_once,
    limit=36,
    encode=encode_game,
)
def solve_onecall(board: NoGo, *, certify: bool = False, solver: str = DEFAULT_SOLVER) -> Game:
    """One formula states the whole game: which move comes when, and why each point before it was
    passed over. A SAT solver finds a model, and that is the game. Clauses about the liberties of
    the last position are added when a model breaks them.
    """
    return onecall.solve(board, solver)


def encode_cpsat(board: NoGo) -> CpSatEncoding:
    """A first move of black as `cpsat` states it, without "the first one"."""
    model, move = _one_move(neighbours(board), board.grid.ravel(), BLACK, WHITE)
    return CpSatEncoding(
        model.cp,
        [(chosen, f"the move goes to {board.place(cell)}") for cell, chosen in move.items()],
    )


@backend(
    "nogo",
    "cpsat",
    side="models",
    source="the rules of Luogu P4997 as CP-SAT constraints, stones ranked by their way to a "
    "liberty",
    options=("workers",),
    limit=49,
    requires=("ortools",),
    slow=True,
    encode=encode_cpsat,
)
def solve_cpsat(board: NoGo, *, certify: bool = False, workers: int = 1) -> Game:
    """It states the rules of one move as constraints, with a rank for each stone as in
    `cnf-ranked`. CP-SAT finds the first legal point. The stone is put there, and the next move is
    stated anew.

    The effort is the sum of the seconds of all moves, and the size of the largest model.
    """
    near, position, moves = neighbours(board), board.grid.flatten(), list[int]()
    watch, size, own, other = Stopwatch(), (0, 0), BLACK, WHITE
    while True:
        model, move = _one_move(near, position, own, other, workers)
        model.cp.minimize(sum(cell * chosen for cell, chosen in move.items()))
        size = max(size, model.size)
        watch.built()
        legal = model.solve()
        watch.searched(*model.steps)
        if not legal:
            return Game(board, np.array(moves, np.int32), effort=watch.effort(*size))
        moves.append(next(cell for cell, chosen in move.items() if model.value(chosen)))
        position[moves[-1]] = own
        own, other = other, own


def _one_move(
    near: Near, position: Grid, own: int, other: int, workers: int = 1
) -> tuple[CpSatModel, dict[int, Any]]:
    """A legal move from a flat position, and the variable of each point that the move may go to."""
    model = CpSatModel(workers=workers)
    cp, stone = (
        model.cp,
        {colour: _literals(model, position, own, colour) for colour in (own, other)},
    )
    move = {cell: stone[own][cell] for cell in np.flatnonzero(position == EMPTY).tolist()}
    cp.add_exactly_one(move.values())
    for colour, there in stone.items():
        rank = {cell: cp.new_int_var(0, len(there), f"rank{colour},{cell}") for cell in there}
        for cell, is_stone in there.items():
            ways: list[Any] = [~move[beside] for beside in near[cell] if beside in move]
            for beside in near[cell]:
                if beside in there:
                    way = cp.new_bool_var(f"way{colour},{cell},{beside}")
                    cp.add_implication(way, there[beside])
                    cp.add(rank[beside] < rank[cell]).only_enforce_if(way)
                    ways.append(way)
            cp.add_bool_or(ways).only_enforce_if(is_stone)
    return model, move


def _literals(model: Any, position: Grid, own: int, colour: int) -> dict[int, Any]:
    """For each cell that can hold a stone of this colour after the move: the literal that says
    so.
    """
    stones = {
        cell: model.cp.new_constant(1) for cell in np.flatnonzero(position == colour).tolist()
    }
    if colour == own:
        stones |= {
            cell: model.cp.new_bool_var(f"move{cell}")
            for cell in np.flatnonzero(position == EMPTY).tolist()
        }
    return stones
