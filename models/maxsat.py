"""MaxSAT: a model of the hard clauses of a formula that violates soft clauses of the least weight,
by RC2 of python-sat, which is imported when a session is opened.

RC2 is core-guided: it assumes all soft clauses, and relaxes a part of them as often as the SAT
solver says that they contradict each other. So the cost that it has reached is always a lower bound
of the optimum, and the first model that it finds is optimal.

Source: A. Ignatiev, A. Morgado, J. Marques-Silva, "RC2: an Efficient MaxSAT Solver", JSAT 11, 2019.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.cnf import Formula
from models.cpsat import CpSatModel
from models.solvers.sat_solver import SolverFailure
from models.solvers.solver_names import (
    DEFAULT_SOLVER,
    SINGLE_CALL,
    is_of_python_sat,
    solver_name,
)
from models.stopwatch import Stopwatch
from puzzles.backend import Unsupported

_NOT_FOR_RC2 = (*SINGLE_CALL, "lingeling", "maplesat")
"""Solvers of python-sat that RC2 cannot call: Lingeling knows no limited call, and MapleSAT ends
the process with a segmentation fault (python-sat 1.9.dev24).
"""


class MaxSatSession:
    """A formula with soft clauses in a MaxSAT solver; open it with `maxsat_session`.

    Attributes:
        cost: after `solve` has said True, what the soft clauses that the best model violates weigh
            together.
        bound: no model costs less than this. It grows while `solve` runs.
    """

    def __init__(self, search: Any, formula: Formula, name: str, certain: int) -> None:
        self._search, self._formula, self._name = search, formula, name
        self._certain = certain
        self._values: NDArray[np.bool_] | None = None
        self.cost: int | None = None

    @property
    def bound(self) -> int:
        return self._certain + int(self._search.cost)

    def solve(self) -> bool:
        """Whether the hard clauses have a model; then `model` is one of the best.

        Raises:
            SolverFailure: the model violates a hard clause, or its cost is not what RC2 says.
        """
        literals = self._search.compute()
        if literals is None:
            return False
        values = np.zeros(self._formula.variables + 1, np.bool_)
        values[[each for each in literals if 0 < each <= self._formula.variables]] = True
        values.setflags(write=False)
        for clause in self._formula.clauses:
            if not _is_satisfied(clause, values):
                raise SolverFailure(self._name, f"gave a model that violates {clause}")
        cost = cost_of(self._formula, values)
        if cost != self.bound:
            raise SolverFailure(self._name, f"says the cost {self.bound}, and its model has {cost}")
        self._values, self.cost = values, cost
        return True

    def model(self) -> NDArray[np.bool_]:
        """The best model: read-only bool array, the value of variable v at index v. Index 0 is
        False.
        """
        assert self._values is not None, "solve() has said that there is a model"
        return self._values


def _is_satisfied(clause: list[int], values: NDArray[np.bool_]) -> bool:
    return any(values[abs(literal)] == (literal > 0) for literal in clause)


def cost_of(formula: Formula, values: NDArray[np.bool_]) -> int:
    """What the soft clauses weigh together that a model violates; linear in their literals.

    Args:
        values: the value of variable v at index v.
    """
    return sum(weight for weight, clause in formula.soft if not _is_satisfied(clause, values))


def cpsat_model(formula: Formula) -> CpSatModel:
    """The formula as a CP-SAT model whose objective is the cost. Its variable `v - 1` is the
    formula's variable v.
    """
    model = CpSatModel()
    variables = model.variables(formula.variables, "x")

    def literals(clause: list[int]) -> list[Any]:
        return [variables[each - 1] if each > 0 else ~variables[-each - 1] for each in clause]

    for clause in formula.clauses:
        model.cp.add_bool_or(literals(clause))
    violated = model.variables(len(formula.soft), "violated")
    for (_, clause), is_violated in zip(formula.soft, violated, strict=True):
        model.cp.add_bool_or([*literals(clause), is_violated])
    weights = (weight for weight, _ in formula.soft)
    model.cp.minimize(sum(w * each for w, each in zip(weights, violated, strict=True)))
    return model


@contextmanager
def maxsat_session(
    formula: Formula,
    solver: str = DEFAULT_SOLVER,
    watch: Stopwatch | None = None,
    bound_grew: Callable[[int], None] = lambda bound: None,
) -> Iterator[MaxSatSession]:
    """A MaxSAT solver that holds the formula with its soft clauses, closed on leaving.

    Args:
        solver: a SAT solver of python-sat that takes assumptions; RC2 calls it.
        watch: told the steps of the search on leaving, if the solver counts them.
        bound_grew: called with each new lower bound of the cost.

    Raises:
        UnknownName: python-sat has no such solver.
        Unsupported: RC2 cannot call this solver.
    """
    name = solver_name(solver)
    if not is_of_python_sat(name) or name in _NOT_FOR_RC2:
        raise Unsupported(f"RC2 calls a solver of python-sat that takes assumptions, not {name!r}")
    from pysat.examples.rc2 import RC2
    from pysat.formula import WCNF

    class _Rc2WithBounds(RC2):
        def process_core(self) -> None:
            super().process_core()
            bound_grew(certain + int(self.cost))

    weighted, certain = WCNF(), 0
    weighted.nv = formula.variables
    for clause in formula.clauses:
        weighted.append(list(clause))
    for weight, clause in formula.soft:
        if clause:
            weighted.append(list(clause), weight=weight)
        else:  # violated by every model, and RC2 takes no empty soft clause
            certain += weight
    search: Any = _Rc2WithBounds(weighted, solver=name)
    try:
        yield MaxSatSession(search, formula, f"RC2 with {name}", certain)
        if watch is not None:
            with suppress(NotImplementedError):
                steps = search.oracle.accum_stats()
                watch.add_steps(steps["conflicts"], steps["decisions"], steps["propagations"])
    finally:
        search.delete()
