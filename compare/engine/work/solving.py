"""What runs in a solver: a child that serves one contender, turns boards into answers, and takes
their wall time (`solve_timed`).

An answer leaves as bytes, which main hands on and a judge reads: pickled if our own code made it,
else in the plain format.
"""

from __future__ import annotations

import gc
import os
import pickle
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, NamedTuple

import puzzles
from compare.engine.isolate.outcome import Status, Topic
from compare.engine.isolate.serving import MAX_NOTE, cpu_seconds, ends_with, mute, note
from compare.engine.work.contenders import BackendContender
from compare.engine.work.plain import pack_answer, to_plain
from compare.engine.work.reports import Reports
from compare.engine.work.result import SearchTrace, TracePoint
from models.python_file import load_plugin
from models.solvers.opening import verifying
from models.solvers.sat_solver import NoVerdict, SolverDied, SolverFailure
from models.stopwatch import hear_sizes
from puzzles.answer import Answer, Claims
from puzzles.backend import Backend, Unsupported, hear_reports
from puzzles.instance import Instance
from puzzles.user.user_file import PuzzleFault

ENDINGS = {
    Unsupported: Status.SKIPPED,
    NoVerdict: Status.UNKNOWN,
    SolverDied: Status.CRASH,
    SolverFailure: Status.ERROR,
    PuzzleFault: Status.CRASH,
}
"""How exceptions of a backend end its run, beside those that make it a CRASH; the first that fits
counts.
"""

_MAX_REHEARSED_S = 0.005
"""Seconds that the example may take if it is to be solved before each timed run."""


@dataclass
class _Memory:
    """What a solver keeps from call to call.

    Attributes:
        example: the boards of the example. To parse them takes longer than many a solve.
        rehearsed_s: the seconds that the example took when it was solved last.
        last: what was solved last: the board, and what came of it.
    """

    example: list[Instance] = field(default_factory=list)
    rehearsed_s: float = 0.0
    last: tuple[Instance, Solved] | None = None


_memory = _Memory()


@ends_with(ENDINGS)
def load_plugins(paths: Sequence[str], compiled: bool) -> bytes:
    """Import plugins. What they print is shown once, where contenders are chosen.

    Args:
        compiled: whether built-in kernels that a plugin calls run compiled. To load them takes
            longer than small boards.
    """
    if not compiled:
        os.environ["TWOFOLD_KERNELS"] = "python"
    with mute():
        for path in paths:
            load_plugin(path)
    return b""


def warm_up(contender: BackendContender) -> bytes:
    """Solve the puzzle's example and a board of each family, so that all is loaded and compiled
    that the contender needs. On the direct side that is a bundled board, since only large boards
    reach some kernels. A solver on trial needs no more than the example.
    """
    boards, puzzle = _examples(contender), puzzles.get(contender.puzzle)
    families = () if puzzle.compares_solvers else puzzle.families.values()
    large = contender.side == "direct"
    with mute() if contender.foreign else nullcontext():
        solve_for_nothing(contender, boards, certify=True)
        solve_for_nothing(contender, boards)
        solve_for_nothing(
            contender,
            [
                family.board(*(family.bundled[0] if large else (family.least, 1)))
                for family in families
            ],
        )
    if contender.may_be_kept:  # foreign code would print its lines again
        _memory.example = boards
    gc.collect()
    gc.freeze()  # what is loaded stays, and need not be looked through for garbage
    return b""


class Solved(NamedTuple):
    """What a backend says of one board, on its way to a judge.

    Attributes:
        board: the index of the board.
        answer: the answer, packed if foreign code made it; None if the backend refuses the board.
        certified: the same of the answer with its certificate; None if the backend refuses to
            certify, or was not asked.
        claimed: in the place of the answer what it claims, and its further exact claims; of an
            answer that is not to be checked.
        seconds: that the timed call took; of such an answer, that the backend says it took.
        cpu_seconds: that the timed call took of the processors, its child processes included.
        reason: why it refuses.
        declared: whether it declares that it may refuse the board, or to certify the answer.
        is_report: whether the backend has only reported the answer, and searches on. Then it stands
            for the certified one, too.
        trace: of a timed run, what the backend has reported; see `Reports`.
    """

    board: int
    answer: Any = None
    certified: Any = None
    claimed: tuple[Claims | None, dict[str, object]] | None = None
    seconds: float | None = None
    cpu_seconds: float | None = None
    reason: str = ""
    declared: bool = False
    is_report: bool = False
    trace: SearchTrace = ()


