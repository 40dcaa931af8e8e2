"""Shrinking a trace while the same fault persists."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from random import Random

import puzzles
from compare.commands.fuzz.batch import Batch, FailingBoard
from compare.commands.fuzz.fault_shrinking import shrink_fault
from compare.commands.fuzz.shrinking import RUNS, BestSoFar, Shrunk
from compare.commands.fuzz.solver_behind import solver_batch, try_solver_behind
from compare.commands.fuzz.trial import try_boards
from compare.commands.fuzz_formula.formula_families import random_trace
from compare.commands.fuzz_formula.formula_puzzle import Trace, clause, solver_call
from compare.engine.isolate.outcome import Limits
from compare.engine.work.contenders import choose, with_solvers
from tests.compare.commands.fuzz_formula.solver_gallery import wrapper
from tests.pools import in_pool

LIMITS = Limits(20.0)


def batch_of(name: str) -> Batch:
    """A batch whose contender is this solver of the gallery."""
    solver = tuple(with_solvers(choose(puzzles.get("formula"), [], {}), [wrapper(name)]))
    return Batch(
        puzzle="formula", contenders=solver, seed=1, count=1, size=1, limits=LIMITS, thorough=True
    )


def shrunk(trace: Trace, name: str, seconds: float = 60.0) -> Shrunk:
    """What a trace shrinks to on which a solver of the gallery fails."""
    batch = batch_of(name)
    (failing,) = in_pool(try_boards, batch, [trace])
    return in_pool(shrink_fault, replace(batch, seconds=seconds), trace, failing.faults[0])


def test_a_crash_shrinks_to_the_step_that_causes_it() -> None:
    base = random_trace(20, Random(7))
    result = shrunk(
        Trace(base.variables, (*base.steps[:40], clause(), *base.steps[40:])), "DiesOfEmptyClause"
    )
    assert result.smallest.board == Trace.formula(0, [[]])
    assert (result.came_back, result.cut_short) == (RUNS, False)


FOUR_CALLS = Trace(
    9,
    (
        clause(5, 6),
        solver_call(),
        clause(7, 9),
        clause(-7, 8),
        solver_call(9),
        clause(-8, 9),
        solver_call(-9, 5),
        clause(5),
        solver_call(8, -9, 6),
    ),
)


def test_a_wrong_verdict_shrinks_to_the_calls_that_show_it() -> None:
    result = shrunk(FOUR_CALLS, "ForgetsAssumptions")
    kept = result.smallest.board
    assert isinstance(kept, Trace)
    assert (kept.variables, len(kept.steps)) == (1, 3)
    assert sorted(len(step.literals) for step in kept.steps) in ([0, 1, 1], [0, 1, 2])
    assert result.smallest_fault.part == "SAT"
    assert not result.cut_short


def test_the_time_limit_leaves_the_best_so_far() -> None:
    trace = Trace.formula(2, [[1, 2], [1, -2], [-1, 2], [-1, -2], []])
    result = shrunk(trace, "DiesOfEmptyClause", seconds=1e-9)
    assert (result.smallest.board, result.cut_short, result.came_back) == (trace, True, None)


@dataclass
class EachSoFar(BestSoFar):
    """Keeps each smaller trace, and not the last one alone."""

    each: list[Shrunk] = field(default_factory=list)

    def reach(self, shrunk: Shrunk) -> None:
        super().reach(shrunk)
        self.each.append(shrunk)


def test_each_smaller_trace_has_the_reason_that_it_shows_itself() -> None:
    """So what is said is right, wherever the time ends."""
    batch = batch_of("ForgetsAssumptions")
    (failing,) = in_pool(try_boards, batch, [FOUR_CALLS])
    (fault,) = failing.faults
    assert fault.detail == "call 3 of 4: says SATISFIABLE, is UNSATISFIABLE"
    steps = EachSoFar(Shrunk(FailingBoard(FOUR_CALLS, (fault,)), fault, 0))
    in_pool(shrink_fault, replace(batch, seconds=60.0), FOUR_CALLS, fault, steps)
    assert steps.each[-1].smallest_fault.detail != fault.detail
    for step in steps.each:
        (again,) = in_pool(try_boards, batch, [step.smallest.board])
        assert step.smallest_fault == again.faults[0]


def test_the_trace_behind_a_board_is_found() -> None:
    board = puzzles.get("minesweeper").of_text("3 4\n1###\n####\n###1\n")
    for name, fails in (("ForgetsAssumptions", True), ("RightSolver", False)):
        (contender,) = choose(puzzles.get("minesweeper"), ["models:cnf"], {"solver": wrapper(name)})
        batch = solver_batch(contender, LIMITS)
        result = in_pool(try_solver_behind, batch, [board, board], contender)
        assert [each.faults[0].part in ("SAT", "model") for each in result.failing] == [
            True
        ] * fails
