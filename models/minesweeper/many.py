"""Many boards by `cnf` as one formula, with one backbone for all: each model that is found counts
for every board. None of them has its number of mines.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from models.cnf import paused_collector
from models.minesweeper import thresholds
from models.minesweeper.clues import clues_of_board, state_clues
from models.session import Session, session
from models.solvers.sat_solver import SolverFailure
from models.stacked import Stack, StackedFormula, models_of_boards, stacks
from models.stopwatch import Stopwatch
from puzzles.minesweeper.board import MINE, SAFE, Deduction, Minesweeper

MAX_CELLS_IN_STACK = 40
"""A larger board is solved by itself: its many calls would each go through all boards of the
stack.
"""


def solve_together(boards: Sequence[Minesweeper], solver: str) -> list[Deduction]:
    """The answers, without certificates.

    Boards of about the same size are stacked, because larger ones take more calls.
    """
    order = sorted(range(len(boards)), key=lambda k: boards[k].cells)
    piles = stacks([boards[k] for k in order], SAFE, thresholds.STACKED_CELLS)
    answers = dict(
        zip(
            order,
            (answer for stack in piles for answer in _solve_stack(stack, solver)),
            strict=True,
        )
    )
    return [answers[k] for k in range(len(boards))]


def _solve_stack(stack: Stack[Minesweeper], solver: str) -> list[Deduction]:
    watch, count = Stopwatch(), len(stack.boards)
    with paused_collector():
        clues = clues_of_board(Minesweeper.from_valid_grid(stack.grid, mines=None))
        formula = StackedFormula(stack)
        formula.new(clues.variables.size)
        state_clues(formula, clues)
        boards = np.searchsorted(stack.ends, clues.variables)  # of each variable
        question, differs = formula.new(), formula.array(count)
        watch.start_solving()
        with session(formula, solver, watch) as opened:
            models = models_of_boards(opened, formula.selectors, question)
            for board, selector in formula.selectors.items():
                opened.add([selector if board in models else -selector])
            consistent = np.ones(count, np.bool_)
            consistent[[board for board in formula.selectors if board not in models]] = False
            # Each variable as in the model of its board. Many boards share a model.
            values = np.zeros(clues.variables.size, np.bool_)
            for model in {id(model): model for model in models.values()}.values():
                own = [board for board in models if models[board] is model]
                values = np.where(np.isin(boards, own), model[1 : values.size + 1], values)
            certain = _backbone(opened, boards, values, consistent[boards], differs)
        effort = watch.effort(formula.variables, len(formula.clauses)).share(count)
        shown = stack.grid.copy()
        marks = np.where(values, MINE, SAFE).astype(np.uint8)
        shown.ravel()[clues.variables[certain]] = marks[certain]
        return [
            Deduction.unchecked(
                consistent=fits,
                board=Minesweeper.from_valid_grid(grid, mines=None) if fits else board,
                effort=effort,
            )
            for fits, board, grid in zip(
                consistent.tolist(), stack.boards, stack.grids(shown), strict=True
            )
        ]


def _backbone(
    opened: Session,
    boards: NDArray[np.int64],
    values: NDArray[np.bool_],
    candidates: NDArray[np.bool_],
    differs: NDArray[np.int64],
) -> NDArray[np.bool_]:
    """Which variables have the same value in all solutions of their board.

    Each call asks for a model in which some board differs from what all models so far agree in. In
    most models many boards do. If there is none, what is left is certain.

    Args:
        boards: the board of each of the first variables.
        values: their values in a model.
        candidates: the variables of boards that have a solution.
        differs: a variable for each board that occurs in no clause. It says that a candidate of
            this board has its other value.

    Raises:
        SolverFailure: a model violates a clause.
    """
    others = np.where(values, -1, 1) * np.arange(1, values.size + 1)
    left = np.flatnonzero(candidates)
    opened.phases([*others[left].tolist(), *differs.tolist()])
    changed = set(boards[left].tolist())
    while left.size:
        active = np.unique(boards[left])
        for board in active.tolist():
            if board in changed:
                own = others[left[boards[left] == board]]
                opened.add([-int(differs[board]), *own.tolist()])
        opened.add(differs[active].tolist())
        if not opened.solve():
            break
        same = opened.model(values.size)[left + 1] == values[left]
        changed = set(boards[left[~same]].tolist())
        if not changed:
            raise SolverFailure(opened.solver, "gave a model that violates a clause")
        # So they do not keep others from their other value.
        opened.phases((-others[left[~same]]).tolist())
        left = left[same]
    certain = np.zeros(values.size, np.bool_)
    certain[left] = True
    return certain
