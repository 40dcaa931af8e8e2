"""What mutants are put to, and the time that it may take them: streams in general, and the cases of
a job that needs no boards.
"""

from __future__ import annotations

import signal
import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from importlib import import_module
from typing import NamedTuple

from tests.mutants.mutations import Mutant
from tests.mutants.reach import LONGEST_S, Reached, by_cases, in_a_child, refuse_if_lacking

_GRACE_S, _SLOWER = 5.0, 10.0
"""A mutant hangs if some boards take `_SLOWER` times the time that they take otherwise, and
`_GRACE_S` more.
"""


BY_ITS_TIME = "its time"
"""How a mutant is noticed that takes far longer than the unchanged code."""


class Hangs(Exception):
    """A mutant takes far longer than the unchanged code."""


class Noticed(NamedTuple):
    """How a mutant shows that it is wrong.

    Attributes:
        kind: of the first fault, or `BY_ITS_TIME`.
        boards: the number of boards or cases after which it was noticed, counted from the first
            that it was put to.
    """

    kind: str
    boards: int


class Stream(ABC):
    """Boards or cases, and how they are put to mutants.

    Args:
        modules: those that are mutated.
        count: the number of boards or cases.
        glance: on how many of them it is found out what executes what; None for all. After a
            glance, mutants meet all boards or cases, else only those that execute the mutated
            statement.
    """

    def __init__(self, modules: Sequence[str], seed: int, count: int, glance: int | None) -> None:
        self.modules, self.seed, self.count, self.glance = modules, seed, count, glance

    @abstractmethod
    def prepare(self) -> None:
        """Find out what executes which statement; without it that happens when it is first
        needed.
        """

    @abstractmethod
    def reaches(self, mutant: Mutant) -> int:
        """The number of boards or cases that execute the mutated statement; a statement outside of
        functions is always executed.
        """

    @abstractmethod
    def unchanged(self) -> Noticed | None:
        """How the unchanged code shows that it is wrong, which it should not: the measure would
        mean nothing.
        """

    @abstractmethod
    def noticed(self, mutant: Mutant) -> Noticed | None:
        """How a mutant shows that it is wrong; None if it does not.

        Called in a child in which the mutant is planted.
        """


def with_limit(seconds: float) -> None:
    """Raise `Hangs` unless this is called again before far more than these seconds have passed."""
    signal.signal(signal.SIGALRM, _hangs)
    signal.setitimer(signal.ITIMER_REAL, _GRACE_S + _SLOWER * seconds)


def _hangs(number: int, frame: object) -> None:
    raise Hangs


class CaseStream(Stream):
    """The cases of a job that needs no boards.

    Args:
        examiner: the module that has them: `cases(seed, count)`, and `examine(case)`, which raises
            for a wrong answer.
    """

    def __init__(
        self,
        examiner: str,
        modules: Sequence[str],
        seed: int,
        count: int,
        glance: int | None = None,
    ) -> None:
        super().__init__(modules, seed, count, glance)
        self.examiner = examiner

    def prepare(self) -> None:
        in_a_child(refuse_if_lacking, self.examiner, seconds=LONGEST_S)
        assert self.reached.seconds.size == self._looked_at

    @cached_property
    def reached(self) -> Reached:
        """What is executed on each case, or on the first of them."""
        return in_a_child(
            by_cases, self.modules, self.examiner, self.seed, self._looked_at, seconds=LONGEST_S
        )

    @property
    def _looked_at(self) -> int:
        return self.count if self.glance is None else min(self.glance, self.count)

    def _cases(self, mutant: Mutant) -> list[int]:
        if mutant.at_import or self.glance is not None:
            return list(range(self.count))
        return self.reached.cases(mutant.module, mutant.statement).tolist()

    def reaches(self, mutant: Mutant) -> int:
        return len(self._cases(mutant))

    def noticed(self, mutant: Mutant) -> Noticed | None:
        sys.modules.pop(self.examiner, None)
        stream = import_module(self.examiner)
        cases = list(stream.cases(self.seed, self.count))
        for tried, k in enumerate(self._cases(mutant), 1):
            with_limit(
                self.reached.seconds[k] if k < self._looked_at else self.reached.seconds.max()
            )
            try:
                stream.examine(cases[k])
            except Hangs:
                return Noticed(BY_ITS_TIME, tried)
            except AssertionError:
                return Noticed("WRONG", tried)
            except (
                BaseException
            ):  # a test that expects an exception fails with one that is no `Exception`
                return Noticed("CRASH", tried)
        return None

    def unchanged(self) -> Noticed | None:
        return None  # to find out what it executes, every case was examined
