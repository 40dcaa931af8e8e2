"""CP-SAT (ortools) with a fixed seed, and one worker unless told otherwise, so that runs can be
repeated; cores from assumptions.

ortools is imported when a model is first made.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterable, Sequence
from math import ceil, floor
from typing import Any, NamedTuple

from models.solvers.sat_solver import NoVerdict
from puzzles.backend import report
from puzzles.case_solution import CaseSolution

_SEED = 1

_MAX_EXACT = 2**53
"""Whole numbers up to this are exact as floats."""

_ROUNDING = 1e-6
"""By how much a bound may pass a whole number that is meant."""

MAX_CPSAT_WORKERS = 64

WORKERS = range(1, MAX_CPSAT_WORKERS + 1)
"""The choices of the option `workers`: how many threads search."""


class CpSatEncoding(NamedTuple):
    """A CP-SAT model that is complete by itself. If it has an objective, its solutions are those
    with the best value.

    Attributes:
        cp: an ortools `CpModel`.
        names: variables of the model, each with what it says: a Boolean one or its negation, or an
            integer variable, whose name says of what it is the number.
    """

    cp: Any
    names: list[tuple[Any, str]]


def _must_catch_interrupts() -> bool:
    """Whether CP-SAT has to heed Ctrl-C, since Python would only after the search.

    In other threads Python's main thread heeds it; CP-SAT's handler, called there, would abort the
    process (it is local to the thread that searches: ortools/util/sigint.h). Where the system's own
    action ends the process, it can be ignored.
    """
    heeded = signal.getsignal(signal.SIGINT) not in (signal.SIG_DFL, signal.SIG_IGN)
    return heeded and threading.current_thread() is threading.main_thread()


def best_found(
    solver: Any,
    status: Any,
    witness: Callable[[], Iterable[int]],
    *,
    better: str,
    worth: Callable[[Sequence[int]], int],
) -> CaseSolution:
    """What CP-SAT says of a model with an objective, as an answer: OPTIMAL is an optimum; FEASIBLE
    a solution, with the bound that was reached; UNKNOWN a bound alone.

    Args:
        solver: a `CpSolver` that has solved the model.
        status: what its `solve` returned.
        witness: reads the solution out of the solver; it is called if there is one.
        better: of the puzzle: `less` for a model that is minimised, else `greater`.
        worth: what a solution is worth, from its numbers. CP-SAT's objective is sure to be that
            value only for an optimum. If a variable is only bounded, as in `late >= end - due`, the
            objective of another solution may be worse than the solution is; and when CP-SAT
            simplifies a model, it turns equations into bounds.

    Raises:
        NoVerdict: the solver stopped before it knew anything.
        RuntimeError: the solver rejects the model.
    """
    from ortools.sat.python import cp_model

    if status == cp_model.INFEASIBLE:
        return CaseSolution.infeasible()
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE, cp_model.UNKNOWN):
        raise RuntimeError(f"CP-SAT ended with {solver.status_name(status)}")
    bound = _whole_bound(solver.best_objective_bound, better)
    if status == cp_model.UNKNOWN:
        if bound is None:
            raise NoVerdict("CP-SAT", "stopped before it knew a solution or a bound")
        return CaseSolution.only_bound(bound)
    solution = tuple(witness())
    if status == cp_model.FEASIBLE:
        return CaseSolution.feasible(worth(solution), solution, bound)
    is_exact = abs(solver.objective_value) <= _MAX_EXACT  # it is a float
    value = round(solver.objective_value) if is_exact else worth(solution)
    return CaseSolution.optimal(value, solution)


def _whole_bound(reached: float, better: str) -> int | None:
    """The bound on values, which are whole numbers, of one that CP-SAT says as a float; None if it
    is no exact number, or none is known.
    """
    if not abs(reached) <= _MAX_EXACT:
        return None
    return ceil(reached - _ROUNDING) if better == "less" else floor(reached + _ROUNDING)


def report_incumbents(
    solver: Any,
    witness: Callable[[Any], Iterable[int]],
    *,
    better: str,
    worth: Callable[[Sequence[int]], int],
) -> Any:
    """What has CP-SAT report each better solution and each better bound while it searches, so that
    a run that is stopped has the last ones: the callback for `solver.solve(model, callback)`.

    Args:
        witness: reads a solution out of what has the methods `value` and `boolean_value`: here the
            callback. It may be called in another thread.
        better, worth: see `best_found`.
    """
    from ortools.sat.python import cp_model

    def report_bound(reached: float) -> None:
        bound = _whole_bound(reached, better)
        if bound is not None:
            report(CaseSolution.only_bound(bound))

    class Incumbents(cp_model.CpSolverSolutionCallback):
        def on_solution_callback(self) -> None:
            solution = tuple(witness(self))
            bound = _whole_bound(self.best_objective_bound, better)
            report(CaseSolution.feasible(worth(solution), solution, bound))

    solver.best_bound_callback = report_bound
    return Incumbents()


class CpSatModel:
    """A CP-SAT model. Its constraints can belong to groups, each with a selector, as in
    `models.cnf.Formula`.

    Attributes:
        steps: the conflicts, branches and propagations of all calls.
    """

    def __init__(self, *, grouped: bool = False, workers: int = 1) -> None:
        """An empty model; `workers`: the threads that search.

        With several, two runs may find different solutions.
        """
        from ortools.sat.python import cp_model

        self.cp = cp_model.CpModel()
        self.grouped = grouped
        self.selectors: dict[int, Any] = {}
        self.solver = cp_model.CpSolver()
        self.solver.parameters.num_workers = workers
        self.solver.parameters.random_seed = _SEED
        self.solver.parameters.catch_sigint_signal = _must_catch_interrupts()
        self.steps = (0, 0, 0)

    def variables(self, count: int, name: str) -> list[Any]:
        """`count` new 0-1 variables."""
        return [self.cp.new_bool_var(f"{name}{k}") for k in range(count)]

    def add_to_group(self, group: int, constraint: Any) -> None:
        """Put a constraint into a group.

        If the model is grouped, it holds only where the group's selector is assumed.
        """
        if self.grouped:
            if group not in self.selectors:
                self.selectors[group] = self.cp.new_bool_var(f"s{group}")
            constraint.only_enforce_if(self.selectors[group])

    def solve(self) -> bool:
        """Whether the model is feasible. A grouped model is solved with all selectors assumed; an
        objective, to the optimum.

        Raises:
            KeyboardInterrupt: the solver stopped without a verdict. No limit is set, so only an
                interruption stops it.
            RuntimeError: the solver rejects the model.
        """
        if self.grouped:
            self.cp.clear_assumptions()
            self.cp.add_assumptions(list(self.selectors.values()))
        return self.search(self.cp)

    def search(self, cp: Any, callback: Any = None) -> bool:
        """Whether a model is feasible, as `solve` says it of its own; one that a callback stops
        is.

        Args:
            cp: the model, or a clone of it with more constraints.
            callback: an ortools one, which gets the solutions.
        """
        from ortools.sat.python import cp_model

        status = self.solver.solve(cp, callback)
        search = self.solver
        propagations = search.num_binary_propagations + search.num_integer_propagations
        latest = search.num_conflicts, search.num_branches, propagations
        self.steps = (
            self.steps[0] + latest[0],
            self.steps[1] + latest[1],
            self.steps[2] + latest[2],
        )
        if status == cp_model.OPTIMAL or (status == cp_model.FEASIBLE and not cp.has_objective()):
            return True
        if status == cp_model.INFEASIBLE:
            return False
        if status in (cp_model.UNKNOWN, cp_model.FEASIBLE):
            raise KeyboardInterrupt
        raise RuntimeError(f"CP-SAT ended with {self.solver.status_name(status)}")

    def value(self, variable: Any) -> int:
        """The variable's value in the last solution."""
        return self.solver.value(variable)

    def value_at(self, number: int) -> int:
        """The value in the last solution of the variable of this number, from 0."""
        return self.solver.response_proto.solution[number]

    def core_groups(self) -> tuple[int, ...]:
        """After an infeasible call of a grouped model: groups whose constraints contradict each
        other, in ascending order.
        """
        kept = set(self.solver.sufficient_assumptions_for_infeasibility())
        return tuple(
            sorted(group for group, selector in self.selectors.items() if selector.index in kept)
        )

    @property
    def size(self) -> tuple[int, int]:
        """The numbers of variables and of constraints."""
        return len(self.cp.proto.variables), len(self.cp.proto.constraints)
