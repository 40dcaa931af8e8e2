"""Solvers that are Python classes of somebody else: `FILE.py:CLASS`.

Such a class has python-sat's methods. It needs `add_clause(literals)`, `solve(assumptions=[])` and `get_model()`; `get_core()`,
`get_proof()` and the others are used where they are there. An object is made without arguments, or with `with_proof=True` if a
proof is wanted and the class takes that. The file is imported in the process that solves, so `compare` does that only in processes
of its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from inspect import signature
from pathlib import Path
from types import ModuleType
from typing import Any

from models.python_file import module_of
from puzzles.text import UserError

_NAME = re.compile(r"(?P<file>.+\.py):(?P<name>[A-Za-z_]\w*)")

NEEDED = ("add_clause", "solve", "get_model")
"""Methods without which nothing can be asked."""


def is_class(name: str) -> bool:
    """Whether this names a class in a file."""
    return _NAME.fullmatch(name) is not None


def file_of(name: str) -> tuple[Path, str]:
    """The absolute path of the file, and the name of the class; raises `UserError` if there is no such file."""
    parts = _NAME.fullmatch(name)
    assert parts is not None
    path = Path(parts["file"])
    if not path.is_file():
        raise UserError(f"--solver {name}: there is no file {path}")
    return path.resolve(), parts["name"]


class ClassSolver:
    """An object of such a class; a method that it lacks raises NotImplementedError."""

    def __init__(self, name: str, *, with_proof: bool = False) -> None:
        """Import the file and make an object.

        Raises:
            UserError: the file cannot be imported, or has no such class, or the class lacks a method that is needed.
        """
        path, class_name = file_of(name)
        solver_class = getattr(_imported(path, name), class_name, None)
        if not isinstance(solver_class, type):
            raise UserError(f"--solver {name}: {path} has no class {class_name}")
        missing = [method for method in NEEDED if not callable(getattr(solver_class, method, None))]
        if missing:
            raise UserError(f"--solver {name}: the class {class_name} has no method {missing[0]}; it needs {', '.join(NEEDED)}")
        takes_proof = with_proof and "with_proof" in signature(solver_class).parameters
        self._solver: Any = solver_class(with_proof=True) if takes_proof else solver_class()

    def add_clause(self, clause: Sequence[int]) -> None:
        self._solver.add_clause(list(clause))

    def solve(self, assumptions: Sequence[int] = ()) -> bool | None:
        return self._solver.solve(assumptions=list(assumptions)) if assumptions else self._solver.solve()

    def get_model(self) -> list[int] | None:
        return self._solver.get_model()

    def get_core(self) -> list[int] | None:
        return self._method("get_core")()

    def get_proof(self) -> list[str] | None:
        return self._method("get_proof")()

    def propagate(self, assumptions: Sequence[int] = ()) -> tuple[bool, list[int]]:
        return self._method("propagate")(assumptions=list(assumptions))

    def set_phases(self, literals: Sequence[int]) -> None:
        self._method("set_phases")(list(literals))

    def conf_budget(self, conflicts: int) -> None:
        self._method("conf_budget")(conflicts)

    def solve_limited(self) -> bool | None:
        return self._method("solve_limited")()

    def delete(self) -> None:
        delete = getattr(self._solver, "delete", None)
        if delete is not None:
            delete()

    def _method(self, name: str) -> Any:
        method = getattr(self._solver, name, None)
        if method is None:
            raise NotImplementedError
        return method


def _imported(path: Path, name: str) -> ModuleType:
    """The module of the file; raises `UserError` if it cannot be imported."""
    try:
        return module_of(path)
    except Exception as error:
        raise UserError(f"--solver {name}: {path} cannot be imported: {type(error).__name__}: {error}") from error
