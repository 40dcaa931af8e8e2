"""Puzzles in installed packages: a package names each of its puzzles in the entry-point group `twofold.puzzles`."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from puzzles.own.own_file import FIRST, OwnFile, read
from puzzles.text import UserError

GROUP = "twofold.puzzles"

OURS = "twofold"
"""The distribution of this project."""


class InstalledPuzzle(NamedTuple):
    """A puzzle that an installed distribution offers.

    Attributes:
        name: what commands call it.
        module: the module or package that holds it.
        distribution: the distribution, as `pip` calls it.
    """

    name: str
    module: str
    distribution: str

    def file(self) -> OwnFile:
        """Its files, which then travel like those of a path.

        Raises:
            UserError: the module cannot be found or read.
        """
        try:
            spec = find_spec(self.module)
        except Exception as error:  # a package above it may raise anything when it is imported
            raise self._fault(f"{type(error).__name__}: {error}") from None
        if spec is None or spec.origin is None:
            raise self._fault(f"there is no module {self.module}")
        origin = Path(spec.origin)
        path = origin.parent if origin.name == FIRST else origin
        try:
            return read(str(path), name=self.name, installed_as=self.module)
        except UserError as error:
            raise self._fault(str(error)) from None

    def _fault(self, what: str) -> UserError:
        remedy = f"mend that package, or uninstall it with `pip uninstall {self.distribution}`"
        if self.distribution == OURS:
            remedy = "this installation is older than its files: install Twofold again"
        return UserError(f"the puzzle {self.name} of the installed package {self.distribution} cannot be loaded: {what}: {remedy}")


@cache
def installed() -> dict[str, list[InstalledPuzzle]]:
    """The puzzles of installed packages by name, looked up once in a process; more than one of a name are a conflict."""
    from importlib.metadata import entry_points  # late: it takes a tenth of a second

    by_name: dict[str, list[InstalledPuzzle]] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value)):
        distribution = point.dist.name if point.dist is not None else point.module
        by_name.setdefault(point.name, []).append(InstalledPuzzle(point.name, point.module, distribution))
    return by_name


def installed_file(name: str) -> OwnFile | None:
    """The files of the installed puzzle of this name; None if there is none.

    Raises:
        UserError: two packages have a puzzle of this name, or its files cannot be read.
    """
    offers = installed().get(name, [])
    if len(offers) > 1:
        named = " and ".join(each.distribution for each in offers)
        raise UserError(f"the installed packages {named} have a puzzle {name} each: uninstall one of them")
    return offers[0].file() if offers else None
