"""What a comparison keeps of each contender on each instance: states and small numbers, and counts over them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, MutableSequence, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import chain
from math import isnan, nan
from operator import attrgetter
from typing import Any, Self

from compare.campaign.record import Record
from compare.campaign.relation import Relation
from compare.isolate.outcome import Status
from compare.work.contenders import Kind
from compare.work.judging import shows_defect
from puzzles.verdict import Verdict


class Grade(StrEnum):
    """What a contender's result on one instance is worth, in the contests' words beside ours.

    RIGHT: PROVED, or equal to a PROVED or an expected answer. WRONG: REFUTED, or in conflict with a PROVED answer. OPEN: an
    answer of which neither is known. The others are statuses of the run.
    """

    RIGHT = "right"
    WRONG = "WRONG"
    TIMEOUT = "TIMEOUT"
    MEMORY = "MEMORY"
    CRASH = "CRASH"
    ERROR = "ERROR"
    SKIPPED = "SKIPPED"
    OPEN = "open"


class Headline(StrEnum):
    """What the last line of a comparison says. The first of these that applies is the verdict on the whole.

    FAILED: an answer is WRONG, a run crashed or printed what cannot be read, or a program was stopped at a limit. CONFLICT:
    answers contradict each other, and no proof says which is wrong. UNPROVED: the check could not certify an answer. UNFINISHED: a
    backend was stopped at a limit, or a run is missing. ACCEPTED: every answer is right, though no two of them can be compared.
    """

    FAILED = "FAILED"
    CONFLICT = "CONFLICT"
    UNPROVED = "UNPROVED"
    UNFINISHED = "UNFINISHED"
    NOTHING_COMPARED = "NOTHING COMPARED"
    ACCEPTED = "ACCEPTED"
    ALL_AGREE = "ALL AGREE"


@dataclass(slots=True, unsafe_hash=True)
class Standing:
    """What a result says beside its numbers. Results that say the same share one, which then must not change any more.

    Attributes:
        statuses: how its runs ended, in order.
        claims: whether the first run claims anything.
        check: of the first run, or PROVED if the answer equals a PROVED one.
        defect: the check of the first run shows a defect of the backend or of the check itself; see `shows_defect`.
        refuted: the check refutes the answer, or the answer is in conflict with a PROVED one.
        expected: the answer agrees with the expected one.
        relation: to the reference's answer; None of the reference itself.
        ended, stopped, with_effort: how many runs have wall seconds and ended well, or were stopped at the time limit; how many say
            their seconds to build and to solve.
    """

    contender: str
    kind: Kind
    complete: bool
    statuses: tuple[Status, ...]
    parallel: bool
    claims: bool
    check: Verdict | None
    defect: bool
    refuted: bool
    ended: int
    stopped: int
    with_effort: int
    expected: bool = False
    relation: Relation | None = None

    @property
    def grade(self) -> Grade:
        """What the result is worth; a repeat that did not end well counts, too."""
        if self.refuted:
            return Grade.WRONG
        ended_badly = next((status for status in self.statuses if status is not Status.OK), None)
        if ended_badly is not None:
            return Grade(ended_badly.value)
        return Grade.RIGHT if self.check is Verdict.PROVED or self.expected else Grade.OPEN

    @property
    def trouble(self) -> Headline | None:
        """What the result is to blame for: FAILED, UNPROVED or UNFINISHED; None for nothing."""
        grade = self.grade
        if grade in (Grade.WRONG, Grade.CRASH, Grade.ERROR):
            return Headline.FAILED
        if grade in (Grade.TIMEOUT, Grade.MEMORY):
            return Headline.UNFINISHED if self.kind is Kind.BACKEND else Headline.FAILED
        return Headline.UNPROVED if self.defect or self.check is Verdict.UNPROVED else None


def _of_standing(name: str) -> Any:
    """An attribute of the standing as an attribute of the result."""
    return property(attrgetter(f"standing.{name}"))


_VARIABLES, _CLAUSES, _CONFLICTS, _DECISIONS, _PROPAGATIONS, _PEAK_BYTES, _RECALL, _SECONDS = range(8)
"""Where the numbers of a result stand. Behind the seconds of the runs that ended well follow those of the runs that were stopped,
then those to build and to solve of each run that says them. NaN stands for what is not known."""


class Result:
    """What one contender did on one instance, all repeats together: a standing, and a place in an array of numbers.

    Attributes:
        standing: see there for the other attributes as well.
    """

    __slots__ = ("_at", "_numbers", "standing")

    contender: str = _of_standing("contender")
    kind: Kind = _of_standing("kind")
    complete: bool = _of_standing("complete")
    statuses: tuple[Status, ...] = _of_standing("statuses")
    parallel: bool = _of_standing("parallel")
    claims: bool = _of_standing("claims")
    check: Verdict | None = _of_standing("check")
    defect: bool = _of_standing("defect")
    refuted: bool = _of_standing("refuted")
    expected: bool = _of_standing("expected")
    relation: Relation | None = _of_standing("relation")
    grade: Grade = _of_standing("grade")
    trouble: Headline | None = _of_standing("trouble")

    def __init__(self, standing: Standing, numbers: MutableSequence[float], at: int = 0) -> None:
        self.standing, self._numbers, self._at = standing, numbers, at

    @classmethod
    def of(cls, records: Sequence[Record]) -> Self:
        """The result of the records of one contender on one instance, in the order of its runs."""
        first, runs = records[0], [record.run for record in records]
        check, effort = first.run.check, first.run.effort
        ended = [run for run in runs if run.status is Status.OK and run.usage.wall_s is not None]
        efforts = [(run.effort.build_s, run.effort.solve_s) for run in ended]
        seconds = [run.usage.wall_s for run in ended]
        stopped = [run.usage.wall_s for run in runs if run.status is Status.TIMEOUT and run.usage.wall_s is not None]
        known_efforts = [each for each in efforts if None not in each]
        standing = Standing(
            contender=first.task.contender,
            kind=first.task.kind,
            complete=first.task.complete,
            statuses=tuple(run.status for run in runs),
            parallel=any(record.parallel for record in records),
            claims=first.run.claims is not None,
            check=None if check is None else check.verdict,
            defect=check is not None and shows_defect(check),
            refuted=check is not None and check.verdict is Verdict.REFUTED,
            ended=len(seconds),
            stopped=len(stopped),
            with_effort=len(known_efforts),
        )
        peak_bytes = max(run.usage.peak_bytes or 0 for run in runs)
        sizes = [effort.variables, effort.clauses, effort.conflicts, effort.decisions, effort.propagations]
        numbers = [*sizes, peak_bytes, None, *seconds, *stopped, *chain.from_iterable(known_efforts)]
        return cls(standing, [nan if number is None else number for number in numbers])

    @property
    def numbers(self) -> Sequence[float]:
        """All of its numbers, one after the other."""
        return self._some(0, _SECONDS + self.standing.ended + self.standing.stopped + 2 * self.standing.with_effort)

    def _some(self, start: int, count: int) -> Sequence[float]:
        return self._numbers[self._at + start : self._at + start + count]

    def _whole(self, place: int) -> int | None:
        number = self._numbers[self._at + place]
        return None if isnan(number) else int(number)

    @property
    def variables(self) -> int | None:
        """Of the formula of the first run."""
        return self._whole(_VARIABLES)

    @property
    def clauses(self) -> int | None:
        """Of the formula of the first run."""
        return self._whole(_CLAUSES)

    @property
    def steps(self) -> tuple[int | None, int | None, int | None]:
        """Conflicts, decisions and propagations of the search of the first run."""
        return self._whole(_CONFLICTS), self._whole(_DECISIONS), self._whole(_PROPAGATIONS)

    @property
    def peak_bytes(self) -> int:
        """The most that any run took; 0 if no run says it."""
        return self._whole(_PEAK_BYTES) or 0

    @property
    def recall(self) -> float | None:
        """The share of the reference's decided questions that it decides, if its relation is SUBSET."""
        recall = self._numbers[self._at + _RECALL]
        return None if isnan(recall) else recall

    @recall.setter
    def recall(self, recall: float | None) -> None:
        self._numbers[self._at + _RECALL] = nan if recall is None else recall

    @property
    def seconds(self) -> Sequence[float]:
        """Wall seconds of the runs that ended well."""
        return self._some(_SECONDS, self.standing.ended)

    @property
    def stopped_s(self) -> Sequence[float]:
        """Wall seconds of the runs that were stopped at the time limit."""
        return self._some(_SECONDS + self.standing.ended, self.standing.stopped)

    @property
    def efforts(self) -> list[tuple[float, float]]:
        """Seconds to build and to solve, of the runs that say them."""
        flat = self._some(_SECONDS + self.standing.ended + self.standing.stopped, 2 * self.standing.with_effort)
        return list(zip(flat[::2], flat[1::2], strict=True))

    @property
    def status(self) -> Status:
        """How its first run ended."""
        return self.statuses[0]

    @property
    def given(self) -> bool:
        """The answer existed already, so it has no time."""
        return self.kind is Kind.GIVEN


