"""A SAT solver loaded with a formula: solving, models, cores, and propagation.

python-sat is imported when a solver is first opened.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress

import numpy as np
from numpy.typing import NDArray

from models.cnf import Formula
from models.solvers.opening import open_solver, watch_solver
from models.solvers.sat_solver import NoVerdict, SatSolver, SolverFailure
from models.solvers.solver_names import (
    DEFAULT_SOLVER,
    SINGLE_CALL,
    core_solver,
    is_of_python_sat,
    solver_name,
)
from models.stopwatch import Stopwatch, tell_size
from puzzles.backend import Unsupported

_ONE_CALL = "this solver takes no assumptions and can be called but once"


class Session:
    """A solver that holds a formula; open it with `session`.

    Attributes:
        solver: its name.
        cuts: the clauses that were added because a model violated them, in their order.
    """

    def __init__(self, opened_solver: SatSolver, solver: str, variables: int) -> None:
        self._solver, self.solver = opened_solver, solver
        self.variables = variables
        self._single_call, self._calls = solver in SINGLE_CALL, 0
        self._in_order = is_of_python_sat(solver)
        self._assumed: list[int] = []
        self._values: NDArray[np.bool_] | None = None
        self.cuts: dict[tuple[int, ...], None] = {}

    def add(self, literals: Sequence[int]) -> None:
        """Add one more clause.

        Raises:
            Unsupported: the solver can be called only once, and it has been.
        """
        if self._single_call and self._calls:
            raise Unsupported(_ONE_CALL)
        self._solver.add_clause(literals)

    def add_cuts(
        self,
        violated: Iterable[Sequence[int]],
        fault: str = "gave a model that violates a clause added before it",
    ) -> None:
        """Add clauses that a model violates.

        Raises:
            SolverFailure: one of them was added before; `fault` says what the solver did then.
        """
        for literals in violated:
            if tuple(literals) in self.cuts:
                raise SolverFailure(self.solver, f"{fault}: {literals}")
            self.cuts[tuple(literals)] = None
            self.add(literals)

    def solve(self, assumptions: Sequence[int] = ()) -> bool:
        """Whether the formula is satisfiable under the assumptions.

        Raises:
            Unsupported: the solver can be called only once, and takes no assumptions.
            NoVerdict: it does not know.
        """
        self._calls += 1
        self._values = None
        self._assumed = list(assumptions)
        if self._single_call and (assumptions or self._calls > 1):
            raise Unsupported(_ONE_CALL)
        satisfiable = self._solver.solve(assumptions=assumptions)
        if satisfiable is None:
            raise NoVerdict(self.solver, "gave no verdict")
        return bool(satisfiable)

    def solve_within(self, conflicts: int) -> bool | None:
        """Whether the formula is satisfiable; None if the solver has met `conflicts` conflicts and
        still does not know.

        The solver keeps what it has learnt. A solver that cannot count its conflicts goes on to the
        end.
        """
        if self._single_call:
            return self.solve()
        self._values = None
        try:
            self._solver.conf_budget(conflicts)
            return self._solver.solve_limited()
        except NotImplementedError:
            return self.solve()

    def model(self, variables: int | None = None) -> NDArray[np.bool_]:
        """The last model: read-only bool array, the value of variable v at index v. Index 0 is
        False.

        A variable that the solver does not mention is False.

        Args:
            variables: read only so many of them; by default all. This is faster where the others
                are many.
        """
        last = self.variables if variables is None else variables
        if self._values is None or self._values.size <= last:
            values, literals = np.zeros(last + 1, np.bool_), self._solver.get_model() or []
            if self._in_order:
                shown = np.array(literals[:last], np.int64)
                values[1 : shown.size + 1] = shown > 0
            else:
                values[[literal for literal in literals if 0 < literal <= last]] = True
            values.setflags(write=False)
            self._values = values
        return self._values[: last + 1]

    def true_among(self, first: int, count: int) -> list[int]:
        """Of the variables from `first` on, `count` of them, those that are true in the last model,
        ascending.

        This is much faster than `model` where a few variables are all that matters.
        """
        literals = self._solver.get_model() or []
        if self._in_order:
            return [literal for literal in literals[first - 1 : first - 1 + count] if literal > 0]
        return sorted({literal for literal in literals if first <= literal < first + count})

    def core(self) -> list[int]:
        """After an unsatisfiable call: some of its assumptions that contradict the formula
        together.

        They are all of its assumptions if the solver does not say which.
        """
        try:
            return list(self._solver.get_core() or [])
        except NotImplementedError:
            return self._assumed

    def solve_lazily(
        self, cuts: Callable[[], list[list[int]]], assumptions: Sequence[int] = ()
    ) -> bool:
        """Solve; add the clauses that the last model violates, as `cuts` returns them; solve again
        until it returns none.

        This is for rules that forbid circular support. Written down beforehand they would take too
        many clauses. The added clauses stay. After True, the last `model` satisfies every rule.

        Raises:
            SolverFailure: a model violates a clause that was added before.
        """
        while self.solve(assumptions):
            violated = cuts()
            if not violated:
                return True
            self.add_cuts(violated)
        return False

    def phases(self, literals: Sequence[int]) -> None:
        """Ask the solver to try these literals first when it decides a variable; ignored by solvers
        that cannot.
        """
        try:
            self._solver.set_phases(list(literals))
        except NotImplementedError:
            return

    def consistent(self, literals: Sequence[int]) -> bool:
        """Whether unit propagation from these literals finds no contradiction.

        A solver that offers no propagation searches instead. The answer is the same if no clause
        has both a positive literal and another literal.
        """
        try:
            return self._solver.propagate(assumptions=list(literals))[0]
        except NotImplementedError:
            return self.solve(literals)

    def smaller(
        self, core: list[int], most_tries: int = 60, always: Sequence[int] = (), least: int = 0
    ) -> list[int]:
        """A smaller core.

        The solver runs on the core alone until it finds no smaller one. Then each literal is left
        out once, if the core has at most `most_tries` literals.

        Args:
            always: literals that every core has; they are assumed as well, and are not in the
                result.
            least: no core is known to have fewer literals beside those, so one of this size is not
                tried again.
        """
        core = [literal for literal in core if literal not in always]
        while len(core) > least and not self.solve([*core, *always]):
            shrunk = [literal for literal in self.core() if literal not in always]
            if len(shrunk) >= len(core):
                break
            core = shrunk
        if len(core) <= most_tries:
            for literal in list(core):
                if len(core) <= least:
                    break
                rest = [other for other in core if other != literal]
                if literal in core and not self.solve([*rest, *always]):
                    core = [other for other in self.core() if other not in always] if rest else []
        return core


@contextmanager
def session(
    formula: Formula, solver: str = DEFAULT_SOLVER, watch: Stopwatch | None = None
) -> Iterator[Session]:
    """A solver that holds the formula, closed on leaving (see `models.solvers.solver_names` for the
    kinds of solvers).

    Args:
        watch: told the steps of the search on leaving. Only the solvers of python-sat count them,
            and not all of those.

    Raises:
        UnknownName: python-sat has no such solver.
        UserError: the program, the library or the file of the solver cannot be used.
    """
    name = solver_name(solver)
    tell_size(formula.variables, len(formula.clauses))
    with open_solver(formula, name) as loaded, watch_solver(loaded, name, formula) as opened:
        yield Session(opened, name, formula.variables)
        if watch is not None and is_of_python_sat(name):
            with suppress(NotImplementedError):
                steps = loaded.accum_stats()
                watch.add_steps(steps["conflicts"], steps["decisions"], steps["propagations"])


def core_groups(formula: Formula, solver: str = DEFAULT_SOLVER) -> tuple[int, ...]:
    """A core of a grouped, unsatisfiable formula: clause groups that contradict each other, in
    ascending order.

    The core is small, but not always the smallest. If the solver cannot find cores, the default
    solver does.

    Raises:
        ValueError: the formula is satisfiable.
    """
    with session(formula, core_solver(solver_name(solver))) as opened:
        if opened.solve(list(formula.selectors.values())):
            raise ValueError("a satisfiable formula has no core")
        kept = set(opened.smaller(opened.core()))
    return tuple(sorted(group for group, selector in formula.selectors.items() if selector in kept))
