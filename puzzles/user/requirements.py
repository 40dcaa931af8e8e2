"""What the file of a puzzle of one's own must have; each thing that is missing or wrong is a message with its line."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from inspect import Parameter, signature
from traceback import walk_tb
from types import ModuleType
from typing import Any

import puzzles
from puzzles.backend import SIDES, Backend
from puzzles.case import Case, CasePuzzle
from puzzles.case_solution import CaseSolutionPuzzle
from puzzles.grid import Board, GridPuzzle
from puzzles.puzzle import Puzzle
from puzzles.solution import SolutionPuzzle
from puzzles.user.user_file import PuzzleFault, UserFile, fault, place_of, place_of_class

_NAME = re.compile(r"[a-z][a-z0-9_-]*")

RESERVED = ("all", "formula")
"""Words that a command takes in the place of a puzzle's name."""

OF_PACKAGES = ("graph", "two-sat")
"""Names that only the puzzle of an installed package may have, for this project's own package has them."""

_EXPECTED = (
    "write a class of your own from puzzles.solution.SolutionPuzzle (boards) or puzzles.case_solution.CaseSolutionPuzzle (any "
    "other input), and below it PUZZLE = NAME()"
)


def the_puzzle(file: UserFile, module: ModuleType) -> Puzzle:
    """The one puzzle of the file, or of the folder's `__init__.py`."""
    instances = {id(each): each for each in vars(module).values() if isinstance(each, Puzzle)}
    own = [each for each in instances.values() if _is_of(type(each), module.__name__)]
    if len(own) > 1:
        named = ", ".join(type(each).__name__ for each in own)
        raise fault(file, None, f"it holds {len(own)} puzzles ({named}): keep one in each file")
    if own:
        return own[0]
    classes = _classes(vars(module), module.__name__)
    if not classes:
        raise fault(file, None, f"there is no puzzle in it: {_EXPECTED}")
    place, name = place_of_class(file, classes[-1]), classes[-1].__name__
    raise fault(file, place, f"the class {name} has no instance: write PUZZLE = {name}() below it")


def lacks_methods(file: UserFile, error: TypeError) -> PuzzleFault | None:
    """The fault that a class cannot have an instance because it lacks methods; None if there is no such class."""
    for frame, _ in walk_tb(error.__traceback__):
        for kind in reversed(_classes(frame.f_globals, file.module) if frame.f_code.co_filename in file.texts else []):
            missing = sorted(getattr(kind, "__abstractmethods__", ()))
            if missing:
                return fault(file, place_of_class(file, kind), f"the class {kind.__name__} lacks {_listed(kind, missing)}")
    return None


def examine(file: UserFile, puzzle: Puzzle, backends: Sequence[Backend]) -> None:
    """Raise `PuzzleFault` for whatever would go wrong later."""
    kind = type(puzzle)
    place = place_of_class(file, kind)
    _examine_name(file, place, puzzle)
    if isinstance(puzzle, GridPuzzle):
        _examine_board_type(file, place, puzzle)
    if isinstance(puzzle, CasePuzzle):
        _examine_case_type(file, place, puzzle)
    if isinstance(puzzle, CaseSolutionPuzzle):
        solution = type(puzzle)
        if solution.check is CaseSolutionPuzzle.check and solution.broken_rule is CaseSolutionPuzzle.broken_rule:
            raise fault(file, place, f"the class {kind.__name__} has no rules: write broken_rule(self, case, witness), or check")
    if isinstance(puzzle, SolutionPuzzle):
        solution = type(puzzle)
        if solution.check is SolutionPuzzle.check and solution.broken_rule is SolutionPuzzle.broken_rule:
            raise fault(file, place, f"the class {kind.__name__} has no rules: write broken_rule(self, board, solution), or check")
    formats: Any = getattr(puzzle, "formats", None)
    if not isinstance(formats, tuple) or not formats or not all(isinstance(each, str) for each in formats):
        raise fault(file, place, f"formats is {formats!r:.60}: expected a tuple of texts, the default first, such as ('plain',)")
    labels: dict[str, Backend] = {}
    for backend in backends:
        _examine_backend(file, puzzle, backend)
        first = labels.setdefault(backend.label, backend)
        if first is not backend:
            other = place_of(file, first.function) or "elsewhere"
            raise fault(file, place_of(file, backend.function), f"{other} has a backend {backend.label} already: rename one")


