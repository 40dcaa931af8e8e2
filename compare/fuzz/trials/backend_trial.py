"""Trying backends on some boards: they solve in one child, and a judge reads and checks their answers.

Our backends solve in a child that is kept, several of them one after the other. Foreign code gets a new child, which its answers
leave as plain text.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from random import Random
from typing import Any, NamedTuple

import direct.thresholds
import models.model_thresholds
import puzzles
from compare.campaign.relation import same_claims
from compare.fuzz.batch import CERTIFY_EVERY, PLAIN_KINDS, Batch, BatchKind, Deadline
from compare.fuzz.trials.halving import FailedCall, failed_alone, halving, limits_of
from compare.fuzz.trials.observed import (
    DIFFERS,
    LACKING,
    REFUTED,
    UNPROVED,
    Fault,
    Observed,
    Refusal,
    Response,
    check_faults,
    check_seconds,
    prints_otherwise,
    response,
    with_share,
)
from compare.isolate.child import Child
from compare.isolate.outcome import Limits, Outcome, Status
from compare.work.attempt import solver_to_blame
from compare.work.contenders import BackendContender
from compare.work.foreign.foreign_answers import packed, rebuilt
from compare.work.foreign.plain import Malformed, from_plain, to_plain
from compare.work.judging import check_safely, judge
from compare.work.pool import Pool
from compare.work.solving import ENDINGS, certified_answer, exact_options_of
from puzzles.answer import Answer
from puzzles.backend import Unsupported
from puzzles.instance import Instance

RETURNED_NONE = "it returned None instead of an answer"

MAX_PLAIN = 100
"""The size of all boards of a call up to which kernels of ours that a plugin calls run as plain Python, and are not loaded."""


def one_in(every: int, k: int, count: int) -> bool:
    """Whether the k-th of `count` boards is chosen if one in `every` is.

    The last of each `every` boards is chosen, or of all if they are fewer: a block begins with its largest boards, on which
    certificates and exact claims take far longer than on all others together.
    """
    return k % every == min(every, count) - 1


def solve_together(contender: BackendContender, part: Sequence[Instance], exact_every: int | None) -> dict[int, Answer | Refusal]:
    """Solve the boards in one call if the backend takes a list, else one by one; returns answers by the index of the board.

    A board that is too large for the backend has none. One board in `exact_every`, or none if that is None, is solved with all
    exact claims that the backend can give, and without them if they are too much.
    """
    backend, options = contender.backend, dict(contender.options)
    answers: dict[int, Answer | Refusal | None] = {}

    def solve_alone(indices: Sequence[int], options: dict[str, Any]) -> None:
        for k in indices:
            try:
                answers[k] = backend.solve(part[k], **options)
            except Unsupported as reason:
                answers[k] = refusal(contender, part[k], str(reason))

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
        taken = [k for k in taken if k not in answers or isinstance(answers[k], Refusal)]
    solve(taken, options)
    return {k: refusal(contender, part[k], RETURNED_NONE) if answer is None else answer for k, answer in sorted(answers.items())}


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


class Solved(NamedTuple):
    """What a backend says of one board, on its way to the judge.

    Attributes:
        board: the index of the board.
        answer: the answer, packed if foreign code made it; None if the backend refuses the board.
        certified: the same of the answer with its certificate; None if the backend refuses to certify, or was not asked.
        reason: why it refuses.
        declared: whether it declares that it may refuse the board, or to certify the answer.
    """

    board: int
    answer: Any
    certified: Any = None
    reason: str = ""
    declared: bool = False


_CLASSES = {Solved.__name__: Solved}


def try_backends(
    pool: Pool, batch: Batch, contenders: tuple[BackendContender, ...], part: Sequence[Instance], deadline: Deadline
) -> list[Observed] | FailedCall:
    """What came of each board, or how the call of several boards failed.

    On a single board, and on boards whose call crashes, one contender is tried after the other.

    Args:
        contenders: backends of ours, or a single foreign one.
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
            continue
        observed.add(failed_alone(batch, contender, part[0], outcome, allowed))
        if outcome.printed:
            observed.printed[contender.name] = outcome.printed
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
    """Solve the boards in a child, then check the answers in a judge; the value is what came of each board.

    What a child that is kept shows counts if all is well, or if it was stopped at its limit. All else counts only from a new one.
    An answer of ours that lacks something counts only if it does so twice: on a busy machine a search may run out of time.
    """
    foreign = contenders[0].foreign
    outcome = _solved_and_checked(pool, batch, contenders, part, deadline, new=False)
    faults = [fault.kind for each in outcome.value for fault in each.faults] if outcome.ok else [outcome.status]
    was_kept = not foreign and batch.kind not in (*PLAIN_KINDS, BatchKind.SELDOM)
    if foreign or not faults or outcome.status is Status.TIMEOUT or not (was_kept or LACKING in faults):
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
    boards, first, alone = packed_boards(part), contenders[0], len(part) == 1
    limits = deadline.within(limits_of(batch.limits, len(part)) if first.foreign else batch.limits)
    compiled = sum(board.size for board in part) > MAX_PLAIN
    solved = solve_block(pool, batch, contenders, boards, limits, new=new, compiled=compiled)
    if solved.status is Status.CRASH and alone and len(contenders) == 1 and first.tests_solver:
        blame = solver_to_blame(pool, first, part[0], limits)
        return replace(solved, status=Status.ERROR, detail=blame) if blame else solved
    if not solved.ok:
        return solved
    checked = _checked(pool, batch, contenders, boards, solved.value, len(part))
    if checked.status is Status.TIMEOUT and alone and not first.foreign:  # a limit of the check is nobody's fault
        checked = _checked(pool, batch, contenders, boards, solved.value, len(part), check=False)
    if not checked.ok and not alone and checked.status in (Status.TIMEOUT, Status.MEMORY):
        return checked  # fewer boards may fit
    if not checked.ok:
        detail = f"its answers could not be checked: {checked.detail}"
        return replace(checked, status=Status.ERROR, detail=detail, printed=solved.printed)
    observed: list[Observed] = checked.value
    if first.foreign:
        observed = with_share(observed, solved.usage.wall_s)
    if solved.printed:
        observed[0].printed[first.name] = solved.printed
    return replace(solved, value=observed)


