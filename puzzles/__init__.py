"""The puzzles: boards, text formats, answers, independent checks, families and pictures."""

from __future__ import annotations

from puzzles import interruption

# The line above puts Ctrl-C in order, so nothing else is imported before it.
# isort: split
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from puzzles.puzzle import Puzzle
from puzzles.text import UnknownName

__all__ = ["get", "interruption", "names"]


def names() -> list[str]:
    """The names of all puzzles: the packages in this folder."""
    return [module.name for module in iter_modules(__path__) if module.ispkg]


@cache
def get(name: str) -> Puzzle[Any, Any]:
    """The puzzle of this name; raises `UnknownName`."""
    if name not in names():
        raise UnknownName("puzzle", name, names())
    return import_module(f"puzzles.{name}").PUZZLE
