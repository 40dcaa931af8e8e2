"""What the checks have shown of the best value of an instance, whoever asked for it.

A solution that a check has verified refutes each claim of a better bound, and each claim that there
is no solution, even where the rest of its own answer stays UNPROVED. A PROVED bound and a solution
worth as much are the optimum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

import puzzles
from compare.engine.work.result import Result, TracePoint
from puzzles.answer import Check, Verdict


@dataclass(frozen=True)
class ShownValue:
    """A value, and the result that shows it."""

    value: int
    by: Result


@dataclass(frozen=True)
class Optimum:
    """What is known of the best value of one instance. Costs are values of which less is better:
    those of which the greater one is better are negated.

    Attributes:
        sign: what turns a value into a cost.
        solution: the best solution that a check has verified; None if there is none.
        bound: the best bound that a check has PROVED; None if there is none.
        impossible: a result that is PROVED and says that there is no solution.
    """

    sign: int
    solution: ShownValue | None
    bound: ShownValue | None
    impossible: Result | None

    @classmethod
    def of(cls, results: Sequence[Result]) -> Optimum | None:
        """What the checks of these results have shown; None if their puzzle does not ask for the
        best.
        """
        better = puzzles.get(results[0].puzzle).better if results else ""
        if not better:
            return None
        sign = 1 if better == "less" else -1
        shown = ((solution_value(each), each) for each in results)
        solutions = [ShownValue(value, each) for value, each in shown if value is not None]
        bounds = [
            ShownValue(each.bound, each)
            for each in results
            if each.is_proved and each.bound is not None
        ]
        return cls(
            sign,
            min(solutions, key=lambda each: sign * each.value, default=None),
            max(bounds, key=lambda each: sign * each.value, default=None),
            next((each for each in results if each.is_proved and _is_no(each)), None),
        )

    @property
    def is_proved(self) -> bool:
        """Whether the best solution is PROVED to be the optimum."""
        return (
            self.solution is not None
            and self.bound is not None
            and self.solution.value == self.bound.value
        )

    def refutation(self, result: Result) -> str:
        """Why a claim of this result is false, as a clause for people; empty if nothing that is
        shown refutes it. What a check has PROVED is not refuted: the check contradicts itself then.
        """
        best = self.solution
        if best is None or result.is_proved or result.is_refuted or not beats(best.by, result):
            return ""
        than = "" if _is_no(result) else f", better than {result.bound}"
        return f"{best.by.contender} shows a solution worth {best.value}{than}"

    def proof(self, result: Result) -> str:
        """Who has proved all that an UNPROVED result claims, for people; empty if nobody has, or if
        what is shown contradicts itself.
        """
        bound, best = self.bound, self.solution
        if bound is not None and best is not None and beats(best.by, bound.by):
            return ""
        if _is_no(result):
            return self.impossible.contender if self.impossible is not None else ""
        names: list[str] = []
        if result.value is not None:
            if self.solution is None or self.sign * self.solution.value > self.sign * result.value:
                return ""
            names.append(self.solution.by.contender)
        if result.bound is not None:
            if self.bound is None or self.sign * self.bound.value < self.sign * result.bound:
                return ""
            names.append(self.bound.by.contender)
        return " and ".join(dict.fromkeys(names))

    def judge(self, result: Result) -> Result:
        """The result, with the verdict that the others lead to."""
        if refuted := self.refutation(result):
            check = Check(Verdict.REFUTED, refuted, value=solution_value(result))
        elif result.verdict is Verdict.UNPROVED and (who := self.proof(result)):
            check = Check(Verdict.PROVED, f"claims what {who} proved", value=solution_value(result))
        else:
            return result
        return msgspec.structs.replace(result, check=check)


def solution_value(result: Result) -> int | None:
    """What the solution of a result is worth that a check has verified; None if none has."""
    if result.check is not None and result.check.value is not None:
        return result.check.value
    return result.value if result.is_proved else None


def _is_no(result: Result) -> bool:
    """Whether it says that there is no solution."""
    stance = result.stance
    return stance is not None and stance.is_impossible


def beats(shown: Result, claim: Result) -> bool:
    """Whether the verified solution of one result is better than what the other one says is the
    best, or exists where that says that there is none.
    """
    better, value = puzzles.get(claim.puzzle).better, solution_value(shown)
    if not better or value is None:
        return False
    if _is_no(claim) or claim.bound is None:
        return _is_no(claim)
    return value < claim.bound if better == "less" else value > claim.bound


def relative_gap(value: int, best: int) -> float:
    """How far a value is from the best known one, relative to that."""
    return abs(value - best) / max(1, abs(best))


def primal_integral(trace: Sequence[TracePoint], best: int, end_s: float) -> float:
    """The mean over the time until `end_s` of how far the solution at that time is from the best
    known one: 0 if the best one is there at once, 1 if there is no solution until the end; Berthold
    2013, Measuring the impact of primal heuristics.

    The distance is relative to the larger of the two values, so it is at most 1.
    """
    area, since, distance = 0.0, 0.0, 1.0
    for point in trace:
        if point.value is not None:
            now = min(point.seconds, end_s)
            area += distance * (now - since)
            since, distance = now, _primal_gap(point.value, best)
    return (area + distance * (end_s - since)) / end_s if end_s else distance


def _primal_gap(value: int, best: int) -> float:
    if value == best:
        return 0.0
    return 1.0 if value * best < 0 else abs(value - best) / max(abs(value), abs(best))
