"""What came of one board: answers, refusals, and faults, which are what a search looks for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from compare.isolate.outcome import Status
from compare.work.contenders import Contender
from compare.work.job import Response, Run, response
from compare.work.judging import shows_defect
from puzzles.instance import Instance
from puzzles.verdict import Verdict

CONFLICT, REFUTED, UNPROVED, REFUSED = "CONFLICT", "REFUTED", "UNPROVED", "REFUSED"
LACKING = "LACKING"
"""Kinds of faults beside those that are a status: two answers that cannot both be right; an answer that
the check refutes; a promised certificate that is missing or wrong; a board that a backend refuses within
its declared limits; an incomplete answer that claims less than its backend promises to find."""


@dataclass(frozen=True, order=True)
class Fault:
    """Something wrong on one board: what kind, and whose answers show it.

    Attributes:
        kind: one of the four kinds above, or a status.
        names: the contenders; two for a conflict.
        detail: for people; it does not count when two faults are compared by `same`.
        together: the boards of a call that fails, if no board fails by itself; else empty.
        part: which part of an answer the check refutes, if it tells parts apart.
    """

    kind: str
    names: tuple[str, ...]
    detail: str = ""
    together: tuple[Instance, ...] = field(default=(), compare=False)
    part: str = ""

    def same(self, other: Fault) -> bool:
        """Whether it is the same kind of fault of the same contenders, of one board or of a call of several."""
        own, theirs = ((each.kind, each.names, bool(each.together), each.part) for each in (self, other))
        return own == theirs


class Unfinished(NamedTuple):
    """A call without an answer that is nobody's fault. Nothing is known of its boards.

    Attributes:
        seconds: how long these contenders were busy with the boards, in one call or in several.
        boards: those of the call.
        names: the contenders; several if they solve in one process.
        at_limit: whether the contender reached its own limit; else the time of the search was over before.
        begun: how many boards the first of these calls had, of which this one is a part.
    """

    seconds: float
    boards: tuple[Instance, ...]
    names: tuple[str, ...]
    at_limit: bool = False
    begun: int = 1


@dataclass
class Observed:
    """What came of one board.

    Attributes:
        answers: what each contender answered.
        faults: the faults that need no second answer.
        refused: the contenders that refused the board, whether they may or not.
        untried: whether the time was over before everybody was tried on it.
        printed: by contender, the beginning of what it wrote to standard output and standard error, on this board or on later
            ones.
        unfinished: the calls of this board, and perhaps of later ones, that came to no end.
    """

    answers: list[Response] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    untried: bool = False
    printed: dict[str, str] = field(default_factory=dict)
    unfinished: list[Unfinished] = field(default_factory=list)

    def add(self, other: Observed) -> None:
        """Add what came of the same board elsewhere."""
        self.answers += other.answers
        self.faults += other.faults
        self.refused += other.refused
        self.untried |= other.untried
        self.printed |= other.printed
        self.unfinished += other.unfinished

    def take(self, contender: Contender, run: Run, share_s: float | None = None) -> None:
        """Note what a run of the contender on this board shows.

        Args:
            share_s: the seconds of an answer that does not say what it took.
        """
        if run.status is Status.OK:
            self.answers.append(response(contender, run.claims, run.exact or {}, run.effort, self.answers, share_s))
        elif run.status is Status.SKIPPED:
            self.refused.append(contender.name)
        self.faults += faults_of(contender, run)
        if run.printed:
            self.printed[contender.name] = run.printed


def faults_of(contender: Contender, run: Run) -> list[Fault]:
    """What a run shows to be wrong with its contender. A limit of the check itself is nobody's fault."""
    own, check = (contender.name,), run.check
    if run.status is Status.SKIPPED:
        return [] if run.declared else [Fault(REFUSED, own, run.detail)]
    if run.status is not Status.OK:
        return [Fault(run.status, own, run.detail)]
    faults = [Fault(LACKING, own, f"it {run.lacking}")] if run.lacking else []
    if check is not None and check.verdict is Verdict.REFUTED:
        faults.append(Fault(REFUTED, own, check.detail, part=check.part))
    elif check is not None and shows_defect(check):
        faults.append(Fault(UNPROVED, own, check.detail))
    return faults
