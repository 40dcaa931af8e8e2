"""CNF formulas and python-sat's solvers: building, range checks, solving, cores.

python-sat is imported when a solver is first opened.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from ctypes import py_object, pythonapi
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models import external
from puzzles.backend import Unsupported
from puzzles.text import UnknownName

DEFAULT_SOLVER = "cadical153"
MOST_VARIABLES = 2**26
"""Ids above this are refused: solvers abort for memory from about 10^8 on and answer wrongly from 2^31 on."""

_ONE_SHOT = ("kissat404",)
"""Solvers that ignore assumptions, so have no cores either, and abort when they are called again."""


@cache
def solvers() -> tuple[str, ...]:
    """The solvers of python-sat that can be opened here, by their own names."""
    from pysat.solvers import NoSuchSolverError, Solver, SolverNames

    found: list[str] = []
    for name in sorted(vars(SolverNames)):
        if name.startswith("_"):
            continue
        try:
            Solver(name=name).delete()
        except (NoSuchSolverError, ImportError, AssertionError, NameError):
            continue
        found.append(name)
    return tuple(found)


def solver_name(name: str) -> str:
    """The full name of a solver given by any of python-sat's names for it; a command with `{cnf}` in it is its own name.

    Raises:
        UnknownName: python-sat has no such solver, or cannot open it here.
        UserError: the command's program is not there.
    """
    from pysat.solvers import SolverNames

    if external.is_command(name):
        external.command_of(name)
        return name

    for full in solvers():
        if name.lower() in (full, *getattr(SolverNames, full)):
            return full
    raise UnknownName("solver", name, list(solvers()))


_ONE_CALL = "this solver takes no assumptions and can be called but once"

_FIRST_BUDGET = 2000
"""Conflicts of the first turn in a portfolio."""


def core_solver(name: str) -> str:
    """The solver that finds cores in place of this one: itself, or the default one if it takes no assumptions."""
    return DEFAULT_SOLVER if name in _ONE_SHOT or external.is_command(name) else name


class Formula:
    """Clauses over the variables 1..variables.

    A *demand* is a clause that the puzzle makes at one place. In a guarded formula a demand only holds where its origin's
    selector is assumed, so that the origins of an unsatisfiable set can be named; else it is a clause like any other.
    """

    def __init__(self, *, guarded: bool = False) -> None:
        self.variables = 0
        self.clauses: list[list[int]] = []
        self.guarded = guarded
        self.selectors: dict[int, int] = {}

    def new(self, count: int = 1) -> int:
        """Reserve `count` consecutive variables; returns the first.

        Raises:
            Unsupported: more than `MOST_VARIABLES` would be needed.
        """
        if self.variables + count > MOST_VARIABLES:
            raise Unsupported(f"the formula needs more than {MOST_VARIABLES} variables")
        self.variables += count
        return self.variables - count + 1

    def add(self, *literals: int) -> None:
        """Add one clause; raises `ValueError` for a literal out of range."""
        for literal in literals:
            if not 0 < abs(literal) <= self.variables:
                raise ValueError(f"literal {literal} is out of range for {self.variables} variables")
        self.clauses.append([int(literal) for literal in literals])

    def extend(self, clauses: NDArray[Any]) -> None:
        """Add the rows of an integer array of shape (clauses, literals); raises `ValueError` as `add` does."""
        if clauses.size and (
            np.count_nonzero(clauses) < clauses.size or max(int(clauses.max()), -int(clauses.min())) > self.variables
        ):
            raise ValueError(f"a literal is out of range for {self.variables} variables")
        self.clauses.extend(clauses.tolist())

    def below(self, ways: NDArray[np.int64], lower: NDArray[np.int64], higher: NDArray[np.int64]) -> None:
        """Where `ways[k]` holds, the binary number `lower[k]` is less than `higher[k]`; rows of variables, lowest bit first.

        Compared from the highest bit down: `tied` says that so far they may be equal, and is false in the end.
        """
        tied = ways
        for bit in reversed(range(lower.shape[1])):
            less, more = lower[:, bit], higher[:, bit]
            self.extend(np.column_stack([-tied, -less, more]))
            following = self.new(ways.size) + np.arange(ways.size)
            self.extend(np.column_stack([-tied, more, following]))
            self.extend(np.column_stack([-tied, -less, following]))
            tied = following
        self.extend(-tied[:, None])

    def split(self, ends: NDArray[np.int64]) -> list[Formula]:
        """The parts of a formula that consists of parts with no variable in common.

        Args:
            ends: int array of shape (blocks, parts). The variables are numbered block by block, in each block part by part;
                `ends` says how many variables of a block belong to the parts up to and including each.

        The parts number their variables in the same order, from 1.
        """
        starts = np.column_stack([np.zeros(len(ends), np.int64), ends])
        sizes = np.diff(starts)
        part_of, own_of = [np.zeros(1, np.int64)], [np.zeros(1, np.int64)]
        before = np.zeros(sizes.shape[1], np.int64)
        for block, block_starts in zip(sizes, starts, strict=True):
            part_of.append(np.repeat(np.arange(block.size), block))
            own_of.append(np.arange(1, block.sum() + 1) + np.repeat(before - block_starts[:-1], block))
            before = before + block
        part, own = np.concatenate(part_of).tolist(), np.concatenate(own_of).tolist()
        parts = [Formula() for _ in before]
        for formula, variables in zip(parts, before.tolist(), strict=True):
            formula.variables = variables
        for clause in self.clauses:
            parts[part[abs(clause[0])]].clauses.append([own[x] if x > 0 else -own[-x] for x in clause])
        return parts

    def selector(self, origin: int) -> int:
        """The variable that switches the demands of an origin on."""
        if origin not in self.selectors:
            self.selectors[origin] = self.new()
        return self.selectors[origin]

    def demand(self, origins: NDArray[np.int64] | Sequence[int], clauses: NDArray[Any]) -> None:
        """Add one demand a row; `origins` names the place of each, or of each so many consecutive rows."""
        if self.guarded:
            guards = np.array([-self.selector(origin) for origin in np.asarray(origins).tolist()], clauses.dtype)
            clauses = np.column_stack([clauses, np.repeat(guards, len(clauses) // max(1, len(guards)))])
        self.extend(clauses)


class Session:
    """A solver loaded with a formula; use it through `session`."""

    def __init__(self, solver: Any, variables: int, *, one_shot: bool = False) -> None:
        self._solver = solver
        self.variables = variables
        self._one_shot, self._calls = one_shot, 0
        self._values: NDArray[np.bool_] | None = None

    def add(self, literals: Sequence[int]) -> None:
        """Add one more clause.

        Raises:
            Unsupported: the solver was called before, and takes but one call.
        """
        if self._one_shot and self._calls:
            raise Unsupported(_ONE_CALL)
        self._solver.add_clause(literals)

    def solve(self, assumptions: Sequence[int] = ()) -> bool:
        """Whether the formula is satisfiable under the assumptions.

        Raises:
            Unsupported: the solver takes no assumptions, or none but one call.
        """
        self._calls += 1
        self._values = None
        if self._one_shot and (assumptions or self._calls > 1):
            raise Unsupported(_ONE_CALL)
        verdict = self._solver.solve(assumptions=assumptions) if assumptions else self._solver.solve()
        if verdict is None:
            raise RuntimeError("the solver gave no verdict")
        return bool(verdict)

    def solve_within(self, conflicts: int) -> bool | None:
        """Whether the formula is satisfiable; None where that many conflicts do not tell. What was learnt is kept.

        A solver that cannot count its conflicts goes on to the end.
        """
        if self._one_shot:
            return self.solve()
        self._values = None
        try:
            self._solver.conf_budget(conflicts)
            return self._solver.solve_limited()
        except NotImplementedError:
            return self.solve()

    def model(self) -> NDArray[np.bool_]:
        """The values of the last model, at the variables' own numbers (entry 0 is False); unmentioned ones are False. Read-only."""
        if self._values is None:
            values = np.zeros(self.variables + 1, np.bool_)
            literals = np.array(self._solver.get_model(), np.int64)
            values[literals[(literals > 0) & (literals <= self.variables)]] = True
            values.setflags(write=False)
            self._values = values
        return self._values

    def core(self) -> list[int]:
        """Assumptions of the last call that are contradictory together."""
        return list(self._solver.get_core() or [])

    def solve_lazily(self, cuts: Callable[[NDArray[np.bool_]], list[list[int]]], assumptions: Sequence[int] = ()) -> bool:
        """Solve, add the clauses that `cuts` finds violated by the model, solve again, until there are none.

        For rules that forbid circular support, which take too many clauses to be written down beforehand. The clauses
        stay; after True the last `model` satisfies every rule.
        """
        while self.solve(assumptions):
            violated = cuts(self.model())
            if not violated:
                return True
            for literals in violated:
                self.add(literals)
        return False

    def phases(self, literals: Sequence[int]) -> None:
        """Prefer these literals in decisions, where the solver can."""
        try:
            self._solver.set_phases(list(literals))
        except NotImplementedError:
            return

    def unless_refuted(self, literals: Sequence[int]) -> list[int] | None:
        """What unit propagation derives from these literals; None where it finds a contradiction."""
        consistent, derived = self._solver.propagate(assumptions=list(literals))
        return derived if consistent else None

    def consistent(self, literals: Sequence[int]) -> bool:
        """Whether unit propagation finds no contradiction in these literals; by a search in solvers that offer no propagation.

        The two say the same where no clause has a positive literal beside others.
        """
        try:
            return self.unless_refuted(literals) is not None
        except NotImplementedError:
            return self.solve(literals)

    def smaller(self, core: list[int], most_tries: int = 60) -> list[int]:
        """A smaller core: solved again until it stops shrinking, then single literals left out, `most_tries` at most."""
        while not self.solve(core) and len(found := self.core()) < len(core):
            core = found
        if len(core) <= most_tries:
            for literal in list(core):
                rest = [other for other in core if other != literal]
                if literal in core and not self.solve(rest):
                    core = self.core() if rest else []
        return core