@dataclass(frozen=True)
class Blame:
    """What a contender is to blame for, over all instances of a puzzle.

    Attributes:
        headline: FAILED, UNPROVED or UNFINISHED.
        count, of: on how many instances, of how many that it was given; skipped ones do not count.
        grades: its results on those `count` instances.
    """

    headline: Headline
    puzzle: str
    contender: str
    count: int
    of: int
    grades: Mapping[Grade, int]


@dataclass
class Tally:
    """Counts over some results.

    Attributes:
        statuses: how runs ended; an answer that existed already is no run.
        checked, proved, refuted: answers.
    """

    statuses: Counter[Status] = field(default_factory=Counter)
    checked: int = 0
    proved: int = 0
    refuted: int = 0
    recalls: list[float] = field(default_factory=list)

    @property
    def unproved(self) -> int:
        return max(0, self.checked - self.proved - self.refuted)

    @property
    def runs(self) -> int:
        return sum(self.statuses.values())

    @property
    def not_ok(self) -> dict[str, int]:
        """How many runs ended in each way but well."""
        return {status: count for status, count in self.statuses.items() if status is not Status.OK}

    @property
    def recall(self) -> float | None:
        """The mean over the instances on which something is certain."""
        return sum(self.recalls) / len(self.recalls) if self.recalls else None


def tally(results: Iterable[Result]) -> Tally:
    """Count."""
    counts = Tally()
    for result in results:
        counts.statuses.update(status for status in result.statuses if not (result.given and status is Status.OK))
        counts.checked += result.check is not None
        counts.proved += result.check is Verdict.PROVED
        counts.refuted += result.refuted
        if result.recall is not None:
            counts.recalls.append(result.recall)
    return counts
