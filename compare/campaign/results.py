"""What a comparison keeps of each contender on each instance: states and small numbers, and counts over them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from compare.campaign.record import Record, TaskIdentity
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


@dataclass(slots=True)
class Result:
    """What one contender did on one instance, all repeats together.

    Attributes:
        statuses: how its runs ended, in order.
        seconds: wall seconds of the runs that ended well.
        stopped_s: wall seconds of the runs that were stopped at the time limit.
        efforts: seconds to build and to solve, of the runs that say them.
        claims: whether the first run claims anything.
        check: of the first run, or PROVED if the answer equals a PROVED one.
        defect: the check of the first run shows a defect of the backend or of the check itself; see `shows_defect`.
        refuted: the check refutes the answer, or the answer is in conflict with a PROVED one.
        expected: the answer agrees with the expected one.
        relation: to the reference's answer; None of the reference itself.
        recall: the share of the reference's decided questions that it decides, if its relation is SUBSET.
    """

    contender: str
    kind: Kind
    complete: bool
    statuses: tuple[Status, ...] = ()
    seconds: tuple[float, ...] = ()
    stopped_s: tuple[float, ...] = ()
    efforts: tuple[tuple[float, float], ...] = ()
    variables: int | None = None
    clauses: int | None = None
    peak_bytes: int = 0
    parallel: bool = False
    claims: bool = False
    check: Verdict | None = None
    defect: bool = False
    refuted: bool = False
    expected: bool = False
    relation: Relation | None = None
    recall: float | None = None

    @property
    def status(self) -> Status:
        """How its first run ended."""
        return self.statuses[0]

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

    @property
    def given(self) -> bool:
        """The answer existed already, so it has no time."""
        return self.kind is Kind.GIVEN

    def add(self, record: Record) -> None:
        """Take in the record of one more run."""
        run, wall_s = record.run, record.run.usage.wall_s
        self.statuses += (run.status,)
        self.parallel |= record.parallel
        self.peak_bytes = max(self.peak_bytes, run.usage.peak_bytes or 0)
        if run.status is Status.OK and wall_s is not None:
            self.seconds += (wall_s,)
            if run.effort.build_s is not None and run.effort.solve_s is not None:
                self.efforts += ((run.effort.build_s, run.effort.solve_s),)
        elif run.status is Status.TIMEOUT and wall_s is not None:
            self.stopped_s += (wall_s,)
        if len(self.statuses) == 1:
            self.variables, self.clauses = run.effort.variables, run.effort.clauses
            self.claims = run.claims is not None
            self.check = None if run.check is None else run.check.verdict
            self.defect = run.check is not None and shows_defect(run.check)
            self.refuted = self.check is Verdict.REFUTED


@dataclass(slots=True)
class Compared:
    """One instance with the results of all its contenders, in the order of the plan.

    Attributes:
        instance: the identity of its first task.
        conflict: whether some of its answers cannot both be right.
    """

    instance: TaskIdentity
    results: list[Result]
    conflict: bool = False

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


@dataclass(frozen=True)
class Conflict:
    """The answers to one instance, of which at least two cannot both be right."""

    records: tuple[Record, ...]
    pairs: tuple[tuple[Record, Record], ...]

    @property
    def unsettled(self) -> list[tuple[Record, Record]]:
        """The pairs of which no proof says who is wrong: none is PROVED, or both are."""
        return [(a, b) for a, b in self.pairs if is_proved(a) == is_proved(b)]

    @property
    def refuted(self) -> list[Record]:
        """The answers that contradict a PROVED one and are not PROVED themselves."""
        losers: list[Record] = []
        for pair in self.pairs:
            proved = [is_proved(record) for record in pair]
            if proved[0] != proved[1] and (loser := pair[proved[0]]) not in losers:
                losers.append(loser)
        return losers


def is_proved(record: Record) -> bool:
    """Whether the check has certified every claim of the answer."""
    return record.run.check is not None and record.run.check.verdict is Verdict.PROVED


@dataclass(frozen=True)
class Failure:
    """A refuted answer, or a run that did not end well, with the reason."""

    kind: Verdict | Status
    task: TaskIdentity
    detail: str


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
