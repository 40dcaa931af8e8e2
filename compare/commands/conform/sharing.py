"""Functions that two of the three use: both sides, or the check and a side. Their agreement then
proves nothing of these.

The functions are read off the source by name: from a backend, or from the check, along every name
that a function mentions. Instances and answers are the statement of the puzzle, which all share.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from inspect import unwrap
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from compare.commands.conform.corpus import Finding, failed
from puzzles.answer import Answer
from puzzles.backend import SIDE_NAMES, all_backends
from puzzles.instance import Instance
from puzzles.puzzle import Puzzle
from puzzles.user.user_file import UserFile, place_of

_RULES = ("check", "broken_rule", "core_fault", "value", "bound_fault", "candidates", "lacking")
"""The methods of a puzzle that judge answers.

A folder may have a module `check` with a function `check` in their place.
"""


class Definition(NamedTuple):
    """A function or a class of a puzzle's files.

    Attributes:
        module: the name under which its file is imported.
        node: where it is defined.
    """

    module: str
    node: ast.FunctionDef | ast.ClassDef


def sharing(puzzle: Puzzle) -> Iterator[Finding]:
    """No function is used by both sides, or by the check and a side."""
    file = puzzle.origin.user_file
    if file is None:
        return  # for built-in puzzles a test reads every import
    known = _Definitions(file, puzzle)
    uses = {side: known.reach(known.backends(side)) for side in SIDE_NAMES}
    uses["the check"] = known.reach(known.rules())
    for one, other in combinations(uses, 2):
        for name in sorted(uses[one] & uses[other] - known.statement):
            each = known.by_name[name]
            path = file.display_name(file.modules[each.module])
            yield failed(
                f"{path}:{each.node.lineno}: {one} and {other} "
                f"both use {name}: their agreement says nothing of it: write it twice, in two "
                "different ways"
            )


def _functions(node: ast.AST, around: str = "") -> Iterator[tuple[str, ast.FunctionDef]]:
    """Every function below a node, by its name with the classes and functions around it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.ClassDef):
            name = f"{around}.{child.name}".strip(".")
            if isinstance(child, ast.FunctionDef):
                yield name, child
            yield from _functions(child, name)
        else:
            yield from _functions(child, around)


class _Definitions:
    """The functions and classes of a puzzle's files by name, with the class around a method, as in
    `Lights.forbidden`; and which of them each one mentions.

    Attributes:
        statement: the names of what is an instance, an answer, or a part of one.
    """

    def __init__(self, file: UserFile, puzzle: Puzzle) -> None:
        self._file, self._puzzle = file, puzzle
        self._kinds = {
            kind.__name__ for kind in type(puzzle).__mro__ if place_of(file, kind) is not None
        }
        self._rooms = {Path(path).stem for path in file.texts}
        self.by_name: dict[str, Definition] = {}
        for module, path in file.modules.items():
            for node in ast.parse(file.texts.get(path, "")).body:
                if isinstance(node, ast.FunctionDef | ast.ClassDef):
                    self.by_name[node.name] = Definition(module, node)
                if isinstance(node, ast.ClassDef) and node.name in self._kinds:
                    for name, method in _functions(node, node.name):
                        self.by_name.setdefault(name, Definition(module, method))
        self._mentions = {name: self._find_mentions(name) for name in self.by_name}
        kinds = {
            name: getattr(sys.modules.get(each.module), name, None)
            for name, each in self.by_name.items()
        }
        self.statement = self.reach(
            {
                name
                for name, kind in kinds.items()
                if isinstance(kind, type) and issubclass(kind, Instance | Answer)
            }
        )

    def reach(self, roots: set[str]) -> set[str]:
        """The roots, and all that they mention, directly or not. Linear in the files."""
        reached, new = set[str](), set(roots)
        while new:
            reached |= new
            new = {name for each in new for name in self._mentions[each]} - reached
        return reached

    def backends(self, side: str) -> set[str]:
        """The functions of the backends of one side."""
        functions = [
            unwrap(function)
            for each in all_backends()
            if each.puzzle == self._puzzle.name and each.side == side
            for function in (each.function, each.many)
            if function is not None
        ]
        return {each.__name__ for each in functions} & self.by_name.keys()

    def rules(self) -> set[str]:
        """The methods and functions that judge answers."""
        methods = {
            f"{kind}.{name}" for kind in self._kinds for name in _RULES
        } & self.by_name.keys()
        check = self.by_name.get("check")
        if check is not None and Path(self._file.modules[check.module]).stem == "check":
            methods.add("check")
        return methods

    def _find_mentions(self, name: str) -> set[str]:
        """The definitions that one mentions: by name, as `self.NAME` in the puzzle's class, as
        `PUZZLE.NAME` or as `MODULE.NAME`.
        """
        names = set[str]()
        for node in ast.walk(self.by_name[name].node):
            if isinstance(node, ast.Name):
                names.add(node.id)
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                if node.value.id in ("self", "PUZZLE"):
                    names |= {f"{kind}.{node.attr}" for kind in self._kinds}
                elif node.value.id in self._rooms:
                    names.add(node.attr)
        return (names & self.by_name.keys()) - {name}