SOLVED = {each.__name__: each for each in (Solved, TracePoint)}
"""What crosses in the plain format."""

RETURNED_NONE = "it returned None instead of an answer"


@ends_with(ENDINGS)
def solve_timed(contender: BackendContender, board: Instance) -> bytes:
    """Solve a board; the answer, and the seconds that it took.

    Others have had the processor since the last run, so the example fills the caches again. An
    example that takes long is solved once: beside such times, those of the caches are small.
    """
    backend, options = contender.backend, dict(contender.options)
    _memory.last = None  # else its size would count for this board
    if _memory.rehearsed_s <= _MAX_REHEARSED_S:
        started = perf_counter()
        solve_for_nothing(contender, _memory.example)
        _memory.rehearsed_s = perf_counter() - started
    if reason := backend.refusal(board, **options):
        row = Solved(0, reason=reason, declared=True)
    else:
        with hear_sizes(_note_size), _noting_reports(contender, board) as reports:
            cpu_before, started = cpu_seconds(), perf_counter()
            try:
                answer = backend.solve(board, **options)
                wall_s = perf_counter() - started
                row = Solved(
                    0,
                    answer,
                    seconds=wall_s,
                    cpu_seconds=cpu_seconds() - cpu_before,
                    trace=reports.trace_with(answer),
                )
            except Unsupported as refused:
                row = Solved(0, reason=str(refused), declared=backend.may_refuse(board, **options))
    return _note(contender, board, row)


def _note(contender: BackendContender, board: Instance, row: Solved) -> bytes:
    """The row for a judge; it is kept for the calls that add something to it."""
    _memory.last = board, row
    return write_rows(contender, [board], [row])


@ends_with(ENDINGS)
def certify(contender: BackendContender) -> bytes:
    """What was said last, with the certified answer: that answer if it can be certified, else from
    a second solve.
    """
    assert _memory.last is not None
    board, row = _memory.last
    if row.answer is None:
        return _note(contender, board, row)
    certified = None
    if not contender.tests_solver and not contender.foreign:
        certified = row.answer.certified(**exact_options_of(contender.backend))
    if certified is None:
        certified = certified_answer(
            contender.backend, board, dict(contender.options), verify=contender.tests_solver
        )
    declared = contender.backend.may_refuse(board, certify=True, **dict(contender.options))
    return _note(contender, board, row._replace(certified=certified, declared=declared))


def _note_size(variables: int, clauses: int) -> None:
    note(Topic.SIZE, b"%d %d" % (variables, clauses))


@contextmanager
def _noting_reports(contender: BackendContender, board: Instance) -> Iterator[Reports]:
    """Within, what the backend reports of the board is noted as a row for a judge."""

    def send(answer: Answer, trace: SearchTrace) -> None:
        row = Solved(0, answer, declared=True, is_report=True, trace=trace)
        written = write_rows(contender, [board], [row])
        if len(written) <= MAX_NOTE:
            note(Topic.REPORT, written)

    def hear(answer: Answer) -> None:
        reports.add(contender.backend.as_said(answer))

    better = puzzles.get(contender.puzzle).better
    reports = Reports(better, send)
    with closing(reports), hear_reports(hear) if better else nullcontext():
        yield reports


@ends_with(ENDINGS)
def note_stated_size(contender: BackendContender, board: Instance) -> bytes:
    """Note the size of what the backend's `encode` states."""
    from models.backend_encoding import encoding_of
    from models.cpsat import CpSatEncoding

    encoding = encoding_of(contender.backend, board)
    if isinstance(encoding, CpSatEncoding):
        _note_size(len(encoding.cp.proto.variables), len(encoding.cp.proto.constraints))
    else:
        _note_size(encoding.formula.variables, len(encoding.formula.clauses))
    return b""


@ends_with(ENDINGS)
def solve_one(contender: BackendContender, board: Instance, exact: bool, check: bool) -> bytes:
    """Solve a board, untimed; `exact`: with all exact claims; `check`: and certify the answer in
    the same call.
    """
    options = dict(contender.options)
    more = exact_options_of(contender.backend) if exact else {}
    with _noting_reports(contender, board):
        (row,) = solve_rows(contender, {0: board}, options | more)
        if row.answer is None and more.items() - options.items():
            (row,) = solve_rows(contender, {0: board}, options)
        if check and row.answer is not None:
            row = certified_row(contender, board, row)
    return write_rows(contender, [board], [row])


