"""Trying foreign code on some boards: the backend of a plugin, or a program.

The backend of a plugin solves in a new child, and a judge reads its answers. A program runs in one start if its
format holds many boards, else in a start each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import puzzles
from compare.campaign.relation import same_claims
from compare.fuzz.batch import CERTIFY_EVERY, Batch, Deadline
from compare.fuzz.trials.halving import FailedCall, failed_alone, limits_of
from compare.fuzz.trials.observed import (
    DIFFERS,
    UNPROVED,
    Fault,
    Observed,
    Refusal,
    answered,
    check_seconds,
    judged,
    prints_otherwise,
    promised,
)
from compare.fuzz.trials.own_trial import broken_promise, certified, one_in, solve_together
from compare.isolate.outcome import Limits, Outcome, Status
from compare.work.attempt import start_program
from compare.work.contenders import BackendContender, ProgramContender
from compare.work.foreign.foreign_answers import packed, rebuilt
from compare.work.foreign.plain import Malformed, from_plain, to_plain
from compare.work.judging import check_safely, read_output
from compare.work.pool import Pool
from compare.work.solving import ENDINGS
from puzzles.answer import Answer
from puzzles.instance import Instance


def try_plugin(
    pool: Pool, batch: Batch, contender: BackendContender, part: Sequence[Instance], deadline: Deadline
) -> list[Observed] | FailedCall:
    """What came of each board, or how the call of several boards failed."""
    certified_every = 1 if _certifies_all(batch) else CERTIFY_EVERY
    allowed = deadline.within(limits_of(batch.limits, len(part)))
    compiled = sum(board.size for board in part) > MAX_PLAIN
    with pool.foreign_solver(contender, warm=False, compiled=compiled) as solver:
        outcome = solver.ready
        if outcome is None or outcome.ok:
            outcome = solver.call(
                _solve_plugin, contender, part, batch.exact_every, certified_every, limits=allowed, endings=ENDINGS
            )
    printed = {contender.name: outcome.printed} if outcome.printed else {}
    called_s = outcome.usage.wall_s
    if outcome.ok:
        limits = replace(batch.limits, seconds=check_seconds(len(part)))
        with pool.judge() as judge:
            outcome = judge.call(_judge_plugin, contender, part, outcome.value, limits=limits)
        if outcome.ok:
            for each in outcome.value[:1]:
                each.printed.update(printed)
            return [_timed(each, called_s, len(part)) for each in outcome.value]
        if len(part) == 1 or outcome.status not in (Status.TIMEOUT, Status.MEMORY):  # else fewer boards may fit
            outcome = replace(outcome, status=Status.ERROR, detail=f"its answers could not be checked: {outcome.detail}")
    if len(part) > 1:
        return FailedCall(outcome.status, (contender.name,), outcome.detail)
    observed = failed_alone(batch, contender, part[0], outcome, allowed)
    observed.printed = printed
    return [observed]


def _timed(observed: Observed, called_s: float | None, boards: int) -> Observed:
    """The same, with a share of the call's seconds for each answer whose backend does not say what it took."""
    share = None if called_s is None else called_s / boards
    observed.answers = [said if said.seconds is not None else said._replace(seconds=share) for said in observed.answers]
    return observed


def _certifies_all(batch: Batch) -> bool:
    """Whether every answer is certified: always of a plugin of our puzzles; of a puzzle of one's own in the first block."""
    return batch.every or batch.index == 0 or batch.puzzle not in puzzles.user_files()


class _Row(NamedTuple):
    """What a plugin's backend says of one board, in plain values.

    Attributes:
        board: the index of the board.
        answer: the packed answer; None if the backend refuses the board.
        certified: the packed answer with its certificate; None if the backend refuses to certify, or was not asked.
        reason: why it refuses.
        declared: whether it declares that it may refuse the board.
        promises: whether the backend promises a certificate for this board.
    """

    board: int
    answer: str | None
    certified: str | None
    reason: str = ""
    declared: bool = False
    promises: bool = False


def _solve_plugin(contender: BackendContender, part: Sequence[Instance], exact_every: int | None, certified_every: int = 1) -> str:
    """The plain text of a row for each board that is not too large for the backend. One in `certified_every` is certified."""
    together = solve_together(contender, part, exact_every)
    rows = [_Row(k, None, None, refusal.reason, refusal.declared) for k, refusal in together.refusals.items()]
    for k, answer in together.answers.items():
        text, backend = packed(part[k], answer), contender.backend
        if not one_in(certified_every, k, len(part)):
            rows.append(_Row(k, text, None))
            continue
        again = certified(contender, part[k])
        if isinstance(again, Refusal):
            promises = contender.certifies and not again.declared
            rows.append(_Row(k, text, None, again.reason, promises=promises))
        else:
            excused = backend.may_refuse(part[k], certify=True, **dict(contender.options))
            promises = isinstance(again, Answer) and promised(backend, again, ours=contender.ours) and not excused
            rows.append(_Row(k, text, packed(part[k], again), promises=promises))
    return to_plain(tuple(rows), {_Row.__name__: _Row})


