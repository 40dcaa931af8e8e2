"""Minesweeper: the closure of Amb's write-up, and on top of it exact dynamic programming along join
trees.

Boards of one width are stacked, with a row of padding between them, and solved as one.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from direct.kernel import SMALL
from direct.minesweeper import thresholds
from direct.minesweeper.certificate import certificate, counted_contradiction
from direct.minesweeper.closure import close_boards
from direct.minesweeper.join_tree import MAX_PAIRS, TOO_WIDE, decide, too_wide
from direct.minesweeper.probability import chances_of
from direct.minesweeper.smallest_core import smallest_core
from puzzles.answer import Effort
from puzzles.backend import Unsupported, backend
from puzzles.minesweeper.board import Chances, Deduction, Minesweeper
from puzzles.text import Grid

COMPILING_S = 16
"""CPU seconds that compiling the kernels takes, about."""

__all__ = ["probabilities", "solve", "solve_closure"]

COUNTED = "the number of mines is given, which this backend cannot use"

NARROW = 400
"""Cells up to which no board has a component that is too wide, for the answer or for its
certificate.
"""


def solve_many(
    boards: Sequence[Minesweeper],
    *,
    certify: bool = False,
    probabilities: bool = False,
    smallest_cores: int = 0,
) -> list[Deduction]:
    """`solve` for many boards. Those with their number of mines are solved one by one."""
    if (
        probabilities
        or smallest_cores
        or (certify and any(board.mines is not None for board in boards))
    ):
        return [
            solve(
                board, certify=certify, probabilities=probabilities, smallest_cores=smallest_cores
            )
            for board in boards
        ]
    order = sorted(range(len(boards)), key=lambda k: boards[k].columns)
    stacks = _stacks([boards[k] for k in order if boards[k].mines is None])
    stacked = (answer for stack in stacks for answer in _solve_exactly(stack, certify))
    answers = {k: next(stacked) if boards[k].mines is None else solve(boards[k]) for k in order}
    return [answers[k] for k in range(len(boards))]


@backend(
    "minesweeper",
    "frontier",
    side="direct",
    source="the closure of Amb's write-up, then components, merged cells and dynamic "
    "programming along "
    "a join tree",
    options=("probabilities", "smallest_cores"),
    many=solve_many,
    surely_takes=NARROW,
)
def solve(
    board: Minesweeper,
    *,
    certify: bool = False,
    probabilities: bool = False,
    smallest_cores: int = 0,
) -> Deduction:
    """It first takes what single clues force, and splits the rest into components that share no
    clue. In each component dynamic programming joins cells with cells, step by step, and keeps the
    states of the clues that are still open. A cell is certain if it has the same value in every
    layout that fits.

    Args:
        certify: add cores and layouts; layouts are then counted too, if that is possible.
        probabilities: count the layouts. A board with its number of mines is always counted.
        smallest_cores: a certified answer explains this number of its certain cells, each by the
            fewest clues.

    Time is linear in the board and in the states of its components: few in a game under way, very
    many where isolated cells are opened.

    Raises:
        Unsupported: a component is too wide: it has more than `join_tree.MAX_PAIRS` pairs of states
            or, if layouts are counted, polynomials of more than `probability.MAX_BYTES`.
    """
    answer = None
    if probabilities or board.mines is not None:
        answer = _solve_counting(board, certify, True)
    elif certify:
        with suppress(Unsupported):  # counting needs more than deciding, and is optional here
            answer = _solve_counting(board, certify, False)
    if answer is None:
        answer = next(iter(_solve_exactly(_Stack([board]), certify)))
    return answer.explained(smallest_core, board, smallest_cores) if certify else answer


def probabilities(board: Minesweeper) -> Chances | None:
    """The number of layouts, and the probability of a mine for each covered cell; None if the board
    is inconsistent.

    Raises:
        Unsupported: a component is too wide.
    """
    return solve(board, probabilities=True).chances


def solve_closure_many(boards: Sequence[Minesweeper], *, certify: bool = False) -> list[Deduction]:
    """`solve_closure` for many boards."""
    answers: list[Deduction] = []
    for stack in _stacks(boards):
        answers += stack.answers(
            *close_boards.at(stack.grid.size)(stack.grid, stack.starts), False, certify
        )
    return answers


@backend(
    "minesweeper",
    "two-sat",
    side="direct",
    source="Amb's write-up: implications as in 2-SAT, to the fixpoint",
    complete=False,
    finds="closure",
    many=solve_closure_many,
    refuses=lambda board, *, certify: COUNTED if board.mines is not None else "",
)
def solve_closure(board: Minesweeper, *, certify: bool = False) -> Deduction:
    """It takes what single clues force, and what follows by chains of implications between two
    cells. It repeats this until nothing new follows. Other cells may be certain too, so its answer
    is only a part.

    That is the closure: constraint propagation, all rounds of Amb's write-up. The board is
    inconsistent if the propagation meets a contradiction. Time is linear in the board on games
    under way, where a literal has few consequences.

    Raises:
        Unsupported: the number of mines is given.
    """
    return solve_closure_many([board], certify=certify)[0]


class _Stack:
    """Boards of one width, solved as one; its clock runs from its creation.

    Attributes:
        boards: the boards.
        grid: their grids below one another.
        starts: the row at which each begins, and last the number of rows.
    """

    def __init__(self, boards: list[Minesweeper]) -> None:
        self.boards, self._began = boards, time.perf_counter()
        self.starts = np.array([0, *accumulate(board.grid.shape[0] for board in boards)], np.int64)
        self.grid = boards[0].grid
        if len(boards) > 1:
            self.grid = np.concatenate([board.grid for board in boards])
            self.grid.flags.writeable = (
                False  # as that of a board: Numba would compile kernels for both
            )

    def answers(
        self, shown: Grid, clash: NDArray[np.int32], complete: bool, certify: bool
    ) -> list[Deduction]:
        """The boards' answers; `shown` and `clash` as of `Decided`."""
        effort = Effort(solve_s=(time.perf_counter() - self._began) / len(self.boards))
        answers: list[Deduction] = []
        for board, clue, top in zip(
            self.boards, clash.tolist(), self.starts.tolist(), strict=False
        ):
            answer = (
                board
                if clue
                else Minesweeper.from_valid_grid(shown[top : top + board.rows], mines=None)
            )
            proof = None
            if certify:
                first = (top + len(answers)) * (board.columns + 1)
                proof = certificate(board, answer.grid, clue - first if clue else 0, complete)
            answers.append(
                Deduction.unchecked(
                    consistent=not clue,
                    board=answer,
                    complete=complete,
                    certificate=proof,
                    effort=effort,
                )
            )
        return answers


