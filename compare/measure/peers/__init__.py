"""Races against other packages. Each peer has a module here that is named like the package and sets `RACES`.

The peers are the extra `peers`. Only `compare speed` needs them, and a module imports its peer inside its functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from puzzles.text import UnknownName


@dataclass(frozen=True)
class RaceInput:
    """One input and what each side does with it. What both need beforehand is prepared earlier, so that it is not timed.

    Attributes:
        differ: (our result, their result) -> how they differ, for people; an empty text if they agree.
    """

    name: str
    ours: Callable[[], Any]
    theirs: Callable[[], Any]
    differ: Callable[[Any, Any], str]


@dataclass(frozen=True)
class Race:
    """One job that both sides can do: a row of the table.

    Attributes:
        name: the job and its inputs.
        ours, theirs: a backend or function of ours, and a function of the peer's.
        inputs: (seed) -> the inputs; the same seed gives the same inputs.
        target: the least ratio of their seconds to ours that we aim at; 0 if there is no aim.
    """

    name: str
    ours: str
    theirs: str
    inputs: Callable[[int], Iterator[RaceInput]]
    target: float = 0.0


@dataclass(frozen=True)
class Peer:
    """Another package.

    Attributes:
        name: of the package, and of its module here (without hyphens).
        version: None if it is not installed.
    """

    name: str
    version: str | None
    races: tuple[Race, ...]


def names() -> list[str]:
    """All peers, installed or not."""
    return sorted(path.stem for path in Path(__file__).parent.glob("*.py") if path.stem != "__init__")


def get(name: str) -> Peer:
    """The peer of that name; raises `UnknownName`."""
    if name not in names():
        raise UnknownName("peer", name, names())
    module = import_module(f"compare.measure.peers.{name}")
    return Peer(name, _version(getattr(module, "PACKAGE", name), getattr(module, "MODULE", name)), module.RACES)


def _version(package: str, module: str) -> str | None:
    if find_spec(module) is None:
        return None
    try:
        return version(package)
    except PackageNotFoundError:
        return "of unknown version"
