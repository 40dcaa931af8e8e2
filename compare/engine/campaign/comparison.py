"""All results of a campaign compared, once: agreement, proofs, failures, tallies, verdict and exit
status.

A `Comparison` is a fold over results. An instance stays open until all of its results have come;
then its answers are related, and what is kept of each contender is a `Summary`: states and small
numbers, no claims and no texts. Only the first conflicts and failures keep their results, to be
shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TypeVar

from msgspec.structs import replace as with_fields

import puzzles
from compare.engine.campaign.optimum import Optimum, beats, primal_integral, solution_value
from compare.engine.campaign.summaries import (
    Compared,
    Grade,
    Headline,
    Summary,
    Tally,
    summaries_of,
)
from compare.engine.isolate.outcome import Status
from compare.engine.work.contenders import EXPECTED
from compare.engine.work.result import (
    UNPROVED,
    Fault,
    InstanceKey,
    Kind,
    Relation,
    Result,
    RunKey,
    Stance,
    faults_of,
    relate,
    shows_defect,
)
from puzzles.answer import Check, Verdict

T = TypeVar("T")


@dataclass(frozen=True)
class Conflict:
    """The answers to one instance, of which at least two cannot both be right."""

    results: tuple[Result, ...]
    pairs: tuple[tuple[Result, Result], ...]

    @property
    def refuted(self) -> list[Result]:
        """The answers that contradict a PROVED one, or are beaten by a solution that the check has
        verified, and are not PROVED themselves.
        """
        losers: list[Result] = []
        for pair in self.pairs:
            for one, other in (pair, pair[::-1]):
                by_proof = one.is_proved and not beats(other, one)
                wrong = not other.is_proved and (by_proof or beats(one, other))
                if wrong and other not in losers:
                    losers.append(other)
        return losers

    @property
    def beaten(self) -> list[Result]:
        """Those of `refuted` that a better solution refutes; their checks say so."""
        return [
            each
            for each in self.refuted
            if any(each in pair and beats(other, each) for pair in self.pairs for other in pair)
        ]


@dataclass(frozen=True)
class Failure:
    """A fault, and the result that shows it, without what it claims and without its answer."""

    fault: Fault
    result: Result

    @classmethod
    def of(cls, fault: Fault, result: Result) -> Failure:
        """The fault that a result shows."""
        return cls(fault, with_fields(result, claims=None, exact=None, answer=None))


@dataclass(frozen=True)
class OnlyTogether:
    """What a program does only where the instances of a dataset come in one file.

    It keeps something from one to the next, or all of them are too much for it.

    Attributes:
        count: on how many instances.
        first: the first such result.
    """

    count: int
    first: Result


MIN_TIMED_S = 1.0
"""Seconds of runs below which their CPU time says nothing of how busy the machine is."""


def processor_share(times: Iterable[tuple[float, float]]) -> float | None:
    """For which share of their time runs had a processor; None where less than `MIN_TIMED_S` was
    timed. It is less than 1 on a busy machine, and where a contender waits.

    `times`: the CPU time and the wall time of each run, in seconds.
    """
    all_s = busy_s = 0.0
    for cpu_s, wall_s in times:
        all_s += wall_s
        busy_s += min(cpu_s, wall_s)
    return busy_s / all_s if all_s >= MIN_TIMED_S else None


MAX_KEPT = 100
"""Conflicts and failures that are kept to be shown; the rest is counted."""


class Firsts(list[T]):
    """The first of many things, to be shown; `total` says how many there are."""

    total = 0

    def add(self, each: T) -> None:
        self.total += 1
        if len(self) < MAX_KEPT:
            self.append(each)


@dataclass
class PuzzleComparison:
    """What all results of one puzzle say together.

    Attributes:
        contenders, datasets: in the order of the plan.
        instances: those whose results have all come, in the order in which they were closed.
        tallies: by contender, counts over these instances.
        relations: by pair of contenders, how their answers stand to each other.
    """

    name: str
    contenders: dict[str, Kind] = field(default_factory=dict)
    datasets: dict[str, None] = field(default_factory=dict)
    instances: list[Compared] = field(default_factory=list)
    tallies: dict[str, Tally] = field(default_factory=dict)
    relations: dict[tuple[str, str], Counter[Relation]] = field(default_factory=dict)

    @property
    def programs(self) -> list[str]:
        """The contenders that are programs."""
        return [name for name, kind in self.contenders.items() if kind is Kind.PROGRAM]

    def by_dataset(self) -> dict[str, list[Compared]]:
        """The instances by dataset; without datasets that have none yet."""
        instances: dict[str, list[Compared]] = {name: [] for name in self.datasets}
        for each in self.instances:
            instances[each.dataset].append(each)
        some = {name: each for name, each in instances.items() if each}
        if puzzles.get(self.name).datasets_by_size:
            return dict(sorted(some.items(), key=lambda item: min(each.size for each in item[1])))
        return some

    def of_contender(self, contender: str) -> list[Summary]:
        """What one contender did."""
        return summaries_of(self.instances, contender)

    def on_common_boards(self) -> PuzzleComparison:
        """The same on the boards alone on which each contender has a record that has any."""
        recorded = {each.contender for each in summaries_of(self.instances) if not each.given}
        common = [
            each
            for each in self.instances
            if recorded <= {summary.contender for summary in each.summaries}
        ]
        return replace(self, instances=common)

    def claims_all(self, contender: str) -> bool:
        """Whether a contender claims all that is asked for, and not only a part, as a heuristic
        does.
        """
        return all(each.who.complete for each in summaries_of(self.instances, contender))


class Comparison:
    """What all results of a campaign say together.

    Attributes:
        puzzles: in the order of the plan.
        instances: those whose results have all come, in the order in which they were closed.
        conflicts, failures: to be shown; runs without a verdict are among the failures.
        skipped: by contender, puzzle and reason, how many instances were skipped.
        spared: by contender and puzzle, on how many instances a program was spared for each reason.
        unproved: answers that stayed UNPROVED, or whose check shows a defect.
        disputes: by puzzle and pair of contenders, on how many instances their answers are in
            conflict and no proof says who is wrong.
        tally: counts over everything.
        related: on some instance two answers could be compared.
        only_together: by puzzle, program and dataset, what it answers otherwise in one file than
            alone.
        unread: how many runs at most are planned on files that have not been read yet.
    """

    def __init__(self, planned: Iterable[RunKey] = ()) -> None:
        """`planned`: all runs, if they are known.

        They set the order, and an instance is closed when its last run is done.
        """
        self.puzzles: dict[str, PuzzleComparison] = {}
        self.instances: list[Compared] = []
        self.tally, self.related = Tally(), False
        self.conflicts = Firsts[Conflict]()
        self.failures = Firsts[Failure]()
        self.unproved = Firsts[Failure]()
        self.disputes: Counter[tuple[str, str, str]] = Counter()
        self.skipped: Counter[tuple[str, str, str]] = Counter()
        self.spared: dict[tuple[str, str], Counter[str]] = {}
        self.only_together: dict[tuple[str, str, str], OnlyTogether] = {}
        self._failed_alone: set[tuple[str, str, str]] = set()
        self._failed_together: set[tuple[str, str, str, str | None]] = set()
        self._open: dict[InstanceKey, list[Result]] = {}
        self._early: Counter[InstanceKey] = Counter()
        self._missing: Counter[InstanceKey] = Counter()
        self.unread = 0
        self.expect(planned)

    @classmethod
    def of(cls, results: Iterable[Result]) -> Comparison:
        """The comparison of results that are all there."""
        comparison = cls()
        for result in results:
            comparison.add(result)
        comparison.close()
        return comparison

    def expect(self, planned: Iterable[RunKey]) -> None:
        """Note runs that are planned, all those of an instance at once. Results that have come
        already, of an earlier campaign, are among them.
        """
        expected = Counter(map(self._know, planned))
        self._missing.update(expected)
        for key in expected:
            for _ in range(self._early.pop(key, 0)):
                self._count(key)

    def _know(self, run: RunKey) -> InstanceKey:
        """Note who takes part and where; returns the key of the instance."""
        key = run.instance
        part = self.puzzles.setdefault(key.puzzle, PuzzleComparison(key.puzzle))
        part.contenders[run.contender] = run.kind
        part.datasets[key.dataset] = None
        return key

    def add(self, result: Result) -> None:
        """Take in one result."""
        key = self._know(result.run_key)
        known = self._open.setdefault(key, [])
        if result.status is Status.SKIPPED:
            self.skipped[result.contender, result.puzzle, result.reason] += 1
        elif result.status is Status.SPARED:
            reasons = self.spared.setdefault((result.contender, result.puzzle), Counter())
            reasons[result.reason] += 1
        else:
            faults = faults_of(result)
            if result.status is Status.UNKNOWN:
                faults = [Fault(Status.UNKNOWN, (result.contender,), result.reason)]
            if faults and not self._is_old_news(result, known):
                for fault in faults:
                    if fault.kind != UNPROVED:  # another answer may still prove it
                        self.failures.add(Failure.of(fault, result))
        known.append(result)
        self._count(key)

    def _is_old_news(self, result: Result, known: Sequence[Result]) -> bool:
        """Note that a contender fails; whether an earlier run of the instance, or of its file as a
        whole, has shown what this one shows.
        """
        if result.status is Status.OK:
            return any(each.is_refuted for each in known if each.contender == result.contender)
        if result.together == 1:
            self._failed_alone.add(result.start)
            return False
        start, before = (*result.start, result.file), len(self._failed_together)
        self._failed_together.add(start)
        return len(self._failed_together) == before

    def failed_alone(self, start: tuple[str, str, str]) -> bool:
        """Whether a contender failed on an instance of a dataset alone, so far.

        Args:
            start: see `Result.start`.
        """
        return start in self._failed_alone

    def leave_out(self, run: RunKey) -> None:
        """Note that a planned run will not be made."""
        self._count(run.instance)

    def _count(self, key: InstanceKey) -> None:
        """Count a planned run of an instance as done; the last one closes the instance."""
        if key in self._missing:
            self._missing[key] -= 1
            if not self._missing[key]:
                del self._missing[key]
                self._close(key)
        elif self.unread:
            self._early[key] += 1

    def close(self) -> None:
        """Close what is still open: no more results will come."""
        for key in list(self._open):
            self._close(key)

    def _close(self, key: InstanceKey) -> None:
        """Relate the answers to an instance, and keep a summary of each contender."""
        part = self.puzzles[key.puzzle]
        order = list(part.contenders)
        results = self._open.pop(key, [])
        if not results:
            return  # two files with the same name hold the same, and one closed both
        results.sort(key=lambda each: (each.repeat, order.index(each.contender), each.together))
        of_contenders: dict[str, list[Result]] = {}
        for each in results:
            of_contenders.setdefault(each.contender, []).append(each)
        puzzle = puzzles.get(part.name)
        summaries = {name: Summary.of(some, puzzle) for name, some in of_contenders.items()}
        first = [each for each in results if each.repeat == 1]
        alone = {each.contender: each for each in first if each.together == 1}
        answered: list[tuple[Result, Stance]] = []
        for result in first:
            stance, known = result.stance, None
            if result.together > 1 and result.contender in alone:
                before = alone[result.contender]
                self._note_otherwise(before, result)
                known = before.stance
            if stance is not None and (known is None or not stance.same(known)):
                answered.append((result, stance))
        conflict = self._relate(part, summaries, answered)
        self._note_unproved(summaries, alone.values())
        one = results[0]
        compared = Compared(
            one.puzzle,
            one.dataset,
            one.file,
            one.family,
            one.case,
            one.size,
            one.shape,
            conflict,
            tuple(summaries.values()),
        )
        part.instances.append(compared)
        self.instances.append(compared)
        self.related |= compared.related
        for name, summary in summaries.items():
            part.tallies.setdefault(name, Tally()).add(summary)
            self.tally.add(summary)

    def _note_otherwise(self, alone: Result, together: Result) -> None:
        """Keep where a program answers otherwise in one file than alone, or fails only there."""
        one, other = alone.stance, together.stance
        stopped = together.status.was_run and together.status is not Status.OK
        refuted = together.is_refuted and not alone.is_refuted
        contradicts = (
            one is not None
            and other is not None
            and relate(together.puzzle, one, other) is Relation.CONFLICT
        )
        if stopped or refuted or contradicts:
            start = together.start
            known = self.only_together.setdefault(start, OnlyTogether(0, together))
            self.only_together[start] = replace(known, count=known.count + 1)

    def _relate(
        self,
        part: PuzzleComparison,
        summaries: dict[str, Summary],
        answered: Sequence[tuple[Result, Stance]],
    ) -> bool:
        """Relate all answers to one instance, pair by pair.

        Returns whether some of them cannot both be right.
        """
        relations = {
            (a, b): relate(part.name, answered[a][1], answered[b][1])
            for a, b in combinations(range(len(answered)), 2)
        }
        results = [result for result, _ in answered]
        optimum = Optimum.of(results) if puzzles.get(part.name).better else None
        if optimum is None:
            results = _with_proofs_of_others(results, relations)
        else:
            results = [optimum.judge(each) for each in results]
            _note_worth(summaries, results, optimum)
        for result in results:
            if result.is_proved and result.together == 1 and result.status is Status.OK:
                summary = summaries[result.contender]
                summary.check = Verdict.PROVED
                if summary.rare.uncertified:
                    summary.rare = with_fields(summary.rare, uncertified=False)
        ended = [result.complete and result.status is Status.OK for result in results]
        reference = ended.index(True) if True in ended else 0
        of_pairs: dict[tuple[str, str], Relation] = {}
        for (a, b), relation in relations.items():
            first, second = sorted(results[k].contender for k in (a, b))
            known = (first, second) in of_pairs and relation is not Relation.CONFLICT
            if first == second or known:
                continue  # of a program's answers, alone and in one file, one in conflict counts
            of_pairs[first, second] = relation
            for k, k_other in ((a, b), (b, a)):
                other, summary = results[k_other], summaries[results[k].contender]
                if k_other == reference:
                    summary.relation = relation
                    recall = None if optimum else _recall(results[k], other, relation)
                    if recall is not None:
                        summary.rare = with_fields(summary.rare, recall=recall)
                if other.kind is Kind.GIVEN and other.contender == EXPECTED:
                    summary.expected = relation is not Relation.CONFLICT
        for names, relation in of_pairs.items():
            part.relations.setdefault(names, Counter())[relation] += 1
        pairs = tuple(
            (results[a], results[b])
            for (a, b), relation in relations.items()
            if relation is Relation.CONFLICT
        )
        in_conflict = {each.contender for pair in pairs for each in pair}
        for result, (before, _) in zip(results, answered, strict=True):
            if result.is_refuted and not before.is_refuted:
                summaries[result.contender].refuted = True
                if result.contender not in in_conflict:
                    self.failures.add(Failure.of(faults_of(result)[-1], result))
        if not pairs:
            return False
        conflict = Conflict(tuple(results), pairs)
        self.conflicts.add(conflict)
        for loser in conflict.refuted:
            summaries[loser.contender].refuted = True
        for one, other in dict.fromkeys((a.contender, b.contender) for a, b in pairs):
            if not (summaries[one].refuted or summaries[other].refuted):
                self.disputes[part.name, one, other] += 1
        return True

    def _note_unproved(self, summaries: dict[str, Summary], results: Iterable[Result]) -> None:
        """Keep why answers stayed UNPROVED, or what their check says of a defect."""
        for result in results:
            check, summary = result.check, summaries[result.contender]
            if check is None or check.verdict is not Verdict.UNPROVED:
                continue
            if shows_defect(check) or (summary.check is Verdict.UNPROVED and not summary.refuted):
                fault = Fault(UNPROVED, (result.contender,), check.detail)
                self.unproved.add(Failure.of(fault, result))

    @property
    def spared_all(self) -> list[str]:
        """The programs that were spared every instance."""
        programs: list[str] = []
        for program, puzzle in self.spared:
            tally = self.puzzles[puzzle].tallies.get(program)
            if tally is not None and tally.grades.keys() == {Grade.SPARED}:
                programs.append(program)
        return programs

    @property
    def missing(self) -> int:
        """How many of the planned runs have no result."""
        return self._missing.total() + self.unread

    @property
    def processor_share(self) -> float | None:
        """For which share of their time the runs had a processor, as in `processor_share`."""
        times: list[tuple[float, float]] = []
        for each in summaries_of(self.instances):
            if each.timing is not None and each.timing.cpu_s is not None:
                times.append((each.timing.cpu_s, each.timing.wall_s))
        return processor_share(times)

    @property
    def headline(self) -> Headline:
        """The verdict on the whole; every view asks it."""
        tally = self.tally
        if Headline.FAILED in tally.blamed:
            return Headline.FAILED
        if self.disputes:
            return Headline.CONFLICT
        if Headline.UNPROVED in tally.blamed:
            return Headline.UNPROVED
        if Headline.UNFINISHED in tally.blamed or self.missing:
            return Headline.UNFINISHED
        if self.spared_all:
            return Headline.NOTHING_COMPARED
        if self.related:
            return Headline.ALL_AGREE
        all_right = 0 < tally.run == tally.grades[Grade.RIGHT]
        return Headline.ACCEPTED if all_right else Headline.NOTHING_COMPARED

    def exit_status(self, *, bad_input: bool = False, strict: bool = False) -> int:
        """1 for what the headlines FAILED and CONFLICT say, and for a defect that a check shows;
        else 0.

        `bad_input` makes it 2. With `strict` it is 3 if something stayed unproved, skipped or
        unfinished. 1 goes before 2, and 2 before 3.
        """
        tally = self.tally
        if self.headline in (Headline.FAILED, Headline.CONFLICT) or tally.defects:
            return 1
        if bad_input:
            return 2
        open_ends = self.missing or tally.uncertified or tally.grades[Grade.SKIPPED]
        return 3 if strict and (open_ends or tally.blamed) else 0


def _with_proofs_of_others(
    results: list[Result], relations: dict[tuple[int, int], Relation]
) -> list[Result]:
    """The results; an UNPROVED answer that claims no more than a complete PROVED one is PROVED by
    that.
    """
    proved = list(results)
    for (a, b), relation in relations.items():
        for k, result, other in ((a, results[a], results[b]), (b, results[b], results[a])):
            is_covered = other.is_proved and other.complete
            if relation is Relation.CONFLICT or not is_covered:
                continue
            if result.verdict is Verdict.UNPROVED:
                check = Check(Verdict.PROVED, f"claims what {other.contender} proved")
                proved[k] = with_fields(result, check=check)
    return proved


def _note_worth(summaries: dict[str, Summary], results: Sequence[Result], known: Optimum) -> None:
    """Keep what each solution is worth, and the best one that is known."""
    for result in results:
        if result.together == 1:
            summary, value = summaries[result.contender], solution_value(result)
            best = None if known.solution is None else known.solution.value
            integral = None
            if result.trace and value is not None and best is not None and not result.is_refuted:
                integral = primal_integral(result.trace, best, result.usage.wall_s or 0.0)
            summary.rare = with_fields(
                summary.rare,
                value=value,
                bound=result.bound,
                best=best,
                best_proved=known.is_proved,
                primal_integral=integral,
            )


def _recall(result: Result, reference: Result, relation: Relation) -> float | None:
    """The share of the reference's decided questions that an incomplete answer decides too."""
    part, whole = result.decided, reference.decided
    return (
        part / whole
        if relation is Relation.SUBSET and not result.complete and part is not None and whole
        else None
    )
