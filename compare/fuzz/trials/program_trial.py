"""Trying a program on some boards. If its format holds many boards, it gets them in one start."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from compare.fuzz.batch import Batch, Deadline
from compare.fuzz.trials.halving import FailedCall
from compare.fuzz.trials.observed import Fault, Observed, answered, check_seconds, judged
from compare.fuzz.trials.own_trial import check_all
from compare.isolate.outcome import Limits, Status
from compare.work.contenders import ProgramContender
from compare.work.pool.checker import call_apart
from compare.work.programs import ProgramRun, run_program
from puzzles.instance import Instance

TOGETHER_SHARE = 0.25
"""The share of the time limit that one start on several boards gets; a board on which it hangs is then found sooner."""


def try_program(
    batch: Batch, program: ProgramContender, part: Sequence[Instance], deadline: Deadline
) -> list[Observed] | FailedCall:
    """What came of boards in one start, or how the start on several boards failed."""
    limits = batch.limits if len(part) == 1 else replace(batch.limits, seconds=TOGETHER_SHARE * batch.limits.seconds)
    runs = run_program(program, [part], batch.format, deadline.within(limits))
    outcome = runs[0].outcome
    if outcome.ok or len(part) == 1:
        return _observe(batch, program, [part], runs, deadline)
    return FailedCall(outcome.status, (program.name,), outcome.detail)


def try_alone(batch: Batch, program: ProgramContender, part: Sequence[Instance], deadline: Deadline) -> list[Observed]:
    """What came of boards in a start each, as far as the time reaches."""
    observed: list[Observed] = []
    for board in part:
        if deadline.over:
            break
        runs = run_program(program, [[board]], batch.format, deadline.within(batch.limits))
        observed += _observe(batch, program, [[board]], runs, deadline)
    return observed + [Observed(untried=True) for _ in part[len(observed) :]]


def _observe(
    batch: Batch, program: ProgramContender, parts: Sequence[Sequence[Instance]], runs: Sequence[ProgramRun], deadline: Deadline
) -> list[Observed]:
    """What the starts of a program show: of each board of a start that ended well, or once of a start that did not.

    All answers are checked in one call.
    """
    pairs = [
        (board, answer) for part, run in zip(parts, runs, strict=True) for board, answer in zip(part, run.answers, strict=False)
    ]
    limits = Limits(check_seconds(len(pairs)), batch.limits.memory)
    checked = call_apart(check_all, pairs, limits=limits) if pairs else None
    checks = iter(checked.value if checked is not None and checked.ok else ())
    observed: list[Observed] = []
    for part, run in zip(parts, runs, strict=True):
        if not run.outcome.ok:
            if run.outcome.status is Status.TIMEOUT and deadline.over:
                observed.append(Observed(untried=True))
            else:
                observed.append(Observed(faults=[Fault(run.outcome.status, (program.name,), run.outcome.detail)]))
        seconds = None if run.outcome.usage.wall_s is None else run.outcome.usage.wall_s / len(part)
        for answer in run.answers:
            check = next(checks, None)
            faults = [] if check is None else judged(program, check)
            own_answer = answered(program, answer.claims, {}, answer)._replace(seconds=seconds)
            observed.append(Observed([own_answer], faults))
    if checked is not None and not checked.ok:
        observed[0].faults.append(Fault(Status.ERROR, (program.name,), f"its answers could not be checked: {checked.detail}"))
    return observed
