"""Changed code in the place of a module's own, in this process only: for a child that ends with its
measurement.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from mmap import mmap
from types import CodeType, ModuleType

from compare.engine.work.solving import ENDINGS
from tests.mutants.mutations import source_of, statements

SOLVERS = ("direct", "models")
"""The packages whose modules are changed."""

_MARKS = "__marks__"


class _Loader(Loader):
    """Runs other code in the place of the module's own."""

    def __init__(self, code: CodeType, names: dict[str, object]) -> None:
        self.code, self.names = code, names

    def exec_module(self, module: ModuleType) -> None:
        module.__dict__.update(self.names)
        exec(self.code, module.__dict__)


class _Finder(MetaPathFinder):
    """Finds the modules for which there is other code, in front of Python's own finders."""

    def __init__(self, loader_of: Callable[[str], Loader | None]) -> None:
        self.loader_of = loader_of

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        loader = self.loader_of(fullname)
        if loader is None:
            return None
        spec = PathFinder.find_spec(fullname, path)
        assert spec is not None
        spec.loader = loader
        return spec


def forget_solvers() -> None:
    """Make this process import every solver anew: the next look at a puzzle's backends imports and
    registers them.

    The packages themselves stay, for others hold their `SIDE`.
    """
    for name in [
        name for name in sys.modules if name.partition(".")[0] in SOLVERS and name not in SOLVERS
    ]:
        del sys.modules[name]
        package, _, last = name.rpartition(".")
        if package in SOLVERS and hasattr(sys.modules[package], last):
            delattr(
                sys.modules[package], last
            )  # `from direct import two_sat` would take it from there
    for package in SOLVERS:
        if package in sys.modules:
            sys.modules[package].SIDE._imported.clear()


def plant(module: str, code: CodeType) -> None:
    """From now on this process runs `code` as the module."""
    forget_solvers()
    sys.meta_path.insert(0, _Finder(lambda name: _Loader(code, {}) if name == module else None))
    renew_endings()


def renew_endings() -> None:
    """Give the exceptions of the solvers that were imported anew the statuses that those of the
    forgotten ones had.
    """
    statuses = {
        getattr(import_module(kind.__module__), kind.__name__): status
        for kind, status in ENDINGS.items()
    }
    ENDINGS.clear()
    ENDINGS.update(statuses)


class Marks:
    """Which statements of the solvers' functions this process and its forks have executed since it
    was last asked.
    """

    def __init__(self, modules: Sequence[str]) -> None:
        """From now on the modules mark every statement of their functions when they execute it."""
        self.modules = modules
        self._marks: dict[str, mmap] = {}  # memory that forks share
        forget_solvers()
        sys.meta_path.insert(0, _Finder(self._loader))

    def taken(self) -> dict[str, bytes]:
        """By module, a byte a statement: whether it was executed. All marks are taken away."""
        marks = {module: each[:] for module, each in self._marks.items() if any(each[:])}
        for each in self._marks.values():
            each[:] = bytes(len(each))
        return marks

    def _loader(self, module: str) -> Loader | None:
        if module not in self.modules:
            return None
        tree = ast.parse(source_of(module))
        numbers = {id(statement): k for k, statement in enumerate(statements(tree))}
        self._marks[module] = mmap(-1, max(1, len(numbers)))
        for function in [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]:
            for block in [body for node in ast.walk(function) for body in _blocks(node)]:
                block[:] = [
                    each
                    for statement in block
                    for each in (*_marking(numbers.pop(id(statement), None)), statement)
                ]
        return _Loader(
            compile(ast.fix_missing_locations(tree), module, "exec"), {_MARKS: self._marks[module]}
        )


def _blocks(node: ast.AST) -> list[list[ast.stmt]]:
    """The lists of statements directly in a node."""
    lists = (getattr(node, name, None) for name in ("body", "orelse", "finalbody"))
    return [
        each for each in lists if isinstance(each, list) and each and isinstance(each[0], ast.stmt)
    ]


def _marking(number: int | None) -> list[ast.stmt]:
    """The statement that marks the one with this number; none for a statement that has one
    already.
    """
    return [] if number is None else ast.parse(f"{_MARKS}[{number}] = 1").body
