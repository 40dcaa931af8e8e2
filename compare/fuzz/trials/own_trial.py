"""Trying our own backends on some boards: they solve in one child, and a judge checks their certified answers.

What solves many boards with one backend in a process serves the backends of plugins as well.
"""

from __future__ import annotations

import os
import pickle
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
from compare.work.contenders import BackendContender
from compare.work.judging import check_safely
from compare.work.pool import Pool
from compare.work.solving import ENDINGS, certified_answer, exact_options_of, verified
from puzzles.answer import Answer
from puzzles.backend import Unsupported
from puzzles.instance import Instance

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


def broken_promise(contender: BackendContender, board: Instance, answer: Answer) -> list[Fault]:
    """The fault of an answer that lacks something, by the puzzle's own statement of what this backend promises; mostly none.

    On a busy machine a search may run out of time. So a backend of ours is asked twice.
    """
    puzzle = puzzles.get(board.puzzle)
    what = puzzle.broken_promise(board, answer, contender.promise)
    if what is not None and contender.ours:
        what = puzzle.broken_promise(
            board,
            certified_answer(contender.backend, board, dict(contender.options), verify=contender.tests_solver),
            contender.promise,
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
    pool: Pool, batch: Batch, contenders: tuple[BackendContender, ...], part: Sequence[Instance], deadline: Deadline
) -> list[Observed] | FailedCall:
    """What came of each board, or how the call of several boards failed.

    On a single board, and on boards whose call crashes, one contender is tried after the other.
    """
    if not contenders:
        return [Observed() for _ in part]
    if len(part) > 1:
        outcome = _solve_and_check(pool, batch, contenders, part, deadline)
        if outcome.ok:
            return outcome.value
        failure = FailedCall(outcome.status, tuple(each.name for each in contenders), outcome.detail)
        return _one_by_one(pool, batch, contenders, part, deadline) if failure.whole and len(contenders) > 1 else failure
    observed = Observed()
    for contender in contenders:
        allowed = deadline.within(batch.limits)
        outcome = _solve_and_check(pool, batch, (contender,), part, deadline)
        if outcome.ok:
            observed.add(outcome.value[0])
        else:
            observed.add(failed_alone(batch, contender, part[0], outcome, allowed))
    return [observed]


def _one_by_one(
    pool: Pool, batch: Batch, contenders: tuple[BackendContender, ...], part: Sequence[Instance], deadline: Deadline
) -> list[Observed]:
    """What came of each board, where every contender gets calls of its own."""
    observed = [Observed() for _ in part]
    for contender in contenders:
        own = (contender,)
        results = halving(lambda half, own=own: try_backends(pool, batch, own, half, deadline), (contender.name,), part, deadline)
        for each, result in zip(observed, results, strict=True):
            each.add(result)
    return observed


def _solve_and_check(
    pool: Pool, batch: Batch, contenders: tuple[BackendContender, ...], part: Sequence[Instance], deadline: Deadline
) -> Outcome:
    """Solve the boards in a child, then check the certified answers in a judge; the value is what came of each board.

    What a child that is kept shows counts if all is well, or if it was stopped at its limit. All else counts only from a new one.
    """
    if batch.kind not in (*PLAIN_KINDS, BatchKind.SELDOM):
        outcome = _solved_and_checked(pool, batch, contenders, part, deadline, new=False)
        if outcome.status is Status.TIMEOUT or (outcome.ok and not any(each.faults for each in outcome.value)):
            return outcome
    return _solved_and_checked(pool, batch, contenders, part, deadline, new=True)


def _solved_and_checked(
    pool: Pool,
    batch: Batch,
    contenders: tuple[BackendContender, ...],
    part: Sequence[Instance],
    deadline: Deadline,
    *,
    new: bool,
) -> Outcome:
    boards, limits = packed_boards(part), deadline.within(batch.limits)
    outcome = solve_block(pool, batch, contenders, boards, limits, new=new)
    if outcome.status is Status.CRASH and len(part) == len(contenders) == 1 and contenders[0].tests_solver:
        with pool.solver(new=True) as solver:
            again = solver.call(verified, contenders[0], part[0], limits=limits, endings=ENDINGS)
        return again if again.status is Status.ERROR else outcome
    if not outcome.ok:
        return outcome
    rows, waiting = pickle.loads(outcome.value)  # noqa: S301 - a solver that runs our own code wrote it
    if waiting:
        limits = Limits(check_seconds(len(waiting)), batch.limits.memory)
        with pool.judge() as judge:
            checked = judge.call(check_block, boards, outcome.value, limits=limits)
        if not checked.ok and len(part) == 1 and checked.status is Status.TIMEOUT:
            return replace(outcome, value=observed_of(rows))  # a limit of the check is nobody's fault
        if not checked.ok and len(part) > 1 and checked.status in (Status.TIMEOUT, Status.MEMORY):
            return checked  # fewer boards may fit
        if not checked.ok:
            return replace(checked, status=Status.ERROR, detail=f"its answer could not be checked: {checked.detail}")
        rows = checked.value
    return replace(outcome, value=observed_of(rows))


