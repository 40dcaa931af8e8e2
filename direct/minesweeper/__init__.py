"""Minesweeper by propagation: the closure of write-up 001, and on top of it an exact frontier programme.

Many boards are one: stacked with a row of padding between them they share nothing, so a file is solved in one go.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import accumulate

import numpy as np

from direct.kernel import SMALL
from direct.minesweeper import closure, frontier
from direct.minesweeper.certificate import certificate, counted_certificate
from direct.minesweeper.chances import Field, chances_of
from direct.minesweeper.why import fewest
from direct.minesweeper.wide import settle
from puzzles.answer import Effort
from puzzles.backend import Unsupported, backend
from puzzles.minesweeper.board import COVERED, MINE, SAFE, Chances, Deduction, Explainer, Minesweeper
from puzzles.minesweeper.causes import with_causes

__all__ = ["probabilities", "solve", "solve_closure"]

_IS_COVERED = np.zeros(256, np.bool_)
_IS_COVERED[[COVERED, MINE, SAFE]] = True


def solve_many(
    boards: Sequence[Minesweeper], *, certify: bool = False, probabilities: bool = False, causes: int = 0
) -> list[Deduction]:
    """`solve` for many boards."""
    if probabilities or causes or any(board.mines is not None for board in boards):
        return [solve(board, certify=certify, probabilities=probabilities, causes=causes) for board in boards]
    return [answer for stack in _stacks(boards) for answer in _solve_exactly(stack, certify)]


@backend(
    "minesweeper",
    "frontier",
    side="direct",
    source="the closure of write-up 001, then components, merged cells and a frontier dynamic programme",
    options=("probabilities", "causes"),
    many=solve_many,
    explain=fewest,
)
def solve(board: Minesweeper, *, certify: bool = False, probabilities: bool = False, causes: int = 0) -> Deduction:
    """All that is certain, exactly.

    With `probabilities`, or where the number of mines is given, the layouts are counted; with `certify` too, if they can be.
    A certified answer has the causes of up to `causes` certain cells.

    Linear in the board but for the width of its components: time grows with the states, of which there are few on games
    under way and very many where isolated cells are opened.

    Raises:
        Unsupported: a component is too wide for the frontier, and has more than `wide.MOST_PAIRS` pairs of states in a tree of
            joins; where layouts are counted, more than `contraction.MOST_BYTES` of tables.
    """
    answer = None
    if probabilities or board.mines is not None:
        answer = _solve_counting(board, certify, True)
    elif certify:
        with suppress(Unsupported):  # counting takes more than deciding, and is only welcome here
            answer = _solve_counting(board, certify, False)
    if answer is None:
        answer = next(iter(_solve_exactly([board], certify)))
    return with_causes(board, answer, causes, Explainer("direct", "frontier")) if certify else answer


def probabilities(board: Minesweeper) -> Chances | None:
    """The layouts counted, and how likely each covered cell is a mine; None where the board is inconsistent.

    Raises:
        Unsupported: a component is too wide.
    """
    return solve(board, probabilities=True).chances


def solve_closure_many(boards: Sequence[Minesweeper], *, certify: bool = False) -> list[Deduction]:
    """`solve_closure` for many boards."""
    return [answer for stack in _stacks(boards) for answer in _solve_closure(stack, certify)]


@backend(
    "minesweeper",
    "two-sat",
    side="direct",
    source="write-up 001: implications as in 2-SAT, to the fixpoint",
    complete=False,
    many=solve_closure_many,
)
def solve_closure(board: Minesweeper, *, certify: bool = False) -> Deduction:
    """What single clues and chains of implications make certain: all of write-up 001's rounds, and no more.

    Inconsistent where that meets a contradiction. Linear in the board on games under way: a literal's consequences are few.

    Raises:
        Unsupported: the number of mines is given.
    """
    return solve_closure_many([board], certify=certify)[0]


def _stacks(boards: Sequence[Minesweeper]) -> Iterator[list[Minesweeper]]:
    """Consecutive boards of one width, not too many cells together."""
    stack: list[Minesweeper] = []
    cells = columns = 0
    for board in boards:
        if board.mines is not None:
            raise Unsupported("the number of mines is given, which this backend cannot use")
        shape = board.grid.shape
        if stack and (shape[1] != columns or cells > 2**20):
            yield stack
            stack, cells = [], 0
        stack.append(board)
        columns = shape[1]
        cells += shape[0] * columns
    if stack:
        yield stack


def _laid(stack: list[Minesweeper]) -> tuple[closure.Array, closure.Array]:
    """The stack's boards as one grid, and the row at which each begins (and the last ends)."""
    starts = np.array([0, *accumulate(board.grid.shape[0] for board in stack)], np.int64)
    return np.concatenate([board.grid for board in stack]) if len(stack) > 1 else stack[0].grid, starts


