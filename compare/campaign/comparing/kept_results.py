"""The results of a campaign in little memory: numbers stand in arrays, and what many results share is kept once."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar, overload

from compare.campaign.comparing.results import Grade, Result, Standing
from compare.campaign.record import TaskIdentity, number_text
from puzzles.instance import size_text

T = TypeVar("T", bound=Hashable)


class Place(NamedTuple):
    """Where instances of one size stand; `TaskIdentity` says what the fields mean."""

    puzzle: str
    dataset: str
    file: str | None
    family: str | None
    size: int
    shape: tuple[int, int] | None

    @property
    def shown_size(self) -> str:
        """The size, for people."""
        return size_text(self.size, self.shape)


class KeptResults:
    """What is kept of each instance and of each contender on it. A run takes about 70 bytes, an instance 21 more."""

    def __init__(self) -> None:
        self.places: list[Place] = []
        self._place_numbers: dict[Place, int] = {}
        self.place, self.case, self.conflict = array("I"), array("Q"), bytearray()
        self.first_result = array("Q", [0])
        """Of each instance the number of its first result; the last entry is the number of all results."""
        self.standings: list[Standing] = []
        self._standing_numbers: dict[Standing, int] = {}
        self._standing, self._first_number, self._numbers = array("I"), array("Q"), array("d")

    def append(self, task: TaskIdentity, results: Collection[Result], *, conflict: bool) -> None:
        """Keep an instance; `task` is one of its tasks. Its results have to be complete."""
        place = Place(task.puzzle, task.dataset, task.file, task.family, task.size, task.shape)
        self.place.append(_number(place, self._place_numbers, self.places))
        self.case.append(task.case)
        self.conflict.append(conflict)
        for result in results:
            self._standing.append(_number(result.standing, self._standing_numbers, self.standings))
            self._first_number.append(len(self._numbers))
            self._numbers.extend(result.numbers)
        self.first_result.append(len(self._standing))

    def results(self, instances: Iterable[int], contender: str | None = None) -> Iterator[Result]:
        """The results on the instances of these numbers, of one contender or of all."""
        standings, standing, first = self.standings, self._standing, self._first_number
        wanted = [contender in (None, each.contender) for each in standings]
        for instance in instances:
            for k in range(self.first_result[instance], self.first_result[instance + 1]):
                if wanted[standing[k]]:
                    yield Result(standings[standing[k]], self._numbers, first[k])


class Compared:
    """One instance with the results of all its contenders, in the order of the plan."""

    __slots__ = ("_instance", "_kept")

    def __init__(self, kept: KeptResults, instance: int) -> None:
        self._kept, self._instance = kept, instance

    @property
    def place(self) -> Place:
        return self._kept.places[self._kept.place[self._instance]]

    @property
    def case(self) -> int:
        """The number of the instance in its file or family, from 1."""
        return self._kept.case[self._instance]

    @property
    def number(self) -> str:
        """The instance within its dataset, for people."""
        return number_text(self.case, self.place.file)

    @property
    def conflict(self) -> bool:
        """Whether some of its answers cannot both be right."""
        return bool(self._kept.conflict[self._instance])

    @property
    def results(self) -> list[Result]:
        return list(self._kept.results([self._instance]))

    @property
    def related(self) -> bool:
        """At least two answers could be compared."""
        return sum(result.claims for result in self.results) > 1

    @property
    def accepted(self) -> bool:
        """Every contender that took part is right, and there is one."""
        return {result.grade for result in self.results} - {Grade.SKIPPED} == {Grade.RIGHT}

    @property
    def agreed(self) -> bool:
        """No two answers are in conflict, and there were two that could be compared, or every one is right."""
        return not self.conflict and (self.related or self.accepted)

    def of(self, contender: str) -> Result | None:
        """What that contender did."""
        return next((result for result in self.results if result.contender == contender), None)


class Instances(Sequence[Compared]):
    """Some of the instances that are kept."""

    def __init__(self, kept: KeptResults, numbers: Sequence[int] | None = None) -> None:
        """`numbers`: of the instances in the order in which they were kept; None for all."""
        self._kept = kept
        self._numbers = range(len(kept.case)) if numbers is None else numbers

    def __len__(self) -> int:
        return len(self._numbers)

    def __iter__(self) -> Iterator[Compared]:
        return (Compared(self._kept, number) for number in self._numbers)

    @overload
    def __getitem__(self, index: int) -> Compared: ...

    @overload
    def __getitem__(self, index: slice) -> Instances: ...

    def __getitem__(self, index: int | slice) -> Compared | Instances:
        if isinstance(index, slice):
            return Instances(self._kept, self._numbers[index])
        return Compared(self._kept, self._numbers[index])

    def results(self, contender: str | None = None) -> Iterator[Result]:
        """The results on them, of one contender or of all."""
        return self._kept.results(self._numbers, contender)

    def of_puzzle(self, puzzle: str) -> Instances:
        """Those of a puzzle."""
        kept = self._kept
        wanted = [each.puzzle == puzzle for each in kept.places]
        return Instances(kept, array("Q", (number for number in self._numbers if wanted[kept.place[number]])))

    def by_dataset(self, puzzle: str) -> dict[str, Instances]:
        """Those of a puzzle, by the names of its datasets. All are found at once: a folder may hold a thousand files."""
        kept = self._kept
        numbers: dict[str, array[int]] = {}
        for number in self._numbers:
            place = kept.places[kept.place[number]]
            if place.puzzle == puzzle:
                numbers.setdefault(place.dataset, array("Q")).append(number)
        return {dataset: Instances(kept, some) for dataset, some in numbers.items()}


def _number(value: T, numbers: dict[T, int], values: list[T]) -> int:
    """The number of a value among the values; a new one is added to them."""
    number = numbers.setdefault(value, len(values))
    if number == len(values):
        values.append(value)
    return number
