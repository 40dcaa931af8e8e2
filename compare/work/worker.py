"""What a worker does: one contender on one instance, in a sandbox.

A worker has a single thread and is warm before it measures anything: solver packages are imported, kernels are compiled. Each
solve is timed inside its fork, without certificate and check. Then, unless told otherwise, the answer is certified, by a second
solve if need be, and the checker (see `compare.work.pool.checker`) checks it. This second part is not timed and has limits of its
own. Where workers share a turn (see `compare.isolate.coordination`), one is timed at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from multiprocessing.connection import Connection
from time import perf_counter
from typing import Any

import numpy as np

import puzzles
from compare.isolate.coordination import end_turn, take_turn, while_nobody_is_timed
from compare.isolate.outcome import Limits, Outcome, Status, Usage
from compare.isolate.processes import adopt_orphans, end_with_parent
from compare.isolate.sandbox import call, call_in_turn
from compare.work.contenders import BackendContender, Contender, GivenAnswers, ProgramContender
from compare.work.foreign.foreign_answers import certified_foreign, rebuilt, rebuilt_size, rebuilt_timed, solve_foreign
from compare.work.foreign.plain import Malformed
from compare.work.foreign.plugins import remember_files
from compare.work.job import Job, Run
from compare.work.judging import WrongClaims, claims_of, judge, without_certificate, without_check
from compare.work.pool import checker
from compare.work.pool.checker import call_apart
from compare.work.programs import read_outputs, start_program
from compare.work.solving import ENDINGS, certified_answer, exact_options_of, examples, solve_for_nothing, timed, warm_up_boards
from compare.work.standing_runs import counts, difference, may_stand, solve_standing
from models.solvers.external import is_command
from puzzles.answer import Answer, Claims
from puzzles.instance import Instance
from puzzles.user.user_file import PuzzleFault
from puzzles.verdict import Check, Verdict

ENVIRONMENT = {
    "TWOFOLD_KERNELS": "compiled",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
}
"""What a worker's environment must say before anything is imported."""


def start(plugins: Sequence[str], keeper_of_checkers: Connection) -> None:
    """Prepare a new worker: it ends with its parent, adopts what its runs leave behind, knows its plugins, and has a checker."""
    end_with_parent()
    adopt_orphans()
    remember_files(plugins)
    checker.start(keeper_of_checkers)


_warm: dict[Contender, bool] = {}
"""Whether a contender was warmed up in this process."""


def warm_up(contender: Contender) -> None:
    """Solve the puzzle's example and a board of each family here, so that every fork finds all loaded and compiled.

    A plugin's backend never solves here. A solver that is a program may hang and has nothing to load, so its backend is warmed up
    with the default solver instead.
    """
    if not isinstance(contender, BackendContender) or contender.apart or contender in _warm:
        return
    if is_command(contender.solver):
        _warm[contender] = False
        warm_up(replace(contender, options=tuple(contender.backend.defaults.items())))
        return
    with while_nobody_is_timed():
        solve_for_nothing(contender, examples(contender), certify=True)
        solve_for_nothing(contender, warm_up_boards(contender))
    _warm[contender] = True


def perform(job: Job) -> Run:
    """Carry out one job; raises `PuzzleFault` if a puzzle of one's own is at fault, and no contender."""
    contender = job.contender
    warm_up(contender)
    try:
        return _performed(job, contender)
    except WrongClaims as error:
        return Run(status=Status.ERROR, detail=f"malformed answer: {error}")
    finally:
        end_turn()


def perform_together(jobs: Sequence[Job]) -> list[Run]:
    """Carry out jobs of one program in one start, as a judge does with a file of several cases."""
    program = jobs[0].contender
    assert isinstance(program, ProgramContender)
    try:
        return _program(jobs, program)
    except WrongClaims as error:
        return [Run(status=Status.ERROR, detail=f"malformed answer: {error}") for _ in jobs]
    finally:
        end_turn()


def _performed(job: Job, contender: Contender) -> Run:
    if isinstance(contender, ProgramContender):
        (run,) = _program([job], contender)
        return run
    if isinstance(contender, BackendContender) and _warm.get(contender) and may_stand(job, contender):
        return _standing(job, contender)
    if isinstance(contender, BackendContender):
        outcomes = _solved_foreign(job, contender) if contender.apart else _solved(job, contender)
        if outcomes[0].status is Status.CRASH and contender.tests_solver:
            outcomes = [replace(outcomes[0], detail=_solver_to_blame(job, contender) or outcomes[0].detail)]
        run = (_foreign if contender.apart else _backend)(job, contender, *outcomes)
        return replace(run, printed=outcomes[-1].printed)
    assert isinstance(contender, GivenAnswers)
    assert job.answer is not None
    check = _checked(job, job.answer) if job.check else None
    return _with_view(job, job.answer, replace(_answered(job, job.answer), check=check))


