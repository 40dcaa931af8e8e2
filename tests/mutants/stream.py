"""What mutants are put to, and the time that it may take them."""

from __future__ import annotations

import signal
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

from compare.conform.mutations import Mutant

_GRACE_S, _SLOWER = 5.0, 10.0
"""A mutant hangs if some boards take `_SLOWER` times the time that they take otherwise, and `_GRACE_S` more."""


BY_ITS_TIME = "its time"
"""How a mutant is noticed that takes far longer than the unchanged code."""


class Hangs(Exception):
    """A mutant takes far longer than the unchanged code."""


class Noticed(NamedTuple):
    """How a mutant shows that it is wrong.

    Attributes:
        kind: of the first fault, or `BY_ITS_TIME`.
        boards: the number of boards or cases after which it was noticed, counted from the first that it was put to.
    """

    kind: str
    boards: int


class Stream(ABC):
    """Boards or cases, and how they are put to mutants.

    Args:
        modules: those that are mutated.
        count: the number of boards or cases.
        glance: on how many of them it is found out what executes what; None for all. After a glance, mutants meet all boards or
            cases, else only those that execute the mutated statement.
    """

    def __init__(self, modules: Sequence[str], seed: int, count: int, glance: int | None) -> None:
        self.modules, self.seed, self.count, self.glance = modules, seed, count, glance

    @abstractmethod
    def prepare(self) -> None:
        """Find out what executes which statement; without it that happens when it is first needed."""

    @abstractmethod
    def reaches(self, mutant: Mutant) -> int:
        """The number of boards or cases that execute the mutated statement; a statement outside of functions is always executed."""

    @abstractmethod
    def unchanged(self) -> Noticed | None:
        """How the unchanged code shows that it is wrong, which it should not: the measure would mean nothing."""

    @abstractmethod
    def noticed(self, mutant: Mutant) -> Noticed | None:
        """How a mutant shows that it is wrong; None if it does not. Called in a child in which the mutant is planted."""


def with_limit(seconds: float) -> None:
    """Raise `Hangs` unless this is called again before far more than these seconds have passed."""
    signal.signal(signal.SIGALRM, _hangs)
    signal.setitimer(signal.ITIMER_REAL, _GRACE_S + _SLOWER * seconds)


def _hangs(number: int, frame: object) -> None:
    raise Hangs
