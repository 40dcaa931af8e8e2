"""Minesweeper as clauses and constraints.

Each covered cell that touches a clue is a variable: "a mine is there". Each clue is an exact sum of
variables. If the board gives its number of mines, that number bounds the sum of all variables, and
the cells that touch no clue take the rest.

The certain cells are the backbone: the variables that have the same value in all solutions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from models.cnf import Formula, paused_collector
from models.cpsat import CpSatModel
from models.minesweeper import thresholds
from models.minesweeper.certificate import certificate, parts_of, smallest_core
from models.minesweeper.clues import Backbone, Clues, clues_of_board, equations, formula_of
from models.minesweeper.counting import chances_of
from models.minesweeper.encoding import encode as encode
from models.minesweeper.encoding import encode_cpsat, encode_totalizer, totalizers_of
from models.minesweeper.many import MAX_CELLS, solve_together
from models.session import Session, session
from models.solvers.sat_solver import SolverFailure
from models.solvers.solver_names import (
    DEFAULT_SOLVER,
    SINGLE_CALL,
    called_once,
    core_solver,
    solver_name,
)
from models.stopwatch import Stopwatch
from puzzles.answer import Effort
from puzzles.backend import Unsupported, backend
from puzzles.minesweeper.board import COVERED, MINE, SAFE, Deduction, Minesweeper


def solve_cnf_many(
    boards: Sequence[Minesweeper],
    *,
    certify: bool = False,
    solver: str = DEFAULT_SOLVER,
    smallest_cores: int = 0,
) -> list[Deduction]:
    """Many boards by `cnf`: a stack of small boards is one formula."""
    small = (
        []
        if certify or called_once(solver=solver)
        else [k for k, board in enumerate(boards) if board.cells <= MAX_CELLS]
    )
    answers = dict(zip(small, solve_together([boards[k] for k in small], solver), strict=True))
    return [
        answers[k]
        if k in answers
        else solve_cnf(board, certify=certify, solver=solver, smallest_cores=smallest_cores)
        for k, board in enumerate(boards)
    ]


@backend(
    "minesweeper",
    "cnf",
    side="models",
    quick=600,
    source="exactly n of k by enumeration of subsets; the backbone on one incremental solver",
    assumes="python-sat's k-modulo totalizers, where the number of mines is given",
    options=("solver", "smallest_cores"),
    refuses=called_once,
    many=solve_cnf_many,
    encode=encode,
)
def solve_cnf(
    board: Minesweeper,
    *,
    certify: bool = False,
    solver: str = DEFAULT_SOLVER,
    smallest_cores: int = 0,
) -> Deduction:
    """A variable for each covered cell says whether it is a mine. There is a clause for each subset
    of a clue's cells that would hold one mine too many, or leave one too few. One SAT solver then
    asks of each cell whether its other value is possible.

    A certified answer explains `smallest_cores` of its certain cells.

    Raises:
        Unsupported: the solver can be called only once.
    """
    solved = _solve(board, formula_of, solver)
    smallest_core_search = partial(smallest_core, solver=core_solver(solver_name(solver)))

    def certified(smallest_cores: int = 0) -> Deduction:
        return solved.certified(solver).explained(smallest_core_search, board, smallest_cores)

    return certified(smallest_cores) if certify else solved.answer.later(certified)


@backend(
    "minesweeper",
    "cnf-totalizer",
    side="models",
    quick=400,
    source="exactly n of k by python-sat's totalizers; the backbone on one incremental solver",
    assumes="python-sat's totalizers",
    options=("solver",),
    refuses=called_once,
    encode=encode_totalizer,
)
def solve_totalizer(
    board: Minesweeper, *, certify: bool = False, solver: str = DEFAULT_SOLVER
) -> Deduction:
    """A variable for each covered cell says whether it is a mine. Counters state each clue, where
    `cnf` states subsets. One SAT solver then asks of each cell whether its other value is possible.

    Cores are found with subsets nevertheless.

    Raises:
        Unsupported: the solver can be called only once.
    """
    return _solve(board, totalizers_of, solver).answered(certify, solver)


@backend(
    "minesweeper",
    "cpsat",
    side="models",
    source="each clue a linear equation; CP-SAT asked for a solution that differs from all before, "
    "until there is none",
    options=("workers",),
    limit=600,
    requires=("ortools",),
    slow=True,
    encode=encode_cpsat,
)
def solve_cpsat(board: Minesweeper, *, certify: bool = False, workers: int = 1) -> Deduction:
    """Each clue is a linear equation. CP-SAT searches for one solution after the other. Each must
    differ from all before in some cell that has had one value so far, until there is none.
    """
    model = CpSatModel(workers=workers)
    watch = Stopwatch()
    clues = clues_of_board(board)
    mines = equations(clues, model)
    watch.built()
    backbone = None
    while model.solve():
        solution = np.array([model.value(mine) for mine in mines], np.bool_)
        if backbone is None:
            backbone = Backbone(solution, np.ones(solution.size, np.bool_), [solution])
        else:
            backbone = backbone.with_model(solution)
        model.cp.clear_hints()
        candidates = np.flatnonzero(backbone.certain).tolist()
        for k in candidates:
            model.cp.add_hint(mines[k], not backbone.values[k])
        model.cp.add_bool_or([~mines[k] if backbone.values[k] else mines[k] for k in candidates])
    watch.searched(*model.steps)
    return _Solved(board, clues, backbone, watch.effort(*model.size)).answered(certify)


@backend(
    "minesweeper",
    "count",
    side="models",
    quick=300,
    source="each component compiled to a decision diagram (PySDD), its solutions counted in "
    "integers",
    options=("probabilities",),
    limit=1000,
    requires=("pysdd", "flint"),
)
def solve_count(
    board: Minesweeper, *, certify: bool = False, probabilities: bool = True
) -> Deduction:
    """It compiles the clues of each component into a decision diagram. The diagram counts all
    layouts in exact numbers. A cell is certain if it is a mine in all of them or in none.

    The answer has its `chances`, unless `probabilities` is False. The certificate is that of `cnf`.
    """
    watch = Stopwatch()
    clues = clues_of_board(Minesweeper(board.grid))
    watch.built()
    chances = chances_of(board, clues, parts_of(clues, np.zeros(clues.variables.size, np.bool_)))
    effort = watch.effort(clues.variables.size, clues.cells.size)
    if chances is None:
        answer = Deduction(False, board, effort=effort)
    else:
        marks = np.full(len(chances.values), COVERED, np.uint8)
        marks[:2] = SAFE, MINE
        grid = np.where(chances.value_of >= 0, marks[chances.value_of], board.grid.ravel()).reshape(
            board.grid.shape
        )
        answer = Deduction(True, Minesweeper(grid, board.mines), effort=effort)

    def certified(probabilities: bool = probabilities) -> Deduction:
        proof = solve_cnf(board, certify=True).certificate
        return replace(answer, chances=chances if probabilities else None, certificate=proof)

    if certify:
        return certified()
    return replace(answer, chances=chances if probabilities else None).later(certified)


class _Solved(NamedTuple):
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
            grid.ravel()[clues.total.interchangeable] = grid.ravel()[
                clues.total.interchangeable[:1]
            ]
        return Deduction(True, Minesweeper(grid, board.mines), effort=self.effort)

    def answered(self, certify: bool, solver: str = DEFAULT_SOLVER) -> Deduction:
        """The answer, certified at once or later."""
        certified = partial(self.certified, solver)
        return certified() if certify else self.answer.later(certified)

    def certified(self, solver: str) -> Deduction:
        """The answer with a certificate, whose cores this solver finds, or the default one if this
        one finds none.
        """
        proof = certificate(self.board, self.clues, self.backbone, core_solver(solver_name(solver)))
        return replace(self.answer, certificate=proof)


def _solve(board: Minesweeper, build: Callable[[Clues], Formula], solver: str) -> _Solved:
    name = solver_name(solver)
    if name in SINGLE_CALL:
        raise Unsupported(f"{name} cannot be asked a second time, which a backbone takes")
    watch = Stopwatch()
    with paused_collector():
        clues = clues_of_board(board)
        formula = build(clues)
        size = formula.variables, len(formula.clauses)
        questions = formula.new(clues.variables.size)
        formula.name(
            range(questions, formula.variables + 1),
            "question {}: can some cell differ?",
            auxiliary=True,
        )
        watch.built()
        with session(formula, name, watch) as opened:
            backbone = _backbone(opened, clues.variables.size, questions)
        effort = watch.effort(*size)
    return _Solved(board, clues, backbone, effort)


def _backbone(opened: Session, variables: int, questions: int) -> Backbone | None:
    """The backbone by one incremental solver; None if there is no solution.

    Ask for a solution that flips one of a few candidates. If there is one, every candidate that it
    flips is dropped. If there is none, these candidates are certain and become unit clauses. After
    UNSAT more are asked about together, after SAT fewer: where most cells are certain, few calls
    do, and where few are, no call is harder than for one candidate. The first solution is sought
    among those with few mines: most of the solver's first guesses would be too many for some clue.

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
            candidates, start = [literal for literal in candidates[start:] if same[abs(literal)]], 0
            together = max(together // 4, 1)
        else:
            for literal in asked:
                opened.add([literal])
            start += len(asked)
            together = min(4 * together, thresholds.ASKED_TOGETHER)
    return Backbone(first, certain, models)
