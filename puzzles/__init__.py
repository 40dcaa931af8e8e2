"""The puzzles: boards, text formats, answers, independent checks, families and pictures."""

from __future__ import annotations

from puzzles import interruption

# The line above puts Ctrl-C in order, so nothing else is imported before it.
# isort: split
from contextlib import suppress
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

from puzzles.broken import BrokenPuzzle
from puzzles.puzzle import Puzzle
from puzzles.text import UnknownName, UserError

__all__ = ["get", "interruption", "loadable", "names"]


def names() -> list[str]:
    """The names of all puzzles: the packages in this folder."""
    return [module.name for module in iter_modules(__path__) if module.ispkg]


def loadable() -> list[Puzzle[Any, Any]]:
    """The puzzles that can be loaded. `get` says of another one what is wrong with it."""
    loaded_ones: list[Puzzle[Any, Any]] = []
    for name in names():
        with suppress(BrokenPuzzle):
            loaded_ones.append(get(name))
    return loaded_ones


@cache
def get(name: str) -> Puzzle[Any, Any]:
    """The puzzle of this name; raises `UnknownName`, or `BrokenPuzzle` if its files cannot be imported."""
    if name not in names():
        raise UnknownName("puzzle", name, names())
    return loaded(name, f"puzzles.{name}").PUZZLE


def loaded(puzzle: str, module: str) -> ModuleType:
    """A module of a puzzle; raises `BrokenPuzzle` if it, or a module of this project that it imports, cannot be imported."""
    try:
        return import_module(module)
    except (UserError, KeyboardInterrupt):
        raise
    except Exception as error:
        raise BrokenPuzzle(puzzle, error) from error