@contextmanager
def session(formula: Formula, solver: str = DEFAULT_SOLVER) -> Iterator[Session]:
    """A solver loaded with the formula, deleted on leaving: one of python-sat's, or a command (see `models.external`).

    Raises:
        UnknownName: python-sat has no such solver; `UserError`: no such program.
    """
    name = solver_name(solver)
    if external.is_command(name):
        yield Session(external.ExternalSolver(name, formula.variables, formula.clauses), formula.variables)
        return
    with loaded(formula, name) as opened:
        yield Session(opened, formula.variables, one_shot=name in _ONE_SHOT)


@contextmanager
def loaded(formula: Formula, name: str, *, with_proof: bool = False) -> Iterator[Any]:
    """One of python-sat's own solvers with the formula, deleted on leaving; an interrupted search is a KeyboardInterrupt.

    python-sat leaps out of an interrupted search, whatever it was about. Such a solver is never deleted, which may crash.
    """
    import pysolvers
    from pysat.solvers import Solver

    with paused_collector():
        opened = Solver(name=name, bootstrap_with=formula.clauses, with_proof=with_proof)
        try:
            yield opened
        except pysolvers.error as error:
            if "keyboard interrupt" in str(error):
                pythonapi.Py_IncRef(py_object(opened.solver))
                opened.solver = None
                raise KeyboardInterrupt from None
            raise
        finally:
            opened.delete()


