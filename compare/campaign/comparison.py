"""All records of a campaign compared, once: agreement, proofs, failures, tallies, verdict and exit status.

A `Comparison` is a fold over records. An instance stays open until all of its records have come; then its answers are
related, and what is kept of each contender is a `Result`: states and small numbers, no claims and no texts. Only the first
conflicts and failures keep their records, to be shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from enum import StrEnum
from itertools import combinations

from compare.campaign.record import InstanceKey, Record, TaskIdentity
from compare.campaign.relation import Relation, relate
from compare.campaign.results import Compared, Conflict, Failure, Result, Tally, is_proved, tally
from compare.campaign.timing import Timing, timing
from compare.isolate.outcome import Status
from compare.work.contenders import Kind
from puzzles.verdict import Check, Verdict

MOST_KEPT = 100
"""Conflicts and failures that are kept to be shown; the rest is counted."""


class Headline(StrEnum):
    """What the last line of a comparison begins with."""

    NOT_ALL_AGREE = "NOT ALL AGREE"
    ALL_AGREE = "ALL AGREE"
    NOTHING_COMPARED = "NOTHING COMPARED"


class Comparison:
    """What all records of a campaign say together.

    Attributes:
        instances: the instances whose records have all come, in the order in which they were closed.
        conflicts, failures: the first of them, to be shown; `conflict_count` and `failure_count` say how many there are.
        skipped: by contender, puzzle and reason, how many instances were skipped.
        relations: by puzzle and pair of contenders, how their answers stand to each other.
    """

    def __init__(self, planned: Iterable[TaskIdentity] = ()) -> None:
        """`planned`: all tasks, if they are known. They set the order, and an instance is closed when its last task is done."""
        self.instances: list[Compared] = []
        self.conflicts: list[Conflict] = []
        self.failures: list[Failure] = []
        self.conflict_count = self.failure_count = 0
        self.skipped: Counter[tuple[str, str, str]] = Counter()
        self.relations: dict[tuple[str, str, str], Counter[Relation]] = {}
        self._contenders: dict[str, dict[str, None]] = {}
        self._datasets: dict[str, dict[str, None]] = {}
        self._missing: Counter[InstanceKey] = Counter()
        self._open: dict[InstanceKey, list[Record]] = {}
        for task in planned:
            self._know(task)
            self._missing[task.key] += 1

    @classmethod
    def of(cls, records: Iterable[Record]) -> Comparison:
        """The comparison of records that are all there."""
        comparison = cls()
        for record in records:
            comparison.add(record)
        comparison.close()
        return comparison

    def _know(self, task: TaskIdentity) -> None:
        self._contenders.setdefault(task.puzzle, {})[task.contender] = None
        self._datasets.setdefault(task.puzzle, {})[task.dataset] = None

    def add(self, record: Record) -> None:
        """Take in one record."""
        task, run = record.task, record.run
        self._know(task)
        if run.status is Status.SKIPPED:
            self.skipped[task.contender, task.puzzle, run.detail] += 1
        elif run.status is not Status.OK:
            self._fail(Failure(run.status, task, run.detail))
        elif run.check is not None and run.check.verdict is Verdict.REFUTED:
            self._fail(Failure(Verdict.REFUTED, task, run.check.detail))
        self._open.setdefault(task.key, []).append(record)
        if task.key in self._missing:
            self._missing[task.key] -= 1
            if not self._missing[task.key]:
                self._close(task.key)

    def close(self) -> None:
        """Close what is still open: no more records will come."""
        for key in list(self._open):
            self._close(key)

    def _fail(self, failure: Failure) -> None:
        self.failure_count += 1
        if len(self.failures) < MOST_KEPT:
            self.failures.append(failure)

    def _close(self, key: InstanceKey) -> None:
        place = {name: number for number, name in enumerate(self._contenders[key.puzzle])}
        records = sorted(self._open.pop(key), key=lambda record: (record.task.repeat, place[record.task.contender]))
        results: dict[str, Result] = {}
        for record in records:
            task = record.task
            if task.contender not in results:
                results[task.contender] = Result(task.contender, task.kind, task.complete)
            results[task.contender].add(record)
        compared = Compared(records[0].task, list(results.values()))
        self._relate(compared, results, [r for r in records if r.task.repeat == 1 and r.run.claims is not None])
        self.instances.append(compared)

    def _relate(self, compared: Compared, results: dict[str, Result], answered: list[Record]) -> None:
        """Relate all answers to one instance, pair by pair."""
        relations = _relations(answered)
        reference = next((k for k, record in enumerate(answered) if record.task.complete), 0)
        for (a, b), relation in relations.items():
            ours, theirs = answered[a], answered[b]
            first, second = sorted((ours.task.contender, theirs.task.contender))
            self.relations.setdefault((ours.task.puzzle, first, second), Counter())[relation] += 1
            if reference in (a, b):
                record = theirs if reference == a else ours
                result = results[record.task.contender]
                result.relation, result.recall = relation, _recall(record, answered[reference], relation)
        answered = _with_proofs_of_others(answered, relations)
        for record in answered:
            if is_proved(record):
                results[record.task.contender].check = Verdict.PROVED
        pairs = [(answered[a], answered[b]) for (a, b), relation in relations.items() if relation is Relation.CONFLICT]
        if pairs:
            conflict = Conflict(tuple(answered), tuple(pairs))
            compared.conflict = True
            self.conflict_count += 1
            if len(self.conflicts) < MOST_KEPT:
                self.conflicts.append(conflict)
            for loser in conflict.refuted:
                results[loser.task.contender].refuted = True

    @property
    def puzzles(self) -> list[str]:
        """The puzzles, in the order of the plan."""
        return list(self._contenders)

    def contenders(self, puzzle: str) -> list[str]:
        """The contenders of a puzzle, in the order of the plan."""
        return list(self._contenders[puzzle])

    def datasets(self, puzzle: str) -> list[str]:
        """The datasets of a puzzle, in the order of the plan."""
        return list(self._datasets[puzzle])

    def of_puzzle(self, puzzle: str, dataset: str | None = None) -> list[Compared]:
        """The instances of a puzzle, or of one of its datasets."""
        return [
            each
            for each in self.instances
            if each.instance.puzzle == puzzle and (dataset is None or each.instance.dataset == dataset)
        ]

    def results(self, instances: Iterable[Compared] | None = None, contender: str | None = None) -> Iterator[Result]:
        """The results on some instances (default: all), of one contender or of all."""
        for each in self.instances if instances is None else instances:
            yield from (result for result in each.results if contender in (None, result.contender))

    def timing(self, instances: Iterable[Compared], contender: str) -> Timing | None:
        """The time of one contender on some instances."""
        return timing(self.results(instances, contender))

    @property
    def tally(self) -> Tally:
        """Counts over everything."""
        return tally(self.results())

    @property
    def headline(self) -> Headline:
        """The verdict on the whole."""
        if self.conflict_count or self.tally.refuted:
            return Headline.NOT_ALL_AGREE
        return Headline.ALL_AGREE if any(each.related for each in self.instances) else Headline.NOTHING_COMPARED

    def exit_status(self, *, bad_input: bool = False, strict: bool = False) -> int:
        """0, or 1 for a conflict, a refuted answer, or a program that crashed or printed what cannot be read.

        `bad_input` makes it 2. With `strict` it is 3 if something stayed unproved, skipped or unfinished. 1 goes before 2, and 2
        before 3.
        """
        results = list(self.results())
        programs = (result for result in results if result.kind is Kind.PROGRAM)
        broken = any(status in (Status.CRASH, Status.ERROR) for result in programs for status in result.statuses)
        if broken or self.headline is Headline.NOT_ALL_AGREE:
            return 1
        if bad_input:
            return 2
        unfinished = any(set(result.statuses) != {Status.OK} or result.check is Verdict.UNPROVED for result in results)
        return 3 if strict and unfinished else 0


def _relations(answered: Sequence[Record]) -> dict[tuple[int, int], Relation]:
    """How each two of the answers to one instance stand to each other."""
    stances = [(k, record.stance) for k, record in enumerate(answered)]
    return {
        (a, b): relate(answered[a].task.puzzle, ours, theirs)
        for (a, ours), (b, theirs) in combinations(stances, 2)
        if ours is not None and theirs is not None
    }


def _with_proofs_of_others(answered: Sequence[Record], relations: dict[tuple[int, int], Relation]) -> list[Record]:
    """The records; an UNPROVED answer that claims no more than a complete PROVED one is PROVED by that."""
    records = list(answered)
    for (a, b), relation in relations.items():
        for mine, other in ((a, b), (b, a)):
            record, proved = answered[mine], answered[other]
            unproved = record.run.check is not None and record.run.check.verdict is Verdict.UNPROVED
            if unproved and relation is not Relation.CONFLICT and is_proved(proved) and proved.task.complete:
                check = Check(Verdict.PROVED, f"claims what {proved.task.contender} proved")
                records[mine] = replace(record, run=replace(record.run, check=check))
    return records


def _recall(record: Record, reference: Record, relation: Relation) -> float | None:
    """The share of the reference's decided questions that an incomplete answer decides too."""
    part, whole = record.run.decided, reference.run.decided
    return part / whole if relation is Relation.SUBSET and not record.task.complete and part is not None and whole else None
