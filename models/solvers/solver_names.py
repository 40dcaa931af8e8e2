"""The names of SAT solvers of every kind, and the options of command lines about solvers.

A solver of python-sat has python-sat's name. A library with the IPASIR interface is a path that
ends in `.so` or `.dylib`, and `ipasir:PATH` its full name. A Python class is `FILE.py:CLASS`. A
command that runs a program contains `{cnf}` and is its own name.
python-sat is imported when one of its names is first looked up.
"""

from __future__ import annotations

from functools import cache

from models.cpsat import MAX_CPSAT_WORKERS
from models.solvers.external import command_of, is_command
from models.solvers.ipasir import PREFIX, is_library, library_path
from models.solvers.solver_class import file_of, is_class
from puzzles.shell.argument_parser import Argument, whole
from puzzles.text import UnknownName

DEFAULT_SOLVER = "cadical153"

OTHER_KINDS = (
    "or a shared library with the IPASIR interface (./libsolver.so), a Python class "
    "(FILE.py:CLASS), or a command that solves DIMACS: 'kissat {cnf}', or 'minisat {cnf} {out}' "
    "where it writes its model to a file"
)
"""What a solver may be beside one of python-sat, for the help."""

SOLVER_ARGUMENT = Argument("--solver", metavar="S", is_command=True)
CPSAT_WORKERS = Argument(
    "--cpsat-workers",
    f"threads of CP-SAT, in the backends `cpsat`: 1 to {MAX_CPSAT_WORKERS} (default: 1, so that a "
    "run can be repeated)",
    metavar="N",
    type=whole(1, MAX_CPSAT_WORKERS),
)

SINGLE_CALL = ("kissat404",)
"""Solvers that can be called only once.

They ignore assumptions, so they find no cores, and abort on a second call.
"""


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
    """The full name of a solver, from any of python-sat's names for it; of a file, with its
    absolute path.

    Raises:
        UnknownName: python-sat has no such solver, or cannot open it on this machine.
        UserError: the command's program, the library or the file does not exist.
    """
    if is_command(name):
        command_of(name)
        return name
    if is_library(name):
        return f"{PREFIX}{library_path(name)}"
    if is_class(name):
        path, class_name = file_of(name)
        return f"{path}:{class_name}"
    return _name_of_python_sat(name)


@cache
def _name_of_python_sat(name: str) -> str:
    """The full name of one of python-sat's solvers.

    Each session asks for it, and there are many small ones.
    """
    from pysat.solvers import SolverNames

    for full_name in solvers():
        if name.lower() in (full_name, *getattr(SolverNames, full_name)):
            return full_name
    other_kinds = "; or name a library (.so), a class (FILE.py:CLASS), or a command with {cnf}"
    raise UnknownName("solver", name, list(solvers()), other_kinds)


def is_of_python_sat(name: str) -> bool:
    """Whether this full name is that of one of python-sat's own solvers.

    Their models name all variables in order, from 1 on.
    """
    return not is_command(name) and not runs_foreign_code(name)


def runs_foreign_code(name: str) -> bool:
    """Whether foreign code runs in the process that opens the solver: a library's or a
    Python file's.
    """
    return not is_command(name) and (is_library(name) or is_class(name))


def core_solver(name: str) -> str:
    """The solver that finds cores: this one, or the default solver if this one takes no
    assumptions, or starts anew each time.
    """
    return DEFAULT_SOLVER if name in SINGLE_CALL or is_command(name) else name


def called_once(*_: object, solver: str, **__: object) -> str:
    """Why backends that call a solver again refuse this one (`Backend.refuses`); empty if not."""
    name = solver_name(solver)
    return f"{name} can be called only once" if name in SINGLE_CALL else ""
