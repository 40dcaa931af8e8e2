"""Many boards by `cnf` as one formula, with one backbone for all: each model that is found counts
for every board.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.cnf import paused_collector
from models.minesweeper import thresholds
from models.minesweeper.clues import (
    Clues,
    MineTotal,
    add_total,
    clues_of_board,
    state_clues,
    total_of,
)
from models.session import Session, session
from models.solvers.sat_solver import SolverFailure
from models.stacked import Stack, StackedFormula, models_of_boards, stacks
from models.stopwatch import Stopwatch
from puzzles.minesweeper.board import MINE, SAFE, Deduction, Minesweeper

MAX_CELLS_IN_STACK = 40
"""A larger board is solved by itself: its many calls would each go through all boards of the
stack.
"""


class _Variables(NamedTuple):
    """The variables of all boards that say "a mine is there", as int64 arrays with an entry each,
    board by board.

    Attributes:
        numbers: their numbers.
        boards: the index of the board of each.
        cells: the cell of each in the grid of the stack.
    """

    numbers: NDArray[np.int64]
    boards: NDArray[np.int64]
    cells: NDArray[np.int64]


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
        variables, alike = _with_totals(stack, clues, formula)
        last = max([*formula.selectors.values(), int(variables.numbers.max(initial=0))])
        question, differs = formula.new(), formula.array(count)
        watch.start_solving()
        with session(formula, solver, watch) as opened:
            models = models_of_boards(opened, formula.selectors, question, last)
            consistent = np.array(
                [board in models or board not in formula.selectors for board in range(count)]
            )
            for board, selector in formula.selectors.items():
                opened.add([selector if board in models else -selector])
            values = _values(variables, models, count)
            certain = _backbone(opened, variables, values, consistent[variables.boards], differs)
        effort = watch.effort(formula.variables, len(formula.clauses)).share(count)
        shown = stack.grid.copy()
        marks = np.where(values, MINE, SAFE).astype(np.uint8)
        shown.ravel()[variables.cells[certain]] = marks[certain]
        for cells in alike:
            shown.ravel()[cells] = shown.ravel()[cells[0]]
        return [
            Deduction.unchecked(
                consistent=fits,
                board=Minesweeper.from_valid_grid(grid, mines=board.mines) if fits else board,
                effort=effort,
            )
            for fits, board, grid in zip(
                consistent.tolist(), stack.boards, stack.grids(shown), strict=True
            )
        ]


def _values(
    variables: _Variables, models: dict[int, NDArray[np.bool_]], count: int
) -> NDArray[np.bool_]:
    """The value of each variable in the model of its board; any value where the board has none.

    Many boards share a model.
    """
    distinct: list[NDArray[np.bool_]] = []
    model_of = np.zeros(count, np.int64)
    for board, model in models.items():
        if not distinct or distinct[-1] is not model:
            distinct.append(model)
        model_of[board] = len(distinct) - 1
    return (
        np.array(distinct)[model_of[variables.boards], variables.numbers]
        if distinct
        else np.zeros(variables.numbers.size, np.bool_)
    )


def _with_totals(
    stack: Stack[Minesweeper], clues: Clues, formula: StackedFormula
) -> tuple[_Variables, list[NDArray[np.int64]]]:
    """State the numbers of mines.

    Returns all variables, and for each board the cells that all have one variable, if any.
    """
    numbers, cells = np.arange(1, clues.variables.size + 1), clues.variables
    boards = np.searchsorted(stack.ends, cells)
    if all(board.mines is None for board in stack.boards):
        return _Variables(numbers, boards, cells), []
    ends = np.searchsorted(boards, np.arange(len(stack.boards) + 1)).tolist()
    more: list[tuple[int, int, int]] = []
    alike: list[NDArray[np.int64]] = []
    totals: list[tuple[MineTotal, list[int]]] = []
    for index, board in enumerate(stack.boards):
        total = (
            None
            if board.mines is None
            else total_of(board, stack.cells_of(index, cells[ends[index] : ends[index + 1]]))
        )
        if total is None:
            continue
        first = int(stack.tops[index]) * stack.grid.shape[1]
        formula.selector(first)
        own = list(range(ends[index] + 1, ends[index + 1] + 1))
        if total.free.size:
            rows, columns = np.divmod(total.free, board.columns)
            alike.append(first + rows * stack.grid.shape[1] + columns)
            own.append(formula.new())
            more.append((own[-1], index, int(alike[-1][0])))
        totals.append((total._replace(group=first), own))
    for (
        total,
        own,
    ) in totals:  # their many variables come after all others, so that these can be read alone
        add_total(formula, total, own)
    every = np.column_stack([(numbers, boards, cells), np.array(more, np.int64).reshape(-1, 3).T])
    return _Variables(*every[:, np.argsort(every[1], kind="stable")]), alike


def _backbone(
    opened: Session,
    variables: _Variables,
    values: NDArray[np.bool_],
    candidates: NDArray[np.bool_],
    differs: NDArray[np.int64],
) -> NDArray[np.bool_]:
    """Which variables have the same value in all solutions of their board.

    Each call asks for a model in which some board differs from what all models so far agree in. In
    most models many boards do. If there is none, what is left is certain.

    Args:
        values: the values of the variables in a model.
        candidates: the variables of boards that have a solution.
        differs: a variable for each board that occurs in no clause. It says that a candidate of
            this board has its other value.

    Raises:
        SolverFailure: a model violates a clause.
    """
    others = np.where(values, -variables.numbers, variables.numbers)
    left, last = np.flatnonzero(candidates), int(variables.numbers.max(initial=0))
    opened.phases([*others[left].tolist(), *differs.tolist()])
    changed = set(variables.boards[left].tolist())
    while left.size:
        boards, literals = variables.boards[left], others[left].tolist()
        first = np.flatnonzero(np.diff(boards, prepend=-1))
        active, starts = boards[first], [*first.tolist(), left.size]
        for k, board in enumerate(active.tolist()):
            if board in changed:
                opened.add([-int(differs[board]), *literals[starts[k] : starts[k + 1]]])
        opened.add(differs[active].tolist())
        if not opened.solve():
            break
        same = opened.model(last)[variables.numbers[left]] == values[left]
        changed = set(boards[~same].tolist())
        if not changed:
            raise SolverFailure(opened.solver, "gave a model that violates a clause")
        opened.phases(
            (-others[left[~same]]).tolist()
        )  # so that they do not keep others from their other value
        left = left[same]
    certain = np.zeros(values.size, np.bool_)
    certain[left] = True
    return certain
