"""Solvers in shared libraries with the IPASIR interface. They keep what they have learnt from one
call to the next.

The interface has nine C functions (T. Balyo, A. Biere, M. Iser, C. Sinz: SAT Race 2015, Artificial
Intelligence 241, 2016). Many solvers offer it, CaDiCaL and CryptoMiniSat among them. A library's
code runs in the process that loads it, so `compare` loads it only in processes of its own.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from pathlib import Path

from models.solvers.sat_solver import ModelRefused, SatSolver, SolverFailure
from puzzles.text import UserError

PREFIX = "ipasir:"
LIBRARY_SUFFIXES = (".so", ".dylib")
"""How the name of such a solver begins; the path of the library follows."""

_SATISFIABLE, _UNSATISFIABLE = 10, 20

_SOLVER = ctypes.c_void_p
_FUNCTIONS = {
    "ipasir_init": (_SOLVER, []),
    "ipasir_release": (None, [_SOLVER]),
    "ipasir_add": (None, [_SOLVER, ctypes.c_int]),
    "ipasir_assume": (None, [_SOLVER, ctypes.c_int]),
    "ipasir_solve": (ctypes.c_int, [_SOLVER]),
    "ipasir_val": (ctypes.c_int, [_SOLVER, ctypes.c_int]),
    "ipasir_failed": (ctypes.c_int, [_SOLVER, ctypes.c_int]),
}
"""The functions that are called, with the types of their results and arguments."""


def is_library(name: str) -> bool:
    """Whether this names a library: by its full name, or by the path of a file."""
    return name.startswith(PREFIX) or name.endswith(LIBRARY_SUFFIXES)


def library_path(name: str) -> Path:
    """The library's absolute path; raises `UserError` if there is no such file."""
    path = Path(name.removeprefix(PREFIX))
    if not path.is_file():
        raise UserError(
            f"--solver {path}: there is no such file; name a shared library with the IPASIR "
            "interface"
        )
    return path.resolve()


class IpasirSolver(SatSolver):
    """A solver of a library, with python-sat's methods."""

    def __init__(self, name: str) -> None:
        """Load the library.

        Raises:
            UserError: it cannot be loaded, or it lacks a function of the interface.
        """
        self._name = name
        self._named: set[int] = set()  # the variables that the library has been given
        path = library_path(name)
        try:
            self._library = ctypes.CDLL(str(path))
        except OSError as error:
            raise UserError(f"--solver {path} cannot be loaded: {error}") from None
        for function, (result, arguments) in _FUNCTIONS.items():
            try:
                entry = getattr(self._library, function)
            except AttributeError:
                raise UserError(
                    f"--solver {path} has no function {function}, so it is no IPASIR library"
                ) from None
            entry.restype, entry.argtypes = result, arguments
        self._solver = self._library.ipasir_init()
        self._assumed: list[int] = []

    def add_clause(self, clause: Sequence[int]) -> None:
        for literal in clause:
            self._library.ipasir_add(self._solver, literal)
            self._named.add(abs(literal))
        self._library.ipasir_add(self._solver, 0)

    def solve(self, assumptions: Sequence[int] = ()) -> bool | None:
        """Whether the clauses are satisfiable under the assumptions; None if the library returns 0,
        which says "unknown".

        Raises:
            SolverFailure: it returns something else.
        """
        self._assumed = list(assumptions)
        for literal in assumptions:
            self._library.ipasir_assume(self._solver, literal)
            self._named.add(abs(literal))
        status = self._library.ipasir_solve(self._solver)
        if status not in (0, _SATISFIABLE, _UNSATISFIABLE):
            raise SolverFailure(
                self._name,
                f"returned {status}; IPASIR knows 10 (satisfiable), 20 (unsatisfiable) and 0 "
                "(unknown)",
            )
        return None if status == 0 else status == _SATISFIABLE

    def get_model(self) -> list[int]:
        """The literals that are true. A variable of which the library says 0 may have either value,
        and is left out.

        Only variables that a clause or an assumption has are asked for, each with both signs. The
        library has never seen the others, and these may have either value.

        Raises:
            ModelRefused: the library says that a literal and its negation are both true, or both
                false, or names another variable.
        """
        model: list[int] = []
        for variable in sorted(self._named):
            value, negated = (
                self._library.ipasir_val(self._solver, literal) for literal in (variable, -variable)
            )
            values = {value, negated} - {0}
            if len(values) > 1 or not values <= {variable, -variable}:
                raise ModelRefused(
                    self._name,
                    f"returned {value} from ipasir_val({variable}) and {negated} from "
                    f"ipasir_val({-variable}): expected {variable} from both if the variable is "
                    f"true, {-variable} if it is false, 0 if it may be either",
                )
            model += values
        return model

    def get_core(self) -> list[int]:
        return [
            literal
            for literal in self._assumed
            if self._library.ipasir_failed(self._solver, literal)
        ]

    def delete(self) -> None:
        if self._solver:
            self._library.ipasir_release(self._solver)
            self._solver = None
