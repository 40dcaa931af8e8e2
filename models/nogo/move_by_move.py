"""Games played move by move: the position is assumed, and a solver looks for the first legal
point.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from models.cnf import Formula, paused_collector
from models.dimacs import Encoding
from models.nogo.legality import MoveVariables, Near, cuts, neighbours_on, one_move, state_ranks
from models.session import Session, session
from models.solvers.sat_solver import SolverFailure
from models.solvers.solver_names import DEFAULT_SOLVER
from models.stopwatch import Stopwatch
from puzzles.answer import Claims
from puzzles.nogo.board import BLACK, EMPTY, WHITE, Game, NoGo

_KEPT_SHAPES = 16
"""Shapes of boards whose formula is kept. Fuzzing asks for the same few shapes again and again.

From a shape's second board on, building takes next to no time, and the effort of the answer says
so.
"""

_KEPT_CELLS = 400
"""Cells of the largest board whose formula is kept."""

_SHARED_CELLS = 49
"""Cells of the largest board that shares a session with others of its shape.

A larger one soon makes up for one of its own.
"""


_SINGLE_ONES = 3
"""How many points are allowed one after the other, before all that are left are.

More are needed in one move of a hundred.
"""


def play_all(
    boards: Sequence[NoGo],
    solver: str = DEFAULT_SOLVER,
    *,
    ranks: bool,
    certify: bool = False,
) -> list[Game]:
    """The games of all boards. One formula serves all boards of a shape, and one session if they
    are small.

    Args:
        ranks: liberties by ranks and not by cuts.
        certify: asks for nothing more, since a game is its own certificate.
    """
    together: dict[tuple[int, ...], list[int]] = {}
    for index, board in enumerate(boards):
        together.setdefault(board.shape if board.cells <= _SHARED_CELLS else (index,), []).append(
            index
        )
    games: dict[int, Game] = {}
    for indices in together.values():
        games |= zip(
            indices,
            _play_in_session([boards[index] for index in indices], solver, ranks),
            strict=True,
        )
    return [games[index] for index in range(len(boards))]


def _play_in_session(boards: Sequence[NoGo], solver: str, ranks: bool) -> list[Game]:
    """The games of boards of one shape, in one session."""
    watch = Stopwatch()
    with paused_collector():
        shape = boards[0].shape
        near, formula, names = (_kept if boards[0].cells <= _KEPT_CELLS else _one_move)(
            *shape, ranks
        )
        watch.start_solving()
        with session(formula, solver, watch) as opened:
            opened.phases([*names.reached.tolist(), *(-names.move).tolist()])
            moves = [
                _play(board, near, names, opened, ranks, alone=len(boards) == 1) for board in boards
            ]
        effort = watch.effort(formula.variables, len(formula.clauses))
    share = effort.share(len(boards))
    return [Game(board, played, effort=share) for board, played in zip(boards, moves, strict=True)]


def _one_move(rows: int, columns: int, ranks: bool) -> tuple[Near, Formula, MoveVariables]:
    """State one move on a board of this shape, with ranks or without any rule for chains of more
    than one stone. It holds in any position, so all games of that shape share it.
    """
    near, formula = neighbours_on(rows, columns), Formula()
    names = one_move(near, formula)
    if ranks:
        state_ranks(near, formula, names.black, names.white)
    return near, formula, names


_kept = lru_cache(_KEPT_SHAPES)(_one_move)


def _play(
    board: NoGo, near: Near, names: MoveVariables, opened: Session, ranks: bool, *, alone: bool
) -> NDArray[np.int32]:
    """The game. Each call of the solver assumes the position, the player, and that the move goes to
    some point or to one before it.

    Points are allowed one more after the other, until one is legal. Then there is a single point
    that the move may go to, and no model is read. On a small board the first legal point is mostly
    the first empty one or the next. On a larger one it mostly comes soon after the player's last
    move. So a game that has the session `alone` first allows all points up to that move at once,
    and after some single points all that are left. Then a model shows a legal point, and the bound
    moves to the empty point before it, until no such point is legal.

    A stone stays where it is. So if the game is alone, stones are clauses, and only the empty
    points are assumed.
    """
    black, white, empty, move, reached = (each.tolist() for each in names[:5])
    position = board.grid.ravel().tolist()
    still_empty = [
        variable for variable, kind in zip(empty, position, strict=True) if kind == EMPTY
    ]
    stones: list[int] = []

    def put(colour: int, cell: int) -> None:
        position[cell] = colour
        literals = [(black if colour == BLACK else white)[cell], -empty[cell]]
        if alone:
            for literal in literals:
                opened.add([literal])
        else:
            stones.extend(literals)

    for cell, kind in enumerate(position):
        if kind != EMPTY:
            put(kind, cell)
    free = sum(1 << cell for cell, kind in enumerate(position) if kind == EMPTY)
    colour, other, point = BLACK, WHITE, 0

    def violated_clauses() -> list[list[int]]:
        """The clauses of chains without liberty after the move.

        The model says where it goes, if it may go to several points.
        """
        nonlocal point
        point = allowed.bit_length() - 1
        if allowed & allowed - 1:
            goes_to = opened.true_among(move[0], len(move))
            if len(goes_to) != 1 or not allowed >> goes_to[0] - move[0] & 1:
                raise SolverFailure(
                    opened.solver, "gave a model that violates a clause or an assumption"
                )
            point = goes_to[0] - move[0]
        if ranks:
            return []
        position[point] = colour
        clauses = cuts(position, (black, white), near, point)
        position[point] = EMPTY
        return clauses

    moves: list[int] = []
    allowed = free
    passed = {BLACK: 0, WHITE: 0}  # all points up to the player's last move
    while True:
        player = names.black_moves if colour == BLACK else -names.black_moves
        assumed = [player, *stones, *still_empty, reached[-1]]
        left = free  # what may still hold the first legal point
        legal = None  # the earliest one that a model has shown
        at_once, single_ones = free & passed[colour], _SINGLE_ONES if alone else len(move)
        while left:
            if at_once:
                bound, at_once = at_once.bit_length() - 1, 0
            elif legal is None and single_ones:
                bound, single_ones = (left & -left).bit_length() - 1, single_ones - 1
            else:
                bound = left.bit_length() - 1
            allowed = left & (2 << bound) - 1
            assumed[-1] = reached[bound]
            if opened.solve_lazily(violated_clauses, assumed):
                legal = point
                left &= (1 << point) - 1
            else:
                left = left >> bound + 1 << bound + 1
        if legal is None:
            return np.array(moves, np.int32)
        moves.append(legal)
        if alone:
            passed[colour] = (2 << legal) - 1
        put(colour, legal)
        still_empty.remove(empty[legal])
        free ^= 1 << legal
        colour, other = other, colour


def first_move(board: NoGo, cell: int | None, formula: Formula, move: MoveVariables) -> Encoding:
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
