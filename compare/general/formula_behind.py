"""Which SAT solver is behind a board on which a model fails: what the model asks about the board is put to the solver alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import puzzles
from compare.fuzz.batch import Batch, FailingBoard
from compare.fuzz.shrinking import Shrunk, shrink_fault
from compare.fuzz.trial import try_boards
from compare.general.formula_families import traces_of
from compare.general.formula_puzzle import Trace
from compare.isolate.outcome import Limits
from compare.work.contenders import BackendContender, choose, with_solvers
from compare.work.pool import Pool
from puzzles.instance import Instance

SHRINK_S = 30.0
"""Seconds that shrinking the trace may take."""

_SEEDS = 4
"""How often the backend is asked: what it asks for a certificate is other questions, and of many calls a few are chosen."""


def trace_behind(
    pool: Pool, boards: Sequence[Instance], contender: BackendContender, limits: Limits
) -> tuple[FailingBoard, Shrunk] | None:
    """The first trace of a backend on which its solver alone fails, and what it shrinks to; None if it fails on none.

    The default solver is asked while traces are noted down; then the solver itself, whose models decide what is asked next.

    Args:
        boards: on which the backend fails.
        limits: of one trace, and of noting down what is asked about a board.
    """
    formula = puzzles.get(Trace.puzzle)
    solver = tuple(with_solvers(choose(formula, [], {}), [str(contender.solver)]))
    batch = Batch(puzzle=formula.name, contenders=solver, seed=1, count=1, size=1, limits=limits, thorough=True)
    for board in dict.fromkeys(boards):
        for asked in (None, contender.solver):
            with pool.foreign_solver(contender, warm=False) as child:
                outcome = child.call(_texts, contender, board, asked, limits=limits)
            texts: list[bytes] = outcome.value.split(b"\0") if outcome.ok and outcome.value else []
            for failing in try_boards(pool, batch, [formula.of_text(text.decode()) for text in texts]):
                return failing, shrink_fault(pool, replace(batch, seconds=SHRINK_S), failing.board, failing.faults[0])
    return None


def _texts(contender: BackendContender, board: Instance, solver: str | None) -> str:
    """The different traces, parted by null characters: nothing else crosses from a process in which foreign code runs."""
    traces = (trace for seed in range(_SEEDS) for trace in traces_of(contender.backend, board, Random(seed), solver))
    return "\0".join(dict.fromkeys(trace.text() for trace in traces))
