"""Opening a solver of any kind by its name, with a formula in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import py_object, pythonapi
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

    python-sat turns an interruption into an error of its own, which here becomes a KeyboardInterrupt. An interrupted solver is
    never deleted, because deleting it may crash.
    """
    import pysolvers
    from pysat.solvers import Solver

    from models.solvers.uninterrupted import UninterruptedCadical, may_go_uninterrupted

    with paused_collector():
        if name == "cadical153" and may_go_uninterrupted():
            with UninterruptedCadical(bootstrap_with=formula.clauses, with_proof=with_proof) as uninterrupted:
                yield cast("SatSolver", uninterrupted)
            return
        solver = Solver(name=name, bootstrap_with=formula.clauses, with_proof=with_proof)
        try:
            yield cast("SatSolver", solver)
        except pysolvers.error as error:
            if "keyboard interrupt" in str(error):
                pythonapi.Py_IncRef(py_object(solver.solver))
                solver.solver = None
                raise KeyboardInterrupt from None
            raise
        finally:
            solver.delete()
