"""Many small boards stacked into one large grid, and solved as one formula: to open a solver for
each would take longer.

The boards share no variable. All clauses that may contradict one another belong to clause groups,
and each board has one selector for all of its groups, so a board without a solution leaves the
others as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Generic

import numpy as np
from numpy.typing import NDArray

from models.cnf import Formula
from models.session import Session
from models.solvers.sat_solver import SolverFailure
from puzzles.grid import BoardT
from puzzles.text import Grid


class Stack(Generic[BoardT]):
    """Boards and the grid that holds them.

    Attributes:
        boards: from top to bottom.
        tops: int64 (boards + 1), the row of the grid in which each board begins; the last entry is
            where a next one would begin.
        grid: uint8. The boards are at its left edge. The cells to the right of them and below
            hold a separator.
    """

    def __init__(self, boards: Sequence[BoardT], separator: int) -> None:
        self.boards = boards
        self.tops = np.cumsum([0] + [board.rows + 1 for board in boards])
        self.grid: Grid = np.full(
            (int(self.tops[-1]), max(board.columns for board in boards)), separator, np.uint8
        )
        for board, top in zip(boards, self.tops.tolist(), strict=False):
            self.grid[top : top + board.rows, : board.columns] = board.grid

    @property
    def ends(self) -> NDArray[np.int64]:
        """For each board a cell of the grid that comes after all of its own cells and before those
        of the next board.
        """
        return self.tops[1:] * self.grid.shape[1] - 1

    def grids(self, grid: Grid) -> Iterator[Grid]:
        """The part of each board of a grid that has the shape of the stack's grid, as a grid of its
        own.
        """
        for board, top in zip(self.boards, self.tops.tolist(), strict=False):
            yield grid[top : top + board.rows, : board.columns].copy()


def stacks(boards: Sequence[BoardT], separator: int, most_cells: int) -> Iterator[Stack[BoardT]]:
    """The boards in their order, in stacks of at most `most_cells` cells; a larger board is a stack
    by itself.
    """
    waiting: list[BoardT] = []
    rows = columns = 0
    for board in boards:
        rows, columns = rows + board.rows + 1, max(columns, board.columns)
        if waiting and rows * columns > most_cells:
            yield Stack(waiting, separator)
            waiting, rows, columns = [], board.rows + 1, board.columns
        waiting.append(board)
    if waiting:
        yield Stack(waiting, separator)


class StackedFormula(Formula):
    """The formula of a stack of boards. A group, which is named by a cell of the stack's grid, is
    the board of that cell.

    Attributes:
        selectors: the selector of each board that has clauses in groups, by the index of the board.
    """

    def __init__(self, stack: Stack) -> None:
        super().__init__(grouped=True)
        self._board_of = np.searchsorted(stack.ends, np.arange(stack.grid.size)).tolist()

    def selector(self, group: int) -> int:
        board = self._board_of[group]
        return self.selectors.get(board) or super().selector(board)


def models_of_boards(
    opened: Session, selectors: Mapping[int, int], question: int
) -> dict[int, NDArray[np.bool_]]:
    """For each board that has a solution a model of the whole formula that satisfies this board's
    clauses.

    Each call asks for a model that satisfies some board more. It mostly satisfies all that have a
    solution; the last call says that no other board has one.

    Args:
        selectors: that of each board.
        question: a variable that occurs in no clause. It is assumed in every call, and means
            nothing afterwards.

    Raises:
        SolverFailure: a model violates a clause.
    """
    solutions: dict[int, NDArray[np.bool_]] = {}
    unsettled = dict(selectors)
    opened.phases(list(selectors.values()))
    while unsettled:
        opened.add([-question, *unsettled.values()])
        if not opened.solve([question]):
            break
        model = opened.model()
        satisfied = [board for board, selector in unsettled.items() if model[selector]]
        if not satisfied:
            raise SolverFailure(opened.solver, "gave a model that violates a clause")
        for board in satisfied:
            solutions[board] = model
            del unsettled[board]
    return solutions
