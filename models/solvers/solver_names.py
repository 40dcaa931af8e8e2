"""The names of the SAT solvers: python-sat's own, or a command that runs a program.

python-sat is imported when a name is first looked up.
"""

from __future__ import annotations

from functools import cache

from models.solvers import external
from puzzles.text import UnknownName

DEFAULT_SOLVER = "cadical153"

SINGLE_CALL = ("kissat404",)
"""Solvers that can be called only once. They ignore assumptions, so they find no cores, and abort on a second call."""


@cache
def solvers() -> tuple[str, ...]:
    """The full names of python-sat's solvers that can be opened on this machine."""
    from pysat.solvers import NoSuchSolverError, Solver, SolverNames

    names: list[str] = []
    for name in sorted(vars(SolverNames)):
        if name.startswith("_"):
            continue
        try:
            Solver(name=name).delete()
        except (NoSuchSolverError, ImportError, AssertionError, NameError):
            continue
        names.append(name)
    return tuple(names)


def solver_name(name: str) -> str:
    """The full name of a solver, from any of python-sat's names for it. A command that contains `{cnf}` is its own name.

    Raises:
        UnknownName: python-sat has no such solver, or cannot open it on this machine.
        UserError: the command's program does not exist.
    """
    from pysat.solvers import SolverNames

    if external.is_command(name):
        external.command_of(name)
        return name

    for full_name in solvers():
        if name.lower() in (full_name, *getattr(SolverNames, full_name)):
            return full_name
    raise UnknownName("solver", name, list(solvers()))


def core_solver(name: str) -> str:
    """The solver that finds cores: this one, or the default solver if this one takes no assumptions."""
    return DEFAULT_SOLVER if name in SINGLE_CALL or external.is_command(name) else name


def called_once(*_: object, solver: str, **__: object) -> bool:
    """Whether the solver can be called only once. Backends that call it again refuse it (`Backend.refuses`)."""
    return solver_name(solver) in SINGLE_CALL
