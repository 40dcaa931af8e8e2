"""NoGo as clauses and constraints: each move is one search for the first point after which every chain has a liberty.

In `cnf`, `cnf-ranked` and `cpsat` the rules are stated for a position and the player to move; nothing learnt from one
position is taken over to the next but clauses that hold in all of them. A chain must not keep itself alive: `cnf` forbids a
chain without liberty once a model shows it, the others rank the stones of a chain by their way to a liberty. `cnf-monotone`
and `cnf-onecall` also use that what is illegal stays so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.cnf import DEFAULT_SOLVER, Formula, paused_collector, session
from models.nogo import monotone, onecall
from models.nogo.encoding import encode as encode
from models.nogo.rules import Bools, cuts, neighbours, one_move, ranked
from models.stopwatch import Stopwatch
from puzzles.answer import Effort
from puzzles.backend import backend
from puzzles.nogo.board import BLACK, EMPTY, WHITE, Game, NoGo
from puzzles.text import Grid

_First = Callable[[Grid, int, int], int | None]
"""(flat position, own colour, the other's) -> the first legal point, None where there is none."""


def solve_cnf_many(boards: Sequence[NoGo], *, certify: bool = False, solver: str = DEFAULT_SOLVER) -> list[Game]:
    """Many boards by `cnf`: one formula serves all of the same size."""
    return _solve(boards, solver, ranks=False)


@backend(
    "nogo",
    "cnf",
    side="models",
    source="the rules of Luogu P4997 as clauses, liberties by lazy cuts",
    options=("solver",),
    many=solve_cnf_many,
)
def solve_cnf(board: NoGo, *, certify: bool = False, solver: str = DEFAULT_SOLVER) -> Game:
    """One formula serves the whole game: the position, and how far the move may go, are assumptions.

    A model names a legal point; then an earlier one is asked for, until there is none.
    """
    return _solve([board], solver, ranks=False)[0]


def solve_ranked_many(boards: Sequence[NoGo], *, certify: bool = False, solver: str = DEFAULT_SOLVER) -> list[Game]:
    """Many boards by `cnf-ranked`: one formula serves all of the same size."""
    return _solve(boards, solver, ranks=True)


@backend(
    "nogo",
    "cnf-ranked",
    side="models",
    source="the rules of Luogu P4997 as clauses, each stone ranked by its way to a liberty",
    options=("solver",),
    many=solve_ranked_many,
    limit=64,
)
def solve_ranked(board: NoGo, *, certify: bool = False, solver: str = DEFAULT_SOLVER) -> Game:
    """As `cnf`, but all is written down beforehand: the ranks are binary numbers."""
    return _solve([board], solver, ranks=True)[0]


@backend(
    "nogo",
    "cnf-monotone",
    side="models",
    source="the final position's liberties as clauses without positive literals, the moves as facts, unit propagation",
    assumes="a move that is illegal once stays illegal, so a position is legal where a later one is",
    options=("solver",),
)
def solve_monotone(board: NoGo, *, certify: bool = False, solver: str = DEFAULT_SOLVER) -> Game:
    """No search: each point is tried at most once by either colour."""
    return monotone.solve(board, solver)


@backend(
    "nogo",
    "cnf-onecall",
    side="models",
    source="the whole game as one formula: moves by time, the points passed over with their reasons; ranks on the last position",
    assumes="a move that is illegal once stays illegal, so a position is legal where a later one is",
    options=("solver",),
    limit=36,
)
def solve_onecall(board: NoGo, *, certify: bool = False, solver: str = DEFAULT_SOLVER) -> Game:
    """One satisfiable formula, whose model is the game; liberties of the last position by lazy cuts."""
    return onecall.solve(board, solver)


def _solve(boards: Sequence[NoGo], solver: str, *, ranks: bool) -> list[Game]:
    """The games of all boards, in one session for each size of board: its clauses hold in every position."""
    alike: dict[tuple[int, ...], list[int]] = {}
    for index, board in enumerate(boards):
        alike.setdefault(board.grid.shape, []).append(index)
    games: dict[int, Game] = {}
    for indices in alike.values():
        games |= zip(indices, _solve_alike([boards[index] for index in indices], solver, ranks), strict=True)
    return [games[index] for index in range(len(boards))]


def _solve_alike(boards: Sequence[NoGo], solver: str, ranks: bool) -> list[Game]:
    watch, shape = Stopwatch(), boards[0].grid.shape
    with paused_collector():
        near, formula = neighbours(boards[0]), Formula()
        names = one_move(near, formula)
        if ranks:
            ranked(near, formula, names.after, names.other)
        watch.built()
        with session(formula, solver) as opened:
            reached = names.reached.tolist()
            opened.phases(reached)

            def broken(model: Bools) -> list[list[int]]:
                if ranks:
                    return []
                ours, theirs = (model[stones].reshape(shape) for stones in (names.after, names.other))
                return cuts(ours, theirs, (names.after, names.other), near)

            def first(position: Grid, own: int, other: int) -> int | None:
                known = [np.where(position == own, names.own, -names.own), np.where(position == other, names.other, -names.other)]
                assumed, found = np.concatenate(known).tolist(), None
                while found != 0 and opened.solve_lazily(broken, [*assumed, reached[-1 if found is None else found - 1]]):
                    found = int(opened.model()[names.move].argmax())
                return found

            moves = [_play(board, first) for board in boards]
        effort = watch.effort(formula.variables, len(formula.clauses))
    share = effort.share(len(boards))
    return [Game(board, played, effort=share) for board, played in zip(boards, moves, strict=True)]


@backend(
    "nogo",
    "cpsat",
    side="models",
    source="the rules of Luogu P4997 as CP-SAT constraints, stones ranked by their way to a liberty",
    limit=49,
    requires=("ortools",),
    slow=True,
)
def solve_cpsat(board: NoGo, *, certify: bool = False) -> Game:
    """One model a move; the effort adds up their seconds and tells the size of the largest."""
    from models.cpsat import Model

    near = neighbours(board)
    size, build_s, solve_s = (0, 0), 0.0, 0.0

    def first(position: Grid, own: int, other: int) -> int | None:
        nonlocal size, build_s, solve_s
        started = perf_counter()
        model = Model()
        cp, stone = model.cp, {colour: _literals(model, position, own, colour) for colour in (own, other)}
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
        cp.minimize(sum(cell * chosen for cell, chosen in move.items()))
        size, built = max(size, model.size), perf_counter()
        found = next(cell for cell, chosen in move.items() if model.value(chosen)) if model.solve() else None
        build_s, solve_s = build_s + built - started, solve_s + perf_counter() - built
        return found

    moves = _play(board, first)
    return Game(board, moves, effort=Effort(build_s, solve_s, *size))


def _literals(model: Any, position: Grid, own: int, colour: int) -> dict[int, Any]:
    """For each cell that may hold a stone of the colour after the move a literal that says whether it does."""
    stones = {cell: model.cp.new_constant(1) for cell in np.flatnonzero(position == colour).tolist()}
    if colour == own:
        stones |= {cell: model.cp.new_bool_var(f"move{cell}") for cell in np.flatnonzero(position == EMPTY).tolist()}
    return stones


def _play(board: NoGo, first: _First) -> NDArray[np.int32]:
    """The game in which each move is what `first` says."""
    position = board.grid.flatten()
    moves: list[int] = []
    own, other = BLACK, WHITE
    while (cell := first(position, own, other)) is not None:
        position[cell] = own
        moves.append(cell)
        own, other = other, own
    return np.array(moves, np.int32)
