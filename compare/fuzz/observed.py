"""What came of one board: answers, refusals, and faults, which are what a search looks for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from compare.isolate.outcome import Status
from compare.work.contenders import Contender
from compare.work.faults import Fault, faults_of
from compare.work.job import Response, Run, response
from puzzles.instance import Instance


class Unfinished(NamedTuple):
    """A call without an answer that is nobody's fault. Nothing is known of its boards.

    Attributes:
        seconds: how long these contenders were busy with the boards, in one call or in several.
        boards: those of the call.
        names: the contenders; several if they solve in one process.
        at_limit: whether the contender reached its own limit; else the time of the search was over
            before.
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
        printed: by contender, the beginning of what it wrote to standard output and standard error,
            on this board or on later ones.
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
            self.answers.append(
                response(contender, run.claims, run.exact or {}, run.effort, self.answers, share_s)
            )
        elif run.status is Status.SKIPPED:
            self.refused.append(contender.name)
        self.faults += faults_of(contender.name, run)
        if run.printed:
            self.printed[contender.name] = run.printed
