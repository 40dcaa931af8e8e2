"""Trying our own backends on some boards: they solve in one sandbox, and their certified answers are checked elsewhere.

What solves many boards with one backend in a process serves the backends of plugins as well.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, NamedTuple

import direct.thresholds
import models.model_thresholds
import puzzles
from compare.campaign.relation import same_claims
from compare.fuzz.batch import PLAIN_KINDS, Batch, BatchKind, Deadline
from compare.fuzz.trials.halving import FailedCall, failed_alone, halving
from compare.fuzz.trials.observed import (
    DIFFERS,
    LACKING,
    UNPROVED,
    Fault,
    Observed,
    ObservedRows,
    Refusal,
    Said,
    answered,
    check_seconds,
    judged,
    observed_of,
    prints_otherwise,
    promised,
    rows_of,
)
from compare.isolate.outcome import Limits, Outcome, Status
from compare.isolate.sandbox import call
from compare.work.contenders import BackendContender
from compare.work.judging import check_safely
from compare.work.pool.checker import call_apart
from compare.work.solving import ENDINGS, certified_answer, exact_options_of
from puzzles.answer import Answer
from puzzles.backend import Unsupported
from puzzles.instance import Instance
from puzzles.verdict import Check

RETURNED_NONE = "it returned None instead of an answer"


@dataclass
class Together:
    """The answers and the refusals of one backend, by the index of the board. A board in neither was too large."""

    answers: dict[int, Answer] = field(default_factory=dict)
    refusals: dict[int, Refusal] = field(default_factory=dict)


def one_in(every: int, k: int, count: int) -> bool:
    """Whether the k-th of `count` boards is chosen if one in `every` is.

    The last of each `every` boards is chosen, or of all if they are fewer: a block begins with its largest boards, on which
    certificates and exact claims take far longer than on all others together.
    """
    return k % every == min(every, count) - 1


def solve_together(contender: BackendContender, part: Sequence[Instance], exact_every: int | None) -> Together:
    """Solve the boards in one call if the backend takes a list, else one by one.

    One board in `exact_every` is solved with all exact claims that the backend can give, and without them if they are too much. If
    `exact_every` is None, no board is.
    """
    backend, options = contender.backend, dict(contender.options)
    answers: dict[int, Answer | None] = {}
    refusals: dict[int, Refusal] = {}

    def solve_alone(indices: Sequence[int], options: dict[str, Any]) -> None:
        for k in indices:
            try:
                answers[k] = backend.solve(part[k], **options)
            except Unsupported as reason:
                refusals[k] = refusal(contender, part[k], str(reason))

    def solve(indices: Sequence[int], options: dict[str, Any]) -> None:
        if contender.tests_solver:  # what a solver does wrong on one board must not drown among the others
            solve_alone(indices, options)
            return
        try:
            answers.update(zip(indices, backend.solve_many([part[k] for k in indices], **options), strict=True))
        except Unsupported:
            solve_alone(indices, options)

    taken = [k for k, board in enumerate(part) if not contender.does_not_take(board)]
    exact_options = exact_options_of(backend)
    if exact_every is not None and exact_options.items() - options.items():
        solve([k for k in taken if one_in(exact_every, k, len(part))], options | exact_options)
        taken = [k for k in taken if k not in answers]
        refusals.clear()
    solve(taken, options)
    for k in [k for k, answer in answers.items() if answer is None]:
        refusals[k] = refusal(contender, part[k], RETURNED_NONE)
    return Together({k: answer for k in sorted(answers) if (answer := answers[k]) is not None}, refusals)


def certified(contender: BackendContender, board: Instance) -> Answer | Refusal:
    """The certified answer to a board that the backend has answered, or why it refuses to certify it."""
    try:
        answer = certified_answer(contender.backend, board, dict(contender.options), verify=contender.tests_solver)
    except Unsupported as reason:
        return refusal(contender, board, f"asked for a certificate, it refuses: {reason}", certify=True)
    return refusal(contender, board, RETURNED_NONE, certify=True) if answer is None else answer


def refusal(contender: BackendContender, board: Instance, reason: str, *, certify: bool = False) -> Refusal:
    """A refusal; the backend may have declared it."""
    declared = contender.backend.may_refuse(board, certify=certify, **dict(contender.options))
    return Refusal(reason, declared)


def lacking(contender: BackendContender, board: Instance, answer: Answer) -> list[Fault]:
    """The fault of an answer that lacks something, by the puzzle's own statement of what this backend owes; mostly none.

    On a busy machine a search may run out of time. So a backend of ours is asked twice.
    """
    puzzle = puzzles.get(board.puzzle)
    what = puzzle.lacking(board, answer, contender.owes)
    if what is not None and contender.ours:
        what = puzzle.lacking(
            board,
            certified_answer(contender.backend, board, dict(contender.options), verify=contender.tests_solver),
            contender.owes,
        )
    return [] if what is None else [Fault(LACKING, (contender.name,), f"it {what}")]


class _Certified(NamedTuple):
    """An answer that is still to be checked: a certified one, or one whose witness is another than that of the certified one.

    Attributes:
        board: the index of the board.
        promises: whether the answer should have a valid certificate.
    """

    board: int
    contender: BackendContender
    answer: Answer
    promises: bool


def try_backends(
    batch: Batch, contenders: tuple[BackendContender, ...], part: Sequence[Instance], deadline: Deadline
) -> list[Observed] | FailedCall:
    """What came of each board, or how the call of several boards failed.

    On a single board, and on boards whose call crashes, one contender is tried after the other.
    """
    if not contenders:
        return [Observed() for _ in part]
    if len(part) > 1:
        outcome = _solve_and_check(batch, contenders, part, deadline)
        if outcome.ok:
            return outcome.value
        failure = FailedCall(outcome.status, tuple(each.name for each in contenders), outcome.detail)
        return _one_by_one(batch, contenders, part, deadline) if failure.whole and len(contenders) > 1 else failure
    observed = Observed()
    for contender in contenders:
        allowed = deadline.within(batch.limits)
        outcome = _solve_and_check(batch, (contender,), part, deadline)
        if outcome.ok:
            observed.add(outcome.value[0])
        else:
            observed.add(failed_alone(batch, contender, part[0], outcome, allowed))
    return [observed]


def _one_by_one(
    batch: Batch, contenders: tuple[BackendContender, ...], part: Sequence[Instance], deadline: Deadline
) -> list[Observed]:
    """What came of each board, where every contender gets calls of its own."""
    observed = [Observed() for _ in part]
    for contender in contenders:
        own = (contender,)
        results = halving(lambda half, own=own: try_backends(batch, own, half, deadline), (contender.name,), part, deadline)
        for each, result in zip(observed, results, strict=True):
            each.add(result)
    return observed


def _solve_and_check(
    batch: Batch, contenders: tuple[BackendContender, ...], part: Sequence[Instance], deadline: Deadline
) -> Outcome:
    """Solve the boards in a sandbox, then check the certified answers apart from it; the value is what came of each board."""
    limits = deadline.within(batch.limits)
    outcome = call(_solve_all, batch, contenders, part, limits=limits, endings=ENDINGS)
    if outcome.status is Status.CRASH and len(part) == len(contenders) == 1 and contenders[0].tests_solver:
        again = call(certified, contenders[0], part[0], limits=limits, endings=ENDINGS)
        return again if again.status is Status.ERROR else outcome
    if not outcome.ok:
        return outcome
    rows, waiting = outcome.value
    observed = observed_of(rows)
    if waiting:
        limits = Limits(check_seconds(len(waiting)), batch.limits.memory)
        checked = call_apart(check_all, [(part[each.board], each.answer) for each in waiting], limits=limits)
        if not checked.ok and len(part) == 1 and checked.status is Status.TIMEOUT:
            return replace(outcome, value=observed)  # a limit of the check is nobody's fault
        if not checked.ok and len(part) > 1 and checked.status in (Status.TIMEOUT, Status.MEMORY):
            return checked  # fewer boards may fit
        if not checked.ok:
            return replace(checked, status=Status.ERROR, detail=f"its answer could not be checked: {checked.detail}")
        for each, check in zip(waiting, checked.value, strict=True):
            observed[each.board].faults += judged(each.contender, check, promises=each.promises)
    return replace(outcome, value=observed)


def _solve_all(
    batch: Batch, contenders: tuple[BackendContender, ...], part: Sequence[Instance]
) -> tuple[ObservedRows, list[_Certified]]:
    """In the sandbox: what came of each board, and the answers that are still to be checked."""
    if batch.kind in PLAIN_KINDS:
        os.environ["TWOFOLD_KERNELS"] = "python"
    if batch.kind is BatchKind.FORCED:
        force_thresholds(Random(f"{batch.seed} {batch.index}"))
    observed: list[Observed] = [Observed() for _ in part]
    waiting: list[_Certified] = []
    for contender in contenders:
        together = solve_together(contender, part, batch.exact_every)
        for k, refusal in together.refusals.items():
            refusal.into(observed[k], contender.name)
        for k, answer in together.answers.items():
            claims, exact = answer.claims, dict(answer.exact)
            if contender.owes:
                observed[k].faults += lacking(contender, part[k], answer)
            if batch.certify_every is not None and one_in(batch.certify_every, k, len(part)):
                again = certified(contender, part[k])
                if isinstance(again, Refusal):
                    if not again.declared:
                        observed[k].faults.append(Fault(UNPROVED, (contender.name,), again.reason))
                else:
                    exact.update(again.exact)
                    if same_claims(again.claims, claims):
                        if batch.kind is not BatchKind.FORCED:  # there the search for the fewest clues gives up early
                            observed[k].faults += lacking(contender, part[k], again)
                        waiting.append(_Certified(k, contender, again, _promises(contender, part[k], again)))
                        if prints_otherwise(part[k], answer, again):
                            waiting.append(_Certified(k, contender, answer, promises=False))
                    else:
                        observed[k].faults += judged(contender, DIFFERS)
            observed[k].answers.append(_sharing(answered(contender, claims, exact, answer), observed[k]))
    return rows_of(observed), waiting


def _sharing(said: Said, observed: Observed) -> Said:
    """The answer with the stance of the first one if they are the same, so that it leaves the sandbox and is compared once."""
    first = observed.answers[0].stance if observed.answers else None
    return said._replace(stance=first) if first is not None and said.stance is not None and said.stance.same(first) else said


def _promises(contender: BackendContender, board: Instance, answer: Answer) -> bool:
    backend = contender.backend
    return promised(backend, answer, ours=True) and not backend.may_refuse(board, certify=True, **dict(contender.options))


def check_all(answers: Sequence[tuple[Instance, Answer]]) -> list[Check]:
    """The puzzle's check of each answer."""
    return [check_safely(board, answer) for board, answer in answers]


def force_thresholds(rng: Random) -> None:
    """Force each threshold of both sides low with probability 1/2, in this process, which should be a fork of its own."""
    for module in (direct.thresholds, models.model_thresholds):
        for name, low in module.LOW.items():
            if rng.random() < 0.5:
                setattr(module, name, low)
