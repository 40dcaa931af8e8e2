"""The rooms of a puzzle that is a package: its check, its families and its picture are modules of their own."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Generic

from puzzles.puzzle import AnswerT, Family, InstanceT
from puzzles.verdict import Check


class InRooms(Generic[InstanceT, AnswerT]):
    """Takes `check`, `families` and `picture` from the modules of these names in the puzzle's package.

    A room is imported when it is first asked, so that solving loads none of them. Name this class before the other bases.
    """

    def check(self, instance: InstanceT, /, answer: AnswerT) -> Check:
        """What the function `check` of the room `check` says."""
        return self._room("check").check(instance, answer)

    @property
    def families(self) -> Mapping[str, Family[InstanceT]]:
        """`FAMILIES` of the room `families`."""
        return self._room("families").FAMILIES

    def picture(self, instance: InstanceT, /, answer: AnswerT | None = None) -> str:
        """What the function `picture` of the room `picture` draws."""
        return self._room("picture").picture(instance, answer)

    def with_irreducible_core(self, instance: InstanceT, /, answer: AnswerT) -> AnswerT:
        """What the function of this name of the room `check` makes of the answer; the answer as it is if there is none."""
        reduce = getattr(self._room("check"), "with_irreducible_core", None)
        return answer if reduce is None else reduce(instance, answer)

    def _room(self, name: str) -> Any:
        """A module of the package that defines the puzzle's class; a subclass elsewhere has the same rooms."""
        owner = next(each for each in type(self).__mro__ if InRooms in each.__bases__)
        return import_module(f"{owner.__module__}.{name}")
