"""Finds what fails among many items, and makes it smaller: boards, calls of several boards, scripts
for SAT solvers.

They differ in their steps to smaller candidates, and in what it means to fail.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import chain, dropwhile, islice, takewhile
from typing import Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")
F = TypeVar("F")


def split(
    attempt: Callable[[Sequence[T]], list[R] | F],
    items: Sequence[T],
    settle: Callable[[Sequence[T], F, list[R]], object] = lambda items, failure, results: None,
) -> list[R]:
    """What comes of each item. All are tried at once; where that fails as a whole, both halves are,
    down to single items.

    Args:
        attempt: what comes of some items, or a value that is no list, which says how the attempt
            failed as a whole. A single item never does.
        settle: is called after both halves, with the items that failed as a whole, how, and what
            came of them.
    """
    results = attempt(items) if items else []
    if isinstance(results, list):
        return results
    failure, middle = results, len(items) // 2
    parts = [*split(attempt, items[:middle], settle), *split(attempt, items[middle:], settle)]
    settle(items, failure, parts)
    return parts


_Steps = Callable[[T, int], Iterable[tuple[int, T]]]
"""The smaller candidates of a value with their places: from a place on to the end, then those
before it.
"""


class Reducer(Generic[T]):
    """Goes from something that fails to smaller candidates that fail as well. It always has the
    smallest one so far.

    Several candidates are tried in one run: a few at first, and twice as many after each run in
    which none fails.

    Attributes:
        smallest: the smallest that fails.
        tries: how many runs it took.
        most_at_once: how many candidates the next run may have.
    """

    def __init__(
        self,
        start: T,
        first_failing: Callable[[Sequence[T]], tuple[int, T] | None],
        *,
        over: Callable[[], bool],
        key: Callable[[T], Hashable],
        keep: Callable[[T], object] = lambda smallest: None,
        at_first: int = 1,
        most_at_once: int = 1,
    ) -> None:
        """Begin with a value that fails.

        Args:
            first_failing: tries some candidates; the index of the first that fails, and what to go
                on with in its place: the candidate, perhaps with what came of it.
            over: whether no further run is wanted.
            key: of a candidate; of equal ones only the first is tried, and none that equals the
                start.
            keep: is called with each new smallest, for whoever cannot wait for the end.
            at_first: candidates in the first run of each search.
        """
        self.smallest, self.tries, self.most_at_once = start, 0, most_at_once
        self._first_failing, self._over, self._key, self._keep, self._at_first = (
            first_failing,
            over,
            key,
            keep,
            at_first,
        )
        self._tried = {key(start)}

    def restart(self, start: T) -> None:
        """Go back to a larger value, and forget what was tried: what has passed may fail now."""
        self.smallest = start
        self._tried = {self._key(start)}
        self._keep(start)

    def take(self, candidates: Iterable[T]) -> bool:
        """Go on with the first candidate that fails; whether one does."""
        return self.take_numbered(enumerate(candidates)) is not None

    def descend(self, steps: _Steps[T]) -> None:
        """Go down step by step.

        After a success go on at the same place, since the steps before it have just been tried.
        """
        place: int | None = 0
        while place is not None:
            place = self.take_numbered(steps(self.smallest, place))

    def take_numbered(self, candidates: Iterable[tuple[int, T]]) -> int | None:
        """Go on with the first candidate that fails; returns its number, or None if all pass or no
        run is wanted.
        """
        new = ((number, each) for number, each in candidates if self._key(each) not in self._tried)
        at_once = self._at_first
        while not self._over():
            run = list(islice(new, min(at_once, self.most_at_once)))
            if not run:
                break
            self.tries += 1
            failing = self._first_failing([each for _, each in run])
            self._tried.update(
                self._key(each)
                for _, each in run[: len(run) if failing is None else failing[0] + 1]
            )
            if failing is not None:
                index, self.smallest = failing
                self._keep(self.smallest)
                return run[index][0]
            at_once = 2 * len(run)
        return None


def from_place(smaller: Callable[[T], Iterable[T]]) -> _Steps[T]:
    """Steps made of all smaller candidates in their order."""
    return from_number(lambda value: enumerate(smaller(value)))


def from_number(numbered: Callable[[T], Iterable[tuple[int, T]]]) -> _Steps[T]:
    """Steps made of all smaller candidates in their order, with places that never go down."""

    def steps(value: T, place: int) -> Iterator[tuple[int, T]]:
        return chain(
            dropwhile(lambda each: each[0] < place, numbered(value)),
            takewhile(lambda each: each[0] < place, numbered(value)),
        )

    return steps
