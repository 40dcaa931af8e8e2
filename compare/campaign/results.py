"""What a comparison keeps of each contender on each instance: states and small numbers; counts over
them, and their times.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from statistics import median

from compare.campaign.record import Record, number_text
from compare.campaign.relation import Relation
from compare.isolate.outcome import Status
from compare.work.contenders import Kind
from compare.work.judging import lacks_certificate, shows_defect
from puzzles.instance import size_text
from puzzles.verdict import Verdict


class Grade(StrEnum):
    """What a contender's result on one instance is worth, in the contests' words beside ours.

    RIGHT: PROVED, or equal to a PROVED or an expected answer. WRONG: REFUTED, or in conflict with a
    PROVED answer. OPEN: an answer of which neither is known. The others are statuses of the run.
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
    """What the last line of a comparison says. The first of these that applies is the verdict on
    the whole.

    FAILED: an answer is WRONG, a run crashed or printed what cannot be read, or a program was
    stopped at a limit. CONFLICT: answers contradict each other, and no proof says which is wrong.
    UNPROVED: a promised certificate is missing or wrong, or the check stopped at a limit of its
    own; where none was promised, answers without a certificate are only counted. UNFINISHED: a
    backend was stopped at a limit, or a run is missing. ACCEPTED: every answer is right, though no
    two of them can be compared.
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
        statuses: how its runs ended, in order; of a start with several instances only if it did not
            end well.
        parallel: other runs were under way at the same time.
        claims: whether the first run claims anything.
        check: of the first run, or PROVED if the answer equals a PROVED one.
        defect: the check of the first run shows a defect of the backend or of the check itself; see
            `shows_defect`.
        uncertified: it has no certificate, and none was promised; not if it equals a PROVED one.
        refuted: the check refutes the answer, or the answer is in conflict with a PROVED one.
        wall_s: the median over its runs; one that was stopped counts with the time that it had.
            None without a time.
        lower_bound: the median stands on runs that were stopped at their limit.
        spread: half the range of the repeats relative to their median; None without repeats.
        build_s, solve_s: medians, if every run says them and none was stopped; else None.
        variables, clauses: of the formula of the first run.
        conflicts, decisions, propagations: of the search of the first run.
        peak_bytes: the most that any run took; 0 if no run says it.
        expected: the answer agrees with the expected one.
        relation: to the reference's answer; None of the reference itself.
        recall: the share of the reference's decided questions that it decides, if its relation is
            SUBSET.
    """

    contender: str
    kind: Kind
    complete: bool
    statuses: tuple[Status, ...]
    parallel: bool
    claims: bool
    check: Verdict | None
    defect: bool
    uncertified: bool
    refuted: bool
    wall_s: float | None
    lower_bound: bool
    spread: float | None
    build_s: float | None
    solve_s: float | None
    variables: int | None
    clauses: int | None
    conflicts: int | None
    decisions: int | None
    propagations: int | None
    peak_bytes: int
    expected: bool = False
    relation: Relation | None = None
    recall: float | None = None

    @classmethod
    def of(cls, records: Sequence[Record]) -> Result:
        """The result of the records of one contender on one instance, in the order of its runs.

        A start with several instances has no time of one instance. It counts where it did not end
        well, or where the check refutes its answer.
        """
        first = records[0]
        task, check, effort = first.task, first.run.check, first.run.effort
        runs = [record.run for record in records if record.task.together == 1]
        whole_files = [record for record in records if record.task.together > 1]
        failed_starts = [
            each.run.status
            for each in whole_files
            if each.run.status not in (Status.OK, Status.SKIPPED)
        ]
        timed = [(run.usage.wall_s, run) for run in runs if run.usage.wall_s is not None]
        ended = [seconds for seconds, run in timed if run.status is Status.OK]
        stopped = [seconds for seconds, run in timed if run.status is Status.TIMEOUT]
        wall_s, lower_bound = _middle(
            [*((each, False) for each in ended), *((each, True) for each in stopped)]
        )
        efforts = [run.effort for _, run in timed if run.status is Status.OK and not stopped]
        build_s, solve_s = _parts([(each.build_s, each.solve_s) for each in efforts])
        return cls(
            contender=task.contender,
            kind=task.kind,
            complete=task.complete,
            statuses=_kept_once((*(run.status for run in runs), *failed_starts) or (Status.OK,)),
            parallel=any(record.parallel for record in records),
            claims=first.run.claims is not None,
            check=first.verdict,
            defect=check is not None and shows_defect(check),
            uncertified=check is not None and lacks_certificate(check),
            refuted=any(record.verdict is Verdict.REFUTED for record in (first, *whole_files)),
            wall_s=wall_s,
            lower_bound=lower_bound,
            spread=(max(ended) - min(ended)) / 2 / median(ended)
            if len(ended) > 1 and median(ended)
            else None,
            build_s=build_s,
            solve_s=solve_s,
            variables=effort.variables,
            clauses=effort.clauses,
            conflicts=effort.conflicts,
            decisions=effort.decisions,
            propagations=effort.propagations,
            peak_bytes=max((run.usage.peak_bytes or 0 for run in runs), default=0),
        )

    @property
    def status(self) -> Status:
        """How its first run ended."""
        return self.statuses[0]

    @property
    def given(self) -> bool:
        """The answer existed already, so it has no time."""
        return self.kind is Kind.GIVEN

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
        unproved = self.check is Verdict.UNPROVED and not self.uncertified
        return Headline.UNPROVED if self.defect or unproved else None


