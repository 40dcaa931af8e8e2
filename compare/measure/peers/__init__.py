"""Races against other packages: a module here for each peer, named as the package, which sets `RACES`.

The peers are the extra `peers`: nothing but `compare peers` needs them, and a module imports its peer inside its functions.
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
class Heat:
    """One input, and what either side does with it; what both need beforehand is made before, so that it is not timed.

    Attributes:
        differ: (our result, theirs) -> what they differ in, for people; an empty text where they agree.
    """

    name: str
    ours: Callable[[], Any]
    theirs: Callable[[], Any]
    differ: Callable[[Any, Any], str]


@dataclass(frozen=True)
class Race:
    """One job that both sides can do: a row of the table.

    Attributes:
        name: what is done, on which inputs.
        ours, theirs: what does it: a backend or function of ours, a function of the peer's.
        heats: seed -> the inputs; the same seed gives the same.
        target: the least ratio of their seconds to ours that is asked for; 0 where none is.
    """

    name: str
    ours: str
    theirs: str
    heats: Callable[[int], Iterator[Heat]]
    target: float = 0.0


@dataclass(frozen=True)
class Peer:
    """Another package.

    Attributes:
        name: the package's name, as it is installed and as its module here is called but for hyphens.
        version: None where it is not installed.
    """

    name: str
    version: str | None
    races: tuple[Race, ...]


def names() -> list[str]:
    """The peers that there are, installed or not."""
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
