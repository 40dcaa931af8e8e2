"""Calls of a backend in this process: timed, for its certificate, or only to load and compile what it needs."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext, suppress
from time import perf_counter
from typing import Any

import puzzles
from compare.isolate.outcome import Status
from compare.work.contenders import BackendContender
from models.solvers.opening import verifying
from models.solvers.sat_solver import SolverFailure
from puzzles.answer import Answer
from puzzles.backend import Backend, Unsupported
from puzzles.instance import Instance

ENDINGS = {Unsupported: Status.SKIPPED, SolverFailure: Status.ERROR}
"""How exceptions of a backend end its run, beside those that make it a CRASH."""


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
