"""Minesweeper as clauses and constraints: a variable for each covered cell beside a clue, each clue an exact sum of them.

A number of mines for the board bounds the sum of all variables: the cells beside no clue take the rest.

What is certain is the backbone: the cells that have one value in all solutions.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from models.cnf import DEFAULT_SOLVER, Formula, Session, core_solver, paused_collector, session, solver_name
from models.minesweeper.certificate import certificate, parts_of
from models.minesweeper.clues import Backbone, Clues, clues_of_board, formula_of
from models.minesweeper.counting import chances_of
from models.minesweeper.encoding import encode as encode
from models.minesweeper.totalizer import totalizers_of
from models.minesweeper.why import fewest
from models.stopwatch import Stopwatch
from puzzles.answer import Effort
from puzzles.backend import Unsupported, backend
from puzzles.minesweeper.board import COVERED, MINE, SAFE, Deduction, Explainer, Minesweeper
from puzzles.minesweeper.causes import with_causes

_ONCE = ("kissat404",)
"""Solvers that abort when they are asked a second time."""


@backend(
    "minesweeper",
    "cnf",
    side="models",
    source="exactly n of k by enumeration of subsets; the backbone on one incremental solver",
    assumes="python-sat's k-modulo totalizers, where the number of mines is given",
    options=("solver", "causes"),
    explain=fewest,
)
def solve_cnf(board: Minesweeper, *, certify: bool = False, solver: str = DEFAULT_SOLVER, causes: int = 0) -> Deduction:
    """One clause for each subset of a clue's cells that has a mine too many or room for one too few.

    A certified answer has the causes of up to `causes` certain cells.

    Raises:
        Unsupported: the solver cannot be asked twice.
    """
    answer = _solve(board, lambda clues: formula_of(clues, guarded=False), solver, certify=certify)
    if not certify:
        return answer
    return with_causes(board, answer, causes, Explainer("models", "cnf", (("solver", core_solver(solver_name(solver))),)))


@backend(
    "minesweeper",
    "cnf-totalizer",
    side="models",
    source="exactly n of k by python-sat's totalizers; the backbone on one incremental solver",
    assumes="python-sat's totalizers",
    options=("solver",),
)
def solve_totalizer(board: Minesweeper, *, certify: bool = False, solver: str = DEFAULT_SOLVER) -> Deduction:
    """Counters for each clue instead of subsets; cores are found with subsets all the same.

    Raises:
        Unsupported: the solver cannot be asked twice.
    """
    return _solve(board, totalizers_of, solver, certify=certify)


@backend(
    "minesweeper",
    "cpsat",
    side="models",
    source="each clue a linear equation; CP-SAT asked for a solution that differs from all before, until there is none",
    limit=600,
    requires=("ortools",),
    slow=True,
)
def solve_cpsat(board: Minesweeper, *, certify: bool = False) -> Deduction:
    """The backbone by solutions that must differ from every one before in a cell that had one value so far."""
    from models.cpsat import Model

    model = Model()
    watch = Stopwatch()
    clues = clues_of_board(board)
    mines = model.variables(clues.variables.size, "m")
    for asked, beside in zip(clues.asked.tolist(), clues.beside.tolist(), strict=True):
        model.cp.add(sum(mines[variable - 1] for variable in beside if variable) == asked)
    if clues.total is not None:
        total = sum(mines)
        model.cp.add(total >= clues.total.low)
        model.cp.add(total <= clues.total.high)
    watch.built()
    backbone = None
    while model.solve():
        found = np.array([model.value(mine) for mine in mines], np.bool_)
        backbone = Backbone(found, np.ones(found.size, np.bool_), [found]) if backbone is None else backbone.after(found)
        model.cp.clear_hints()
        candidates = np.flatnonzero(backbone.certain).tolist()
        for k in candidates:
            model.cp.add_hint(mines[k], not backbone.values[k])
        model.cp.add_bool_or([~mines[k] if backbone.values[k] else mines[k] for k in candidates])
    return _deduction(board, clues, backbone, watch.effort(*model.size), DEFAULT_SOLVER if certify else None)


@backend(
    "minesweeper",
    "count",
    side="models",
    source="each component compiled to a decision diagram (PySDD), its solutions counted in integers",
    options=("probabilities",),
    limit=1000,
    requires=("pysdd", "flint"),
)
def solve_count(board: Minesweeper, *, certify: bool = False, probabilities: bool = True) -> Deduction:
    """Every layout counted; a cell is certain where it is a mine in all of them or in none.

    The answer has its `chances` unless `probabilities` is False. The certificate is that of `cnf`.
    """
    watch = Stopwatch()
    clues = clues_of_board(Minesweeper(board.grid))
    watch.built()
    chances = chances_of(board, clues, parts_of(clues, np.zeros(clues.variables.size, np.bool_)))
    effort = watch.effort(clues.variables.size, clues.cells.size)
    proof = solve_cnf(board, certify=True).certificate if certify else None
    if chances is None:
        return Deduction(False, board, certificate=proof, effort=effort)
    marks = np.full(len(chances.values), COVERED, np.uint8)
    marks[:2] = SAFE, MINE
    grid = np.where(chances.value_of >= 0, marks[chances.value_of], board.grid.ravel()).reshape(board.grid.shape)
    shown = chances if probabilities else None
    return Deduction(True, Minesweeper(grid, board.mines), chances=shown, certificate=proof, effort=effort)


def _solve(board: Minesweeper, state: Callable[[Clues], Formula], solver: str, *, certify: bool) -> Deduction:
    name = solver_name(solver)
    if name in _ONCE:
        raise Unsupported(f"{name} cannot be asked a second time, which a backbone takes")
    watch = Stopwatch()
    with paused_collector():
        clues = clues_of_board(board)
        formula = state(clues)
        watch.built()
        with session(formula, name) as opened:
            backbone = _backbone(opened, clues.variables.size)
        effort = watch.effort(formula.variables, len(formula.clauses))
    return _deduction(board, clues, backbone, effort, core_solver(name) if certify else None)


def _backbone(opened: Session, variables: int) -> Backbone | None:
    """Flip one candidate at a time: a model drops every candidate that it flips, a contradiction makes a unit clause."""
    if not opened.solve():
        return None
    first = opened.model()[1 : variables + 1]
    found = Backbone(first, np.ones(variables, np.bool_), [first])
    literals = (np.where(first, 1, -1) * np.arange(1, variables + 1)).tolist()
    opened.phases([-literal for literal in literals])
    for k, literal in enumerate(literals):
        if not found.certain[k]:
            continue
        if opened.solve([-literal]):
            found = found.after(opened.model()[1 : variables + 1])
        else:
            opened.add([literal])
    return found


def _deduction(board: Minesweeper, clues: Clues, backbone: Backbone | None, effort: Effort, certifier: str | None) -> Deduction:
    """The answer; with a certificate where a solver is named to find the cores."""
    proof = certificate(board, clues, backbone, certifier) if certifier is not None else None
    if backbone is None:
        return Deduction(False, board, certificate=proof, effort=effort)
    grid = board.grid.copy()
    marks = np.where(backbone.values, MINE, SAFE).astype(np.uint8)
    grid.ravel()[clues.variables] = np.where(backbone.certain, marks, COVERED)
    if clues.total is not None:
        grid.ravel()[clues.total.alike] = grid.ravel()[clues.total.alike[:1]]
    return Deduction(True, Minesweeper(grid, board.mines), certificate=proof, effort=effort)
