"""The one way to try a contender: a job goes in, a run comes out.

All of this runs in the main process, which opens no answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import replace
from functools import partial
from tempfile import TemporaryDirectory
from typing import Any

import puzzles
from compare.engine.isolate.child import LOST, Child
from compare.engine.isolate.outcome import Limits, Outcome, Status, Usage
from compare.engine.work.contenders import BackendContender, ProgramContender
from compare.engine.work.job import CHECK_S, Block, Job, Manner, Run, counts, difference, joined
from compare.engine.work.judging import judge_jobs, view_of, without_certificate, without_check
from compare.engine.work.pool import Pool
from compare.engine.work.programs import STANDARD, ProgramFiles, ProgramOutput, run_program
from compare.engine.work.solving import (
    certify,
    solve_block,
    solve_one,
    solve_timed,
    verified,
    with_size,
)
from models.solvers.external import is_command
from puzzles.instance import Instance
from puzzles.user.user_file import PuzzleFault

MAX_SIZE = 50_000
"""The largest instance that is solved in a child that is kept.

Beside a larger one the cost of a new one is nothing.
"""

MAX_LOST = 5
"""How often a built-in backend runs again because the forkserver was killed meanwhile."""

MAX_PLAIN = 100
"""The size of all boards of a call up to which built-in kernels that a plugin calls run in plain
Python, and are not loaded.
"""

_MORE_S = 0.01
"""Seconds that reading and checking one more answer may take."""


def attempt(pool: Pool, job: Job) -> Run:
    """Carry out one job. A defect of this project makes the run CRASH; the comparison goes on.

    Raises:
        PuzzleFault: a function of a user's puzzle does not work. Then no run of it says
            anything.
    """
    return attempt_together(pool, [job])[0]


def attempt_together(pool: Pool, jobs: Sequence[Job]) -> list[Run]:
    """Carry out one job, or several of one program in one start, as a judge does with a file of
    several cases; as `attempt`.
    """
    try:
        return carry_out(pool, jobs)
    except PuzzleFault:
        raise
    except Exception as error:
        return [crashed(error)] * len(jobs)


def crashed(error: BaseException) -> Run:
    """The row of a run during which this project's own code raised."""
    return Run(
        status=Status.CRASH, detail=f"raised {type(error).__name__} outside of its sandbox: {error}"
    )


def carry_out(pool: Pool, jobs: Sequence[Job]) -> list[Run]:
    """The run of each job; there is one, or they are of one program.

    Raises:
        PuzzleFault: see `attempt`.
    """
    contender = jobs[0].contender
    if isinstance(contender, BackendContender):
        return [_run_backend(pool, jobs[0], contender)]
    if isinstance(contender, ProgramContender):
        return _run_program(pool, jobs, contender)
    return _judged(pool, jobs, None)


def _run_backend(pool: Pool, job: Job, contender: BackendContender) -> Run:
    """The run of a backend.

    What a built-in backend shows in a solver that is kept counts only if it is good. Else a new one
    tries again.
    """
    if not _may_be_kept(job, contender):
        return _solved(pool, job, contender, new=True)
    run = _solved(pool, job, contender, new=False)
    for _ in range(MAX_LOST):
        if run.detail == LOST:  # foreign code at work elsewhere has killed the forkserver
            run = _solved(pool, job, contender, new=False)
    if counts(run) or (job.not_twice and run.status is Status.TIMEOUT):
        return run
    alone = _solved(pool, job, contender, new=True)
    return replace(alone, printed=joined(difference(run, alone), alone.printed))


def _may_be_kept(job: Job, contender: BackendContender) -> bool:
    """Whether this job may be carried out in a child that has solved other boards.

    One whose answer counts unchecked may not.
    """
    if job.in_new_process or contender.foreign or is_command(contender.solver):
        return False
    return not job.manner.timed or (job.instance.size <= MAX_SIZE and (job.check or job.only_time))


