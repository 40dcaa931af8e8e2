"""Trying a program on some boards: in one start if its format holds many, else in a start each. A judge reads what it prints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import puzzles
from compare.fuzz.batch import Batch, Deadline
from compare.fuzz.trials.halving import FailedCall, failed_alone, limits_of
from compare.fuzz.trials.observed import (
    Fault,
    Observed,
    answered,
    check_seconds,
    judged,
    with_share,
)
from compare.isolate.outcome import Limits, Outcome, Status
from compare.work.attempt import start_program
from compare.work.contenders import ProgramContender
from compare.work.judging import check_safely, read_output
from compare.work.pool import Pool
from puzzles.instance import Instance

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
    return with_share(shown, start.outcome.usage.wall_s)
