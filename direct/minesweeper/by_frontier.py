"""Minesweeper exactly: the closure, then components, and in each of them dynamic programming along
a join tree.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np

from direct.kernel import SMALL
from direct.minesweeper import thresholds
from direct.minesweeper.board_stack import BoardStack, stacks_of
from direct.minesweeper.certificate import certificate, counted_contradiction
from direct.minesweeper.join_tree import MAX_PAIRS, TOO_WIDE, decide, too_wide
from direct.minesweeper.probability import chances_of
from puzzles.answer import Effort
from puzzles.backend import Unsupported, backend
from puzzles.minesweeper.board import Chances, Deduction, Minesweeper

NARROW = 400
"""Cells up to which no board has a component that is too wide, for the answer or for its
certificate.
"""


def solve_many(
    boards: Sequence[Minesweeper],
    *,
    certify: bool = False,
    probabilities: bool = False,
) -> list[Deduction]:
    """`solve` for many boards. Those with their number of mines are solved one by one."""
    if probabilities or (certify and any(board.mines is not None for board in boards)):
        return [solve(board, certify=certify, probabilities=probabilities) for board in boards]
    order = sorted(range(len(boards)), key=lambda k: boards[k].columns)
    stacks = stacks_of([boards[k] for k in order if boards[k].mines is None])
    stacked = (answer for stack in stacks for answer in _solve_exactly(stack, certify))
    answers = {k: next(stacked) if boards[k].mines is None else solve(boards[k]) for k in order}
    return [answers[k] for k in range(len(boards))]


@backend(
    "minesweeper",
    "frontier",
    side="direct",
    default=True,
    source="the closure of Amb's write-up, then components, merged cells and dynamic "
    "programming along "
    "a join tree",
    options=("probabilities",),
    many=solve_many,
    surely_takes=NARROW,
)
def solve(
    board: Minesweeper,
    *,
    certify: bool = False,
    probabilities: bool = False,
) -> Deduction:
    """It first takes what single clues force, and splits the rest into components that share no
    clue. In each component dynamic programming joins cells with cells, step by step, and keeps the
    states of the clues that are still open. A cell is certain if it has the same value in every
    layout that fits.

    Args:
        certify: add cores and layouts; layouts are then counted too, if that is possible.
        probabilities: count the layouts. A board with its number of mines is always counted.

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
        answer = next(iter(_solve_exactly(BoardStack([board]), certify)))
    return answer


def probabilities(board: Minesweeper) -> Chances | None:
    """The number of layouts, and the probability of a mine for each covered cell; None if the board
    is inconsistent.

    Raises:
        Unsupported: a component is too wide.
    """
    return solve(board, probabilities=True).chances


def _solve_exactly(stack: BoardStack, certify: bool) -> list[Deduction]:
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
                iter(_solve_exactly(BoardStack([replace(board, mines=None)]), True))
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
