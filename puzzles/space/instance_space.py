"""What a search asks of a puzzle: random instances near known ones, and smaller instances in place
of a failing one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from itertools import islice
from random import Random
from typing import Any, Generic, NamedTuple

from puzzles.puzzle import InstanceT, Puzzle
from puzzles.text import UserError
from puzzles.user.user_file import fault_raised

_MAX_SMALLER = 20_000
"""Smaller instances of one instance of a user's puzzle that are looked at; so an endless `smaller`
does no harm.
"""


class TinyInstances(NamedTuple, Generic[InstanceT]):
    """The smallest instances there are.

    Attributes:
        instances: the smallest first.
        complete: whether every instance that is smaller than the one in question is among them.
    """

    instances: Iterator[InstanceT]
    complete: bool


class InstanceSpace(ABC, Generic[InstanceT]):
    """The instances of one puzzle, as fuzzing walks among them.

    What it returns depends on its arguments alone: the same random numbers give the same instances.
    """

    def __init__(self, puzzle: Puzzle[InstanceT, Any]) -> None:
        self.puzzle = puzzle

    def smaller(self, instance: InstanceT) -> Iterator[InstanceT]:
        """Valid instances one step smaller or simpler, the largest steps first; they shrink a
        failing instance.

        Raises:
            PuzzleFault: a user's puzzle raises something.
        """
        file, doing = self.puzzle.origin.user_file, "smaller"
        try:
            steps = self.puzzle.smaller(instance)
            if steps is None:
                doing, steps = "building a smaller instance", self.steps(instance)
            yield from islice(steps, None if file is None else _MAX_SMALLER)
        except (Exception, SystemExit) as error:
            if file is None or isinstance(error, UserError | MemoryError):
                raise
            raise fault_raised(file, error, doing) from None

    def weight(self, instance: InstanceT) -> tuple[int, ...]:
        """How large the instance is, and of two that are equally large how simple: less is smaller
        or simpler.
        """
        return instance.size, len(instance.text())

    @abstractmethod
    def steps(self, instance: InstanceT) -> Iterator[InstanceT]:
        """The smaller instances of a puzzle that does not say what is smaller."""

    @abstractmethod
    def draw(
        self, like: InstanceT, bases: Sequence[InstanceT], most: int, rng: Random
    ) -> InstanceT:
        """A random instance, mostly a part of one of `bases` with a few changes.

        Args:
            like: some instance of the puzzle; there may be no bases.
            most: rows and columns of a board, at most; about the square root of the size of
                another instance.
        """

    @abstractmethod
    def vary(self, instance: InstanceT, rng: Random) -> InstanceT | None:
        """The instance with a few random changes, of about the same size; None if these changes
        give no instance.
        """

    def cut_down(self, instance: InstanceT) -> Iterator[InstanceT]:
        """Much smaller parts of an instance that is so large that single steps would take long; of
        any other one nothing.
        """
        return iter(())

    def tiny_parts(self, instance: InstanceT) -> Iterator[InstanceT]:
        """Tiny parts of the instance, the smallest first; nothing if it is too large to try them,
        or if nobody knows its parts.
        """
        return iter(())

    @abstractmethod
    def tiny(self, instance: InstanceT, most: int) -> TinyInstances[InstanceT]:
        """The smallest instances of all, each smaller than this one; at most about `most` of
        them.
        """

    def small(self, instance: InstanceT, most: int) -> Iterator[InstanceT]:
        """The tiny instances; of a puzzle whose instances are texts, more of those whose numbers
        are small.
        """
        return self.tiny(instance, most).instances

    def changes(self, instance: InstanceT, count: int, rng: Random) -> Iterator[InstanceT]:
        """Random changes of the instance that make it smaller, the smallest first; `count` are
        drawn, some of which are none.
        """
        return iter(())


def blocks(length: int) -> Iterator[tuple[int, int]]:
    """Parts [start, stop) of [0, length), never the whole: halves, then quarters, and so on down to
    single numbers.
    """
    size = (length + 1) // 2
    while 0 < size < length:
        for start in range(0, length, size):
            stop = min(start + size, length)
            yield stop - size, stop
        size = (size + 1) // 2 if size > 1 else 0


def large_blocks(length: int) -> Iterator[tuple[int, int]]:
    """The parts [start, stop) of [0, length) that are its halves, quarters, eighths and
    sixteenths.
    """
    for parts in (2, 4, 8, 16):
        for part in range(parts):
            yield part * length // parts, (part + 1) * length // parts
