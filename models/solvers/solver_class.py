"""Solvers that are foreign Python classes: `FILE.py:CLASS`.

Such a class has python-sat's methods. It needs `add_clause(literals)`, `solve(assumptions=[])` and
`get_model()`; `get_core()`, `get_proof()` and the others are used where they are there. An object
is made without arguments, or with `with_proof=True` if a proof is wanted and the class takes that.
The file is imported in the process that solves, so `compare` does that only in processes of its
own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from inspect import signature
from operator import index
from pathlib import Path
from typing import Any

import numpy as np

from models.python_file import file_at, module_of
from models.solvers.sat_solver import ModelRefused, SatSolver, SolverDied, SolverFailure
from puzzles.text import UserError
from puzzles.user.user_file import place_of_error

_NAME = re.compile(r"(?P<file>.+\.py):(?P<name>[A-Za-z_]\w*)")

_NEEDED = ("add_clause", "solve", "get_model")
"""Methods without which nothing can be asked."""

FURTHER = ("set_phases", "conf_budget", "delete")
"""Methods that are used as they are if the class has them: what they return is not read."""


def is_class(name: str) -> bool:
    """Whether this names a class in a file."""
    return _NAME.fullmatch(name) is not None


def file_of(name: str) -> tuple[Path, str]:
    """The absolute path of the file, and the name of the class; raises `UserError` if there is no
    such file.
    """
    parts = _NAME.fullmatch(name)
    assert parts is not None
    path = Path(parts["file"])
    if not path.is_file():
        raise UserError(f"--solver {name}: there is no file {path}")
    return path.resolve(), parts["name"]


class ClassSolver(SatSolver):
    """An object of such a class; a method that it lacks raises NotImplementedError."""

    def __init__(self, name: str, *, with_proof: bool = False) -> None:
        """Import the file and make an object.

        Raises:
            UserError: the file cannot be imported, or has no such class, or the class lacks a
                method that is needed.
        """
        path, class_name = file_of(name)
        try:
            solver_class = getattr(module_of(path), class_name, None)
        except UserError as error:
            raise UserError(f"--solver {name}: {error}") from None
        if not isinstance(solver_class, type):
            raise UserError(f"--solver {name}: {path} has no class {class_name}")
        missing = [
            method for method in _NEEDED if not callable(getattr(solver_class, method, None))
        ]
        if missing:
            raise UserError(
                f"--solver {name}: the class {class_name} has no method {missing[0]}; it needs "
                f"{', '.join(_NEEDED)}"
            )
        self._name, self._path = name, path
        takes_proof = with_proof and "with_proof" in signature(solver_class).parameters
        self._solver: Any = self._ask(solver_class, **({"with_proof": True} if takes_proof else {}))
        for method in FURTHER:
            if hasattr(self._solver, method):
                setattr(self, method, partial(self._ask, getattr(self._solver, method)))

    def add_clause(self, clause: Sequence[int]) -> None:
        self._ask(self._solver.add_clause, list(clause))

    def solve(self, assumptions: Sequence[int] = ()) -> bool | None:
        words = {"assumptions": list(assumptions)} if assumptions else {}
        return self._verdict("solve", **words)

    def solve_limited(self) -> bool | None:
        return self._verdict("solve_limited")

    def get_model(self) -> list[int]:
        return self._literals("get_model", self._call("get_model"), failure=ModelRefused)

    def get_core(self) -> list[int] | None:
        """As python-sat, None if the clauses contradict each other without any assumption."""
        value = self._call("get_core")
        return None if value is None else self._literals("get_core", value)

    def get_proof(self) -> list[str] | None:
        expected = "a list of strings, the lines of a DRAT proof"
        value = self._call("get_proof")
        if value is None:
            return None
        lines = None if isinstance(value, str | bytes) else _list(value)
        wrong = [each for each in lines or [] if not isinstance(each, str)]
        if lines is None or wrong:
            raise self._unexpected_value("get_proof", value, expected)
        return lines

    def propagate(self, assumptions: Sequence[int] = ()) -> tuple[bool, list[int]]:
        value = self._call("propagate", assumptions=list(assumptions))
        parts = _list(value) or []
        if len(parts) != 2 or not isinstance(parts[0], bool | np.bool_):
            raise self._unexpected_value(
                "propagate", value, "a pair of True or False and a list of literals"
            )
        return bool(parts[0]), self._literals("propagate", parts[1])

    def _verdict(self, method: str, **words: Any) -> bool | None:
        verdict = self._call(method, **words)
        if verdict is None or isinstance(verdict, bool | np.bool_):
            return None if verdict is None else bool(verdict)
        raise self._unexpected_value(method, verdict, "True, False or None")

    def _literals(
        self, method: str, value: Any, failure: type[SolverFailure] = SolverFailure
    ) -> list[int]:
        """The literals of a list that a method returned; raises `failure` if it is none."""
        try:
            if isinstance(value, Mapping):  # its values would be lost
                raise TypeError
            elements = list(value)
            if any(isinstance(each, bool) for each in elements):  # the values of variables
                raise TypeError
            literals = [index(each) for each in elements]
        except TypeError:
            raise self._unexpected_value(method, value, "a list of literals", failure) from None
        if 0 in literals:
            raise failure(self._name, f"returned a literal 0 from {method}: variables count from 1")
        return literals

    def _unexpected_value(
        self, method: str, value: Any, expected: str, failure: type[SolverFailure] = SolverFailure
    ) -> SolverFailure:
        """What is wrong with a value that a method returned."""
        return failure(self._name, f"returned {_quote(value)} from {method}: expected {expected}")

    def _call(self, method: str, **words: Any) -> Any:
        """What a method returns; raises NotImplementedError if the class has none of this name."""
        if not hasattr(self._solver, method):
            raise NotImplementedError
        return self._ask(getattr(self._solver, method), **words)

    def _ask(self, method: Callable[..., Any], *args: Any, **words: Any) -> Any:
        """What a method of the class returns; `SolverDied` with its line if it raises."""
        try:
            return method(*args, **words)
        except (NotImplementedError, MemoryError):
            raise
        except (Exception, SystemExit) as error:
            line = place_of_error(file_at(self._path), error)
            place = f" ({line})" if line else ""
            what = f"raised {type(error).__name__}: {error}".removesuffix(": ")
            raise SolverDied(self._name, f"{what}{place}") from None


def _list(value: Any) -> list[Any] | None:
    """The elements of a value; None if it has none."""
    try:
        return list(value)
    except TypeError:
        return None


def _quote(value: Any) -> str:
    """A value as a message shows it: the beginning, or its type if it cannot be shown."""
    try:
        return f"{value!r:.40}"
    except Exception:
        return f"a {type(value).__name__}"