def _judge_plugin(contender: BackendContender, part: Sequence[Instance], text: bytes) -> list[Observed]:
    """What the answers in a text show. No plugin is loaded in this process."""
    observed = [Observed() for _ in part]
    for row in from_plain(text, tuple[_Row, ...], {_Row.__name__: _Row}):
        each, board = observed[row.board], part[row.board]
        if row.answer is None:
            Refusal(row.reason, row.declared).into(each, contender.name)
            continue
        try:
            answer = rebuilt(board, row.answer)
            again = None if row.certified is None else rebuilt(board, row.certified)
            claims, exact = answer.claims, {**answer.exact, **({} if again is None else again.exact)}
            differs = again is not None and not same_claims(again.claims, claims)
            other_witness = again is not None and not differs and prints_otherwise(board, answer, again)
        except Exception as error:
            reason = str(error) if isinstance(error, Malformed) else f"{type(error).__name__}: {error}"
            each.faults.append(Fault(Status.ERROR, (contender.name,), f"malformed answer: {reason}"))
            continue
        if again is None:
            if row.promises:
                each.faults.append(Fault(UNPROVED, (contender.name,), row.reason))
        elif differs:
            each.faults += judged(contender, DIFFERS)
        else:
            each.faults += judged(contender, check_safely(board, again), promises=row.promises)
            each.faults += broken_promise(contender, board, again)
            if other_witness:
                each.faults += judged(contender, check_safely(board, answer))
        each.answers.append(answered(contender, claims, exact, answer))
    return observed


MAX_PLAIN = 100
"""The size of all boards of a call up to which kernels of ours that a plugin calls run as plain Python, and are not loaded."""

MAX_UNREAD = 2**24
"""Bytes of output that may wait to be read together."""


def try_program(
    pool: Pool, batch: Batch, program: ProgramContender, part: Sequence[Instance], deadline: Deadline
) -> list[Observed] | FailedCall:
    """What came of boards in one start, or how the start on several boards failed."""
    start = _start(pool, program, part, deadline.within(limits_of(batch.limits, len(part))))
    (outcome,) = _judged(pool, batch, program, [start])
    if isinstance(outcome, Outcome) and len(part) > 1:
        return FailedCall(outcome.status, (program.name,), outcome.detail)
    return _observed(batch, program, start, outcome)


def try_alone(pool: Pool, batch: Batch, program: ProgramContender, part: Sequence[Instance], deadline: Deadline) -> list[Observed]:
    """What came of boards in a start each, as far as the time reaches. Their outputs are read and checked together."""
    observed: list[Observed] = []
    starts: list[_Start] = []

    def read() -> None:
        for start, outcome in zip(starts, _judged(pool, batch, program, starts), strict=True):
            observed.extend(_observed(batch, program, start, outcome))
        starts.clear()

    for board in part:
        if deadline.over:
            break
        starts.append(_start(pool, program, [board], deadline.within(batch.limits)))
        if sum(len(start.outcome.value or b"") for start in starts) > MAX_UNREAD:
            read()
    read()
    return observed + [Observed(untried=True) for _ in part[len(observed) :]]


class _Start(NamedTuple):
    """One start of a program: on which boards, within which limits, and how it ended."""

    part: Sequence[Instance]
    allowed: Limits
    outcome: Outcome


def _start(pool: Pool, program: ProgramContender, part: Sequence[Instance], allowed: Limits) -> _Start:
    text = puzzles.get(program.puzzle).print_instances(part).encode()
    return _Start(part, allowed, start_program(pool, program.command, text, allowed))


def _judged(pool: Pool, batch: Batch, program: ProgramContender, starts: Sequence[_Start]) -> list[Outcome | list[Observed]]:
    """What each start shows of its boards, or how it ended if that is not well. All are read and checked in one call.

    If that fails, the starts are read and checked one by one, and a single one is read without a check.
    """
    well = [start for start in starts if start.outcome.ok]
    outputs = [(start.part, start.outcome.value) for start in well]
    limits = Limits(check_seconds(sum(len(start.part) for start in well)), batch.limits.memory)
    fault = ""
    with pool.judge() as judge:
        judged = judge.call(_judge_outputs, program, outputs, batch.format, limits=limits) if well else Outcome(Status.OK, [])
    if not judged.ok and len(starts) > 1:
        return [each for start in starts for each in _judged(pool, batch, program, [start])]
    if not judged.ok:
        fault = f"its answers could not be checked: {judged.detail}"
        with pool.judge() as judge:
            judged = judge.call(_judge_outputs, program, outputs, batch.format, False, limits=limits)
    shown: Iterator[str | list[Observed]] = iter(judged.value if judged.ok else [f"its output could not be read: {judged.detail}"])
    results: list[Outcome | list[Observed]] = []
    for start in starts:
        each = next(shown) if start.outcome.ok else start.outcome
        results.append(replace(start.outcome, status=Status.ERROR, value=None, detail=each) if isinstance(each, str) else each)
    if fault and not isinstance(results[0], Outcome):
        results[0][0].faults.append(Fault(Status.ERROR, (program.name,), fault))
    return results


def _judge_outputs(
    program: ProgramContender, outputs: Sequence[tuple[Sequence[Instance], bytes]], format: str | None, check: bool = True
) -> list[str | list[Observed]]:
    """In a judge: what each output shows of its boards, or what is wrong with it."""
    results: list[str | list[Observed]] = []
    for part, output in outputs:
        answers = read_output(program, part, output, format)
        if isinstance(answers, str):
            results.append(answers)
            continue
        observed: list[Observed] = []
        for board, answer in zip(part, answers, strict=True):
            faults = judged(program, check_safely(board, answer)) if check else []
            observed.append(Observed([answered(program, answer.claims, {}, answer)], faults))
        results.append(observed)
    return results


def _observed(batch: Batch, program: ProgramContender, start: _Start, shown: Outcome | list[Observed]) -> list[Observed]:
    """What a start shows of each board; one that ended badly had a single one."""
    if isinstance(shown, Outcome):
        return [failed_alone(batch, program, start.part[0], shown, start.allowed)]
    return [_timed(each, start.outcome.usage.wall_s, len(start.part)) for each in shown]
