"""What a worker does: one contender on one instance, in a sandbox.

A worker has a single thread and is warm before it measures anything: solver packages are imported, kernels are compiled. Each
solve is timed inside its fork, without certificate and check. Then, unless told otherwise, the instance is solved again for a
certificate, and that answer is checked. This second part is not timed and has limits of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np

import puzzles
from compare.isolate.outcome import Limits, Outcome, Status
from compare.isolate.processes import adopt_orphans, end_with_parent
from compare.isolate.sandbox import call, call_in_turn
from compare.work.contenders import BackendContender, Contender, GivenAnswers, ProgramContender
from compare.work.job import CHECK_S, Job, Run
from compare.work.plugins import load_plugin
from compare.work.programs import run_program
from models.external import is_command
from puzzles.answer import Answer, Claims
from puzzles.backend import Backend, Unsupported
from puzzles.grid import Board
from puzzles.verdict import Check, Verdict

TRIAL_S = 5.0
"""Seconds that a plugin's backend may take for a few small boards; a slower one is not warmed up."""

ENVIRONMENT = {
    "TWOFOLD_KERNELS": "compiled",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
}
"""What a worker's environment must say before anything is imported."""


def start(plugins: Sequence[str] = ()) -> None:
    """Prepare a new worker: it ends with its parent, adopts what its runs leave behind, and loads the plugins."""
    end_with_parent()
    adopt_orphans()
    for path in plugins:
        load_plugin(path)


_warm: dict[Contender, bool] = {}
"""Whether a contender could be warmed up in this process."""


def warm_up(contender: Contender) -> None:
    """Solve the puzzle's example and a board of each family here, so that every fork finds all loaded and compiled.

    A plugin's backend is tried in a sandbox first; if it fails there, it is not called here. A solver that is a program may hang
    and has nothing to load, so its backend is warmed up with the default solver instead.
    """
    if not isinstance(contender, BackendContender) or contender in _warm:
        return
    if is_command(contender.solver):
        _warm[contender] = False
        warm_up(replace(contender, options=tuple(contender.backend.defaults.items())))
        return
    puzzle = puzzles.get(contender.puzzle)
    boards = _examples(contender) + [family.board(*family.bundled[0]) for family in puzzle.families.values()]
    _warm[contender] = contender.ours or call(_solve_for_nothing, contender, boards, limits=Limits(TRIAL_S)).ok
    if _warm[contender]:
        _solve_for_nothing(contender, _examples(contender), certify=True)
        _solve_for_nothing(contender, boards)


def _examples(contender: BackendContender) -> list[Board]:
    puzzle = puzzles.get(contender.puzzle)
    return puzzle.parse(puzzle.example, "<example>")


def _solve_for_nothing(contender: BackendContender, boards: Sequence[Board], *, certify: bool = False) -> None:
    for board in boards:
        if not contender.too_large(board):
            with suppress(Exception):  # what fails here fails in the measured run too, and is reported there
                contender.backend.solve(board, certify=certify, **dict(contender.options))


def perform(job: Job) -> Run:
    """Carry out one job."""
    contender = job.contender
    warm_up(contender)
    if isinstance(contender, ProgramContender):
        return _program(job, contender)
    if isinstance(contender, BackendContender):
        return _backend(job, contender)
    assert isinstance(contender, GivenAnswers)
    assert job.answer is not None
    return replace(_answered(job, job.answer), check=_checked(job.instance, job.answer) if job.check else None)


def _answered(job: Job, answer: Answer) -> Run:
    """A run that ended with an answer; what the run used is still to be added."""
    puzzle, claims = puzzles.get(job.contender.puzzle), answer.claims
    return Run(
        status=Status.OK,
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


def _backend(job: Job, contender: BackendContender) -> Run:
    """A timed run, then the check of the answer that the backend gives when asked for its certificate.

    Our own backends are checked in the process that solved. A plugin's answer is first brought out of reach of its code.
    """
    steps: list[tuple[Callable[..., Any], Limits]] = [(_timed, job.limits)]
    if job.check:
        limits = replace(job.limits, seconds=CHECK_S + job.limits.seconds)
        steps.append((_solve_and_check if contender.ours else _with_certificate, limits))
    timed, *certified = call_in_turn(steps, contender, job.instance, skipping=(Unsupported,))
    if not timed.ok:
        return _failed(timed)
    answer, wall_s = timed.value
    run = replace(_answered(job, answer), usage=replace(timed.usage, wall_s=wall_s))
    return _with_check(job, contender, run, certified[0]) if certified else run


def _timed(contender: BackendContender, board: Board) -> tuple[Answer, float]:
    """The answer and the seconds it took. The example is solved first: a new fork still has to fetch its pages of memory."""
    if _warm.get(contender):
        _solve_for_nothing(contender, _examples(contender))
    backend, options = contender.backend, dict(contender.options)
    started = perf_counter()
    answer = backend.solve(board, **options)
    return answer, perf_counter() - started


def _with_check(job: Job, contender: BackendContender, run: Run, certified: Outcome) -> Run:
    """The run with the check of the certified answer."""
    if not certified.ok:
        return replace(run, check=Check(Verdict.UNPROVED, f"no certificate: {certified.status} {certified.detail}"))
    if contender.ours:
        answer, check = certified.value
    else:
        answer = certified.value
        check = _checked(job.instance, answer)
    if not _same(answer.claims, run.claims):
        detail = "the certified answer differs from the timed one"
        return replace(run, check=Check(Verdict.REFUTED, detail), detail=detail)
    complete = _answered(job, answer)
    return replace(run, check=check, answer=complete.answer, exact=complete.exact)


def _solve_and_check(contender: BackendContender, board: Board) -> tuple[Answer, Check]:
    answer = _with_certificate(contender, board)
    return answer, puzzles.get(board.puzzle).check(board, answer)


def _same(a: Claims | None, b: Claims | None) -> bool:
    return (a is None and b is None) or (a is not None and b is not None and np.array_equal(a, b))


def _with_certificate(contender: BackendContender, board: Board) -> Answer:
    return certified_answer(contender.backend, board, dict(contender.options))


def certified_answer(backend: Backend, board: Board, options: dict[str, Any]) -> Answer:
    """The answer with its certificate and all exact claims that the backend can give; without them if they are too much."""
    exact_options = exact_options_of(backend)
    if exact_options:
        with suppress(Unsupported):
            return backend.solve(board, certify=True, **options | exact_options)
    return backend.solve(board, certify=True, **options)


def exact_options_of(backend: Backend) -> dict[str, Any]:
    """The options with which this backend gives all the exact claims that it can."""
    return {name: value for name, value in puzzles.get(backend.puzzle).exact_options.items() if name in backend.options}


def _checked(board: Board, answer: Answer) -> Check:
    """The puzzle's check, in a sandbox; UNPROVED if it does not come to an end."""
    outcome = call(puzzles.get(board.puzzle).check, board, answer, limits=Limits(CHECK_S))
    if not outcome.ok:
        return Check(Verdict.UNPROVED, f"the check did not end: {outcome.status} {outcome.detail}")
    return outcome.value


def _program(job: Job, program: ProgramContender) -> Run:
    try:
        (ran,) = run_program(program, [[job.instance]], job.format, job.limits)
    except ValueError as reason:
        return Run(status=Status.SKIPPED, detail=str(reason))
    if not ran.outcome.ok:
        return _failed(ran.outcome)
    (answer,) = ran.answers
    check = _checked(job.instance, answer) if job.check else None
    return replace(_answered(job, answer), usage=ran.outcome.usage, check=check)
