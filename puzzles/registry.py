"""The puzzles that this process has loaded, by name. It imports no puzzle:

`puzzles` says how one that is not here is loaded.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from puzzles.text import UserError

if TYPE_CHECKING:
    from puzzles.puzzle import Puzzle

_CHECKOUT = Path(__file__).parent.parent

known: dict[str, Puzzle[Any, Any]] = {}
"""The loaded puzzles, those of users among them."""

_load: Callable[[str], Puzzle[Any, Any]] | None = None


def set_loader(load: Callable[[str], Puzzle[Any, Any]]) -> None:
    """Have `get` load with this function what is not known; `puzzles` does so when it is
    imported.
    """
    global _load
    _load = load


def get(name: str) -> Puzzle[Any, Any]:
    """The puzzle of this name: of this project, of an installed package, or one of a user's that
    was loaded before.

    Raises:
        UnknownName: there is no puzzle of this name.
        BrokenPuzzle: files of this project cannot be imported.
        UserError: something is wrong in an installed package; the message says what, where, and
            what to do.
    """
    puzzle = known.get(name)
    if puzzle is None:
        assert _load is not None, "`puzzles` sets it"
        puzzle = _load(name)
    return puzzle


class BrokenPuzzle(UserError):
    """A puzzle, or a side of it, that cannot be imported; the message names the file and the
    line.
    """

    def __init__(self, puzzle: str, error: Exception) -> None:
        remedy = "mend that line, or take the puzzle's folder away"
        super().__init__(f"the puzzle {puzzle} cannot be loaded: {_place(error)}: {remedy}")
        self.puzzle = puzzle


def import_part(puzzle: str, module: str) -> ModuleType:
    """A module of a puzzle; raises `BrokenPuzzle` if it, or what it imports of this project, cannot
    be imported.
    """
    try:
        return import_module(module)
    except (UserError, KeyboardInterrupt):
        raise
    except Exception as error:
        raise BrokenPuzzle(puzzle, error) from error


def _place(error: Exception) -> str:
    """The file and line that raised, and what: of our files the innermost one."""
    if isinstance(error, SyntaxError) and error.filename:
        return (
            f"{_quote(error.filename)}:{error.lineno}:{error.offset}: {type(error).__name__}: "
            f"{error.msg}"
        )
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).is_relative_to(_CHECKOUT) and "site-packages" not in frame.filename
    ]
    where = f"{_quote(frames[-1].filename)}:{frames[-1].lineno}: " if frames else ""
    return f"{where}{type(error).__name__}: {error}"


def _quote(file: str) -> str:
    path = Path(file)
    return str(path.relative_to(_CHECKOUT)) if path.is_relative_to(_CHECKOUT) else file
