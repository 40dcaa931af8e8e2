"""The backbone of a board by one incremental SAT solver, and the answer that a backbone gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from models.cnf import Formula, paused_collector
from models.minesweeper import thresholds
from models.minesweeper.certificate import certificate
from models.minesweeper.clues import Backbone, Clues, clues_of_board
from models.session import Session, session
from models.solvers.sat_solver import SolverFailure
from models.solvers.solver_names import DEFAULT_SOLVER, SINGLE_CALL, core_solver, solver_name
from models.stopwatch import Stopwatch
from puzzles.answer import Effort
from puzzles.backend import Unsupported
from puzzles.minesweeper.board import COVERED, MINE, SAFE, Deduction, Minesweeper


class SolvedBoard(NamedTuple):
    """What is known of a board: its backbone, None if the board is inconsistent."""

    board: Minesweeper
    clues: Clues
    backbone: Backbone | None
    effort: Effort

    @property
    def answer(self) -> Deduction:
        """The answer without a certificate."""
        board, clues, backbone = self.board, self.clues, self.backbone
        if backbone is None:
            return Deduction(False, board, effort=self.effort)
        grid = board.grid.copy()
        marks = np.where(backbone.values, MINE, SAFE).astype(np.uint8)
        grid.ravel()[clues.variables] = np.where(backbone.certain, marks, COVERED)
        if clues.total is not None:
            grid.ravel()[clues.free] = grid.ravel()[clues.free[:1]]
        return Deduction(True, Minesweeper(grid, board.mines), effort=self.effort)

    def to_deduction(self, certify: bool, solver: str = DEFAULT_SOLVER) -> Deduction:
        """The answer, certified at once or later."""
        certified = partial(self.certified_answer, solver)
        return certified() if certify else self.answer.later(certified)

    def certified_answer(self, solver: str) -> Deduction:
        """The answer with a certificate, whose cores this solver finds, or the default one if this
        one finds none.
        """
        proof = certificate(self.board, self.clues, self.backbone, core_solver(solver_name(solver)))
        return replace(self.answer, certificate=proof)


def solve_by_backbone(
    board: Minesweeper, build: Callable[[Clues], Formula], solver: str
) -> SolvedBoard:
    """Ask one incremental solver for the backbone of the clues, as `build` states them.

    Raises:
        Unsupported: the solver can be called only once.
    """
    name = solver_name(solver)
    if name in SINGLE_CALL:
        raise Unsupported(f"{name} cannot be asked a second time, which a backbone takes")
    watch = Stopwatch()
    with paused_collector():
        clues = clues_of_board(board)
        formula = build(clues)
        size = formula.variables, len(formula.clauses)
        questions = formula.new(clues.variables.size)
        watch.start_solving()
        with session(formula, name, watch) as opened:
            backbone = backbone_of(opened, clues.variables.size, questions)
        effort = watch.effort(*size)
    return SolvedBoard(board, clues, backbone, effort)


def backbone_of(opened: Session, variables: int, questions: int) -> Backbone | None:
    """The backbone by one incremental solver; None if there is no solution.

    Ask for a solution that flips one of a few candidates, and guess that it flips all that are
    left. If there is one, every candidate that it flips is dropped. If there is none, the few are
    certain and become unit clauses. After UNSAT more are asked about together, after SAT fewer:
    where most cells are certain, few calls do, and where few are, no call is harder than for one
    candidate. The first solution is sought among those with few mines: most of the solver's first
    guesses would be too many for some clue.

    Args:
        questions: the first of `variables` variables that occur in no clause. Each stands for a
            question about several candidates.

    Raises:
        SolverFailure: a model violates a clause.
    """
    opened.phases(range(-1, -questions, -1))
    if not opened.solve():
        return None
    first = opened.model(variables)[1:]
    models, certain = [first], np.ones(variables, np.bool_)
    candidates: list[int] = (np.where(first, 1, -1) * np.arange(1, variables + 1)).tolist()
    opened.phases([-literal for literal in candidates])
    start, together = 0, 1
    while start < len(candidates):
        asked = candidates[start : start + together]
        question = -asked[0]
        if len(asked) > 1:
            question, questions = questions, questions + 1
            opened.add([-question, *(-literal for literal in asked)])
        if opened.solve([question]):
            models.append(opened.model(variables)[1:])
            certain &= models[-1] == first
            same = [True, *certain.tolist()]
            if all(same[abs(literal)] for literal in asked):
                raise SolverFailure(opened.solver, "gave a model that violates a clause")
            others, start = candidates[start:], 0
            # A cell that was otherwise is guessed as at first again: so its neighbours can be.
            opened.phases([literal for literal in others if not same[abs(literal)]])
            candidates = [literal for literal in others if same[abs(literal)]]
            together = max(together // 4, 1)
        else:
            for literal in asked:
                opened.add([literal])
            start += len(asked)
            together = min(4 * together, thresholds.ASKED_TOGETHER)
    return Backbone(first, certain, models)