def packed_boards(part: Sequence[Instance]) -> bytes:
    """Boards as they cross between processes."""
    return pickle.dumps(list(part), protocol=5)


def solve_block(
    pool: Pool, batch: Batch, contenders: tuple[BackendContender, ...], boards: bytes, limits: Limits, *, new: bool
) -> Outcome:
    """Have our backends solve boards in one child; the value is for a judge.

    The kernels of plain and forced batches are not compiled, so their children load nothing.
    """
    ready = () if batch.kind in PLAIN_KINDS else contenders
    with pool.solver(*ready, new=new or batch.kind in PLAIN_KINDS) as solver:
        if solver.ready is not None and not solver.ready.ok:
            return solver.ready
        return solver.call(_solve_all, batch, contenders, boards, limits=limits, endings=ENDINGS)


def check_block(boards: bytes, solved: bytes) -> ObservedRows:
    """In a judge: what came of each board, with what the checks of its answers show."""
    return rows_of(checked_block(pickle.loads(boards), solved))  # noqa: S301 - main wrote it


def checked_block(part: Sequence[Instance], solved: bytes) -> list[Observed]:
    """In a judge: the same, as objects."""
    rows, waiting = pickle.loads(solved)  # noqa: S301 - a solver that runs our own code wrote it
    observed = observed_of(rows)
    for each in waiting:
        check = check_safely(part[each.board], each.answer)
        observed[each.board].faults += judged(each.contender, check, promises=each.promises)
    return observed


def _solve_all(batch: Batch, contenders: tuple[BackendContender, ...], boards: bytes) -> bytes:
    """In a solver: what came of each board (`ObservedRows`), and the answers that are still to be checked."""
    part: list[Instance] = pickle.loads(boards)  # noqa: S301 - main wrote it
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
            if contender.promise:
                observed[k].faults += broken_promise(contender, part[k], answer)
            if batch.certify_every is not None and one_in(batch.certify_every, k, len(part)):
                again = certified(contender, part[k])
                if isinstance(again, Refusal):
                    if not again.declared:
                        observed[k].faults.append(Fault(UNPROVED, (contender.name,), again.reason))
                else:
                    exact.update(again.exact)
                    if same_claims(again.claims, claims):
                        if batch.kind is not BatchKind.FORCED:  # there the search for the fewest clues gives up early
                            observed[k].faults += broken_promise(contender, part[k], again)
                        waiting.append(_Certified(k, contender, again, _promises(contender, part[k], again)))
                        if prints_otherwise(part[k], answer, again):
                            waiting.append(_Certified(k, contender, answer, promises=False))
                    else:
                        observed[k].faults += judged(contender, DIFFERS)
            observed[k].answers.append(_sharing(answered(contender, claims, exact, answer), observed[k]))
    return pickle.dumps((rows_of(observed), waiting), protocol=5)


def _sharing(said: Said, observed: Observed) -> Said:
    """The answer with the stance of the first one if they are the same, so that it leaves the solver and is compared once."""
    first = observed.answers[0].stance if observed.answers else None
    return said._replace(stance=first) if first is not None and said.stance is not None and said.stance.same(first) else said


def _promises(contender: BackendContender, board: Instance, answer: Answer) -> bool:
    backend = contender.backend
    return promised(backend, answer, ours=True) and not backend.may_refuse(board, certify=True, **dict(contender.options))


def force_thresholds(rng: Random) -> None:
    """Force each threshold of both sides low with probability 1/2, in this process, which should be a new child."""
    for module in (direct.thresholds, models.model_thresholds):
        for name, low in module.LOW.items():
            if rng.random() < 0.5:
                setattr(module, name, low)
