"""Where runs are made other than in processes of this machine.

A module of this folder that sets `PLACE` is such a place. It is found here, and `rm` of it takes
its option away. This file imports nothing of the project; `remote` says why.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from compare.engine.work.pool import Executor


@dataclass(frozen=True)
class Place:
    """A place where runs can be made.

    Attributes:
        name: what messages call it, such as "Dask cluster".
        option: the option that takes its address.
        help: what the help says of that option.
        executor: an executor there, for an address and plugins. It loads the users' puzzles that
            this process has loaded.
    """

    name: str
    option: str
    help: str
    executor: Callable[[str, tuple[str, ...]], AbstractContextManager[Executor]]


@dataclass(frozen=True)
class Destination:
    """Where runs are made: the name of a place, and the address there."""

    place: str
    address: str

    def __str__(self) -> str:
        return f"{self.place} at {self.address}"


@cache
def run_places() -> dict[str, Place]:
    """The places by their names."""
    modules = (import_module(f"{__name__}.{each.name}") for each in iter_modules(__path__))
    found = (getattr(module, "PLACE", None) for module in modules)
    return {each.name: each for each in found if each is not None}