def packed_boards(part: Sequence[Instance]) -> bytes:
    """Boards as they cross between processes."""
    return pickle.dumps(list(part), protocol=5)


def solve_block(
    pool: Pool,
    batch: Batch,
    contenders: tuple[BackendContender, ...],
    boards: bytes,
    limits: Limits,
    *,
    new: bool,
    compiled: bool = True,
) -> Outcome:
    """Have backends solve boards in one child; the value is for a judge.

    The kernels of plain and forced batches are not compiled, so their children load nothing.

    Args:
        new: whether a child of ours must be new; that of foreign code is.
        compiled: whether kernels of ours that foreign code calls run compiled.
    """
    plain = batch.kind in PLAIN_KINDS
    borrowed: AbstractContextManager[Child]
    if contenders[0].foreign:
        borrowed = pool.foreign_solver(contenders[0], warm=False, compiled=compiled)
    else:
        borrowed = pool.solver(*(() if plain else contenders), new=new or plain)
    with borrowed as solver:
        if solver.ready is not None and not solver.ready.ok:
            return solver.ready
        return solver.call(_solve_all, batch, contenders, boards, limits=limits, endings=ENDINGS)


def _solve_all(batch: Batch, contenders: tuple[BackendContender, ...], boards: bytes) -> bytes:
    """In a solver: what its backends say of each board.

    What our own say that is not checked is made as small as can be: the claims alone, those of several backends once.
    """
    part: list[Instance] = pickle.loads(boards)  # noqa: S301 - main wrote it
    foreign = contenders[0].foreign
    if batch.kind in PLAIN_KINDS and not foreign:
        os.environ["TWOFOLD_KERNELS"] = "python"
    if batch.kind is BatchKind.FORCED and not foreign:
        force_thresholds(Random(f"{batch.seed} {batch.index}"))
    observed: list[Observed] = [Observed() for _ in part]
    rows_of_each: list[list[Solved]] = []
    for contender in contenders:
        rows: list[Solved] = []
        every = _certify_every(batch, contender)
        for k, answer in solve_together(contender, part, batch.exact_every).items():
            if isinstance(answer, Refusal):
                rows.append(Solved(k, None, None, answer.reason, answer.declared))
            elif every is not None and one_in(every, k, len(part)):
                rows.append(_with_certificate(contender, part[k], k, answer))
            elif foreign or contender.promise:
                rows.append(Solved(k, answer))
            else:
                observed[k].answers.append(_sharing(response(contender, answer.claims, dict(answer.exact), answer), observed[k]))
        rows_of_each.append(rows)
    if foreign:
        return to_plain(tuple(_packed(part[row.board], row) for row in rows_of_each[0]), _CLASSES).encode()
    return pickle.dumps((observed, rows_of_each), protocol=5)


def _certify_every(batch: Batch, contender: BackendContender) -> int | None:
    """One answer in how many is certified: every one of a plugin of our puzzles, and the first block of a puzzle of one's own."""
    if not contender.foreign:
        return batch.certify_every
    certifies_all = batch.every or batch.index == 0 or batch.puzzle not in puzzles.user_files()
    return 1 if certifies_all else CERTIFY_EVERY


