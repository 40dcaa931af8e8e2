"""What the puzzles are: boards, text formats, answers, independent checks, families, pictures."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from puzzles.puzzle import Puzzle
from puzzles.text import UnknownName

__all__ = ["get", "names"]


def names() -> list[str]:
    """The puzzles there are: the packages in this folder."""
    return [module.name for module in iter_modules(__path__) if module.ispkg]


@cache
def get(name: str) -> Puzzle:
    """The puzzle of that name.

    Raises:
        UnknownName: there is none.
    """
    if name not in names():
        raise UnknownName("puzzle", name, names())
    return import_module(f"puzzles.{name}").PUZZLE
