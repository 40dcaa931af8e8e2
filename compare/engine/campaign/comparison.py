"""All records of a campaign compared, once: agreement, proofs, failures, tallies, verdict and exit
status.

A `Comparison` is a fold over records. An instance stays open until all of its records have come;
then its answers are related, and what is kept of each contender is a `Result`: states and small
numbers, no claims and no texts. Only the first conflicts and failures keep their records, to be
shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TypeVar

import puzzles
from compare.engine.campaign.record import InstanceKey, Record, TaskIdentity
from compare.engine.campaign.relation import Relation, Stance, relate
from compare.engine.campaign.results import Compared, Grade, Headline, Result, Tally, results_of
from compare.engine.campaign.tasks import EXPECTED
from compare.engine.isolate.outcome import Status
from compare.engine.work.contenders import Kind
from compare.engine.work.faults import UNPROVED, Fault, faults_of
from compare.engine.work.judging import shows_defect
from puzzles.answer import Check, Verdict

T = TypeVar("T")


@dataclass(frozen=True)
class Conflict:
    """The answers to one instance, of which at least two cannot both be right."""

    records: tuple[Record, ...]
    pairs: tuple[tuple[Record, Record], ...]

    @property
    def refuted(self) -> list[Record]:
        """The answers that contradict a PROVED one and are not PROVED themselves."""
        losers: list[Record] = []
        for one, other in self.pairs:
            loser = other if one.is_proved else one
            if one.is_proved is not other.is_proved and loser not in losers:
                losers.append(loser)
        return losers


@dataclass(frozen=True)
class Failure:
    """A fault that a run shows, and the task of that run."""

    fault: Fault
    task: TaskIdentity


@dataclass(frozen=True)
class OnlyTogether:
    """What a program does only where the instances of a dataset come in one file.

    It keeps something from one to the next, or all of them are too much for it.

    Attributes:
        count: on how many instances.
        first: the first such record.
    """

    count: int
    first: Record


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
    """What all records of one puzzle say together.

    Attributes:
        contenders, datasets: in the order of the plan.
        instances: those whose records have all come, in the order in which they were closed.
        relations: by pair of contenders, how their answers stand to each other.
    """

    name: str
    contenders: dict[str, Kind] = field(default_factory=dict)
    datasets: dict[str, None] = field(default_factory=dict)
    instances: list[Compared] = field(default_factory=list)
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

    def results(self, contender: str) -> list[Result]:
        """What one contender did."""
        return list(results_of(self.instances, contender))

    def blamed(self, headline: Headline) -> Iterator[tuple[str, list[Result], int]]:
        """Each contender that is to blame for this headline, with the results that are, and on how
        many instances it was run.
        """
        for contender in self.contenders:
            results = [each for each in self.results(contender) if each.grade.was_run]
            troubles = [each for each in results if each.trouble is headline]
            if troubles:
                yield contender, troubles, len(results)


class Comparison:
    """What all records of a campaign say together.

    Attributes:
        puzzles: in the order of the plan.
        instances: those whose records have all come, in the order in which they were closed.
        conflicts, failures: to be shown; runs without a verdict are among the failures.
        skipped: by contender, puzzle and reason, how many instances were skipped.
        spared: by contender and puzzle, on how many instances a program was spared for each reason.
        unproved: answers that stayed UNPROVED, or whose check shows a defect.
        disputes: by puzzle and pair of contenders, on how many instances their answers are in
            conflict and no proof says who is wrong.
        only_together: by puzzle, program and dataset, what it answers otherwise in one file than
            alone.
    """

    def __init__(self, planned: Iterable[TaskIdentity] = ()) -> None:
        """`planned`: all tasks, if they are known.

        They set the order, and an instance is closed when its last task is done.
        """
        self.puzzles: dict[str, PuzzleComparison] = {}
        self.instances: list[Compared] = []
        self.conflicts = Firsts[Conflict]()
        self.failures = Firsts[Failure]()
        self.unproved = Firsts[Failure]()
        self.disputes: Counter[tuple[str, str, str]] = Counter()
        self.skipped: Counter[tuple[str, str, str]] = Counter()
        self.spared: dict[tuple[str, str], Counter[str]] = {}
        self.only_together: dict[tuple[str, str, str], OnlyTogether] = {}
        self._failed_alone: set[tuple[str, str, str]] = set()
        self._failed_together: set[tuple[str, str, str, str | None]] = set()
        self._open: dict[InstanceKey, list[Record]] = {}
        self._missing = Counter(self._know(task) for task in planned)

    @classmethod
    def of(cls, records: Iterable[Record]) -> Comparison:
        """The comparison of records that are all there."""
        comparison = cls()
        for record in records:
            comparison.add(record)
        comparison.close()
        return comparison

    def _know(self, task: TaskIdentity) -> InstanceKey:
        """Note who takes part and where; returns the key of the instance."""
        part = self.puzzles.setdefault(task.puzzle, PuzzleComparison(task.puzzle))
        part.contenders[task.contender] = task.kind
        part.datasets[task.dataset] = None
        return task.key

    def add(self, record: Record) -> None:
        """Take in one record."""
        task, run = record.task, record.run
        key = self._know(task)
        known = self._open.setdefault(key, [])
        if run.status is Status.SKIPPED:
            self.skipped[task.contender, task.puzzle, run.detail] += 1
        elif run.status is Status.SPARED:
            reasons = self.spared.setdefault((task.contender, task.puzzle), Counter())
            reasons[run.detail] += 1
        elif not self._is_known(record, known):
            for fault in faults_of(task.contender, run):
                if fault.kind != UNPROVED:  # another answer may still prove it
                    self.failures.add(Failure(fault, task))
            if run.status is Status.UNKNOWN:
                fault = Fault(Status.UNKNOWN, (task.contender,), run.detail)
                self.failures.add(Failure(fault, task))
        known.append(record)
        self._count(key)

    def _is_known(self, record: Record, known: Sequence[Record]) -> bool:
        """Whether an earlier run of the instance, or of its file as a whole, has shown what this
        one shows.
        """
        task = record.task
        if record.run.status is Status.OK:
            return any(each.is_refuted for each in known if each.task.contender == task.contender)
        if task.together == 1:
            self._failed_alone.add(task.start)
            return False
        start, before = (*task.start, task.file), len(self._failed_together)
        self._failed_together.add(start)
        return len(self._failed_together) == before

    def failed_alone(self, task: TaskIdentity) -> bool:
        """Whether the contender of a task failed on an instance of its dataset alone, so far."""
        return task.start in self._failed_alone

    def leave_out(self, task: TaskIdentity) -> None:
        """Note that a planned run will not be made."""
        self._count(task.key)

    def _count(self, key: InstanceKey) -> None:
        """Count a planned run of an instance as done; the last one closes the instance."""
        if key in self._missing:
            self._missing[key] -= 1
            if not self._missing[key]:
                del self._missing[key]
                self._close(key)

    def close(self) -> None:
        """Close what is still open: no more records will come."""
        for key in list(self._open):
            self._close(key)

    def _close(self, key: InstanceKey) -> None:
        """Relate the answers to an instance, and keep a result of each contender."""
        part = self.puzzles[key.puzzle]
        order = list(part.contenders)
        records = self._open.pop(key)
        records.sort(
            key=lambda each: (
                each.task.repeat,
                order.index(each.task.contender),
                each.task.together,
            )
        )
        results = {
            name: Result.of([record for record in records if record.task.contender == name])
            for name in dict.fromkeys(record.task.contender for record in records)
        }
        first = [record for record in records if record.task.repeat == 1]
        alone = {record.task.contender: record for record in first if record.task.together == 1}
        answered: list[tuple[Record, Stance]] = []
        for record in first:
            stance, known = record.stance, None
            if record.task.together > 1 and record.task.contender in alone:
                before = alone[record.task.contender]
                self._note_otherwise(before, record)
                known = before.stance
            if stance is not None and (known is None or not stance.same(known)):
                answered.append((record, stance))
        conflict = self._relate(part, results, answered)
        self._note_unproved(results, alone.values())
        task = records[0].task
        compared = Compared(
            task.puzzle,
            task.dataset,
            task.file,
            task.family,
            task.case,
            task.size,
            task.shape,
            conflict,
            tuple(results.values()),
        )
        part.instances.append(compared)
        self.instances.append(compared)

    def _note_otherwise(self, alone: Record, together: Record) -> None:
        """Keep where a program answers otherwise in one file than alone, or fails only there."""
        task, one, other = together.task, alone.stance, together.stance
        stopped = together.run.status.was_run and together.run.status is not Status.OK
        refuted = together.is_refuted and not alone.is_refuted
        contradicts = (
            one is not None
            and other is not None
            and relate(task.puzzle, one, other) is Relation.CONFLICT
        )
        if stopped or refuted or contradicts:
            known = self.only_together.setdefault(task.start, OnlyTogether(0, together))
            self.only_together[task.start] = replace(known, count=known.count + 1)

    def _relate(
        self,
        part: PuzzleComparison,
        results: dict[str, Result],
        answered: Sequence[tuple[Record, Stance]],
    ) -> bool:
        """Relate all answers to one instance, pair by pair.

        Returns whether some of them cannot both be right.
        """
        relations = {
            (a, b): relate(part.name, answered[a][1], answered[b][1])
            for a, b in combinations(range(len(answered)), 2)
        }
        records = _with_proofs_of_others([record for record, _ in answered], relations)
        for record in records:
            if record.is_proved and record.task.together == 1:
                result = results[record.task.contender]
                result.check, result.uncertified = Verdict.PROVED, False
        reference = next((k for k, record in enumerate(records) if record.task.complete), 0)
        of_pairs: dict[tuple[str, str], Relation] = {}
        for (a, b), relation in relations.items():
            first, second = sorted(records[k].task.contender for k in (a, b))
            known = (first, second) in of_pairs and relation is not Relation.CONFLICT
            if first == second or known:
                continue  # of a program's answers, alone and in one file, one in conflict counts
            of_pairs[first, second] = relation
            for k, other in ((a, b), (b, a)):
                task, result = records[other].task, results[records[k].task.contender]
                if other == reference:
                    result.relation = relation
                    result.recall = _recall(records[k], records[other], relation)
                if task.kind is Kind.GIVEN and task.contender == EXPECTED:
                    result.expected = relation is not Relation.CONFLICT
        for names, relation in of_pairs.items():
            part.relations.setdefault(names, Counter())[relation] += 1
        pairs = tuple(
            (records[a], records[b])
            for (a, b), relation in relations.items()
            if relation is Relation.CONFLICT
        )
        if not pairs:
            return False
        conflict = Conflict(tuple(records), pairs)
        self.conflicts.add(conflict)
        for loser in conflict.refuted:
            results[loser.task.contender].refuted = True
        unsettled = {
            (a.task.contender, b.task.contender): None
            for a, b in pairs
            if a.is_proved is b.is_proved
        }
        for one, other in unsettled:
            if not (results[one].refuted or results[other].refuted):
                self.disputes[part.name, one, other] += 1
        return True

    def _note_unproved(self, results: dict[str, Result], records: Iterable[Record]) -> None:
        """Keep why answers stayed UNPROVED, or what their check says of a defect."""
        for record in records:
            check, result = record.run.check, results[record.task.contender]
            if check is None or check.verdict is not Verdict.UNPROVED:
                continue
            if shows_defect(check) or (result.check is Verdict.UNPROVED and not result.refuted):
                self.unproved.add(
                    Failure(Fault(UNPROVED, (record.task.contender,), check.detail), record.task)
                )

    @property
    def spared_all(self) -> list[str]:
        """The programs that were spared every instance."""
        return [
            program
            for part in self.puzzles.values()
            for program in part.programs
            if {each.grade for each in part.results(program)} == {Grade.SPARED}
        ]

    @property
    def tally(self) -> Tally:
        """Counts over everything."""
        return Tally.of(results_of(self.instances))

    @property
    def missing(self) -> int:
        """How many of the planned runs have no record."""
        return self._missing.total()

    @property
    def headline(self) -> Headline:
        """The verdict on the whole; every view asks it."""
        results = list(results_of(self.instances))
        troubles = {each.trouble for each in results}
        if Headline.FAILED in troubles:
            return Headline.FAILED
        if self.disputes:
            return Headline.CONFLICT
        if Headline.UNPROVED in troubles:
            return Headline.UNPROVED
        if Headline.UNFINISHED in troubles or self.missing:
            return Headline.UNFINISHED
        if self.spared_all:
            return Headline.NOTHING_COMPARED
        if any(each.related for each in self.instances):
            return Headline.ALL_AGREE
        grades = {each.grade for each in results if each.grade.was_run}
        return Headline.ACCEPTED if grades == {Grade.RIGHT} else Headline.NOTHING_COMPARED

    def exit_status(self, *, bad_input: bool = False, strict: bool = False) -> int:
        """1 for what the headlines FAILED and CONFLICT say, and for a defect that a check shows;
        else 0.

        `bad_input` makes it 2. With `strict` it is 3 if something stayed unproved, skipped or
        unfinished. 1 goes before 2, and 2 before 3.
        """
        results = list(results_of(self.instances))
        if self.headline in (Headline.FAILED, Headline.CONFLICT) or any(
            each.defect for each in results
        ):
            return 1
        if bad_input:
            return 2
        settled = not self.missing and all(
            each.trouble is None and not each.uncertified and each.grade is not Grade.SKIPPED
            for each in results
        )
        return 3 if strict and not settled else 0


def _with_proofs_of_others(
    records: list[Record], relations: dict[tuple[int, int], Relation]
) -> list[Record]:
    """The records; an UNPROVED answer that claims no more than a complete PROVED one is PROVED by
    that.
    """
    proved = list(records)
    for (a, b), relation in relations.items():
        for k, record, other in ((a, records[a], records[b]), (b, records[b], records[a])):
            is_covered = other.is_proved and other.task.complete
            if relation is Relation.CONFLICT or not is_covered:
                continue
            if record.verdict is Verdict.UNPROVED:
                check = Check(Verdict.PROVED, f"claims what {other.task.contender} proved")
                proved[k] = replace(record, run=replace(record.run, check=check))
    return proved


def _recall(record: Record, reference: Record, relation: Relation) -> float | None:
    """The share of the reference's decided questions that an incomplete answer decides too."""
    part, whole = record.run.decided, reference.run.decided
    return (
        part / whole
        if relation is Relation.SUBSET and not record.task.complete and part is not None and whole
        else None
    )