def wrong_name(name: object, *, installed: bool = False) -> str:
    """Why a puzzle of one's own cannot have this name, as a clause with the remedy; empty if it can."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        return f"the name is {name!r:.60}: expected small letters, digits, - and _, such as lights"
    if name in puzzles.names():
        return f"{name} is the name of a puzzle of Twofold: choose another name"
    taken = name in RESERVED or (name in OF_PACKAGES and not installed)
    return f"the name {name} has a meaning of its own in commands: choose another name" if taken else ""


def _examine_name(file: UserFile, place: str | None, puzzle: Puzzle) -> None:
    name: Any = getattr(puzzle, "name", None)
    wrong = wrong_name(name, installed=bool(file.installed_as))
    if wrong:
        raise fault(file, place, wrong)
    if file.installed_as and name != file.argument:
        raise fault(file, place, f"name is {name!r}, but it is installed as the puzzle {file.argument}: make the two names equal")
    other = puzzles.user_files().get(name)
    if other is not None and other.path != file.path:
        raise fault(file, place, f"{other.argument} holds a puzzle {name} already: choose another name")


def _examine_board_type(file: UserFile, place: str | None, puzzle: GridPuzzle) -> None:
    board_type: Any = getattr(puzzle, "board_type", None)
    if not isinstance(board_type, type) or not issubclass(board_type, Board):
        raise fault(file, place, f"board_type is {board_type!r:.60}: expected your class of boards, from puzzles.grid.Board")
    place = place_of_class(file, board_type)
    alphabet: Any = getattr(board_type, "alphabet", None)
    if not isinstance(alphabet, bytes) or not alphabet or not alphabet.isascii() or any(each <= 32 for each in alphabet):
        raise fault(file, place, f"alphabet is {alphabet!r:.60}: expected a board's characters as bytes, such as alphabet = b'.#'")
    if getattr(board_type, "puzzle", None) != puzzle.name:
        named = getattr(board_type, "puzzle", None)
        raise fault(
            file, place, f"the boards are of the puzzle {named!r}: expected the puzzle's own name, puzzle = {puzzle.name!r}"
        )


def _examine_case_type(file: UserFile, place: str | None, puzzle: CasePuzzle) -> None:
    case_type: Any = getattr(puzzle, "case_type", None)
    if not isinstance(case_type, type) or not issubclass(case_type, Case):
        raise fault(file, place, f"case_type is {case_type!r:.60}: expected your class of cases, from puzzles.case.Case")
    place = place_of_class(file, case_type)
    missing = sorted(getattr(case_type, "__abstractmethods__", ()))
    if missing:
        raise fault(file, place, f"the class {case_type.__name__} lacks {_listed(case_type, missing)}")
    if getattr(case_type, "puzzle", None) != puzzle.name:
        named = getattr(case_type, "puzzle", None)
        raise fault(file, place, f"the cases are of the puzzle {named!r}: expected the puzzle's own name, puzzle = {puzzle.name!r}")


def _examine_backend(file: UserFile, puzzle: Puzzle, backend: Backend) -> None:
    place = place_of(file, backend.function)
    if backend.side not in SIDES:
        raise fault(file, place, f"the side of backend {backend.name} is {backend.side!r}: expected {' or '.join(SIDES)}")
    if backend.puzzle != puzzle.name:
        raise fault(
            file, place, f"the backend {backend.label} is for {backend.puzzle!r}: expected this file's puzzle, {puzzle.name!r}"
        )
    if not _takes(backend.function, "board", certify=True):
        raise fault(file, place, f"the backend {backend.label} must be called as solve(board, *, certify=False) is")
    missing = [option for option in backend.options if option not in signature(backend.function).parameters]
    if missing:
        raise fault(file, place, f"the backend {backend.label} has no parameter {', '.join(missing)}, which its options name")


def _takes(function: Callable[..., Any], *args: Any, **named: Any) -> bool:
    try:
        bound = signature(function).bind(*args, **named)
    except TypeError:
        return False
    certify = bound.signature.parameters.get("certify")
    return certify is None or certify.default is not Parameter.empty


def _classes(names: Mapping[str, Any], package: str) -> list[type[Puzzle]]:
    """The classes of puzzles that the file or folder defines, in their order."""
    values = [each for each in names.values() if isinstance(each, type) and issubclass(each, Puzzle)]
    return [each for each in dict.fromkeys(values) if _is_of(each, package)]


def _is_of(kind: type, package: str) -> bool:
    return kind.__module__ == package or kind.__module__.startswith(f"{package}.")


def _listed(kind: type, names: Sequence[str]) -> str:
    """The methods, each with the beginning of what its docstring asks for."""
    asked = [(name, (getattr(kind, name).__doc__ or "").partition("\n")[0]) for name in names]
    return "; ".join(f"{name}: {what}" for name, what in asked)
