"""Many small boards as one formula: opening a solver for each would take longer than all that it is asked.

The boards share no variable. All clauses that may contradict one another belong to clause groups, and each board has one selector
for all of its groups, so a board without a solution leaves the others as they are.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from models.cnf import Formula
from models.session import Session
from models.solvers.solver_failure import SolverFailure
from models.stack import Stack


class StackedFormula(Formula):
    """The formula of a stack of boards. A group, which is named by a cell of the stack's grid, is the board of that cell.

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
    opened: Session, selectors: Mapping[int, int], question: int, variables: int | None = None
) -> dict[int, NDArray[np.bool_]]:
    """For each board that has a solution a model of the whole formula that satisfies this board's clauses.

    Each call asks for a model that satisfies some board more. It mostly satisfies all that have a solution; the last call says
    that no other board has one.

    Args:
        selectors: that of each board.
        question: a variable that occurs in no clause. It is assumed in every call, and means nothing afterwards.
        variables: how many of the first variables the models have, the selectors among them; by default all.

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
        model = opened.model(variables)
        satisfied = [board for board, selector in unsettled.items() if model[selector]]
        if not satisfied:
            raise SolverFailure(opened.solver, "gave a model that violates a clause")
        for board in satisfied:
            solutions[board] = model
            del unsettled[board]
    return solutions