def _with_certificate(contender: BackendContender, board: Instance, k: int, answer: Answer) -> Solved:
    """The answer, and the certified one from a second solve, or why there is none."""
    again = certified(contender, board)
    if isinstance(again, Refusal):
        return Solved(k, answer, None, again.reason, again.declared)
    return Solved(k, answer, again, declared=contender.backend.may_refuse(board, certify=True, **dict(contender.options)))


def _packed(board: Instance, row: Solved) -> Solved:
    texts = [None if each is None else packed(board, each) for each in (row.answer, row.certified)]
    return row._replace(answer=texts[0], certified=texts[1])


def _sharing(one: Response, observed: Observed) -> Response:
    """The answer with the stance of the first one if they are the same, so that it leaves the solver and is compared once."""
    first = observed.answers[0].stance if observed.answers else None
    return one._replace(stance=first) if first is not None and one.stance is not None and one.stance.same(first) else one


def _checked(
    pool: Pool,
    batch: Batch,
    contenders: tuple[BackendContender, ...],
    boards: bytes,
    solved: bytes,
    count: int,
    *,
    check: bool = True,
) -> Outcome:
    """What a judge says of a block; the value is what came of each board."""
    limits = Limits(check_seconds(count * len(contenders)), batch.limits.memory)
    with pool.judge() as judge:
        return judge.call(_check_block, batch, contenders, boards, solved, check, limits=limits)


def _check_block(
    batch: Batch, contenders: tuple[BackendContender, ...], boards: bytes, solved: bytes, check: bool
) -> list[Observed]:
    part: list[Instance] = pickle.loads(boards)  # noqa: S301 - main wrote it
    return checked_block(batch, contenders, part, solved, check=check)


def checked_block(
    batch: Batch, contenders: tuple[BackendContender, ...], part: Sequence[Instance], solved: bytes, *, check: bool = True
) -> list[Observed]:
    """In a judge: what came of each board, from what a solver wrote. No plugin is loaded in this process."""
    rows_of_each: Iterable[Sequence[Solved]]
    if contenders[0].foreign:
        observed, rows_of_each = [Observed() for _ in part], [from_plain(solved, tuple[Solved, ...], _CLASSES)]
    else:
        observed, rows_of_each = pickle.loads(solved)  # noqa: S301 - a solver that runs our own code wrote it
    for contender, rows in zip(contenders, rows_of_each, strict=True):
        for row in rows:
            _judge(batch, contender, part[row.board], row, observed[row.board], check)
    return observed


def _judge(batch: Batch, contender: BackendContender, board: Instance, row: Solved, observed: Observed, check: bool) -> None:
    """Note what one answer of one backend shows."""
    if row.answer is None:
        Refusal(row.reason, row.declared).into(observed, contender.name)
        return
    try:
        answer: Answer = rebuilt(board, row.answer) if contender.foreign else row.answer
        again: Answer | None = rebuilt(board, row.certified) if contender.foreign and row.certified is not None else row.certified
        claims, exact = answer.claims, {**answer.exact, **({} if again is None else again.exact)}
        differs = again is not None and not same_claims(again.claims, claims)
        other_witness = again is not None and not differs and prints_otherwise(board, answer, again)
    except Exception as error:
        if not contender.foreign:
            raise
        reason = str(error) if isinstance(error, Malformed) else f"{type(error).__name__}: {error}"
        observed.faults.append(Fault(Status.ERROR, (contender.name,), f"malformed answer: {reason}"))
        return
    observed.answers.append(_sharing(response(contender, claims, exact, answer), observed))
    if contender.promise:
        observed.faults += broken_promise(contender, board, answer)
    if again is None:
        if row.reason and not row.declared and contender.certifies:
            observed.faults.append(Fault(UNPROVED, (contender.name,), row.reason))
    elif differs:
        observed.faults.append(Fault(REFUTED, (contender.name,), DIFFERS))
    else:
        if batch.kind is not BatchKind.FORCED:  # there the search for the fewest clues gives up early
            observed.faults += broken_promise(contender, board, again)
        if check:
            verdict = check_safely(board, again) if row.declared else judge(contender, board, again)
            observed.faults += check_faults(contender, verdict)
        if check and other_witness:
            observed.faults += check_faults(contender, check_safely(board, answer))


def broken_promise(contender: BackendContender, board: Instance, answer: Answer) -> list[Fault]:
    """The fault of an answer that lacks something, by the puzzle's own statement of what this backend promises; mostly none."""
    what = puzzles.get(board.puzzle).broken_promise(board, answer, contender.promise)
    return [] if what is None else [Fault(LACKING, (contender.name,), f"it {what}")]


def force_thresholds(rng: Random) -> None:
    """Force each threshold of both sides low with probability 1/2, in this process, which should be a new child."""
    for module in (direct.thresholds, models.model_thresholds):
        for name, low in module.LOW.items():
            if rng.random() < 0.5:
                setattr(module, name, low)