def _standing(job: Job, contender: BackendContender) -> Run:
    """A run in a standing fork; made again in a process of its own unless it counts, and then that one counts."""
    outcomes = solve_standing(contender, job.instance, _steps(job, _timed_standing))
    run = _backend(job, contender, *outcomes)
    if outcomes[-1].printed:
        run = replace(run, printed=outcomes[-1].printed)
    if counts(run) or (job.not_twice and outcomes[-1].status is Status.TIMEOUT):
        return run
    alone = _performed(replace(job, in_new_process=True), contender)
    return replace(alone, printed="\n".join(filter(None, [difference(run, alone), alone.printed])))


def _answered(job: Job, answer: Answer, usage: Usage | None = None) -> Run:
    """A run that ended with an answer. Raises `WrongClaims`."""
    puzzle, claims = puzzles.get(job.contender.puzzle), claims_of(answer)
    return Run(
        status=Status.OK,
        usage=usage or Usage(),
        effort=answer.effort,
        claims=claims,
        exact=dict(answer.exact) or None,
        decided=None if claims is None else puzzle.decided(job.instance, claims),
        answer=puzzle.print_answers([answer], puzzle.format(job.format)),
    )


def _failed(outcome: Outcome) -> Run:
    """A run that did not end with an answer."""
    if outcome.status is Status.SKIPPED:
        return Run(status=outcome.status, detail=outcome.detail)
    return Run(status=outcome.status, detail=outcome.detail, usage=outcome.usage)


def _solved(job: Job, contender: BackendContender) -> list[Outcome]:
    """A timed run of a backend of ours, then one for the certificate in the same fork; the values are answers."""
    take_turn()
    return call_in_turn(_steps(job, _timed), contender, job.instance, endings=ENDINGS)


def _steps(job: Job, timed_step: Callable[..., Any]) -> list[tuple[Callable[..., Any], Limits]]:
    """What is called in turn: the timed run, then the one for the certificate if the answer is checked."""
    steps: list[tuple[Callable[..., Any], Limits]] = [(timed_step, job.limits)]
    return [*steps, (_certified, _certified_limits(job))] if job.check else steps


def _solved_foreign(job: Job, contender: BackendContender) -> list[Outcome]:
    """The same for a backend of a plugin; the values are texts."""
    take_turn()
    return solve_foreign(contender, job.instance, job.limits, _certified_limits(job) if job.check else None)


def _backend(job: Job, contender: BackendContender, timed_run: Outcome, *certified: Outcome) -> Run:
    """What came of a backend of ours. The certified answer is checked elsewhere."""
    if not timed_run.ok:
        return _failed(timed_run)
    answer, wall_s = timed_run.value
    run = _answered(job, answer, replace(timed_run.usage, wall_s=wall_s))
    for outcome in certified:
        if not outcome.ok:
            return _with_view(job, answer, replace(run, check=without_certificate(contender, outcome)))
        if outcome.value is None:  # it was certified as it is
            return _with_view(job, answer, replace(run, check=_checked(job, answer)))
        checked = _with_check(run, _answered(job, outcome.value), _checked(job, outcome.value))
        return _with_view(job, outcome.value, checked)
    return _with_view(job, answer, run)


def _solver_to_blame(job: Job, contender: BackendContender) -> str:
    """What the solver of a backend that crashed does wrong, if it is verified meanwhile; empty for nothing."""
    if contender.apart:
        again = certified_foreign(contender, job.instance, job.limits)
    else:
        again = call(_certified, contender, job.instance, limits=job.limits, endings=ENDINGS)
    return again.detail if again.status is Status.ERROR else ""


def _certified_limits(job: Job) -> Limits:
    return replace(job.limits, seconds=job.check_s + job.limits.seconds)


def _timed(contender: BackendContender, board: Instance) -> tuple[Answer, float]:
    """The answer and the seconds it took. The example is solved first: a new fork still has to fetch its pages of memory."""
    if _warm.get(contender):
        solve_for_nothing(contender, examples(contender))
    return _timed_now(contender, board)


def _timed_standing(contender: BackendContender, board: Instance) -> tuple[Answer, float]:
    """The same in a standing fork. Others have had the processor since its last run, so the example fills the caches again.

    An example that takes long is solved once: beside such times, those of the caches are small.
    """
    if not _rehearsed_s or _rehearsed_s[0] <= _MOST_REHEARSED_S:
        if not _example:
            _example.extend(examples(contender))
        started = perf_counter()
        solve_for_nothing(contender, _example)
        _rehearsed_s[:] = [perf_counter() - started]
    return _timed_now(contender, board)


_MOST_REHEARSED_S = 0.005
"""Seconds that the example may take if it is to be solved before each run."""

_example: list[Instance] = []
"""In a standing fork, which serves one contender: the boards of the example. To parse them takes longer than many a solve."""

_rehearsed_s: list[float] = []
"""In a standing fork: the seconds that the example took when it was solved last."""


def _timed_now(contender: BackendContender, board: Instance) -> tuple[Answer, float]:
    answer, seconds = timed(contender, board)
    _last[:] = [(board, answer)]
    return answer, seconds


_last: list[tuple[Instance, Answer]] = []
"""In a fork: the board that was solved last, and its answer."""


