"""The one way to try a contender: a job goes in, a run comes out.

All of this is in main, which opens no answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from typing import Any

import puzzles
from compare.isolate.child import LOST, Child
from compare.isolate.outcome import Limits, Outcome, Status, Usage
from compare.work.contenders import BackendContender, GivenAnswers, ProgramContender
from compare.work.job import CHECK_S, Block, Job, Manner, Run, counts, difference
from compare.work.judging import (
    judge_given,
    judge_program,
    judge_run,
    view_of,
    without_certificate,
    without_check,
)
from compare.work.pool import Pool
from compare.work.programs import ProgramOutput, run_program
from compare.work.solving import (
    ENDINGS,
    certify,
    size_of,
    solve_block,
    solve_one,
    solve_timed,
    verified,
)
from models.solvers.external import is_command
from puzzles.instance import Instance
from puzzles.user.user_file import PuzzleFault

MAX_SIZE = 50_000
"""The largest instance that is solved in a child that is kept.

Beside a larger one the cost of a new one is nothing.
"""

MAX_LOST = 5
"""How often a run of ours is made again because the forkserver was killed meanwhile."""

MAX_PLAIN = 100
"""The size of all boards of a call up to which kernels of ours that a plugin calls run in plain
Python, and are not loaded.
"""

_MORE_S = 0.01
"""Seconds that reading and checking one more answer may take."""


def attempt(pool: Pool, job: Job) -> Run:
    """Carry out one job. An error of ours makes the run CRASH and does not end the comparison.

    Raises:
        PuzzleFault: a function of a puzzle of one's own does not work. Then no run of it says
            anything.
    """
    try:
        return carry_out(pool, job)
    except PuzzleFault:
        raise
    except Exception as error:
        return crashed(error)


def attempt_together(pool: Pool, jobs: Sequence[Job]) -> list[Run]:
    """Carry out jobs of one program in one start, as a judge does with a file of several cases; as
    `attempt`.
    """
    try:
        return run_together(pool, jobs)
    except PuzzleFault:
        raise
    except Exception as error:
        return [crashed(error) for _ in jobs]


def crashed(error: BaseException) -> Run:
    """The row of a run during which something of ours raised."""
    return Run(
        status=Status.CRASH, detail=f"raised {type(error).__name__} outside of its sandbox: {error}"
    )


def carry_out(pool: Pool, job: Job) -> Run:
    """The run of one job.

    What a backend of ours shows in a solver that is kept counts only if it is good. Else a new one
    tries again.

    Raises:
        PuzzleFault: see `attempt`.
    """
    contender = job.contender
    if isinstance(contender, ProgramContender):
        return run_together(pool, [job])[0]
    if isinstance(contender, GivenAnswers):
        return _with_view(pool, job, _judged(pool, job, partial(judge_given, job)), None)
    assert isinstance(contender, BackendContender)
    if not _may_be_kept(job, contender):
        return _backend(pool, job, contender, new=True)
    run = _backend(pool, job, contender, new=False)
    for _ in range(MAX_LOST):
        if run.detail == LOST:  # foreign code at work elsewhere has killed the forkserver
            run = _backend(pool, job, contender, new=False)
    if counts(run) or (job.not_twice and run.status is Status.TIMEOUT):
        return run
    alone = _backend(pool, job, contender, new=True)
    return replace(alone, printed="\n".join(filter(None, [difference(run, alone), alone.printed])))


def _may_be_kept(job: Job, contender: BackendContender) -> bool:
    """Whether this job may be carried out in a child that has solved other boards.

    One whose answer counts unchecked may not.
    """
    if job.in_new_process or contender.foreign or is_command(contender.solver) or job.manner.plain:
        return False
    return not job.manner.timed or (job.instance.size <= MAX_SIZE and (job.check or job.only_time))


def _backend(pool: Pool, job: Job, contender: BackendContender, *, new: bool) -> Run:
    """The run of a backend: solved and certified in one child, then read and checked in a judge.

    A timed call certifies nothing.
    """
    timed = job.manner.timed
    certified = size = None
    with _solver(pool, (contender,), job.manner, job.instance.size, new=new) as solver:
        if solver.ready is not None and not solver.ready.ok:
            return _failed(solver.ready)
        if timed:
            with pool.timed():
                solved = solver.call(
                    solve_timed, contender, job.instance, limits=job.limits, endings=ENDINGS
                )
        else:
            solved = solver.call(
                solve_one,
                contender,
                job.instance,
                job.manner,
                job.check,
                limits=job.limits,
                endings=ENDINGS,
            )
        printed = solved.printed
        if timed and solved.ok and job.check:
            limits = replace(job.limits, seconds=job.check_s + job.limits.seconds)
            certified = solver.call(certify, contender, limits=limits, endings=ENDINGS)
            printed = "\n".join(filter(None, [printed, certified.printed]))
        if timed and solved.ok and contender.foreign and (certified is None or certified.ok):
            size = solver.call(size_of, contender, job.instance, limits=job.limits)
    if (
        contender.foreign and solver.lost and solved.ok
    ):  # it has killed the forkserver, and was quicker than its own end
        solved = replace(solved, status=Status.CRASH, detail=LOST)
    if not solved.ok:
        if solved.status is Status.CRASH and contender.tests_solver:
            solved = _blaming_solver(pool, contender, job.instance, job.limits, solved)
        return replace(_failed(solved), printed=printed)
    written = certified.value if certified is not None and certified.ok else solved.value
    sizes = size.value if size is not None and size.ok else None
    run = _judged(pool, job, partial(judge_run, job, written, sizes))
    if run.status is Status.OK:
        wall_s = run.usage.wall_s if timed else solved.usage.wall_s
        run = replace(run, usage=replace(solved.usage, wall_s=wall_s))
    elif run.status is not Status.SKIPPED:
        run = replace(run, usage=solved.usage)
    if certified is not None and not certified.ok and run.status is Status.OK:
        run = replace(run, check=without_certificate(contender, certified))
    return _with_view(pool, job, replace(run, printed=printed), written)


def _solver(
    pool: Pool, contenders: tuple[BackendContender, ...], manner: Manner, size: int, *, new: bool
) -> AbstractContextManager[Child]:
    """A child in which these contenders solve boards of so many cells. Kernels that are not
    compiled need not be loaded.

    Args:
        new: whether a child of ours must be new; that of foreign code is.
    """
    if not contenders[0].foreign:
        return pool.solver(*(() if manner.plain else contenders), new=new or manner.plain)
    if manner.timed:
        return pool.foreign_solver(contenders[0])
    return pool.foreign_solver(contenders[0], warm=False, compiled=size > MAX_PLAIN)


def attempt_block(
    pool: Pool, block: Block, judged: Callable[[bytes], Any], *, new: bool = False
) -> Outcome:
    """Have backends solve boards in one child, and a judge call `judged` with what they wrote; the
    value is what that returns.

    What a child that is kept shows counts for the caller, who may have it made again in a new one.

    Args:
        judged: reads it by `compare.work.judging.judge_block`.
    """
    with _solver(pool, block.contenders, block.manner, block.size, new=new) as solver:
        if solver.ready is not None and not solver.ready.ok:
            return solver.ready
        solved = solver.call(solve_block, block, limits=block.limits, endings=ENDINGS)
    if not solved.ok:
        return solved
    answers = block.count * len(block.contenders)
    checked = _in_judge(
        pool,
        partial(judged, solved.value),
        Limits(CHECK_S + _MORE_S * answers, block.limits.memory),
    )
    return replace(checked, printed=solved.printed, usage=solved.usage)


def _blaming_solver(
    pool: Pool, contender: BackendContender, board: Instance, limits: Limits, crashed: Outcome
) -> Outcome:
    """The outcome of a backend that crashed, with what its SAT solver does wrong, if it is verified
    meanwhile, as its reason.
    """
    with (
        pool.foreign_solver(contender)
        if contender.foreign
        else pool.solver(contender, new=True) as solver
    ):
        again = solver.call(verified, contender, board, limits=limits, endings=ENDINGS)
    return (
        replace(crashed, detail=again.detail)
        if again.status is Status.ERROR and again.detail
        else crashed
    )


def run_together(pool: Pool, jobs: Sequence[Job]) -> list[Run]:
    """One start of a program with the instances of all jobs, and with all their seconds.

    Returns a run for each, with the usage of the whole start. If that does not end well, all runs
    end alike.
    """
    first, program = jobs[0], jobs[0].contender
    assert isinstance(program, ProgramContender)
    try:
        text = puzzles.get(program.puzzle).print_instances([job.instance for job in jobs]).encode()
    except ValueError as reason:
        return [Run(status=Status.SKIPPED, detail=str(reason)) for _ in jobs]
    with pool.timed():
        ran = start_program(
            pool,
            program.command,
            text,
            replace(first.limits, seconds=len(jobs) * first.limits.seconds),
        )
    if not ran.ok:
        return [_failed(ran) for _ in jobs]
    every = range(len(jobs)) if first.check else ()
    judged = _call_judge(
        pool, first, partial(judge_program, jobs, ran.value, every), answers=len(jobs)
    )
    unchecked = judged
    if not judged.ok and first.check:
        unchecked = _call_judge(
            pool, first, partial(judge_program, jobs, ran.value, ()), answers=len(jobs)
        )
    if not unchecked.ok or isinstance(unchecked.value, str):
        detail = unchecked.value or f"its output could not be read: {unchecked.detail}"
        return [Run(status=Status.ERROR, detail=detail, usage=ran.usage) for _ in jobs]
    runs: list[Run] = [replace(run, usage=ran.usage) for run in unchecked.value]
    if not judged.ok:
        for k in every:
            alone = (
                judged
                if len(jobs) == 1
                else _call_judge(pool, first, partial(judge_program, jobs, ran.value, [k]))
            )
            runs[k] = replace(
                runs[k], check=alone.value[k].check if alone.ok else without_check(alone)
            )
    return [
        _with_view(pool, replace(job, answer=None), run, ran.value)
        for job, run in zip(jobs, runs, strict=True)
    ]


def start_program(pool: Pool, command: Sequence[str], text: bytes, limits: Limits) -> Outcome:
    """Start a program with `text` as its standard input; the value is what it printed. The wall
    seconds are of its whole life.

    If the starter is lost, for somebody has killed it, the program is started once more.
    """
    with pool.starter() as starter:
        ran = starter.call(run_program, command, text, limits.output, limits=limits)
    if starter.lost:
        with pool.starter() as starter:
            ran = starter.call(run_program, command, text, limits.output, limits=limits)
    if starter.lost and not ran.detail.startswith(LOST):
        ran = replace(ran, detail=f"{LOST}: {ran.detail}")
    if not ran.ok:
        return ran
    printed: ProgramOutput = ran.value
    return replace(ran, value=printed.output, usage=replace(ran.usage, wall_s=printed.wall_s))


def _judged(pool: Pool, job: Job, call: Callable[..., Run | PuzzleFault]) -> Run:
    """What a judge makes of an answer.

    If its check does not come to an end, the answer is read once more, without it.
    """
    judged = _call_judge(pool, job, partial(call, check=job.check))
    unchecked = (
        judged if judged.ok or not job.check else _call_judge(pool, job, partial(call, check=False))
    )
    if not unchecked.ok:
        return Run(
            status=Status.ERROR, detail=f"malformed answer: {unchecked.status} {unchecked.detail}"
        )
    run: Run = unchecked.value
    return (
        run
        if judged.ok or run.status is not Status.OK
        else replace(run, check=without_check(judged))
    )


def _call_judge(pool: Pool, job: Job, call: Callable[[], Any], answers: int = 1) -> Outcome:
    """The outcome of a call in a judge; raises the `PuzzleFault` that it returns."""
    return _in_judge(pool, call, Limits(job.check_s + _MORE_S * (answers - 1), job.limits.memory))


def _in_judge(pool: Pool, call: Callable[[], Any], limits: Limits) -> Outcome:
    """As `_call_judge`. A judge that is lost is replaced once."""
    with pool.judge() as judge:
        outcome = judge.call(call, limits=limits)
    if judge.lost:
        with pool.judge() as judge:
            outcome = judge.call(call, limits=limits)
    if isinstance(outcome.value, PuzzleFault):
        raise outcome.value
    return outcome


def _with_view(pool: Pool, job: Job, run: Run, written: bytes | None) -> Run:
    """The run with what the job's `view` says of its answer; None if that does not come to an end.

    `written`: see `view_of`.
    """
    if job.view is None or run.status is not Status.OK:
        return run
    return replace(run, view=_call_judge(pool, job, partial(view_of, job, written)).value)


def _failed(outcome: Outcome) -> Run:
    """A run that did not end with an answer."""
    usage = Usage() if outcome.status is Status.SKIPPED else outcome.usage
    return Run(status=outcome.status, detail=outcome.detail, usage=usage, printed=outcome.printed)
