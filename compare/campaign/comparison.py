"""All records of a campaign compared, once: agreement, proofs, failures, tallies, verdict and exit status.

A `Comparison` is a fold over records. An instance stays open until all of its records have come; then its answers are
related, and what is kept of each contender is a `Result`: states and small numbers, no claims and no texts. Only the first
conflicts and failures keep their records, to be shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from compare.campaign.record import InstanceKey, Record, TaskIdentity
from compare.campaign.relation import Relation, relate
from compare.campaign.results import Blame, Compared, Grade, Headline, Result, Tally, results_of, tally
from compare.campaign.tasks import EXPECTED
from compare.isolate.outcome import Status
from compare.work.contenders import Kind
from compare.work.judging import shows_defect
from puzzles.verdict import Check, Verdict


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


class Comparison:
    """What all records of a campaign say together.

    Attributes:
        instances: those whose records have all come, in the order in which they were closed.
        conflicts, failures: the first of them, to be shown; `conflict_count` and `failure_count` say how many there are.
        skipped: by contender, puzzle and reason, how many instances were skipped.
        unproved: the first answers that stayed UNPROVED, or whose check shows a defect; `unproved_count` says how many there are.
        disputes: by puzzle and pair of contenders, on how many instances their answers are in conflict and no proof says who is
            wrong.
        relations: by puzzle and pair of contenders, how their answers stand to each other.
        only_together: by puzzle, program and dataset, what it answers otherwise in one file than
            alone.
    """

    def __init__(self, planned: Iterable[TaskIdentity] = ()) -> None:
        """`planned`: all tasks, if they are known. They set the order, and an instance is closed when its last task is done."""
        self.conflicts: list[Conflict] = []
        self.failures: list[Failure] = []
        self.unproved: list[Failure] = []
        self.conflict_count = self.failure_count = self.unproved_count = 0
        self.disputes: Counter[tuple[str, str, str]] = Counter()
        self.skipped: Counter[tuple[str, str, str]] = Counter()
        self.relations: dict[tuple[str, str, str], Counter[Relation]] = {}
        self.only_together: dict[tuple[str, str, str], OnlyTogether] = {}
        self._failed_alone: set[tuple[str, str, str]] = set()
        self._failed_together: set[tuple[str, str, str, str | None]] = set()
        self._contenders: dict[str, dict[str, Kind]] = {}
        self._datasets: dict[str, dict[str, None]] = {}
        self.instances: list[Compared] = []
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
        self._contenders.setdefault(task.puzzle, {})[task.contender] = task.kind
        self._datasets.setdefault(task.puzzle, {})[task.dataset] = None
        return task.key

    def add(self, record: Record) -> None:
        """Take in one record."""
        task, run = record.task, record.run
        key = self._know(task)
        known = self._open.setdefault(key, [])
        if run.status is Status.SKIPPED:
            self.skipped[task.contender, task.puzzle, run.detail] += 1
        elif run.status is not Status.OK and task.together == 1:
            self._failed_alone.add((task.puzzle, task.contender, task.dataset))
            self._fail(Failure(run.status, task, run.detail))
        elif run.status is not Status.OK:
            start = task.puzzle, task.contender, task.dataset, task.file
            if start not in self._failed_together:
                self._failed_together.add(start)
                self._fail(Failure(run.status, task, run.detail))
        elif _is_refuted(record) and not any(_is_refuted(each) for each in known if each.task.contender == task.contender):
            self._fail(Failure(Verdict.REFUTED, task, run.check.detail if run.check else ""))
        known.append(record)
        self._count(key)

    def failed_alone(self, task: TaskIdentity) -> bool:
        """Whether the contender of a task failed on an instance of its dataset alone, so far."""
        return (task.puzzle, task.contender, task.dataset) in self._failed_alone

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

    def _fail(self, failure: Failure) -> None:
        self.failure_count += 1
        if len(self.failures) < MAX_KEPT:
            self.failures.append(failure)

    def _close(self, key: InstanceKey) -> None:
        place = {name: number for number, name in enumerate(self._contenders[key.puzzle])}

        def turn(record: Record) -> tuple[int, int, int]:
            return record.task.repeat, place[record.task.contender], record.task.together

        records = sorted(self._open.pop(key), key=turn)
        by_contender: dict[str, list[Record]] = {}
        for record in records:
            by_contender.setdefault(record.task.contender, []).append(record)
        results = {name: Result.of(runs) for name, runs in by_contender.items()}
        first = [record for record in records if record.task.repeat == 1]
        alone = {record.task.contender: record for record in first if record.task.together == 1}
        for record in first:
            if record.task.together > 1 and record.task.contender in alone:
                self._note_otherwise(alone[record.task.contender], record)
        adding_claims = [record for record in first if _adds_claims(record, alone)]
        conflict = self._relate(results, adding_claims)
        self._note_unproved(results, alone.values())
        task = records[0].task
        self.instances.append(
            Compared(
                puzzle=task.puzzle,
                dataset=task.dataset,
                file=task.file,
                family=task.family,
                case=task.case,
                size=task.size,
                shape=task.shape,
                conflict=conflict,
                results=list(results.values()),
            )
        )

    def _note_unproved(self, results: dict[str, Result], records: Iterable[Record]) -> None:
        """Keep why answers stayed UNPROVED, or what their check says of a defect."""
        for record in records:
            check = record.run.check
            if check is None or check.verdict is not Verdict.UNPROVED:
                continue
            result = results[record.task.contender]
            if shows_defect(check) or (result.check is Verdict.UNPROVED and not result.refuted):
                self.unproved_count += 1
                if len(self.unproved) < MAX_KEPT:
                    self.unproved.append(Failure(Verdict.UNPROVED, record.task, check.detail))

    def _note_otherwise(self, alone: Record, together: Record) -> None:
        """Keep where a program answers otherwise in one file than alone, or fails only there."""
        task, one, other = together.task, alone.stance, together.stance
        stopped = together.run.status not in (Status.OK, Status.SKIPPED)
        refuted = _is_refuted(together) and not _is_refuted(alone)
        contradicts = False
        if one is not None and other is not None:
            contradicts = relate(task.puzzle, one, other) is Relation.CONFLICT
        if stopped or refuted or contradicts:
            start = task.puzzle, task.contender, task.dataset
            known = self.only_together.setdefault(start, OnlyTogether(0, together))
            self.only_together[start] = replace(known, count=known.count + 1)

    def _relate(self, results: dict[str, Result], answered: list[Record]) -> bool:
        """Relate all answers to one instance, pair by pair. Returns whether some of them cannot both be right."""
        relations = _relations(answered)
        of_pairs: dict[tuple[str, str], Relation] = {}
        reference = next((k for k, record in enumerate(answered) if record.task.complete), 0)
        for (a, b), relation in relations.items():
            ours, theirs = answered[a], answered[b]
            first, second = sorted((ours.task.contender, theirs.task.contender))
            known = (first, second) in of_pairs and relation is not Relation.CONFLICT
            if first == second or known:
                continue  # of a program's answers, alone and in one file, the one in conflict counts
            of_pairs[first, second] = relation
            if reference in (a, b):
                record = theirs if reference == a else ours
                result = results[record.task.contender]
                result.relation, result.recall = relation, _recall(record, answered[reference], relation)
            for mine, other in ((ours, theirs), (theirs, ours)):
                if other.task.kind is Kind.GIVEN and other.task.contender == EXPECTED:
                    results[mine.task.contender].expected = relation is not Relation.CONFLICT
        for names, relation in of_pairs.items():
            pair = answered[0].task.puzzle, *names
            self.relations.setdefault(pair, Counter())[relation] += 1
        answered = _with_proofs_of_others(answered, relations)
        for record in answered:
            if is_proved(record) and record.task.together == 1:
                results[record.task.contender].check = Verdict.PROVED
        pairs = [(answered[a], answered[b]) for (a, b), relation in relations.items() if relation is Relation.CONFLICT]
        if pairs:
            conflict = Conflict(tuple(answered), tuple(pairs))
            self.conflict_count += 1
            if len(self.conflicts) < MAX_KEPT:
                self.conflicts.append(conflict)
            for loser in conflict.refuted:
                results[loser.task.contender].refuted = True
            disputed = [(a.task.contender, b.task.contender) for a, b in conflict.unsettled]
            for one, other in dict.fromkeys(disputed):
                if not (results[one].refuted or results[other].refuted):
                    self.disputes[answered[0].task.puzzle, one, other] += 1
        return bool(pairs)

    @property
    def puzzles(self) -> list[str]:
        """The puzzles, in the order of the plan."""
        return list(self._contenders)

    def contenders(self, puzzle: str) -> list[str]:
        """The contenders of a puzzle, in the order of the plan."""
        return list(self._contenders[puzzle])

    def programs(self, puzzle: str) -> list[str]:
        """The contenders of a puzzle that are programs."""
        return [name for name, kind in self._contenders[puzzle].items() if kind is Kind.PROGRAM]

    def datasets(self, puzzle: str) -> list[str]:
        """The datasets of a puzzle, in the order of the plan."""
        return list(self._datasets[puzzle])

    def of_puzzle(self, puzzle: str) -> list[Compared]:
        """The instances of a puzzle."""
        return [each for each in self.instances if each.puzzle == puzzle]

    def by_dataset(self, puzzle: str) -> dict[str, list[Compared]]:
        """The instances of a puzzle by its datasets, in the order of the plan; without datasets that have none yet."""
        instances: dict[str, list[Compared]] = {name: [] for name in self.datasets(puzzle)}
        for each in self.of_puzzle(puzzle):
            instances[each.dataset].append(each)
        return {name: some for name, some in instances.items() if some}

    @property
    def tally(self) -> Tally:
        """Counts over everything."""
        return tally(results_of(self.instances))

    @property
    def missing(self) -> int:
        """How many of the planned runs have no record."""
        return self._missing.total()

    @property
    def blames(self) -> list[Blame]:
        """What each contender is to blame for, the worst first."""
        blames: list[Blame] = []
        for puzzle in self.puzzles:
            instances = self.of_puzzle(puzzle)
            for contender in self.contenders(puzzle):
                results = [each for each in results_of(instances, contender) if each.grade is not Grade.SKIPPED]
                troubles = Counter(each.trouble for each in results)
                for headline in _TROUBLES:
                    if troubles[headline]:
                        grades = Counter(each.grade for each in results if each.trouble is headline)
                        blames.append(Blame(headline, puzzle, contender, troubles[headline], len(results), grades))
        return sorted(blames, key=lambda blame: _TROUBLES.index(blame.headline))

    @property
    def headline(self) -> Headline:
        """The verdict on the whole; every view asks it."""
        troubles = {each.trouble for each in results_of(self.instances)}
        if Headline.FAILED in troubles:
            return Headline.FAILED
        if self.disputes:
            return Headline.CONFLICT
        if Headline.UNPROVED in troubles:
            return Headline.UNPROVED
        if Headline.UNFINISHED in troubles or self.missing:
            return Headline.UNFINISHED
        if any(each.related for each in self.instances):
            return Headline.ALL_AGREE
        grades = {each.grade for each in results_of(self.instances)} - {Grade.SKIPPED}
        return Headline.ACCEPTED if grades == {Grade.RIGHT} else Headline.NOTHING_COMPARED

    def exit_status(self, *, bad_input: bool = False, strict: bool = False) -> int:
        """1 for what the headlines FAILED and CONFLICT say, and for a defect that a check shows; else 0.

        `bad_input` makes it 2. With `strict` it is 3 if something stayed unproved, skipped or unfinished. 1 goes before 2, and 2
        before 3.
        """
        results = list(results_of(self.instances))
        if self.headline in (Headline.FAILED, Headline.CONFLICT) or any(each.defect for each in results):
            return 1
        if bad_input:
            return 2
        settled = not self.missing and all(each.trouble is None and each.grade is not Grade.SKIPPED for each in results)
        return 3 if strict and not settled else 0


_TROUBLES = (Headline.FAILED, Headline.UNPROVED, Headline.UNFINISHED)


def _is_refuted(record: Record) -> bool:
    return record.run.check is not None and record.run.check.verdict is Verdict.REFUTED


def _adds_claims(record: Record, alone: Mapping[str, Record]) -> bool:
    """Whether a record claims something, and in one file with others something else than alone."""
    before = alone.get(record.task.contender)
    if record.stance is None or record.task.together == 1:
        return record.stance is not None
    return before is None or before.stance is None or not record.stance.same(before.stance)


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
