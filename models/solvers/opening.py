"""Opening a solver of any kind by its name, with a formula in it; and watching it, where that is
asked for.

Two things can be watched. What solvers are asked can be noted down: clauses that are added, calls
with assumptions (`record_solvers`). And what they answer can be verified (`verifying`): models by
the clauses, UNSAT and its core by another solver. This finds out which solver is to blame when an
answer is wrong, so it is for solvers under test. It costs a second search for each UNSAT.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

from models.cnf import Formula, paused_collector
from models.solvers.external import ExternalSolver, is_command
from models.solvers.ipasir import IpasirSolver, is_library
from models.solvers.sat_solver import ModelRefused, SatSolver, SolverFailure, wrong_model
from models.solvers.solver_class import ClassSolver, is_class
from models.solvers.solver_names import DEFAULT_SOLVER, runs_foreign_code
from puzzles.shell.time_limits import Interruption


@contextmanager
def open_solver(
    formula: Formula, name: str, *, with_proof: bool = False, text: bytes = b""
) -> Iterator[SatSolver]:
    """A solver that holds the formula, deleted on leaving.

    Args:
        name: the full name of a solver, as `solver_name` returns it.
        with_proof: whether it keeps a proof. A solver that cannot may ignore this; its `get_proof`
            raises NotImplementedError.
        text: the formula as DIMACS, which a program gets as it is; else it gets a line for each
            clause.

    Raises:
        UserError: a program, a library or a file that cannot be used.
        NotImplementedError: a solver of python-sat that writes no proofs is to keep one.
    """
    if is_command(name):
        yield ExternalSolver(name, formula.variables, formula.clauses, text)
        return
    if not is_library(name) and not is_class(name):
        with _of_python_sat(formula, name, with_proof=with_proof) as solver:
            yield solver
        return
    solver = IpasirSolver(name) if is_library(name) else ClassSolver(name, with_proof=with_proof)
    try:
        for clause in formula.clauses:
            solver.add_clause(clause)
        yield solver
    finally:
        solver.delete()


@contextmanager
def _of_python_sat(formula: Formula, name: str, *, with_proof: bool) -> Iterator[SatSolver]:
    """One of python-sat's own solvers.

    In the main thread python-sat turns Ctrl-C into an error of its own
    (https://github.com/pysathq/pysat/issues/53). Here it becomes a KeyboardInterrupt.
    """
    import pysolvers
    from pysat.solvers import Solver

    with (
        paused_collector(),
        Solver(name=name, bootstrap_with=formula.clauses, with_proof=with_proof) as solver,
    ):
        try:
            yield cast("SatSolver", solver)
        except pysolvers.error as error:
            if "keyboard interrupt" in str(error):
                raise KeyboardInterrupt from None
            raise


class SolverStep(NamedTuple):
    """One thing that a solver is asked.

    Attributes:
        solves: whether it is a call of the solver; else a clause is added.
        literals: the assumptions of the call, or the clause.
    """

    solves: bool
    literals: tuple[int, ...]


@dataclass
class Recording:
    """What one solver is asked, from its formula on.

    Attributes:
        formula: the one that it was opened with.
        calls: how often it was called, for a model or to propagate.
    """

    variables: int
    steps: list[SolverStep] = field(default_factory=list)
    formula: Formula = field(default_factory=Formula, compare=False)
    calls: int = field(default=0, compare=False)


class CallReached(Interruption):
    """The first call is about to be made, at which recording is to end. No `except Exception` of a
    backend keeps it.

    Attributes:
        recording: of the solver that is called.
        assumptions: of the call.
    """

    def __init__(self, recording: Recording, assumptions: Sequence[int]) -> None:
        super().__init__()
        self.recording, self.assumptions = recording, list(assumptions)


_Recorded = tuple[list[Recording], bool]
"""The recordings of all solvers that are opened, and whether they end at the first call."""

_recorded: ContextVar[_Recorded | None] = ContextVar("recorded", default=None)
_verifying: ContextVar[bool] = ContextVar("verifying", default=False)


@contextmanager
def record_solvers(*, stop: bool = False) -> Iterator[list[Recording]]:
    """Within, each solver that `models.session.session` opens adds a recording to the list.

    Raises:
        CallReached: `stop` is True, and the first call is about to be made.
    """
    recordings: list[Recording] = []
    token = _recorded.set((recordings, stop))
    try:
        yield recordings
    finally:
        _recorded.reset(token)


@contextmanager
def verifying() -> Iterator[None]:
    """Within, every session verifies what its solver answers (see `models.session.session`)."""
    token = _verifying.set(True)
    try:
        yield
    finally:
        _verifying.reset(token)


def is_verifying() -> bool:
    """Whether sessions verify their solvers now."""
    return _verifying.get()


NO_CORE = "returned None from get_core: expected a list of literals"
"""What is wrong with no core where assumptions are needed for the contradiction."""

OTHER_SOLVER = "minisat22"
"""The second solver, if the default solver is the one that is verified."""


@contextmanager
def watch_solver(solver: SatSolver, name: str, formula: Formula) -> Iterator[SatSolver]:
    """A solver that holds a formula, watched as `record_solvers` and `verifying` say.

    Of foreign code and of programs the models are always verified.
    """
    with ExitStack() as stack:
        watched: Any = solver
        if is_verifying():
            other = stack.enter_context(
                open_solver(formula, OTHER_SOLVER if name == DEFAULT_SOLVER else DEFAULT_SOLVER)
            )
            watched = VerifiedSolver(solver, name, formula, other)
        elif runs_foreign_code(name) or is_command(name):
            watched = VerifiedSolver(solver, name, formula, None)
        recorded = _recorded.get()
        if recorded is not None:
            watched = _RecordedSolver(watched, formula, *recorded)
        yield watched


class _WatchedSolver:
    """A solver that is watched; methods that no subclass has are the solver's own."""

    def __init__(self, solver: SatSolver) -> None:
        self._solver = solver

    def __getattr__(self, name: str) -> Any:
        return getattr(self._solver, name)


class _RecordedSolver(_WatchedSolver):
    """A solver whose clauses and calls are noted."""

    def __init__(
        self, solver: SatSolver, formula: Formula, recordings: list[Recording], stop: bool
    ) -> None:
        super().__init__(solver)
        steps = [SolverStep(False, tuple(clause)) for clause in formula.clauses]
        self._recording = Recording(formula.variables, steps, formula)
        self._stop = stop
        recordings.append(self._recording)

    def add_clause(self, clause: Sequence[int]) -> Any:
        self._recording.steps.append(SolverStep(False, tuple(clause)))
        return self._solver.add_clause(clause)

    def solve(self, assumptions: Sequence[int] = ()) -> bool | None:
        self._record_call(assumptions)
        return self._solver.solve(assumptions=assumptions)

    def solve_limited(self) -> bool | None:
        self._record_call(())
        return self._solver.solve_limited()

    def propagate(self, assumptions: Sequence[int] = ()) -> Any:
        self._record_call(assumptions, solves=False)
        return self._solver.propagate(assumptions=assumptions)

    def _record_call(self, assumptions: Sequence[int], *, solves: bool = True) -> None:
        self._recording.calls += 1
        if self._stop:
            raise CallReached(self._recording, assumptions)
        if solves:
            self._recording.steps.append(SolverStep(True, tuple(assumptions)))


class VerifiedSolver(_WatchedSolver):
    """A solver whose answers are verified; its methods raise `SolverFailure` where it is wrong."""

    def __init__(
        self, solver: SatSolver, name: str, formula: Formula, other: SatSolver | None
    ) -> None:
        """`other`: another solver that holds the same formula; without it only models are
        verified.
        """
        super().__init__(solver)
        self._name, self._other = name, other
        self._variables = formula.variables
        self._clauses: list[Sequence[int]] = list(formula.clauses)
        self._assumed: list[int] = []

    def add_clause(self, clause: Sequence[int]) -> None:
        self._clauses.append(list(clause))
        self._variables = max([self._variables, *map(abs, clause)])
        self._solver.add_clause(clause)
        if self._other is not None:
            self._other.add_clause(clause)

    def solve(self, assumptions: Sequence[int] = ()) -> bool | None:
        return self._verify(self._solver.solve(assumptions=assumptions), assumptions)

    def solve_limited(self) -> bool | None:
        return self._verify(self._solver.solve_limited(), ())

    def propagate(self, assumptions: Sequence[int] = ()) -> tuple[bool, list[int]]:
        consistent, derived = self._solver.propagate(assumptions=assumptions)
        if not consistent:
            self._verify_no(
                assumptions,
                "found a contradiction by unit propagation in clauses that have a model",
            )
        return consistent, derived

    def get_core(self) -> list[int] | None:
        core = self._solver.get_core()
        foreign = [literal for literal in core or [] if literal not in self._assumed]
        if foreign:
            raise SolverFailure(
                self._name, f"named a core with the literal {foreign[0]}, which was not assumed"
            )
        if core is None:  # the same question, and another sentence if the answer is wrong
            self._verify_no([], NO_CORE)
        self._verify_no(core or [], "named a core that does not contradict the clauses")
        return core

    def _verify(self, satisfiable: bool | None, assumptions: Sequence[int]) -> bool | None:
        self._assumed = list(assumptions)
        if satisfiable:
            wrong = self._wrong(assumptions, self._solver.get_model() or [])
            if wrong:
                raise ModelRefused(self._name, f"gave a model that {wrong}")
        elif satisfiable is not None:
            self._verify_no(assumptions, "said that clauses that have a model are unsatisfiable")
        return satisfiable

    def _verify_no(self, assumptions: Sequence[int], what: str) -> None:
        """Raise `SolverFailure` if the other solver finds a model, and it is one."""
        if self._other is None or not self._other.solve(assumptions=list(assumptions)):
            return
        if not self._wrong(assumptions, self._other.get_model() or []):
            raise SolverFailure(self._name, what)

    def _wrong(self, assumptions: Sequence[int], true: Sequence[int]) -> str:
        variables = max([self._variables, *map(abs, assumptions)])
        return wrong_model(variables, self._clauses, assumptions, true)
