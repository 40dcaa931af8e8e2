"""What a comparison keeps of each contender on each instance: states and small numbers; counts over
them, and their times.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from statistics import median
from typing import NamedTuple, TypeVar

import msgspec
from msgspec.structs import replace

from compare.engine.campaign.optimum import relative_gap
from compare.engine.isolate.outcome import Status
from compare.engine.work.result import (
    Kind,
    Relation,
    Result,
    lacks_certificate,
    number_text,
    shows_defect,
)
from puzzles.answer import Verdict
from puzzles.instance import size_text
from puzzles.puzzle import Puzzle

T = TypeVar("T")


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
    SPARED = "SPARED"
    UNKNOWN = "UNKNOWN"
    OPEN = "open"

    @property
    def was_run(self) -> bool:
        """Whether anything was run, or answers existed already."""
        return self not in (Grade.SKIPPED, Grade.SPARED)


class Headline(StrEnum):
    """What the last line of a command says. The first of these that applies is the verdict on the
    whole.

    FAILED: an answer is WRONG, a run crashed or printed what cannot be read, or a program was
    stopped at a limit. CONFLICT: answers contradict each other, and no proof says which is wrong.
    UNPROVED: a promised certificate is missing or wrong, or the check stopped at a limit of its
    own; where none was promised, answers without a certificate are only counted. REGRESSION: now is
    worse than then. UNFINISHED: a backend was stopped at a limit or does not know, or a run is
    missing. ACCEPTED: every answer is right, though no two of them can be compared.
    """

    FAILED = "FAILED"
    CONFLICT = "CONFLICT"
    UNPROVED = "UNPROVED"
    REGRESSION = "REGRESSION"
    UNFINISHED = "UNFINISHED"
    NOTHING_COMPARED = "NOTHING COMPARED"
    ACCEPTED = "ACCEPTED"
    ALL_AGREE = "ALL AGREE"


class Timing(msgspec.Struct, frozen=True, gc=False):
    """The time of one run, or the medians of several times.

    Attributes:
        wall_s: a run that was stopped counts with the time that it had.
        cpu_s: of the processors, child processes included; None unless every time says it.
        build_s, solve_s: None unless every time says both and none was stopped.
        spread: half the range of an instance's repeats relative to their median; None without
            repeats.
        lower_bound: the median itself stands on runs that were stopped at their limit.
        parallel: other runs were under way at the same time.
    """

    wall_s: float
    cpu_s: float | None = None
    build_s: float | None = None
    solve_s: float | None = None
    spread: float | None = None
    lower_bound: bool = False
    parallel: bool = False

    @classmethod
    def of(cls, result: Result) -> Timing | None:
        """The time of one run; None if it has none."""
        effort, stopped = result.effort, result.status is Status.TIMEOUT
        if result.usage.wall_s is None or not (stopped or result.status is Status.OK):
            return None
        timing = cls(
            result.usage.wall_s,
            result.usage.cpu_s,
            lower_bound=stopped,
            parallel=result.parallel,
        )
        if stopped or effort.build_s is None or effort.solve_s is None:
            return timing
        return replace(timing, build_s=effort.build_s, solve_s=effort.solve_s)

    @classmethod
    def middle(cls, timings: Iterable[Timing | None]) -> Timing | None:
        """The medians of some times; None if nothing was timed."""
        timed = sorted(filter(None, timings), key=lambda each: (each.wall_s, each.lower_bound))
        if len(timed) < 2:
            return timed[0] if timed else None
        low, high = timed[(len(timed) - 1) // 2], timed[len(timed) // 2]
        return cls(
            (low.wall_s + high.wall_s) / 2,
            _median([each.cpu_s for each in timed]),
            _median([each.build_s for each in timed]),
            _median([each.solve_s for each in timed]),
            _median([each.spread for each in timed if each.spread is not None]),
            lower_bound=low.lower_bound or high.lower_bound,
            parallel=any(each.parallel for each in timed),
        )


def _median(seconds: Sequence[float | None]) -> float | None:
    """The median, if there are any and all are known; else None."""
    known = [each for each in seconds if each is not None]
    return median(known) if known and len(known) == len(seconds) else None


class Participant(NamedTuple):
    """A contender: its name, what it is, and whether it claims everything that can be claimed."""

    name: str
    kind: Kind
    complete: bool


@cache
def _shared(value: T) -> T:
    """One object for equal values, since nearly all summaries hold the same few."""
    return value


class RareFacts(msgspec.Struct, gc=False, frozen=True):
    """What a summary has of few runs only. Summaries without it share one, which saves memory.

    Attributes:
        by_chance: of how many answers of the same contender the check refutes how many, if that is
            not all of them; else None.
        outcome: the kind of the answer, where SAT solvers are compared; else empty.
        defect: the check of the first run shows a defect of the backend or of the check itself; see
            `shows_defect`.
        uncertified: it has no certificate, and none was promised; not if it equals a PROVED one.
        recall: the share of the reference's decided questions that it decides, if its relation is
            SUBSET.
        value, bound: what its solution is worth, as the check has verified, and what no solution
            beats, as the answer says; None if the puzzle does not ask for the best.
        best: what the best solution of all contenders is worth, as far as checks have verified
            them.
        best_proved: whether that is PROVED to be the optimum.
        primal_integral: how far its solutions were from the best one, over the time that it had;
            see `optimum.primal_integral`. None if it reported nothing.
    """

    by_chance: tuple[int, int] | None = None
    outcome: str = ""
    defect: bool = False
    uncertified: bool = False
    recall: float | None = None
    value: int | None = None
    bound: int | None = None
    best: int | None = None
    best_proved: bool = False
    primal_integral: float | None = None

    @property
    def names_best(self) -> bool:
        """Whether it says that its solution is a best one."""
        return self.value is not None and self.value == self.bound

    @property
    def gap(self) -> int | None:
        """How far its solution is from the best known one; None without a solution."""
        if self.value is None or self.best is None:
            return None
        return abs(self.value - self.best)

    @property
    def relative_gap(self) -> float | None:
        """The gap, relative to the best known value; None without a solution."""
        if self.value is None or self.best is None:
            return None
        return relative_gap(self.value, self.best)


_NO_RARE_FACTS = RareFacts()


class Summary(msgspec.Struct, gc=False):
    """What one contender did on one instance, all repeats together.

    Attributes:
        who: the contender; all of its summaries share this.
        statuses: how its runs ended, in order; of a start with several instances only if it did not
            end well.
        claims: whether the first run claims anything.
        check: of the first run, or PROVED if the answer equals a PROVED one; None of a run that was
            stopped.
        refuted: the check refutes an answer, or the answer is in conflict with a PROVED one.
        timing: the median over its runs; None without a time.
        variables, clauses: of the formula of the first run.
        conflicts, decisions, propagations: of the search of the first run.
        peak_bytes: the most that any run took; 0 if no run says it.
        expected: the answer agrees with the expected one.
        relation: to the reference's answer; None of the reference itself.
        rare: what few summaries have.
    """

    who: Participant
    statuses: tuple[Status, ...]
    claims: bool
    check: Verdict | None
    refuted: bool
    timing: Timing | None
    variables: int | None
    clauses: int | None
    conflicts: int | None
    decisions: int | None
    propagations: int | None
    peak_bytes: int
    expected: bool = False
    relation: Relation | None = None
    rare: RareFacts = _NO_RARE_FACTS

    @classmethod
    def of(cls, results: Sequence[Result], puzzle: Puzzle) -> Summary:
        """The summary of the results of one contender on one instance, in the order of its runs.

        A start with several instances has no time of one instance. It counts where it did not end
        well, or where the check refutes its answer.
        """
        first = results[0]
        check, effort, is_whole = first.check, first.effort, first.status is Status.OK
        statuses, failed_starts = list[Status](), list[Status]()
        timings, ended = list[Timing](), list[float]()
        checked = wrong = peak_bytes = 0
        refuted = False
        for each in results:
            verdict, status = each.verdict, each.status
            refuted |= verdict is Verdict.REFUTED
            if each.together > 1:
                if status is not Status.OK and status.was_run:
                    failed_starts.append(status)
                continue
            statuses.append(status)
            checked += verdict is not None
            wrong += verdict is Verdict.REFUTED
            peak_bytes = max(peak_bytes, each.usage.peak_bytes or 0)
            if timing := Timing.of(each):
                timings.append(timing)
                if not timing.lower_bound:
                    ended.append(timing.wall_s)
        timing = Timing.middle(timings)
        if timing is not None and len(ended) > 1 and median(ended):
            timing = replace(timing, spread=(max(ended) - min(ended)) / 2 / median(ended))
        outcome = (
            puzzle.outcome(first.claims)
            if puzzle.compares_solvers and is_whole and first.claims is not None
            else ""
        )
        by_chance = (wrong, checked) if 0 < wrong < checked else None
        return cls(
            who=_shared(Participant(first.contender, first.kind, first.complete)),
            statuses=_shared((*statuses, *failed_starts) or (Status.OK,)),
            claims=first.claims is not None,
            check=first.verdict if is_whole else None,
            refuted=refuted,
            timing=timing,
            variables=effort.variables,
            clauses=effort.clauses,
            conflicts=effort.conflicts,
            decisions=effort.decisions,
            propagations=effort.propagations,
            peak_bytes=peak_bytes,
            rare=_shared(
                RareFacts(
                    by_chance,
                    outcome,
                    defect=check is not None and shows_defect(check),
                    uncertified=check is not None and is_whole and lacks_certificate(check),
                )
            ),
        )

    @property
    def contender(self) -> str:
        """The contender's name."""
        return self.who.name

    @property
    def status(self) -> Status:
        """How its first run ended."""
        return self.statuses[0]

    @property
    def was_timed(self) -> bool:
        """Whether it was run on the instance, and not skipped there."""
        return not self.given and self.status.was_run

    @property
    def solved_s(self) -> float | None:
        """The seconds in which it solved the instance; None if it did not, or if nobody knows."""
        solved = self.status is Status.OK and not self.refuted
        return self.timing.wall_s if self.timing is not None and solved else None

    def score(self, limit: float) -> float:
        """The seconds in which it solved the instance; twice the limit if it did not."""
        return 2 * limit if self.solved_s is None else self.solved_s

    @property
    def given(self) -> bool:
        """The answer existed already, so it has no time."""
        return self.who.kind is Kind.GIVEN

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
        if grade is Grade.UNKNOWN:
            return Headline.UNFINISHED
        if grade in (Grade.TIMEOUT, Grade.MEMORY):
            return Headline.UNFINISHED if self.who.kind is Kind.BACKEND else Headline.FAILED
        unproved = self.check is Verdict.UNPROVED and not self.rare.uncertified
        return Headline.UNPROVED if self.rare.defect or unproved else None