def _solve_closure(stack: list[Minesweeper], certify: bool) -> list[Deduction]:
    began = time.perf_counter()
    grid, starts = _laid(stack)
    clash, shown = closure.closed.at(grid.size)(grid, starts)
    return _answers(stack, starts, shown, clash, None, certify, began)


def _solve_exactly(stack: list[Minesweeper], certify: bool) -> list[Deduction]:
    began = time.perf_counter()
    grid, starts = _laid(stack)
    stride = grid.shape[1] + 1
    know, need, left = closure.field.at(grid.size)(grid, starts)
    clash = closure.close.at(grid.size)(know, need, left, stride, starts)
    decided, status = know, np.zeros(0, np.int8)
    for cells, states in ((grid.size, frontier.FEW_STATES), (SMALL, frontier.MOST_STATES)):
        decided = know.copy()
        status, _ = frontier.decide.at(cells)(decided, need, left, stride, starts, clash, states)
        if not (status == frontier.TOO_MANY).any():
            break
    settle(np.flatnonzero(status > frontier.INCONSISTENT), know, decided, need, left, stride, starts, clash)
    shown = closure.marked.at(grid.size)(grid, starts, decided)
    return _answers(stack, starts, shown, clash, (know, need, left), certify, began)


def _solve_counting(board: Minesweeper, certify: bool, wide: bool) -> Deduction:
    began = time.perf_counter()
    grid, starts = _laid([board])
    stride = board.columns + 1
    know, need, left = closure.field.at(grid.size)(grid, starts)
    clash = closure.close.at(grid.size)(know, need, left, stride, starts)
    covered = _IS_COVERED[board.grid.ravel()]
    counted = None if clash[0] else chances_of(Field(know, need, left, stride), covered, board.mines, wide)
    if counted is None:
        effort = Effort(solve_s=time.perf_counter() - began)
        proof = None
        if certify:
            without = next(iter(_solve_exactly([board], certify)))  # the clues alone may contradict one another
            proof = without.certificate
            if without.consistent and board.mines is not None:
                proof = counted_certificate(board.grid, None, (know, need, left), board.mines)
        return Deduction(False, board, certificate=proof, effort=effort)
    marks = np.full(len(counted.values) + 1, COVERED, np.uint8)
    marks[:2] = SAFE, MINE
    shown = np.where(covered, marks[counted.value_of], board.grid.ravel()).reshape(board.grid.shape)
    effort = Effort(solve_s=time.perf_counter() - began)
    proof = None
    if certify and board.mines is None:
        proof = certificate(board.grid, shown, 0, (know, need, left))
    elif certify and board.mines is not None:
        proof = counted_certificate(board.grid, shown, (know, need, left), board.mines)
    found = Minesweeper.from_valid_grid(shown, mines=board.mines)
    return Deduction(True, found, chances=counted, certificate=proof, effort=effort)


def _answers(
    stack: list[Minesweeper],
    starts: closure.Array,
    shown: closure.Array,
    clash: closure.Array,
    closed: tuple[closure.Array, closure.Array, closure.Array] | None,
    certify: bool,
    began: float,
) -> list[Deduction]:
    """The answers to a stack's boards; complete where the closed field is given."""
    effort = Effort(solve_s=(time.perf_counter() - began) / len(stack))
    complete = closed is not None
    answers: list[Deduction] = []
    for board, clue, top in zip(stack, clash.tolist(), starts.tolist(), strict=False):
        found = board if clue else Minesweeper.from_valid_grid(shown[top : top + board.rows], mines=None)
        proof = None
        if certify:
            stride = board.columns + 1
            first = (top + len(answers)) * stride
            own = slice(first, first + (board.rows + 2) * stride + 1)
            parts = closed and (closed[0][own], closed[1][own], closed[2][own])
            proof = certificate(board.grid, found.grid, clue - first if clue else 0, parts)
        answers.append(Deduction.unchecked(consistent=not clue, board=found, complete=complete, certificate=proof, effort=effort))
    return answers
