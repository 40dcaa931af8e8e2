"""What came of one board: answers, refusals, and faults, which are what a search looks for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import puzzles
from compare.campaign.relation import Stance
from compare.work.contenders import Contender
from compare.work.job import CHECK_S
from compare.work.judging import shows_defect
from puzzles.answer import Answer, Claims
from puzzles.instance import Instance
from puzzles.verdict import Check, Verdict

CONFLICT, REFUTED, UNPROVED, REFUSED = "CONFLICT", "REFUTED", "UNPROVED", "REFUSED"
LACKING = "LACKING"
"""Kinds of faults beside those that are a status: two answers that cannot both be right; an answer that
the check refutes; a promised certificate that is missing or wrong; a board that a backend refuses within
its declared limits; an incomplete answer that claims less than its backend promises to find."""

_MORE_S = 0.01
"""Seconds that checking one more answer may take."""


@dataclass(frozen=True, order=True)
class Fault:
    """Something wrong on one board: what kind, and whose answers show it.

    Attributes:
        kind: one of the four kinds above, or a status.
        names: the contenders; two for a conflict.
        detail: for people; it does not count when two faults are compared by `same`.
        together: the boards of a call that fails, if no board fails by itself; else empty.
    """

    kind: str
    names: tuple[str, ...]
    detail: str = ""
    together: tuple[Instance, ...] = field(default=(), compare=False)

    def same(self, other: Fault) -> bool:
        """Whether it is the same kind of fault of the same contenders, of one board or of a call of several."""
        return (self.kind, self.names, bool(self.together)) == (other.kind, other.names, bool(other.together))


class Response(NamedTuple):
    """What one contender answered to one board.

    Attributes:
        name: the contender.
        stance: what the answer claims; None if nothing that can be related.
        seconds: what the answer cost, as far as it is known.
    """

    name: str
    stance: Stance | None
    seconds: float | None


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


@dataclass(frozen=True)
class Refusal:
    """A board that a backend refuses.

    Attributes:
        reason: why, in the backend's own words.
        declared: whether the backend declares that it may refuse this board.
    """

    reason: str
    declared: bool

    def into(self, observed: Observed, name: str) -> None:
        """Note that the contender of this name refused the board."""
        observed.refused.append(name)
        if not self.declared:
            observed.faults.append(Fault(REFUSED, (name,), self.reason))


def response(contender: Contender, claims: Claims | None, exact: dict[str, object], answer: Answer) -> Response:
    """What a contender answered; the exact claims may come from another answer of it, which has more of them."""
    effort = answer.effort
    seconds = None if effort.solve_s is None else effort.solve_s + (effort.build_s or 0.0)
    return Response(contender.name, None if claims is None else Stance(claims, contender.complete, exact), seconds)


def with_share(observed: list[Observed], called_s: float | None) -> list[Observed]:
    """The same boards of one call, with a share of its seconds for each answer that does not say what it took."""
    share = None if called_s is None else called_s / len(observed)
    for each in observed:
        each.answers = [one if one.seconds is not None else one._replace(seconds=share) for one in each.answers]
    return observed


def check_seconds(count: int) -> float:
    """Seconds that checking `count` answers in one call may take."""
    return CHECK_S + _MORE_S * count


def check_faults(contender: Contender, check: Check) -> list[Fault]:
    """The fault that a check shows, if any. A limit of the check itself is nobody's fault."""
    if check.verdict is Verdict.REFUTED:
        return [Fault(REFUTED, (contender.name,), check.detail)]
    return [Fault(UNPROVED, (contender.name,), check.detail)] if shows_defect(check) else []


def prints_otherwise(board: Instance, one: Answer, other: Answer) -> bool:
    """Whether two answers to a board, of the same claims, differ in what they print, such as their witness."""
    puzzle = puzzles.get(board.puzzle)
    style = puzzle.format(None)
    return one is not other and puzzle.print_answers([one], style) != puzzle.print_answers([other], style)


DIFFERS = "the certified answer differs from the one without a certificate"
"""What is wrong with a certified answer that does not claim what the plain answer claims."""
