"""What is wrong, and whose it is: made of a run in one place, and said by one sentence wherever it
is noticed.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from compare.engine.isolate.outcome import Status
from compare.engine.work.judging import shows_defect
from compare.engine.work.result import Result
from puzzles.answer import Verdict
from puzzles.instance import Instance

CONFLICT, REFUTED, UNPROVED, REFUSED = "CONFLICT", "REFUTED", "UNPROVED", "REFUSED"
LACKING = "LACKING"
"""Kinds of faults beside those that are a status: two answers that cannot both be right; an answer
that the check refutes; a promised certificate that is missing or wrong; a board that a backend
refuses within its declared limits; an incomplete answer that claims less than what its backend
finds at least (`Backend.finds`)."""


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
        """Whether it is the same kind of fault of the same contenders, of one board or of a call of
        several.
        """
        own, theirs = (
            (each.kind, each.names, bool(each.together), each.part) for each in (self, other)
        )
        return own == theirs

    def sentence(self, place: str = "") -> str:
        """`CRASH: mine on lights, dataset tiny, case 3: killed by SIGSEGV`.

        Without a place it is about what stands beside it.
        """
        where, why = f" on {place}" if place else "", f": {self.detail}" if self.detail else ""
        return f"{self.kind}: {' and '.join(self.names)}{where}{why}"


def faults_of(result: Result) -> list[Fault]:
    """What a result shows to be wrong with its contender.

    A limit of the check itself is nobody's fault, and a solver may say that it does not know.
    """
    own, check = (result.contender,), result.check
    if result.status is Status.SPARED:
        return []
    if result.status is Status.SKIPPED:
        return [] if result.declared else [Fault(REFUSED, own, result.reason)]
    if result.status is Status.UNKNOWN:
        return []
    if result.status is not Status.OK:
        return [Fault(result.status, own, result.reason)]
    faults = [Fault(LACKING, own, f"it {result.lacking}")] if result.lacking else []
    if check is not None and check.verdict is Verdict.REFUTED:
        faults.append(Fault(REFUTED, own, check.detail, part=check.part))
    elif check is not None and shows_defect(check):
        faults.append(Fault(UNPROVED, own, check.detail))
    return faults
