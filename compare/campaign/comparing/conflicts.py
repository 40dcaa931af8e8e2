"""What a comparison keeps to be shown whole: answers that contradict one another, and runs that failed."""

from __future__ import annotations

from dataclasses import dataclass

from compare.campaign.record import Record, TaskIdentity
from compare.isolate.outcome import Status
from puzzles.verdict import Verdict


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
