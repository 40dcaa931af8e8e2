"""What runs in a solver: a child that serves one contender, and turns boards into answers.

An answer leaves as bytes, which main hands on and a judge reads: pickled if our own code made it, else in the plain format.
"""

from __future__ import annotations

import gc
import os
import pickle
from collections.abc import Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import puzzles
from compare.isolate.outcome import Status
from compare.isolate.serving import muted
from compare.work.contenders import BackendContender
from compare.work.foreign.foreign_answers import packed
from compare.work.foreign.plain import to_plain
from models.python_file import module_of
from models.solvers.opening import verifying
from models.solvers.sat_solver import SolverFailure
from puzzles.answer import Answer
from puzzles.backend import Backend, Unsupported
from puzzles.instance import Instance

ENDINGS = {Unsupported: Status.SKIPPED, SolverFailure: Status.ERROR}
"""How exceptions of a backend end its run, beside those that make it a CRASH."""

_MAX_REHEARSED_S = 0.005
"""Seconds that the example may take if it is to be solved before each timed run."""


@dataclass
class _Memory:
    """What a solver keeps from call to call.

    Attributes:
        example: the boards of the example. To parse them takes longer than many a solve.
        rehearsed_s: the seconds that the example took when it was solved last.
        last: what was solved last: the board and the answer.
    """

    example: list[Instance] = field(default_factory=list)
    rehearsed_s: float = 0.0
    last: tuple[Instance, Answer] | None = None


_memory = _Memory()


def load_plugins(paths: Sequence[str], compiled: bool) -> bytes:
    """Import plugins. What they print is shown once, where contenders are chosen.

    Args:
        compiled: whether kernels of ours that a plugin calls run compiled. To load them takes longer than small boards.
    """
    if not compiled:
        os.environ["TWOFOLD_KERNELS"] = "python"
    with muted():
        for path in paths:
            module_of(path)
    return b""


def warm_up(contender: BackendContender) -> bytes:
    """Solve the puzzle's example and a board of each family, so that all is loaded and compiled that the contender needs."""
    boards = examples(contender)
    with muted() if contender.foreign else nullcontext():
        solve_for_nothing(contender, boards, certify=True)
        solve_for_nothing(contender, warm_up_boards(contender))
    if not contender.foreign:  # foreign code would print its lines again
        _memory.example = boards
    gc.collect()
    gc.freeze()  # what is loaded stays, and need not be looked through for garbage
    return b""


def solve_timed(contender: BackendContender, board: Instance) -> bytes:
    """Solve a board; the answer, and the seconds that it took.

    Others have had the processor since the last run, so the example fills the caches again. An example that takes long is solved
    once: beside such times, those of the caches are small.

    Raises:
        Unsupported: the backend refuses the board, or declares that it does.
    """
    if _memory.rehearsed_s <= _MAX_REHEARSED_S:
        started = perf_counter()
        solve_for_nothing(contender, _memory.example)
        _memory.rehearsed_s = perf_counter() - started
    answer, seconds = timed(contender, board)
    _memory.last = board, answer
    if contender.foreign:
        return to_plain((packed(board, answer), seconds), {}).encode()
    return pickle.dumps((answer, seconds), protocol=5)


def certify(contender: BackendContender) -> bytes:
    """The certified answer to the board that was solved last: that answer if it can be certified, else that of a second solve.

    None stands for the last answer as it is.
    """
    assert _memory.last is not None
    board, answer = _memory.last
    certified = None
    if not contender.tests_solver and not contender.foreign:
        certified = answer.certified(**exact_options_of(contender.backend))
        if certified is answer:
            return pickle.dumps(None)
    if certified is None:
        certified = certified_answer(contender.backend, board, dict(contender.options), verify=contender.tests_solver)
    return packed(board, certified).encode() if contender.foreign else pickle.dumps(certified, protocol=5)


def verified(contender: BackendContender, board: Instance) -> bytes:
    """Solve a board with a verified SAT solver; raises `SolverFailure` for what it does wrong."""
    certified_answer(contender.backend, board, dict(contender.options), verify=True)
    return b""


def size_of(contender: BackendContender, board: Instance) -> bytes:
    """The variables and clauses that the backend's `encode` states, in the plain format; None if it has none."""
    from models.backend_encoding import encoding_of
    from models.cpsat import CpSatEncoding

    if contender.backend.encode is None:
        return to_plain(None, {}).encode()
    encoding = encoding_of(contender.backend, board)
    if isinstance(encoding, CpSatEncoding):
        numbers = len(encoding.cp.proto.variables), len(encoding.cp.proto.constraints)
    else:
        numbers = encoding.formula.variables, len(encoding.formula.clauses)
    return to_plain(numbers, {}).encode()


def examples(contender: BackendContender) -> list[Instance]:
    """The boards of the puzzle's example; every backend solves them in a moment."""
    puzzle = puzzles.get(contender.puzzle)
    return puzzle.parse(puzzle.example, "<example>")


def warm_up_boards(contender: BackendContender) -> list[Instance]:
    """The example and one board of each family: a bundled one on the direct side, since only large boards reach some kernels."""
    families = puzzles.get(contender.puzzle).families.values()
    large = contender.side == "direct"
    return examples(contender) + [family.board(*(family.bundled[0] if large else (family.least, 1))) for family in families]


def solve_for_nothing(contender: BackendContender, boards: Sequence[Instance], *, certify: bool = False) -> None:
    """Solve boards so that everything that the backend needs is loaded and compiled; `certify`: with all exact claims as well."""
    options = dict(contender.options)
    for board in boards:
        if not contender.does_not_take(board):
            with suppress(Exception):  # what fails here fails in the measured run too, and is reported there
                if certify:
                    certified_answer(contender.backend, board, options)
                else:
                    contender.backend.solve(board, **options)


def timed(contender: BackendContender, board: Instance) -> tuple[Answer, float]:
    """The answer and the seconds it took.

    Raises:
        Unsupported: the backend refuses the board, or declares that it does.
    """
    backend, options = contender.backend, dict(contender.options)
    if reason := backend.refusal(board, **options):
        raise Unsupported(reason)
    started = perf_counter()
    answer = backend.solve(board, **options)
    return answer, perf_counter() - started


def certified_answer(backend: Backend, board: Instance, options: dict[str, Any], *, verify: bool = False) -> Answer:
    """The answer with its certificate and all exact claims that the backend can give; without them if they are too much.

    Args:
        verify: whether its SAT solver is verified, so that the solver is blamed for what it does wrong, and not the backend.

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
    return {name: value for name, value in puzzles.get(backend.puzzle).exact_options.items() if name in backend.options}
