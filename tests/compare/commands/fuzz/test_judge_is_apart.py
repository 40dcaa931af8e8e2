"""A search checks answers in a process in which no backend has solved anything."""

from __future__ import annotations

import sys

import puzzles
from compare.commands.fuzz.batch import Batch
from compare.commands.fuzz.trial import try_batch
from compare.engine.isolate.outcome import Limits
from compare.engine.work.asking import carry_out
from compare.engine.work.contenders import Ask, DatasetCase, choose
from compare.engine.work.pool import Pool
from puzzles.answer import Verdict
from tests.processes import LONGEST_S

LIMITS = Limits(LONGEST_S)


def numba_has_loaded() -> list[str]:
    """The kernels of ours that this process has loaded."""
    from direct.kernel import Kernel

    loaded = [
        each
        for name, module in list(sys.modules.items())
        if name.startswith("direct.")
        for each in vars(module).values()
    ]
    return [
        each.__name__ for each in loaded if isinstance(each, Kernel) and "compiled" in vars(each)
    ]


def test_no_backend_solves_where_answers_are_checked(pool: Pool) -> None:
    puzzle = puzzles.get("beams")
    contenders = tuple(choose(puzzle, ["two-sat", "cnf"], {}))
    board = puzzle.parse(puzzle.example)[0]
    for contender in contenders:
        (run,) = carry_out(pool, Ask(contender=contender, cases=[DatasetCase(board)]))
        assert run.check is not None
        assert run.check.verdict is Verdict.PROVED
    batch = Batch(
        puzzle="beams",
        contenders=contenders,
        seed=1,
        count=64,
        size=6,
        limits=LIMITS,
        thorough=True,
    )
    assert try_batch(pool, batch).failing == []
    with pool.judge() as judge, pool.solver(contenders[0]) as solver:
        assert solver.call(numba_has_loaded, limits=LIMITS).value
        assert judge.call(numba_has_loaded, limits=LIMITS).value == []
        assert judge.pid != solver.pid
