"""Many boards at once, for both backends: boards of one width are stacked with a row of padding
between them, and solved as one.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from direct.minesweeper import thresholds
from direct.minesweeper.certificate import certificate
from puzzles.answer import Effort
from puzzles.minesweeper.board import Deduction, Minesweeper
from puzzles.text import Grid


class BoardStack:
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
        """The boards' answers.

        Args:
            shown: the stack, with `X` or `O` on each certain cell.
            clash: for each board 0 if it is consistent, else a clue (padded) near the
                contradiction; -1 if the number of mines contradicts.
        """
        effort = Effort(solve_s=(time.perf_counter() - self._began) / len(self.boards))
        stride = self.grid.shape[1] + 1
        answers: list[Deduction] = []
        for board, clue, top in zip(
            self.boards, clash.tolist(), self.starts.tolist(), strict=False
        ):
            part = shown[top : top + board.rows]
            answer = board if clue else Minesweeper.from_valid_grid(part, mines=board.mines)
            proof = None
            if certify:
                first = (top + len(answers)) * stride if clue > 0 else 0
                proof = certificate(board, answer.grid, clue - first, complete)
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


def stacks_of(boards: Sequence[Minesweeper]) -> Iterator[BoardStack]:
    """Consecutive boards of one width, in stacks of about `thresholds.STACKED_CELLS` cells at
    most.
    """
    waiting: list[Minesweeper] = []
    cells = columns = 0
    for board in boards:
        shape = board.grid.shape
        if waiting and (shape[1] != columns or cells > thresholds.STACKED_CELLS):
            yield BoardStack(waiting)
            waiting, cells = [], 0
        waiting.append(board)
        columns = shape[1]
        cells += shape[0] * columns
    if waiting:
        yield BoardStack(waiting)
