"""`fuzz --worst`: the board on which a contender's solution is furthest from the best one, and a
smaller board on which it is as far.

Only boards count whose optimum is PROVED: by somebody's certificate, or by the check itself.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from time import time

import puzzles
from compare.commands.arguments import again
from compare.commands.fuzz.batch import Batch
from compare.commands.fuzz.extremes import (
    Extreme,
    Save,
    concluded,
    contender_named,
    searched,
)
from compare.commands.fuzz.small_boards import SHARE
from compare.commands.fuzz.trial import observe
from compare.engine.campaign.optimum import Optimum, relative_gap, solution_value
from compare.engine.campaign.plan import Settings, executor
from compare.engine.search.reducer import Reducer, from_place
from compare.engine.work.contenders import Contender
from compare.engine.work.pool import Pool
from compare.engine.work.result import Result
from compare.show.conclusion import Conclusion
from compare.show.table import gap_text
from compare.show.wording import run_until_interrupted, say
from puzzles.instance import Instance
from puzzles.puzzle import Puzzle
from puzzles.shell.time_limits import Deadline
from puzzles.space import space_of
from puzzles.text import UserError

_TOGETHER, _MAX_TINY = 64, 2000
"""Smaller boards that are tried at once at most, and of the smallest ones of all."""


def worse(
    pool: Pool,
    batch: Batch,
    contender: Contender,
    boards: Sequence[Instance],
    beaten: float | None,
    until: float,
) -> Extreme | None:
    """The board of these with the largest gap; None if it is no larger than `beaten`."""
    measured = [each for each in gaps(pool, batch, contender, boards, until) if each is not None]
    worst = max(measured, key=lambda each: each.score, default=None)
    return worst if worst is not None and (beaten is None or worst.score > beaten) else None


def gaps(
    pool: Pool, batch: Batch, contender: Contender, boards: Sequence[Instance], until: float
) -> list[Extreme | None]:
    """The gap on each of some boards, relative to the optimum; None where no optimum is PROVED, or
    the contender has no solution.
    """
    thorough = replace(batch, thorough=True, keep_going=True)
    gaps: list[Extreme | None] = []
    observed = observe(pool, thorough, boards, Deadline(max(0.0, until - time())))
    for board, answers in zip(boards, (each.answers for each in observed), strict=True):
        own = next((each for each in answers if each.contender == contender.name), None)
        value, best = None if own is None else solution_value(own), _proved_optimum(answers)
        if own is None or value is None or best is None:
            gaps.append(None)
        else:
            gaps.append(Extreme(board, relative_gap(value, best), own, tuple(answers)))
    return gaps


def _proved_optimum(results: Sequence[Result]) -> int | None:
    known = Optimum.of(results)
    if known is None or known.solution is None or not known.is_proved:
        return None
    return known.solution.value


def smallest_worst(
    pool: Pool, batch: Batch, contender: Contender, worst: Extreme, seconds: float
) -> Extreme:
    """The smallest board that is found in so many seconds with a gap at least as large.

    The small boards come first, for a share of the time: going down step by step from a large one
    may take all of it, and may end where no step leads further.
    """
    end, space = time() + seconds, space_of(puzzles.get(batch.puzzle))
    until = time() + SHARE * seconds
    measured = {worst.board.digest: worst}

    def first_failing(boards: Sequence[Instance]) -> tuple[int, Instance] | None:
        for k, each in enumerate(gaps(pool, batch, contender, boards, end)):
            if each is not None and each.score >= worst.score:
                measured[each.board.digest] = each
                return k, each.board
        return None

    reducer = Reducer(
        worst.board,
        first_failing,
        over=lambda: time() >= until,
        key=lambda board: board.digest,
        at_first=8,
        most_at_once=_TOGETHER,
    )
    reducer.take(space.small(worst.board, _MAX_TINY))
    until, going = end, True
    while going:
        reducer.descend(from_place(space.smaller))
        board = reducer.smallest
        going = reducer.take(space.small(board, _MAX_TINY)) or reducer.take(
            space.tiny(board, _MAX_TINY).instances
        )
    return measured[reducer.smallest.digest]


def find_worst(
    options: argparse.Namespace, batch: Batch, chosen: Settings, save: Save
) -> Conclusion:
    """Search for the board on which a contender's solution is furthest from the optimum, make it
    smaller, print how far it is, and save it.
    """
    contender = contender_named(batch, options.worst, "--worst")
    puzzle = puzzles.get(batch.puzzle)
    if not puzzle.better:
        raise UserError(f"--worst: {puzzle.name} does not ask for a best value (`better`)")
    if not options.quiet:
        say(f"worst {puzzle.noun} of {puzzle.name} for {contender.name}, seed {batch.seed}")
    search, stopped = searched(options, batch, chosen, contender, worse, large=False)
    largest = search.extreme
    if largest is None:
        return concluded(search, "worst", _why_no_gap(puzzle, search.tried), stopped=stopped)
    worst = largest
    if largest.score and not stopped:
        with executor(chosen) as workers:
            pending = workers.submit(
                smallest_worst, batch, contender, largest, options.shrink_seconds
            )
            stopped = run_until_interrupted(lambda: pending.result())
        worst = search.extreme = largest if stopped else pending.result()
    board = worst.board
    value, best = solution_value(worst.own), _proved_optimum(worst.results)
    assert value is not None
    assert best is not None
    facts: list[str] = []
    line = (
        f"no gap: {contender.name} finds a best one on each {puzzle.noun} whose optimum is PROVED; "
        "try larger ones (--size N) or more (--seconds S)"
    )
    if worst.score:
        path = save(f"worst-{board.digest}{board.suffix}", board)
        say("", str(board), "", f"replay: {again(puzzle, path, options)}")
        line = (
            f"{board.shown_size}: {contender.name} finds {value}, and {best} is the optimum: "
            f"gap {abs(value - best)}, {gap_text(worst.score)}"
        )
        if board != largest.board:
            facts = [f"shrunk from {largest.board.shown_size}, gap {gap_text(largest.score)}"]
    rows = [
        {"contender": each.contender, "value": each.value, "bound": each.bound, "best": best}
        for each in worst.results
    ]
    return concluded(search, "worst", line, facts, rows, stopped=stopped)


def _why_no_gap(puzzle: Puzzle, tried: int) -> str:
    """Why no gap could be measured, and what to do."""
    if not tried:
        return f"no {puzzle.noun} was tried: give more --seconds"
    return (
        f"no {puzzle.noun} with a PROVED optimum was found, so no gap is known: -b adds a backend "
        "whose optimum the check can prove (`candidates` or `bound_fault` of the puzzle), --size N "
        f"takes smaller {puzzle.noun}s"
    )