def _stacks(boards: Sequence[Minesweeper]) -> Iterator[_Stack]:
    """Consecutive boards of one width, in stacks of about `thresholds.STACKED_CELLS` cells at
    most.
    """
    waiting: list[Minesweeper] = []
    cells = columns = 0
    for board in boards:
        if board.mines is not None:
            raise Unsupported(COUNTED)
        shape = board.grid.shape
        if waiting and (shape[1] != columns or cells > thresholds.STACKED_CELLS):
            yield _Stack(waiting)
            waiting, cells = [], 0
        waiting.append(board)
        columns = shape[1]
        cells += shape[0] * columns
    if waiting:
        yield _Stack(waiting)


def _solve_exactly(stack: _Stack, certify: bool) -> list[Deduction]:
    grid, starts = stack.grid, stack.starts
    run = decide.at(grid.size)
    decided = run(grid, starts, thresholds.FEW_PAIRS if run is decide.function else MAX_PAIRS)
    if run is decide.function and (decided.status == TOO_WIDE).any():
        decided = decide.at(SMALL)(grid, starts, MAX_PAIRS)
    for component in np.flatnonzero(decided.status == TOO_WIDE):
        raise too_wide(decided.width[component], decided.cells[component])
    return stack.answers(decided.shown, decided.clash, True, certify)


def _solve_counting(board: Minesweeper, certify: bool, large: bool) -> Deduction:
    began = time.perf_counter()
    counted = chances_of(board, large)
    effort = Effort(solve_s=time.perf_counter() - began)
    if counted is None:
        proof = None
        if certify:
            uncounted = next(
                iter(_solve_exactly(_Stack([replace(board, mines=None)]), True))
            )  # the clues alone may be inconsistent
            proof = counted_contradiction(board) if uncounted.consistent else uncounted.certificate
        return Deduction(False, board, certificate=proof, effort=effort)
    chances, shown = counted
    proof = certificate(board, shown) if certify else None
    answer = Minesweeper.from_valid_grid(shown, mines=board.mines)
    return Deduction.unchecked(
        consistent=True,
        board=answer,
        complete=True,
        chances=chances,
        certificate=proof,
        effort=effort,
    )