def solve_rows(
    contender: BackendContender, boards: Mapping[int, Instance], options: Mapping[str, Any]
) -> list[Solved]:
    """What the backend says of boards, by their indices: in one call if it takes a list, else one
    by one.
    """
    backend = contender.backend
    answers: Sequence[Answer] | None = None
    if (
        not contender.tests_solver
    ):  # else what a solver does wrong on one board drowns among the others
        with suppress(Unsupported):
            answers = backend.solve_many(list(boards.values()), **options)
    rows: list[Solved] = []
    if answers is not None:
        for (k, board), answer in zip(boards.items(), answers, strict=True):
            rows.append(_row_of(contender, k, board, answer))
        return rows
    for k, board in boards.items():
        try:
            rows.append(_row_of(contender, k, board, backend.solve(board, **options)))
        except Unsupported as reason:
            rows.append(_refusal(contender, k, board, str(reason)))
    return rows


def _row_of(contender: BackendContender, k: int, board: Instance, answer: Answer | None) -> Solved:
    if answer is None:
        return _refusal(contender, k, board, RETURNED_NONE)
    return Solved(k, answer)


def certified_row(contender: BackendContender, board: Instance, row: Solved) -> Solved:
    """The row of a board with the certified answer, or with the reason why there is none."""
    backend, options = contender.backend, dict(contender.options)
    try:
        certified = certified_answer(backend, board, options, verify=contender.tests_solver)
    except Unsupported as refused:
        reason = f"asked for a certificate, it refuses: {refused}"
        return _refusal(contender, row.board, board, reason, row.answer)
    if certified is None:
        return _refusal(contender, row.board, board, RETURNED_NONE, row.answer)
    declared = backend.may_refuse(board, certify=True, **options)
    return row._replace(certified=certified, declared=declared)


def _refusal(
    contender: BackendContender, k: int, board: Instance, reason: str, answer: Answer | None = None
) -> Solved:
    """The row of a board that the backend does not answer, or whose answer it does not certify."""
    certify, options = answer is not None, dict(contender.options)
    declared = contender.backend.may_refuse(board, certify=certify, **options)
    return Solved(k, answer, reason=reason, declared=declared)


def write_rows(
    contender: BackendContender, part: Sequence[Instance], rows: Sequence[Solved]
) -> bytes:
    """Rows for a judge: those of foreign code in the plain format, else pickled."""
    if not contender.foreign:
        return pickle.dumps(rows, protocol=5)

    def text(row: Solved, answer: Answer | None) -> str | None:
        return None if answer is None else pack_answer(part[row.board], answer)

    plain = (
        row._replace(answer=text(row, row.answer), certified=text(row, row.certified))
        for row in rows
    )
    return to_plain(tuple(plain), SOLVED).encode()


@ends_with(ENDINGS)
def solve_verified(contender: BackendContender, board: Instance) -> bytes:
    """Solve a board with a verified SAT solver; raises `SolverFailure` for what it does wrong."""
    certified_answer(contender.backend, board, dict(contender.options), verify=True)
    return b""


def _examples(contender: BackendContender) -> list[Instance]:
    """The boards of the puzzle's example; every backend solves them in a moment."""
    puzzle = puzzles.get(contender.puzzle)
    return puzzle.parse(puzzle.example, "<example>") if puzzle.example else []


def solve_for_nothing(
    contender: BackendContender, boards: Sequence[Instance], *, certify: bool = False
) -> None:
    """Solve boards so that everything that the backend needs is loaded and compiled; `certify`:
    with all exact claims as well.
    """
    options = dict(contender.options)
    for board in boards:
        if not contender.does_not_take(board):
            with suppress(
                Exception
            ):  # what fails here fails in the measured run too, and is reported there
                if certify:
                    certified_answer(contender.backend, board, options)
                else:
                    contender.backend.solve(board, **options)


def certified_answer(
    backend: Backend, board: Instance, options: dict[str, Any], *, verify: bool = False
) -> Answer:
    """The answer with its certificate and all exact claims that the backend can give; without them
    if they are too much.

    Args:
        verify: whether its SAT solver is verified, so that the solver is blamed for what it does
            wrong, and not the backend.

    Raises:
        SolverFailure: the solver is wrong.
    """
    exact_options = exact_options_of(backend)
    with verifying() if verify else nullcontext():
        if exact_options:
            with suppress(Unsupported):
                return backend.solve(board, certify=True, **options | exact_options)
        return backend.solve(board, certify=True, **options)


def exact_options_of(backend: Backend) -> dict[str, Any]:
    """The options with which this backend gives all the exact claims that it can."""
    return {
        name: value
        for name, value in puzzles.get(backend.puzzle).exact_options.items()
        if name in backend.options
    }
