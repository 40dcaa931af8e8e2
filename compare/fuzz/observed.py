"""What came of one board: answers, and faults, which are what a search looks for."""

from __future__ import annotations

from dataclasses import dataclass, field

from compare.campaign.relation import Stance
from compare.work.contenders import Contender
from puzzles.verdict import Check, Verdict


@dataclass(frozen=True, order=True)
class Fault:
    """Something wrong on one board: what kind, and whose answers show it.

    Attributes:
        kind: `CONFLICT`, `REFUTED`, or a status.
        names: the contenders; two for a conflict.
        detail: for people; it does not count when two faults are compared by `same`.
    """

    kind: str
    names: tuple[str, ...]
    detail: str = ""

    def same(self, other: Fault) -> bool:
        """Whether it is the same kind of fault of the same contenders."""
        return (self.kind, self.names) == (other.kind, other.names)


@dataclass
class Observed:
    """What came of one board: the answers by contender, and the faults that need no second answer."""

    answers: list[tuple[str, Stance]] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)


def refuted(contender: Contender, check: Check) -> list[Fault]:
    """The fault of a contender whose answer has this check; none unless it is refuted."""
    return [Fault("REFUTED", (contender.name,), check.detail)] if check.verdict is Verdict.REFUTED else []