def portfolio(formula: Formula, phases: Sequence[Sequence[int]], solver: str = DEFAULT_SOLVER) -> NDArray[np.bool_] | None:
    """A model, sought under each of several preferences in turn, with ever more conflicts; None where there is no model."""
    with ExitStack() as stack:
        opened: list[Session] = []
        budget = _FIRST_BUDGET
        while True:
            for turn, preferred in enumerate(phases):
                if turn == len(opened):
                    opened.append(stack.enter_context(session(formula, solver)))
                    opened[turn].phases(preferred)
                verdict = opened[turn].solve_within(budget)
                if verdict is not None:
                    return opened[turn].model() if verdict else None
            budget *= 2


@contextmanager
def paused_collector() -> Iterator[None]:
    """No garbage collection inside: it would walk millions of clauses that are all alive."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def core(formula: Formula, solver: str = DEFAULT_SOLVER) -> tuple[int, ...]:
    """The origins of demands that are unsatisfiable together, in ascending order, few though not always fewest.

    The formula is guarded and unsatisfiable. A solver that cannot name cores hands over to the default one.

    Raises:
        ValueError: the formula is satisfiable.
    """
    with session(formula, core_solver(solver_name(solver))) as opened:
        if opened.solve(list(formula.selectors.values())):
            raise ValueError("a satisfiable formula has no core")
        kept = set(opened.smaller(opened.core()))
    return tuple(sorted(origin for origin, selector in formula.selectors.items() if selector in kept))