def _with_check(run: Run, certified: Run, check: Check) -> Run:
    """The timed run with the check of the certified answer, whose run is `certified`."""
    if not _same(certified.claims, run.claims):
        detail = "the certified answer differs from the timed one"
        return replace(run, check=Check(Verdict.REFUTED, detail), detail=detail)
    return replace(run, check=check, answer=certified.answer, exact=certified.exact)


def _foreign(job: Job, contender: BackendContender, timed_run: Outcome, *certified: Outcome) -> Run:
    """What came of a plugin's backend. Its answers are read and checked where no plugin is loaded."""
    if not timed_run.ok:
        return _failed(timed_run)
    size = None
    if len(certified) > job.check:  # the last outcome is for the size of what the backend states
        *rest, size = certified
        certified = tuple(rest)
    texts = [each.value for each in (timed_run, *certified) if each.ok]
    size_text = size.value if size is not None and size.ok else None
    outcome = call_apart(_read, job, texts, size_text, limits=Limits(job.check_s, job.limits.memory))
    if isinstance(outcome.value, PuzzleFault):
        raise outcome.value
    if not outcome.ok or isinstance(outcome.value, str):
        reason = outcome.value or f"{outcome.status} {outcome.detail}"
        return Run(status=Status.ERROR, detail=f"malformed answer: {reason}", usage=timed_run.usage)
    (timed_answer, run, wall_s), *complete = outcome.value
    run = replace(run, usage=replace(timed_run.usage, wall_s=wall_s))
    for answer, certified_run, _ in complete:
        return _with_view(job, answer, _with_check(run, certified_run, _checked(job, answer)))
    run = _with_view(job, timed_answer, run)
    for each in certified:
        return replace(run, check=without_certificate(contender, each))
    return run


def _read(job: Job, texts: Sequence[str], size: str | None = None) -> list[tuple[Answer, Run, float]] | str | PuzzleFault:
    """The timed answer and the certified one if it is there, each with its run and its seconds; a sentence if one is malformed.

    A fault of the puzzle itself comes back as a value, since this runs in another process.
    """
    try:
        timed_answer, wall_s = rebuilt_timed(job.instance, texts[0])
        numbers = None if size is None else rebuilt_size(size)
        if numbers is not None and timed_answer.effort.variables is None:
            effort = replace(timed_answer.effort, variables=numbers[0], clauses=numbers[1])
            timed_answer = replace(timed_answer, effort=effort)
        answers = [timed_answer, *(rebuilt(job.instance, text) for text in texts[1:])]
    except Malformed as error:
        return str(error)
    try:
        return [(answer, _answered(job, answer), wall_s) for answer in answers]
    except PuzzleFault as fault:
        return fault
    except Exception as error:
        noun = puzzles.get(job.instance.puzzle).noun
        return f"it does not belong to the {job.instance.puzzle} {noun}: {type(error).__name__}: {error}"


def _certified(contender: BackendContender, board: Instance) -> Answer | None:
    """The certified answer: the last one, if it can be certified; else that of a second solve. None for the last one as it is."""
    if _last and not contender.tests_solver:
        solved_board, answer = _last.pop()
        certified = answer.certified(**exact_options_of(contender.backend)) if solved_board is board else None
        if certified is not None:
            return None if certified is answer else certified
    return certified_answer(contender.backend, board, dict(contender.options), verify=contender.tests_solver)


def _same(a: Claims | None, b: Claims | None) -> bool:
    return (a is None and b is None) or (a is not None and b is not None and np.array_equal(a, b))


def _checked(job: Job, answer: Answer) -> Check:
    """The verdict on an answer, apart from all solving; UNPROVED if the check does not come to an end."""
    outcome = call_apart(judge, job.contender, job.instance, answer, limits=Limits(job.check_s))
    return outcome.value if outcome.ok else without_check(outcome)


def _with_view(job: Job, answer: Answer, run: Run) -> Run:
    """The run with what the job's `view` says of an answer, apart from all solving; None if that does not come to an end."""
    if job.view is None:
        return run
    return replace(run, view=call_apart(job.view, job.instance, answer, limits=Limits(job.check_s, job.limits.memory)).value)


def _program(jobs: Sequence[Job], program: ProgramContender) -> list[Run]:
    """One start of a program with the instances of all jobs, and with all their seconds.

    Returns a run for each, with the usage of the whole start.
    """
    instances, first = [job.instance for job in jobs], jobs[0]
    limits = replace(first.limits, seconds=len(jobs) * first.limits.seconds)
    take_turn()
    try:
        outcome = start_program(program, instances, limits)
    except ValueError as reason:
        return [Run(status=Status.SKIPPED, detail=str(reason)) for _ in jobs]
    end_turn()
    (ran,) = read_outputs(program, [(instances, outcome)], first.format, first.limits)
    if not ran.outcome.ok:
        return [_failed(ran.outcome) for _ in jobs]
    runs: list[Run] = []
    for job, answer in zip(jobs, ran.answers, strict=True):
        check = _checked(job, answer) if job.check else None
        run = replace(_answered(job, answer, ran.outcome.usage), check=check)
        runs.append(_with_view(job, answer, run))
    return runs
