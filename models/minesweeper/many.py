"""Many boards by `cnf` as one formula, with one backbone for all: each model that is found counts
for every board. None of them has its number of mines.
"""

from __future__ import annotations

from collections.abc import Sequence

from models.cnf import paused_collector
from models.minesweeper import thresholds
from models.minesweeper.backbone import SolvedBoard, backbone_of
from models.minesweeper.clues import clues_of_board, state_clues
from models.session import session
from models.stacked import Stack, StackedFormula, models_of_boards, stacks
from models.stopwatch import Stopwatch
from puzzles.minesweeper.board import SAFE, Deduction, Minesweeper

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
    watch, whole = Stopwatch(), Minesweeper.from_valid_grid(stack.grid, mines=None)
    with paused_collector():
        clues = clues_of_board(whole)
        formula = StackedFormula(stack)
        formula.new(clues.variables.size)
        state_clues(formula, clues)
        question, questions = formula.new(), formula.new(clues.variables.size)
        watch.start_solving()
        with session(formula, solver, watch) as opened:
            satisfiable = models_of_boards(opened, formula.selectors, question)
            for board, selector in formula.selectors.items():
                opened.add([selector if board in satisfiable else -selector])
            # No clause binds the cells of a board without a layout any more.
            backbone = backbone_of(opened, clues.variables.size, questions)
        effort = watch.effort(formula.variables, len(formula.clauses)).share(len(stack.boards))
    shown = SolvedBoard(whole, clues, backbone, effort).answer.board.grid
    return [
        Deduction(True, Minesweeper.from_valid_grid(grid, mines=None), effort=effort)
        if k in satisfiable or k not in formula.selectors
        else Deduction(False, board, effort=effort)
        for k, (board, grid) in enumerate(zip(stack.boards, stack.grids(shown), strict=True))
    ]
