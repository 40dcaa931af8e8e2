"""Minesweeper by propagation: the closure of write-up 001, and on top of it an exact frontier programme."""

from __future__ import annotations

import time

from direct.kernel import SMALL
from direct.minesweeper import closure, frontier
from direct.minesweeper.certificate import certificate
from puzzles.backend import Unsupported, backend
from puzzles.minesweeper.board import Deduction, Minesweeper
from puzzles.puzzle import Effort
from puzzles.text import Grid

__all__ = ["solve", "solve_closure"]


@backend(
    "minesweeper",
    "frontier",
    side="direct",
    source="the closure of write-up 001, then components, merged cells and a frontier dynamic programme",
)
def solve(board: Minesweeper, *, certify: bool = False) -> Deduction:
    """All that is certain, exactly.

    Linear in the board but for the width of its components: time grows with the states, of which there are few on games
    under way and very many where isolated cells are opened.

    Raises:
        Unsupported: the number of mines is given, or a component is too wide: more than `frontier.MOST_OPEN` clues open at
            once, or more than `frontier.MOST_STATES` states.
    """
    _refuse_count(board)
    started = time.perf_counter()
    stride = board.columns + 1
    know, need, left = closure.field.at(board.cells)(board.grid)
    clash = closure.close.at(board.cells)(know, need, left, stride)
    status, width = frontier.INCONSISTENT if clash else frontier.CONSISTENT, 0
    decided = know
    if not clash:
        for cells, states in ((board.cells, frontier.FEW_STATES), (SMALL, frontier.MOST_STATES)):
            decided = know.copy()
            status, clash, width = frontier.decide.at(cells)(decided, need, left, stride, states)
            if status != frontier.TOO_MANY:
                break
    if status == frontier.TOO_WIDE:
        raise Unsupported(f"too wide: {width} clues are open at once in one component, the limit is {frontier.MOST_OPEN}")
    if status == frontier.TOO_MANY:
        raise Unsupported(f"too wide: {width} clues open at once in one component have over {frontier.MOST_STATES} states")
    consistent = status == frontier.CONSISTENT
    shown = _frozen(closure.marked.at(board.cells)(board.grid, decided)) if consistent else board.grid
    effort = Effort(solve_s=time.perf_counter() - started)
    proof = certificate(board.grid, shown, clash, (know, need, left)) if certify else None
    return Deduction(consistent, Minesweeper(shown), certificate=proof, effort=effort)


@backend("minesweeper", "two-sat", side="direct", source="write-up 001: implications as in 2-SAT, to the fixpoint", complete=False)
def solve_closure(board: Minesweeper, *, certify: bool = False) -> Deduction:
    """What single clues and chains of implications make certain: all of write-up 001's rounds, and no more.

    Inconsistent where that meets a contradiction. Linear in the board on games under way: a literal's consequences are few.

    Raises:
        Unsupported: the number of mines is given.
    """
    _refuse_count(board)
    started = time.perf_counter()
    clash, marked = closure.closed.at(board.cells)(board.grid)
    shown = board.grid if clash else _frozen(marked)
    effort = Effort(solve_s=time.perf_counter() - started)
    proof = certificate(board.grid, shown, clash, None) if certify else None
    return Deduction(not clash, Minesweeper(shown), complete=False, certificate=proof, effort=effort)


def _refuse_count(board: Minesweeper) -> None:
    if board.mines is not None:
        raise Unsupported("the number of mines is given, which this backend cannot use")


def _frozen(grid: Grid) -> Grid:
    grid.flags.writeable = False
    return grid
