"""Opening a solver of any kind by its name, with a formula in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast

from models.cnf import Formula, paused_collector
from models.solvers.external import ExternalSolver, is_command
from models.solvers.ipasir import IpasirSolver, is_library
from models.solvers.sat_solver import SatSolver
from models.solvers.solver_class import ClassSolver, is_class


@contextmanager
def open_solver(formula: Formula, name: str, *, with_proof: bool = False) -> Iterator[SatSolver]:
    """A solver that holds the formula, deleted on leaving.

    Args:
        name: the full name of a solver, as `solver_name` returns it.
        with_proof: whether it keeps a proof. A solver that cannot may ignore this; its `get_proof` raises NotImplementedError.

    Raises:
        UserError: a program, a library or a file that cannot be used.
        NotImplementedError: a solver of python-sat that writes no proofs is to keep one.
    """
    if is_command(name):
        yield ExternalSolver(name, formula.variables, formula.clauses)
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

    with paused_collector(), Solver(name=name, bootstrap_with=formula.clauses, with_proof=with_proof) as solver:
        try:
            yield cast("SatSolver", solver)
        except pysolvers.error as error:
            if "keyboard interrupt" in str(error):
                raise KeyboardInterrupt from None
            raise
