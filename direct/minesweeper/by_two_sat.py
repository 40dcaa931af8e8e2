"""Minesweeper by step 1 alone, the closure: what single clues force, and what follows from cell to
cell.
"""

from __future__ import annotations

import time

from direct.minesweeper.certificate import certificate
from direct.minesweeper.closure import close_board
from puzzles.answer import Effort
from puzzles.backend import Unsupported, backend
from puzzles.minesweeper.board import Deduction, Minesweeper

COUNTED = "the number of mines is given, which this backend cannot use"


@backend(
    "minesweeper",
    "two-sat",
    side="direct",
    source="Amb's write-up: implications as in 2-SAT, to the fixpoint",
    complete=False,
    finds="closure",
    refuses=lambda board, *, certify: COUNTED if board.mines is not None else "",
)
def solve(board: Minesweeper, *, certify: bool = False) -> Deduction:
    """It takes what single clues force, and what follows by chains of implications between two
    cells. It repeats this until nothing new follows. Other cells may be certain too, so its answer
    is only a part.

    That is the closure: constraint propagation, all rounds of Amb's write-up. The board is
    inconsistent if the propagation meets a contradiction. Time is linear in the board on games
    under way, where a literal has few consequences.

    Raises:
        Unsupported: the number of mines is given.
    """
    if board.mines is not None:
        raise Unsupported(COUNTED)
    began = time.perf_counter()
    shown, clash = close_board.at(board.cells)(board.grid)
    effort = Effort(solve_s=time.perf_counter() - began)
    answer = board if clash else Minesweeper.from_valid_grid(shown, mines=None)
    return Deduction.unchecked(
        consistent=not clash,
        board=answer,
        complete=False,
        certificate=certificate(board, answer.grid, clash, False) if certify else None,
        effort=effort,
    )