def _solved(pool: Pool, job: Job, contender: BackendContender, *, new: bool) -> Run:
    """The run of a backend: solved and certified in one child, then read and checked in a judge.

    A timed call certifies nothing.
    """
    timed = job.manner.timed
    certified = None
    if timed:
        solve = partial(solve_timed, contender, job.instance)
    else:
        solve = partial(solve_one, contender, job.instance, job.manner, job.check)
    with _solver(pool, (contender,), job.manner, job.instance.size, new=new) as solver:
        if solver.ready is not None and not solver.ready.ok:
            return _failed(solver.ready)
        with pool.timed() if timed else nullcontext():
            solved = solver.call(solve, limits=job.limits)
        written, printed = solved, solved.printed
        if timed and solved.ok and job.check:
            limits = replace(job.limits, seconds=job.check_s + job.limits.seconds)
            certified = solver.call(certify, contender, limits=limits)
            written, printed = certified, joined(printed, certified.printed)
        if timed and written.ok and contender.foreign:
            sized = solver.call(with_size, contender, limits=job.limits)
            written = sized if sized.ok else written
    if (
        contender.foreign and solver.lost and solved.ok
    ):  # it has killed the forkserver, and was quicker than its own end
        solved = replace(solved, status=Status.CRASH, detail=LOST)
    if not solved.ok:
        if solved.status is Status.CRASH and contender.tests_solver:
            solved = _blaming_solver(pool, contender, job.instance, job.limits, solved)
        return replace(_failed(solved), printed=printed)
    (run,) = _judged(pool, [job], written.value if written.ok else solved.value)
    if run.status is Status.OK:
        wall_s = run.usage.wall_s if timed else solved.usage.wall_s
        run = replace(run, usage=replace(solved.usage, wall_s=wall_s))
        if certified is not None and not certified.ok:
            run = replace(run, check=without_certificate(contender, certified))
    elif run.status is not Status.SKIPPED:
        run = replace(run, usage=solved.usage)
    return replace(run, printed=printed)


def _solver(
    pool: Pool, contenders: tuple[BackendContender, ...], manner: Manner, size: int, *, new: bool
) -> AbstractContextManager[Child]:
    """A child in which these contenders solve boards of so many cells.

    Args:
        new: whether a child for built-in backends must be new; that of foreign code is.
    """
    if contenders[0].foreign and not manner.timed:
        return pool.foreign_solver(contenders[0], warm=False, compiled=size > MAX_PLAIN)
    return pool.solver(*contenders, new=new)


def attempt_block(
    pool: Pool, block: Block, judged: Callable[[bytes], Any], *, new: bool = False
) -> Outcome:
    """Have backends solve boards in one child, and a judge call `judged` with what they wrote; the
    value is what that returns.

    What a child that is kept shows counts for the caller, who may have it made again in a new one.

    Args:
        judged: reads it by `compare.engine.work.judging.judge_block`.
    """
    with _solver(pool, block.contenders, block.manner, block.size, new=new) as solver:
        if solver.ready is not None and not solver.ready.ok:
            return solver.ready
        solved = solver.call(solve_block, block, limits=block.limits)
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
    with pool.solver(contender, new=True) as solver:
        again = solver.call(verified, contender, board, limits=limits)
    return (
        replace(crashed, detail=again.detail)
        if again.status is Status.ERROR and again.detail
        else crashed
    )


def _run_program(pool: Pool, jobs: Sequence[Job], program: ProgramContender) -> list[Run]:
    """One start of a program with the instances of all jobs; their seconds and what it may print
    add up.

    Returns a run for each, with the usage of the whole start. If that does not end well, all runs
    end alike.
    """
    limits = jobs[0].limits.together(len(jobs))
    try:
        text = puzzles.get(program.puzzle).print_instances([job.instance for job in jobs])
    except ValueError as reason:
        return [Run(status=Status.SKIPPED, detail=str(reason))] * len(jobs)
    with pool.timed():
        ran = start_program(pool, program.command, text.encode(), limits, program.files)
    if not ran.ok:
        return [_failed(ran)] * len(jobs)
    runs = [replace(run, usage=ran.usage) for run in _judged(pool, jobs, ran.value)]
    if ran.detail:
        runs = [
            replace(run, detail=f"{run.detail}; it {ran.detail}")
            if run.status is Status.ERROR
            else run
            for run in runs
        ]
    return runs


