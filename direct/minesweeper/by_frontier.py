"""Minesweeper exactly, by steps 1 to 8: the closure, then components, and in each of them dynamic
programming along a join tree.
"""

from __future__ import annotations

import time

from direct.minesweeper.certificate import certificate
from direct.minesweeper.decide import decide
from direct.minesweeper.join_tree import in_full
from direct.minesweeper.probability import chances_of
from puzzles.answer import Effort
from puzzles.backend import backend
from puzzles.minesweeper.board import Deduction, Minesweeper

NARROW = 400
"""Cells up to which a refusal is a fault, which fuzzing reports (`surely_takes` of `backend`). It
rests on that search alone: no theorem says that no such board is too wide.
"""


@backend(
    "minesweeper",
    "frontier",
    side="direct",
    default=True,
    source="the closure of Amb's write-up, then components, merged cells and dynamic "
    "programming along a join tree",
    options=("probabilities",),
    surely_takes=NARROW,
)
def solve(board: Minesweeper, *, certify: bool = False, probabilities: bool = False) -> Deduction:
    """It takes the closure, and splits the rest into components that share no clue. In each of them
    dynamic programming joins cells with cells and keeps the states of the clues that are still
    open. A cell is certain if it has the same value in every layout that fits.

    Args:
        certify: add cores and layouts.
        probabilities: count the layouts.

    Time after the closure is linear in the board and in the pairs of states: few in a game under
    way, very many where isolated cells are opened. What a number of mines and probabilities take on
    top of that is said in `mine_numbers`, `counts` and `probability`.

    Raises:
        Unsupported: a component is too wide: `join_tree` says when; or layouts are to be counted
            and are too many: `counts.MAX_COEFFICIENTS`.
    """
    began = time.perf_counter()
    counted = chances_of(board) if probabilities else None
    if counted is None:  # also without a layout: `decide` says near which clue the contradiction is
        mines = -1 if board.mines is None else board.mines
        decided = in_full(decide, board.cells, board.grid, mines)
        chances, shown, clash = None, decided.shown, decided.clash
    else:
        (chances, shown), clash = counted, 0
    effort = Effort(solve_s=time.perf_counter() - began)
    answer = board if clash else Minesweeper.from_valid_grid(shown, mines=board.mines)
    return Deduction.unchecked(
        consistent=not clash,
        board=answer,
        complete=True,
        chances=chances,
        certificate=certificate(board, answer.grid, clash) if certify else None,
        effort=effort,
    )
