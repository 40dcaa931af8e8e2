"""What a worker does: one contender on a list of boards, each run in a sandbox of its own.

A worker has a single thread and is warm before it measures anything: solver packages imported, kernels compiled. Each
solve is timed inside its fork, without certificate or check; then, unless told otherwise, the board is solved again for a
certificate, and that answer is checked, both untimed and under limits of their own.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

import puzzles
from compare.isolate.sandbox import (
    DEFAULT_LIMITS,
    Limits,
    Outcome,
    Status,
    adopt_orphans,
    call,
    call_in_turn,
    end_with_parent,
    execute,
)
from compare.work.contenders import Contender
from models.external import is_command
from puzzles.answer import Answer, Claims
from puzzles.backend import Backend, Unsupported
from puzzles.grid import Board
from puzzles.text import InputError
from puzzles.verdict import Check, Verdict

CHECK_S = 60.0
"""Seconds that one check may take."""

TRIAL_S = 5.0
"""Seconds in which a plugin's backend has to solve a few small boards to be rehearsed."""

ENVIRONMENT = {
    "TWOFOLD_KERNELS": "compiled",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
}
"""What a worker's environment must say before it imports anything."""


@dataclass(frozen=True)
class Job:
    """One contender on a list of boards.

    Attributes:
        answers: for a contender whose answers already exist, one a board.
        format: of the answers that a program prints, and that records keep.
        repeats: how often each board is solved.
    """

    contender: Contender
    boards: tuple[Board, ...]
    answers: tuple[Answer, ...] = ()
    format: str | None = None
    limits: Limits = DEFAULT_LIMITS
    repeats: int = 1
    check: bool = True

    @property
    def patience(self) -> float:
        """Seconds after which the worker itself must be stuck."""
        each = self.limits.seconds * (self.repeats + 1) + CHECK_S + 1
        return 120 + each * len(self.boards)


@dataclass(frozen=True)
class Run:
    """What came of one solve of one board; the check is that of the certified answer, given with the first repeat."""

    repeat: int
    status: Status
    detail: str = ""
    claims: Claims | None = None
    exact: dict[str, object] | None = None
    answer: str | None = None
    check: Check | None = None
    build_s: float | None = None
    solve_s: float | None = None
    wall_s: float | None = None
    cpu_s: float | None = None
    peak_bytes: int | None = None
    variables: int | None = None
    clauses: int | None = None


def start(plugins: Sequence[str] = ()) -> None:
    """Run once in a new worker: end with whoever started it, adopt what runs leave behind, load the plugins."""
    end_with_parent()
    adopt_orphans()
    for path in plugins:
        load_plugin(path)


def load_plugin(path: str) -> None:
    """Import a Python file that registers backends; its name there is its path."""
    name = f"twofold_plugin_{abs(hash(Path(path).resolve()))}"
    if name in sys.modules:
        return
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)


_rehearsed: dict[Contender, bool] = {}


def warm_up(contender: Contender) -> None:
    """Solve the puzzle's example and a board of each family here, so that every fork finds all loaded and compiled.

    A plugin's backend is tried in a sandbox first: where it dies of the example, nothing is rehearsed with it. Nor with a solver
    that is a program, which may hang and has nothing to load here; its backend is rehearsed with the default solver.
    """
    if contender.side is None or contender in _rehearsed:
        return
    if is_command(contender.solver):
        _rehearsed[contender] = False
        warm_up(replace(contender, options=tuple(contender.resolve().defaults.items())))
        return
    puzzle = puzzles.get(contender.puzzle)
    boards = puzzle.parse(puzzle.example, "<example>") + [f.board(*f.bundled[0]) for f in puzzle.families.values()]
    _rehearsed[contender] = contender.ours or call(_rehearse, contender, boards, limits=Limits(TRIAL_S)).status is Status.OK
    if _rehearsed[contender]:
        _rehearse(contender, certify=True)
        _rehearse(contender, boards)


def _rehearse(contender: Contender, boards: Sequence[Board] | None = None, *, certify: bool = False) -> None:
    """Solve boards (default: the puzzle's example) for nothing but to have done it before."""
    puzzle, backend = puzzles.get(contender.puzzle), contender.resolve()
    for board in boards or puzzle.parse(puzzle.example, "<example>"):
        if contender.limit is None or board.cells <= contender.limit:
            with suppress(Exception):  # what goes wrong here goes wrong in the measured run, and is reported there
                backend.solve(board, certify=certify, **dict(contender.options))


def perform(job: Job) -> list[list[Run]]:
    """The runs of each board, in order."""
    warm_up(job.contender)
    return [_on_board(job, index) for index in range(len(job.boards))]


def solve_for_show(contenders: Sequence[Contender], board: Board, limits: Limits, format: str | None) -> dict[str, str]:
    """What each contender prints of one board, or how it fails, by name."""
    said: dict[str, str] = {}
    for contender in contenders:
        run = perform(Job(contender, (board,), format=format, limits=limits, check=False))[0][0]
        said[contender.name] = run.answer or f"{run.status}: {run.detail}"
    return said


def _on_board(job: Job, index: int) -> list[Run]:
    board = job.boards[index]
    if job.contender.command is not None:
        return [_program(job, board, repeat) for repeat in range(1, job.repeats + 1)]
    if job.contender.given:
        answer = job.answers[index]
        check = _checked(board, answer) if job.check else None
        return [Run(1, Status.OK, claims=answer.claims, answer=_text(job, answer), check=check)]
    return [_backend(job, board, repeat) for repeat in range(1, job.repeats + 1)]


