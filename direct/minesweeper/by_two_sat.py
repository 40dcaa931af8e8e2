"""Minesweeper by step 1 alone, the closure: what single clues force, and what follows from cell to
cell.
"""

from __future__ import annotations

from collections.abc import Sequence

from direct.minesweeper.board_stack import stacks_of
from direct.minesweeper.closure import close_boards
from puzzles.backend import Unsupported, backend
from puzzles.minesweeper.board import Deduction, Minesweeper

COUNTED = "the number of mines is given, which this backend cannot use"


def solve_many(boards: Sequence[Minesweeper], *, certify: bool = False) -> list[Deduction]:
    """What the closure finds on many boards, none with its number of mines: those of one width are
    solved as one.
    """
    if any(board.mines is not None for board in boards):
        raise Unsupported(COUNTED)
    answers: list[Deduction] = []
    for stack in stacks_of(boards):
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
    many=solve_many,
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
    return solve_many([board], certify=certify)[0]