@cache
def _kept_once(statuses: tuple[Status, ...]) -> tuple[Status, ...]:
    """The same object for equal values: nearly all runs end alike."""
    return statuses


def _middle(values: Iterable[tuple[float, bool]]) -> tuple[float | None, bool]:
    """The median of (seconds, whether it is a lower bound), and whether it stands on a lower bound;
    None if there are none.
    """
    ordered = sorted(values)
    if not ordered:
        return None, False
    low, high = ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2]
    return (low[0] + high[0]) / 2, low[1] or high[1]


def _parts(pairs: Sequence[tuple[float | None, float | None]]) -> tuple[float | None, float | None]:
    """The medians of building and of solving, if all pairs say both; else None twice."""
    known = [(build, solve) for build, solve in pairs if build is not None and solve is not None]
    if not known or len(known) < len(pairs):
        return None, None
    return median(build for build, _ in known), median(solve for _, solve in known)


@dataclass(slots=True)
class Compared:
    """One instance with the results of all its contenders, in the order of the plan.

    It keeps no `TaskIdentity`, which takes three times the memory.

    Attributes:
        puzzle, dataset, file, family, case, size, shape: see `TaskIdentity`.
        conflict: whether some of its answers cannot both be right.
    """

    puzzle: str
    dataset: str
    file: str | None
    family: str | None
    case: int
    size: int
    shape: tuple[int, int] | None
    conflict: bool
    results: list[Result]

    @property
    def number(self) -> str:
        """The instance within its dataset, for people."""
        return number_text(self.case, self.file)

    @property
    def shown_size(self) -> str:
        """The size, for people."""
        return size_text(self.size, self.shape)

    @property
    def related(self) -> bool:
        """At least two answers could be compared."""
        return sum(result.claims for result in self.results) > 1

    @property
    def uncertified(self) -> bool:
        """Some answer has no certificate, and none was promised."""
        return any(result.uncertified and not result.refuted for result in self.results)

    @property
    def agreed(self) -> bool:
        """No two answers are in conflict, and there were two that could be compared, or every
        contender that took part is right.
        """
        grades = {result.grade for result in self.results} - {Grade.SKIPPED}
        return not self.conflict and (self.related or grades == {Grade.RIGHT})

    def of(self, contender: str) -> Result | None:
        """What that contender did."""
        return next((result for result in self.results if result.contender == contender), None)


def results_of(instances: Iterable[Compared], contender: str | None = None) -> Iterator[Result]:
    """The results on some instances, of one contender or of all."""
    return (
        result
        for each in instances
        for result in each.results
        if contender in (None, result.contender)
    )


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

    @classmethod
    def of(cls, results: Iterable[Result]) -> Tally:
        """Count."""
        counts = cls()
        for result in results:
            counts.statuses.update(
                status for status in result.statuses if not (result.given and status is Status.OK)
            )
            counts.checked += result.check is not None
            counts.proved += result.check is Verdict.PROVED
            counts.refuted += result.refuted
            if result.recall is not None:
                counts.recalls.append(result.recall)
        return counts

    @property
    def not_ok(self) -> dict[str, int]:
        """How many runs ended in each way but well."""
        return {status: count for status, count in self.statuses.items() if status is not Status.OK}

    @property
    def recall(self) -> float | None:
        """The mean over the instances on which something is certain."""
        return sum(self.recalls) / len(self.recalls) if self.recalls else None


@dataclass(frozen=True)
class Timing:
    """The time of some results.

    Attributes:
        wall_s: the median over the instances of each instance's median. A run that was stopped
            counts with the time that it had.
        build_s, solve_s: medians over the instances, if every run says them and none was stopped;
            else None.
        spread: half the range of an instance's repeats relative to its median, the median over the
            instances; None without repeats.
        lower_bound: the median itself stands on runs that were stopped at their limit.
        parallel: other runs were under way at the same time.
        with_start: of a program, so each time includes the start of its process.
    """

    wall_s: float
    build_s: float | None = None
    solve_s: float | None = None
    spread: float | None = None
    lower_bound: bool = False
    parallel: bool = False
    with_start: bool = False

    @classmethod
    def of(cls, results: Iterable[Result]) -> Timing | None:
        """The time of some results; None if nothing was timed."""
        timed = [result for result in results if result.wall_s is not None]
        wall_s, lower_bound = _middle(
            (each.wall_s, each.lower_bound) for each in timed if each.wall_s is not None
        )
        if wall_s is None:
            return None
        build_s, solve_s = _parts([(each.build_s, each.solve_s) for each in timed])
        spreads = [each.spread for each in timed if each.spread is not None]
        return cls(
            wall_s,
            build_s,
            solve_s,
            spread=median(spreads) if spreads else None,
            lower_bound=lower_bound,
            parallel=any(each.parallel for each in timed),
            with_start=any(each.kind is Kind.PROGRAM for each in timed),
        )
