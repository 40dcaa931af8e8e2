"""Several SAT solvers that take turns on one formula; each tries other values first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack

from models.cnf import Bools, Formula
from models.session import Session, session
from models.solvers.solver_names import DEFAULT_SOLVER
from models.stopwatch import Stopwatch

FIRST_BUDGET = 2000
"""The number of conflicts that each solver of a portfolio gets on its first turn.

Tests force it low.
"""


def portfolio(
    formula: Formula,
    phases: Sequence[Sequence[int]],
    solver: str = DEFAULT_SOLVER,
    cuts: Callable[[Bools], list[list[int]]] = lambda model: [],
    watch: Stopwatch | None = None,
) -> Bools | None:
    """A model, or None if the formula is unsatisfiable. Several solvers take turns, one for each
    entry of `phases`.

    Each round doubles the number of conflicts that a turn may take. `cuts` returns the clauses of
    the rules that a model violates. They go to all solvers, and the solver that found the model
    goes on.

    Raises:
        SolverFailure: a model violates a clause that was added before.
    """
    with ExitStack() as stack:
        sessions: list[Session] = []
        budget = FIRST_BUDGET
        while True:
            for turn, preferred in enumerate(phases):
                if turn == len(sessions):
                    sessions.append(stack.enter_context(session(formula, solver, watch)))
                    sessions[turn].phases(preferred)
                    sessions[turn].add_cuts(sessions[0].cuts)
                while (satisfiable := sessions[turn].solve_within(budget)) is not None:
                    violated = cuts(sessions[turn].model()) if satisfiable else []
                    if not violated:
                        return sessions[turn].model() if satisfiable else None
                    for each in sessions:
                        each.add_cuts(violated)
            budget *= 2
