"""The SAT solver behind a backend that fails: whether it is wrong alone on what the backend asks
about a board.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import puzzles
from compare.commands.fuzz.batch import Batch, BatchResult
from compare.commands.fuzz.trial import try_boards
from compare.commands.fuzz_formula.formula_families import traces_of
from compare.commands.fuzz_formula.formula_puzzle import Trace
from compare.engine.isolate.outcome import Limits
from compare.engine.work.contenders import BackendContender, choose, with_solvers
from compare.engine.work.pool import Pool
from puzzles.instance import Instance

ASKS_NOTHING = "no question was asked"
"""Why there is no trace of a solver, such as of a MaxSAT program that takes the backend's place."""

_SEEDS, _MAX_CALLS = 4, 400
"""How often a backend is asked, since what it asks for a certificate is other questions; how many
of its calls are kept.
"""


def solver_batch(contender: BackendContender, limits: Limits) -> Batch:
    """The batch in which the solver of a backend of another puzzle is the contender; `limits` are
    of one trace.
    """
    formula = puzzles.get(Trace.puzzle)
    solver = tuple(with_solvers(choose(formula, [], {}), [str(contender.solver)]))
    return Batch(
        puzzle=formula.name,
        contenders=solver,
        seed=1,
        count=1,
        stop=1,
        size=1,
        limits=limits,
        thorough=True,
    )


def try_solver_behind(
    pool: Pool, batch: Batch, boards: Sequence[Instance], contender: BackendContender
) -> BatchResult:
    """The first trace of a backend on which its solver alone fails, if there is one; or why what it
    asks could not be noted: `ASKS_NOTHING` if it has called its solver on no board.

    The default solver is asked while traces are noted down; then the solver itself, whose models
    decide what is asked next.

    Args:
        batch: see `solver_batch`.
        boards: on which the backend fails.
    """
    broken, asks_it = "", False
    for board in dict.fromkeys(boards):
        for asked in (None, contender.solver):
            with pool.foreign_solver(contender, warm=False) as child:
                outcome = child.call(_texts, contender, board, asked, limits=batch.limits)
            broken = broken or ("" if outcome.ok else outcome.detail)
            texts: list[bytes] = outcome.value.split(b"\0") if outcome.ok and outcome.value else []
            asks_it = asks_it or (asked is not None and bool(texts))
            failing = try_boards(
                pool, batch, [puzzles.get(batch.puzzle).of_text(text.decode()) for text in texts]
            )
            if failing:
                return BatchResult(failing[:1], 0.0)
    return BatchResult([], 0.0, broken=broken or ("" if asks_it else ASKS_NOTHING))


def _texts(contender: BackendContender, board: Instance, solver: str | None) -> str:
    """The different traces, parted by null characters: nothing else crosses from a process in which
    foreign code runs.
    """
    traces = (
        trace
        for seed in range(_SEEDS)
        for trace in traces_of(contender.backend, board, Random(seed), solver, calls=_MAX_CALLS)
    )
    return "\0".join(dict.fromkeys(trace.text() for trace in traces))