def _backend(job: Job, board: Board, repeat: int) -> Run:
    """A timed run; the first repeat with the check of the answer that the same backend gives when asked for its certificate.

    Our own backends are checked in the process that solved; a plugin's answer is first brought out of reach of its code.
    """
    steps: list[tuple[Callable[..., Any], Limits]] = [(_timed, job.limits)]
    if job.check and repeat == 1:
        limits = Limits(CHECK_S + job.limits.seconds, job.limits.memory)
        steps.append((_solve_and_check if job.contender.ours else _with_certificate, limits))
    ended, *certified = call_in_turn(steps, job.contender, board)
    if ended.status is not Status.OK:
        return _failed(ended, repeat)
    answer, wall_s = ended.value
    effort = answer.effort
    run = Run(
        repeat,
        Status.OK,
        claims=answer.claims,
        exact=dict(answer.exact) or None,
        answer=_text(job, answer),
        build_s=effort.build_s,
        solve_s=effort.solve_s,
        wall_s=wall_s,
        cpu_s=ended.cpu_s,
        peak_bytes=ended.peak_bytes,
        variables=effort.variables,
        clauses=effort.clauses,
    )
    return _certified(job, board, run, certified[0]) if certified else run


def _timed(contender: Contender, board: Board) -> tuple[Answer, float]:
    """The answer and the seconds it took; the example first, for a fresh fork has yet to fetch its pages of memory."""
    if _rehearsed.get(contender):
        _rehearse(contender)
    backend, options = contender.resolve(), dict(contender.options)
    started = perf_counter()
    answer = backend.solve(board, **options)
    return answer, perf_counter() - started


def _certified(job: Job, board: Board, run: Run, ended: Outcome) -> Run:
    """The run with the check of the certified answer."""
    if ended.status is not Status.OK:
        return replace(run, check=Check(Verdict.UNPROVED, f"no certificate: {ended.status} {ended.detail}"))
    answer, check = ended.value if job.contender.ours else (ended.value, _checked(board, ended.value))
    if not _same(answer.claims, run.claims):
        detail = "the certified answer differs from the timed one"
        return replace(run, check=Check(Verdict.REFUTED, detail), detail=detail)
    return replace(run, check=check, answer=_text(job, answer), exact=dict(answer.exact) or None)


def _solve_and_check(contender: Contender, board: Board) -> tuple[Answer, Check]:
    answer = _with_certificate(contender, board)
    return answer, puzzles.get(board.puzzle).check(board, answer)


def _same(a: Claims | None, b: Claims | None) -> bool:
    return (a is None and b is None) or (a is not None and b is not None and np.array_equal(a, b))


def _with_certificate(contender: Contender, board: Board) -> Answer:
    return certified(contender.resolve(), board, dict(contender.options))


def certified(backend: Backend, board: Board, options: dict[str, Any]) -> Answer:
    """The answer with its certificate and all exact claims that the backend can give; without those where they are too much."""
    exactly = {name: value for name, value in puzzles.get(board.puzzle).exact_options.items() if name in backend.options}
    if exactly:
        with suppress(Unsupported):
            return backend.solve(board, certify=True, **options | exactly)
    return backend.solve(board, certify=True, **options)


def _checked(board: Board, answer: Answer) -> Check:
    """The puzzle's check, in a sandbox; UNPROVED where it does not come to an end."""
    ended = call(puzzles.get(board.puzzle).check, board, answer, limits=Limits(CHECK_S))
    if ended.status is not Status.OK:
        return Check(Verdict.UNPROVED, f"the check did not end: {ended.status} {ended.detail}")
    return ended.value


def _program(job: Job, board: Board, repeat: int) -> Run:
    puzzle = puzzles.get(board.puzzle)
    command = job.contender.command or ()
    try:
        text = puzzle.print_instances([board]).encode()
    except ValueError as reason:
        return Run(repeat, Status.SKIPPED, str(reason))
    ended = execute(command, text, limits=job.limits)
    if ended.status is not Status.OK:
        return _failed(ended, repeat)
    read = call(_read, puzzle.name, ended.value, board, puzzle.format(job.format), job.contender.name, limits=Limits(CHECK_S))
    if read.status is not Status.OK:
        return replace(_failed(ended, repeat), status=Status.ERROR, detail=f"its output could not be read: {read.detail}")
    if isinstance(read.value, str):
        return replace(_failed(ended, repeat), status=Status.ERROR, detail=read.value)
    answer: Answer = read.value if job.contender.complete else read.value.as_incomplete()
    return Run(
        repeat,
        Status.OK,
        claims=answer.claims,
        answer=_text(job, answer),
        check=_checked(board, answer) if job.check and repeat == 1 else None,
        wall_s=ended.wall_s,
        cpu_s=ended.cpu_s,
        peak_bytes=ended.peak_bytes or None,
    )


def _read(puzzle: str, text: bytes, board: Board, format: str, name: str) -> Answer | str:
    """The answer in a program's output, or what is wrong with it."""
    try:
        return puzzles.get(puzzle).parse_answers(text, [board], format, f"<output of {name}>")[0]
    except InputError as error:
        return str(error)


def _failed(ended: Outcome, repeat: int) -> Run:
    skipped = ended.status is Status.SKIPPED
    used: dict[str, Any] = {} if skipped else {"wall_s": ended.wall_s, "cpu_s": ended.cpu_s, "peak_bytes": ended.peak_bytes or None}
    return Run(repeat, ended.status, ended.detail, **used)


def _text(job: Job, answer: Answer) -> str:
    puzzle = puzzles.get(job.contender.puzzle)
    return puzzle.print_answers([answer], puzzle.format(job.format))
