"""`fuzz --slowest`: the board that takes a contender longest, set against the others.

The search starts from the large boards that fuzzing tries first. Every board is a run of its own,
timed as in a comparison. A board counts as slower only if a second run agrees, or if no time is
left for one.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
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
from compare.engine.campaign.plan import Settings
from compare.engine.isolate.outcome import Status
from compare.engine.work.asking import carry_out
from compare.engine.work.contenders import Ask, BackendContender, Contender, DatasetCase
from compare.engine.work.pool import Pool
from compare.engine.work.result import Result
from compare.show.conclusion import Conclusion, FaultReport
from compare.show.table import seconds
from compare.show.wording import say
from puzzles.instance import Instance

_TIMED = (Status.OK, Status.TIMEOUT, Status.MEMORY)

FLOOR_S = 0.01
"""Seconds below which a time says more about the machine than about the board."""


def slower(
    pool: Pool,
    batch: Batch,
    contender: Contender,
    boards: Sequence[Instance],
    beaten: float | None,
    until: float,
) -> Extreme | None:
    """The times of all on the one board, if the contender is slower there than it was before, in
    two runs; else None.

    Args:
        beaten: the score of the slowest board so far; None if there is none.
        until: when no time is left for a second run, in seconds since the epoch.
    """
    (board,) = boards
    first = timed(pool, batch, contender, board)
    if first is None or (beaten is not None and first.score <= beaten):
        return None
    again = timed(pool, batch, contender, board) if time() < until else first
    least = first if again is None else min(first, again, key=lambda each: each.score)
    return least if again is not None and (beaten is None or least.score > beaten) else None


def timed(pool: Pool, batch: Batch, contender: Contender, board: Instance) -> Extreme | None:
    """The times of all contenders on a board, one after the other; None if the one in question
    cannot be timed.

    The score is how many times longer it takes than the fastest other one; without others, the
    seconds.
    """
    results: dict[str, Result] = {}
    for each in sorted(batch.contenders, key=lambda each: each.name != contender.name):
        if each.does_not_take(board) is not None:
            continue
        ask = Ask(
            contender=each,
            cases=[DatasetCase(board)],
            format=batch.format,
            limits=batch.limits,
            check=False,
        )
        (results[each.name],) = carry_out(pool, ask)
        if each.name == contender.name and results[each.name].status not in _TIMED:
            return None
    own = results.pop(contender.name, None)
    if own is None:
        return None
    others = sorted((each for each in results.values() if each.status is Status.OK), key=_taken_s)
    score = _taken_s(own)
    if others:
        score = max(score, FLOOR_S) / max(_taken_s(others[0]), FLOOR_S)
    return Extreme(board, score, own, (own, *others))


def _taken_s(result: Result) -> float:
    return result.usage.wall_s or 0.0


def find_slowest(
    options: argparse.Namespace, batch: Batch, chosen: Settings, save: Save
) -> Conclusion:
    """Search for the slowest board, print how much slower it is and save it.

    One run at a time: only such times can be trusted.
    """
    contender = contender_named(batch, options.slowest, "--slowest")
    puzzle = puzzles.get(batch.puzzle)
    if not options.quiet:
        say(f"slowest {puzzle.noun} of {puzzle.name} for {contender.name}, seed {batch.seed}")
    search, stopped = searched(options, batch, chosen, contender, slower, large=True)
    slowest = search.extreme
    if slowest is None:
        return concluded(search, "slowest", f"no {puzzle.noun} could be timed", stopped=stopped)
    board, status = slowest.board, slowest.own.status
    path = save(f"slowest-{board.digest}{board.suffix}", board)
    line = _slowest_line(slowest)
    replay = again(puzzle, path, options)
    say(f"replay: {replay}")
    ours = isinstance(contender, BackendContender) and contender.ours
    faults: list[FaultReport] = []
    if status is not Status.OK and not ours:
        fault = FaultReport(
            kind=status,
            contenders=(contender.name,),
            puzzle=puzzle.name,
            part="slowest",
            text=line,
            input=puzzle.print_instances([board]),
            replay=replay,
        )
        faults.append(fault)
    rows = [
        {"contender": each.contender, "status": each.status, "s": each.usage.wall_s}
        for each in slowest.results
    ]
    return concluded(search, "slowest", line, rows=rows, faults=faults, stopped=stopped)


def _slowest_line(slowest: Extreme) -> str:
    """How long a contender takes on the slowest board, and how much longer than the others."""
    own, *others = slowest.results
    stopped = own.status is not Status.OK
    line = f"{slowest.board.shown_size}: {own.contender} takes {seconds(_taken_s(own))}"
    line += f" ({own.status})" if stopped else ""
    if others:
        times = _taken_s(own) / _taken_s(others[0])
        shown = f"{times:.3g}" if times < 1000 else f"{float(f'{times:.2g}'):,.0f}"
        taken = ", ".join(f"{each.contender} {seconds(_taken_s(each))}" for each in others)
        at_least = "at least " if stopped else ""
        line += f", {at_least}{shown} times as long as the fastest other ({taken})"
    return line