def start_program(
    pool: Pool,
    command: Sequence[str],
    text: bytes,
    limits: Limits,
    files: ProgramFiles | None = None,
) -> Outcome:
    """Start a program with `text` as its input; the value is its output. The wall seconds are of
    its whole life.

    If the starter is lost, for somebody has killed it, the program is started once more.

    Args:
        files: where a program under test takes its input and gives its output. It runs in an empty
            folder of its own; None: it runs here, and uses the standard streams.
    """

    def started() -> tuple[Outcome, Child]:
        with ExitStack() as stack:
            folder = None
            if files is not None:  # it outlives the call, behind which nobody writes there
                own = TemporaryDirectory(prefix="twofold-run-", ignore_cleanup_errors=True)
                folder = stack.enter_context(own)
            starter = stack.enter_context(pool.starter())
            words = command, text, limits, (0,), folder, files or STANDARD
            return starter.call(run_program, *words, limits=limits), starter

    ran, starter = started()
    if starter.lost:
        ran, starter = started()
    if starter.lost and not ran.detail.startswith(LOST):
        ran = replace(ran, detail=f"{LOST}: {ran.detail}")
    if not ran.ok:
        return ran
    printed: ProgramOutput = ran.value
    usage = replace(ran.usage, wall_s=printed.wall_s)
    return replace(ran, value=printed.output, usage=usage, detail=printed.hint)


def _judged(pool: Pool, jobs: Sequence[Job], written: bytes | None) -> list[Run]:
    """What a judge makes of the answers to the jobs of one contender, with what their `view` says.

    If the checks do not come to their end, the answers are read once more, without a check; then
    each is checked alone.

    Args:
        written: see `judge_jobs`.
    """
    every = range(len(jobs)) if jobs[0].check else ()

    def judged(checked: Sequence[int], answers: int = 1) -> Outcome:
        limits = Limits(jobs[0].check_s + _MORE_S * (answers - 1), jobs[0].limits.memory)
        return _in_judge(pool, partial(judge_jobs, jobs, written, checked), limits)

    together = judged(every, len(jobs))
    read = together if together.ok or not every else judged((), len(jobs))
    if not read.ok:
        detail = f"malformed answer: {read.status} {read.detail}"
        if isinstance(jobs[0].contender, ProgramContender):
            detail = f"its output could not be read: {read.detail}"
        return [Run(status=Status.ERROR, detail=detail)] * len(jobs)
    runs: list[Run] = read.value
    for k, job in enumerate(jobs):
        if runs[k].status is not Status.OK:
            continue
        if not together.ok:
            alone = together if len(jobs) == 1 else judged([k])
            runs[k] = alone.value[k] if alone.ok else replace(runs[k], check=without_check(alone))
        if job.view is not None:
            view = _in_judge(
                pool, partial(view_of, job, written), Limits(job.check_s, job.limits.memory)
            )
            runs[k] = replace(runs[k], view=view.value)
    return runs


def _in_judge(pool: Pool, call: Callable[[], Any], limits: Limits) -> Outcome:
    """The outcome of a call in a judge, which is replaced once if it is lost; raises the
    `PuzzleFault` that it returns.
    """
    with pool.judge() as judge:
        outcome = judge.call(call, limits=limits)
    if judge.lost:
        with pool.judge() as judge:
            outcome = judge.call(call, limits=limits)
    if isinstance(outcome.value, PuzzleFault):
        raise outcome.value
    return outcome


def _failed(outcome: Outcome) -> Run:
    """A run that did not end with an answer."""
    usage = Usage() if outcome.status is Status.SKIPPED else outcome.usage
    return Run(status=outcome.status, detail=outcome.detail, usage=usage, printed=outcome.printed)
