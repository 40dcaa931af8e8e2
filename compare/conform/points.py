"""The points that every puzzle has to hold, and how each of them is tried: in a process of its own, under limits."""

from __future__ import annotations

from functools import partial

from compare.conform import answering, attacked, sharing, stating
from compare.conform.corpus import Finding, Point, failed
from compare.isolate.outcome import Limits, Status
from compare.isolate.sandbox import call
from puzzles.puzzle import Puzzle

POINTS = (
    Point(
        "answers", "all backends answer each instance, alike, with and without `certify`, and do not change it", answering.answers
    ),
    Point("proofs", "the check proves each certified answer", answering.proofs),
    Point(
        "damage",
        "no answer that was damaged is proved unless it is right, and the check ends in a verdict on each",
        attacked.damage,
    ),
    Point("check", "each small change of the check's own code changes a verdict", attacked.check_mutants),
    Point("families", "the same size and seed give the same instance", stating.families),
    Point("texts", "what is printed reads back, and a damaged text is refused with a message", stating.texts),
    Point("shrinking", "smaller instances are valid and not larger, and going down ends", stating.shrinking),
    Point("pictures", "instances and answers are drawn, and the rules are written down", stating.pictures),
    Point("sharing", "no function is used by both sides, or by the check and a side", sharing.sharing),
)

POINT_LIMITS = Limits(300.0, 4 * 2**30)
"""A point tries hundreds of small instances, and the check of `check` is tried hundreds of times."""


def findings(puzzle: Puzzle, point: Point) -> list[Finding]:
    """What is not true of a puzzle. A point that does not end well is a finding, too."""
    ended = call(partial(_listed, puzzle, point), limits=POINT_LIMITS)
    if ended.ok:
        return ended.value
    late = "it takes too long" if ended.status is Status.TIMEOUT else f"{ended.status} {ended.detail}"
    return [failed(f"this point could not be tried to its end: {late}: mend that, then try again")]


def _listed(puzzle: Puzzle, point: Point) -> list[Finding]:
    return list(point.findings(puzzle))