class Compared(msgspec.Struct, gc=False):
    """One instance with the summaries of all its contenders, in the order of the plan.

    It keeps no `Result`, which takes far more memory.

    Attributes:
        puzzle, dataset, file, family, case, size, shape: see `Result`.
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
    summaries: tuple[Summary, ...]

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
        return sum(each.claims for each in self.summaries) > 1

    @property
    def is_disputed(self) -> bool:
        """Some of its answers are in conflict, and no proof says which is wrong."""
        return self.conflict and not any(each.refuted for each in self.summaries)

    @property
    def uncertified(self) -> bool:
        """Some answer has no certificate, and none was promised."""
        return any(each.rare.uncertified and not each.refuted for each in self.summaries)

    @property
    def agreed(self) -> bool:
        """No two answers are in conflict, and there were two that could be compared, or every
        contender that took part is right.
        """
        if self.conflict or self.related:
            return not self.conflict
        return {each.grade for each in self.summaries if each.grade.was_run} == {Grade.RIGHT}

    def of(self, contender: str) -> Summary | None:
        """What that contender did."""
        return next((each for each in self.summaries if each.contender == contender), None)


def summaries_of(instances: Iterable[Compared], contender: str | None = None) -> list[Summary]:
    """The summaries on some instances, of one contender or of all."""
    some: list[Summary] = []
    for each in instances:
        for summary in each.summaries:
            if contender in (None, summary.who.name):
                some.append(summary)
    return some


MAX_SUMMARY_ROWS = 20
"""Datasets that have a row each in a summary."""


def summary_rows(boards: Mapping[str, int], most: int = MAX_SUMMARY_ROWS) -> dict[str, str]:
    """By dataset, the name of its row in a summary of at most so many rows.

    If there are more datasets, those with the most boards keep a row of their own, and the others
    share one. A dataset of a single board shares it, too: hundreds of files are no summary.

    Args:
        boards: how many boards each dataset has.
    """
    if len(boards) <= most:
        return {name: name for name in boards}
    several = [name for name, count in boards.items() if count > 1]
    own = sorted(several, key=lambda name: -boards[name])[: most - 1]
    others = f"{len(boards) - len(own)} {'other ' if own else ''}datasets"
    return {name: name if name in own else others for name in boards}


@dataclass
class Tally:
    """Counts over some summaries.

    Attributes:
        statuses: how runs ended; an answer that existed already is no run, nor is a spared board.
        not_ok: on how many instances some run ended in each way but well.
        grades: what the results are worth.
        blamed: by headline, what those results are worth that are to blame for it.
        answered, checked, proved, refuted: answers.
        defects: answers whose check shows a defect.
        uncertified: answers without a certificate, where none was promised.
        recalls: the shares that incomplete answers decide.
        gaps: of answers that do not say that their solution is the best: how far it is from the
            best known one, relative to that.
    """

    statuses: Counter[Status] = field(default_factory=Counter)
    not_ok: Counter[str] = field(default_factory=Counter)
    grades: Counter[Grade] = field(default_factory=Counter)
    blamed: dict[Headline, Counter[Grade]] = field(default_factory=dict)
    answered: int = 0
    checked: int = 0
    proved: int = 0
    refuted: int = 0
    defects: int = 0
    uncertified: int = 0
    recalls: list[float] = field(default_factory=list)
    gaps: list[float] = field(default_factory=list)

    @classmethod
    def of(cls, summaries: Iterable[Summary]) -> Tally:
        """Count."""
        counts = cls()
        for each in summaries:
            counts.add(each)
        return counts

    def add(self, summary: Summary) -> None:
        """Count one more."""
        for status in summary.statuses:
            if status is not Status.SPARED and not (summary.given and status is Status.OK):
                self.statuses[status] += 1
        ends = dict.fromkeys(summary.statuses)
        self.not_ok.update(each for each in ends if each not in (Status.OK, Status.SPARED))
        grade, trouble = summary.grade, summary.trouble
        self.grades[grade] += 1
        if trouble is not None:
            self.blamed.setdefault(trouble, Counter())[grade] += 1
        self.answered += summary.status is Status.OK
        self.checked += summary.check is not None
        self.proved += summary.check is Verdict.PROVED
        self.refuted += summary.refuted
        self.defects += summary.rare.defect
        self.uncertified += summary.rare.uncertified
        if summary.rare.recall is not None:
            self.recalls.append(summary.rare.recall)
        if summary.rare.relative_gap is not None and not summary.rare.names_best:
            self.gaps.append(summary.rare.relative_gap)

    @property
    def run(self) -> int:
        """How many results were run, or existed already."""
        return self.grades.total() - self.grades[Grade.SKIPPED] - self.grades[Grade.SPARED]

    @property
    def recall(self) -> float | None:
        """The mean over the instances on which something is certain."""
        return sum(self.recalls) / len(self.recalls) if self.recalls else None
