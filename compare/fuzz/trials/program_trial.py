"""Trying a program on some boards: in one start if its format holds many boards, else in a start each."""

from __future__ import annotations

from collections.abc import Sequence

from compare.fuzz.batch import Batch, Deadline
from compare.fuzz.trials.halving import FailedCall, failed_alone, limits_of
from compare.fuzz.trials.observed import Fault, Observed, answered, check_seconds, judged
from compare.fuzz.trials.own_trial import check_all
from compare.isolate.outcome import Limits, Outcome, Status
from compare.work.contenders import ProgramContender
from compare.work.pool.checker import call_apart
from compare.work.programs import ProgramRun, read_outputs, start_program
from puzzles.instance import Instance

MOST_UNREAD = 2**24
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
        if sum(len(outcome.value or b"") for _, outcome in starts) > MOST_UNREAD:
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
