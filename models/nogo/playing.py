"""Games played move by move: the position is assumed, and a solver looks for the first legal point."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import compress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.cnf import Formula, paused_collector
from models.nogo.legality import MoveVariables, Near, board_bits, cuts_of_bits, neighbours_on, one_move, ranked
from models.session import Session, session
from models.solvers.solver_failure import SolverFailure
from models.stopwatch import Stopwatch
from puzzles.nogo.board import BLACK, WHITE, Game, NoGo

_KEPT_SHAPES = 16
"""Shapes of boards whose formula is kept. Fuzzing asks for the same few shapes again and again."""

_KEPT_CELLS = 400
"""Cells of the largest board whose formula is kept."""


class OneMove(NamedTuple):
    """What one move on a board of some shape demands. It holds in any position, so all games of that shape share it.

    Attributes:
        points: for each cell the set that holds this point alone (see `models.nogo.legality.bits_of`).
        own, other, reached: these variables of `names` as lists.
    """

    shape: tuple[int, int]
    near: Near
    points: list[int]
    formula: Formula
    names: MoveVariables
    own: list[int]
    other: list[int]
    reached: list[int]


def play_all(boards: Sequence[NoGo], solver: str, *, ranks: bool) -> list[Game]:
    """The games of all boards, in one session for each size of board. `ranks`: liberties by ranks and not by cuts."""
    same_shape: dict[tuple[int, int], list[int]] = {}
    for index, board in enumerate(boards):
        same_shape.setdefault(board.shape, []).append(index)
    games: dict[int, Game] = {}
    for indices in same_shape.values():
        games |= zip(indices, _play_same_shape([boards[index] for index in indices], solver, ranks), strict=True)
    return [games[index] for index in range(len(boards))]


def _play_same_shape(boards: Sequence[NoGo], solver: str, ranks: bool) -> list[Game]:
    """The games of boards of one shape, in one session."""
    watch = Stopwatch()
    with paused_collector():
        stated = _kept(*boards[0].shape, ranks) if boards[0].cells <= _KEPT_CELLS else _state(*boards[0].shape, ranks)
        watch.built()
        with session(stated.formula, solver) as opened:
            opened.phases([*stated.names.reached.tolist(), *(-stated.names.move).tolist(), *(-stated.names.after).tolist()])
            moves = [_play(board, stated, opened, ranks) for board in boards]
        effort = watch.effort(stated.formula.variables, len(stated.formula.clauses))
    share = effort.share(len(boards))
    return [Game(board, played, effort=share) for board, played in zip(boards, moves, strict=True)]


def _state(rows: int, columns: int, ranks: bool) -> OneMove:
    """State one move, with ranks or without any rule for chains of more than one stone."""
    near, formula = neighbours_on(rows, columns), Formula()
    names = one_move(near, formula)
    if ranks:
        ranked(near, formula, names.after, names.other)
    points = [1 << row * (columns + 1) + column for row in range(rows) for column in range(columns)]
    own, other, reached = (variables.tolist() for variables in (names.own, names.other, names.reached))
    return OneMove((rows, columns), near, points, formula, names, own, other, reached)


_kept = lru_cache(_KEPT_SHAPES)(_state)


def _play(board: NoGo, stated: OneMove, opened: Session, ranks: bool) -> NDArray[np.int32]:
    """The game. Each call of the solver assumes the position, and that the move goes to some point or to one before it.

    The first call of a move allows all points. A model shows a legal point. Then the bound moves to the empty point before it,
    until no such point is legal.
    """
    shape, near, points, _, names, own, other, reached = stated
    cells, first = len(points), int(names.move[0])
    kinds = board.grid.tobytes()
    # The position as literals: for each cell whether the player to move has a stone there, then whether the other has; the bound.
    here, there = (
        [
            *(stone if kind == ours else -stone for kind, stone in zip(kinds, own, strict=True)),
            *(stone if kind == theirs else -stone for kind, stone in zip(kinds, other, strict=True)),
            reached[-1],
        ]
        for ours, theirs in ((BLACK, WHITE), (WHITE, BLACK))
    )
    mine, yours = (sum(compress(points, map(colour.__eq__, kinds))) for colour in (BLACK, WHITE))
    everything, stride = board_bits(*shape), shape[1] + 1
    point = 0

    def violated() -> list[list[int]]:
        """Read the move off the model; returns the clauses of chains that have no liberty after it."""
        nonlocal point
        goes_to = opened.true_among(first, cells)
        if len(goes_to) != 1 or (mine | yours) & points[goes_to[0] - first]:
            raise SolverFailure(opened.solver, "gave a model that violates a clause or an assumption")
        point = goes_to[0] - first
        return [] if ranks else cuts_of_bits(mine | points[point], yours, shape, (names.after, names.other), near)

    moves: list[int] = []
    while True:
        earlier, legal, here[-1] = everything & ~(mine | yours), None, reached[-1]
        while earlier and opened.solve_until(violated, here):
            if not earlier & points[point]:
                raise SolverFailure(opened.solver, "gave a model that violates a clause or an assumption")
            legal = point
            earlier &= points[point] - 1
            last = earlier.bit_length() - 1
            here[-1] = reached[last - last // stride]
        if legal is None:
            return np.array(moves, np.int32)
        moves.append(legal)
        here[legal], there[cells + legal] = own[legal], other[legal]
        mine, yours = yours, mine | points[legal]
        here, there = there, here
