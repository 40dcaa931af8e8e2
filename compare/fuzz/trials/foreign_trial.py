"""Trying foreign code on some boards: the backend of a plugin, or a program.

The backend of a plugin solves in a fork of its own, and its answers are judged elsewhere. A program runs in one start if its
format holds many boards, else in a start each.
"""

from __future__ import annotations

from collections.abc import Sequence
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
from compare.fuzz.trials.own_trial import certified, check_all, lacking, one_in, solve_together
from compare.isolate.outcome import Limits, Outcome, Status
from compare.work.contenders import BackendContender, ProgramContender
from compare.work.foreign.foreign_answers import in_own_fork, packed, rebuilt
from compare.work.foreign.plain import Malformed, from_plain, to_plain
from compare.work.judging import check_safely
from compare.work.pool.checker import call_apart
from compare.work.programs import ProgramRun, read_outputs, start_program
from puzzles.answer import Answer
from puzzles.instance import Instance


def try_plugin(
    batch: Batch, contender: BackendContender, part: Sequence[Instance], deadline: Deadline
) -> list[Observed] | FailedCall:
    """What came of each board, or how the call of several boards failed."""
    certified_every = 1 if _certifies_all(batch) else CERTIFY_EVERY
    allowed = deadline.within(limits_of(batch.limits, len(part)))
    failure, ended = in_own_fork([(_solve_plugin, allowed)], contender, part, batch.exact_every, certified_every)
    outcome = failure or ended[0]
    printed = {contender.name: outcome.printed} if outcome.printed else {}
    called_s = outcome.usage.wall_s
    if outcome.ok:
        seconds = check_seconds(len(part))
        outcome = call_apart(_judge_plugin, contender, part, outcome.value, limits=replace(batch.limits, seconds=seconds))
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


def _judge_plugin(contender: BackendContender, part: Sequence[Instance], text: str) -> list[Observed]:
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
            each.faults += lacking(contender, board, again)
            if other_witness:
                each.faults += judged(contender, check_safely(board, answer))
        each.answers.append(answered(contender, claims, exact, answer))
    return observed


MAX_UNREAD = 2**24
"""Bytes of output that may wait to be read together."""


def try_program(
    batch: Batch, program: ProgramContender, part: Sequence[Instance], deadline: Deadline
) -> list[Observed] | FailedCall:
    """What came of boards in one start, or how the start on several boards failed."""
    allowed = deadline.within(limits_of(batch.limits, len(part)))
    start = part, start_program(program, part, allowed)
    (run,) = read_outputs(program, [start], batch.format, batch.limits)
    if run.outcome.ok or len(part) == 1:
        return _observe(batch, program, [(part, run, allowed)])
    return FailedCall(run.outcome.status, (program.name,), run.outcome.detail)


def try_alone(batch: Batch, program: ProgramContender, part: Sequence[Instance], deadline: Deadline) -> list[Observed]:
    """What came of boards in a start each, as far as the time reaches. Their outputs are read and checked together."""
    observed: list[Observed] = []
    starts: list[tuple[Sequence[Instance], Outcome]] = []
    allowed: list[Limits] = []

    def read() -> None:
        runs = read_outputs(program, starts, batch.format, batch.limits)
        parts = [one for one, _ in starts]
        observed.extend(_observe(batch, program, list(zip(parts, runs, allowed, strict=True))))
        starts.clear()
        allowed.clear()

    for board in part:
        if deadline.over:
            break
        allowed.append(deadline.within(batch.limits))
        starts.append(([board], start_program(program, [board], allowed[-1])))
        if sum(len(outcome.value or b"") for _, outcome in starts) > MAX_UNREAD:
            read()
    read()
    return observed + [Observed(untried=True) for _ in part[len(observed) :]]


def _observe(
    batch: Batch, program: ProgramContender, runs: Sequence[tuple[Sequence[Instance], ProgramRun, Limits]]
) -> list[Observed]:
    """What the starts of a program show: of each board of a start that ended well, or once of a start that did not.

    All answers are checked in one call; those of each start by themselves if that fails.
    """
    pairs = [(board, answer) for part, run, _ in runs for board, answer in zip(part, run.answers, strict=False)]
    limits = Limits(check_seconds(len(pairs)), batch.limits.memory)
    checked = call_apart(check_all, pairs, limits=limits) if pairs else None
    if checked is not None and not checked.ok and len(runs) > 1:
        return [each for run in runs for each in _observe(batch, program, [run])]
    checks = iter(checked.value if checked is not None and checked.ok else ())
    observed: list[Observed] = []
    for part, run, allowed in runs:
        if not run.outcome.ok:
            observed.append(failed_alone(batch, program, part[0], run.outcome, allowed))
        seconds = None if run.outcome.usage.wall_s is None else run.outcome.usage.wall_s / len(part)
        for answer in run.answers:
            check = next(checks, None)
            faults = [] if check is None else judged(program, check)
            own_answer = answered(program, answer.claims, {}, answer)._replace(seconds=seconds)
            observed.append(Observed([own_answer], faults))
    if checked is not None and not checked.ok:
        observed[0].faults.append(Fault(Status.ERROR, (program.name,), f"its answers could not be checked: {checked.detail}"))
    return observed
