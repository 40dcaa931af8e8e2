"""What `fuzz --slowest` and `fuzz --worst` print: the most extreme board for one contender, which
is saved.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import puzzles
from compare.commands.arguments import again
from compare.commands.fuzz.batch import Batch
from compare.commands.fuzz.extremes import ExtremeSearch, ExtremeT, Measure
from compare.commands.fuzz.slowest import slower
from compare.commands.fuzz.words import slowest_line
from compare.commands.fuzz.worst import WorstBoard, smallest_worst, worse
from compare.engine.campaign.plan import Settings
from compare.engine.campaign.running import executor
from compare.engine.campaign.summaries import Headline
from compare.engine.isolate.outcome import Status
from compare.engine.work.contenders import BackendContender, Contender
from compare.show.conclusion import Conclusion, ContenderTally, FaultReport, blames
from compare.show.messages import LastLine, interruption
from compare.show.progress import progress_bar, run_until_interrupted
from compare.show.table import gap_text
from compare.show.wording import say
from puzzles.instance import Instance
from puzzles.puzzle import Puzzle
from puzzles.shell.interruption import INTERRUPTED
from puzzles.text import UnknownName, UserError, count_noun

DEFAULT_S = 60.0
"""Seconds that the search takes by default."""

Save = Callable[[str, Instance], Path]
"""Writes a board as an input file of this name; returns its path."""


def find_slowest(
    options: argparse.Namespace, batch: Batch, chosen: Settings, save: Save
) -> Conclusion:
    """Search for the slowest board, print how much slower it is and save it.

    One run at a time: only such times can be trusted.
    """
    contender, puzzle = _named(batch, options.slowest), puzzles.get(batch.puzzle)
    say(f"slowest {puzzle.noun} of {puzzle.name} for {contender.name}, seed {batch.seed}")
    search, stopped = _searched(options, batch, chosen, contender, slower, large=True)
    slowest = search.extreme
    if slowest is None:
        return _nothing(puzzle, search.tried, stopped, f"no {puzzle.noun} could be timed")
    board = slowest.board
    path = save(f"slowest-{board.digest}{board.suffix}", board)
    line = slowest_line(contender.name, slowest)
    replay = again(puzzle, path, options)
    say(f"replay: {replay}")
    ours = isinstance(contender, BackendContender) and contender.ours
    at_fault = slowest.status is not Status.OK and not ours
    results = [each.of_record(board) for each in (slowest.own, *slowest.others)]
    rows = [
        {"contender": each.contender, "status": each.status, "s": each.usage.wall_s}
        for each in results
    ]
    fault = FaultReport(
        kind=slowest.status,
        contenders=(contender.name,),
        puzzle=puzzle.name,
        part="slowest",
        text=line,
        input=puzzle.print_instances([board]),
        replay=replay,
    )
    faults = [fault] if at_fault else []
    blamed = blames(faults)
    if stopped:
        blamed.append(interruption())
    timed = f"{count_noun(search.tried, puzzle.noun)} timed"
    last_line = LastLine(Headline.NOTHING_COMPARED, blamed, line, [timed])
    return Conclusion(
        verdict=last_line.headline,
        last_line=str(last_line),
        exit_status=INTERRUPTED if stopped else int(at_fault),
        faults=faults,
        tallies=[
            ContenderTally(
                puzzle=puzzle.name,
                part="slowest",
                contender=contender.name,
                counts={"timed": search.tried},
                failed=int(at_fault),
            )
        ],
        tables={"slowest": rows},
        results=results,
    )


def find_worst(
    options: argparse.Namespace, batch: Batch, chosen: Settings, save: Save
) -> Conclusion:
    """Search for the board on which a contender's solution is furthest from the optimum, make it
    smaller, print how far it is, and save it.
    """
    contender, puzzle = _named(batch, options.worst), puzzles.get(batch.puzzle)
    if not puzzle.better:
        raise UserError(f"--worst: {puzzle.name} does not ask for a best value (`better`)")
    say(f"worst {puzzle.noun} of {puzzle.name} for {contender.name}, seed {batch.seed}")
    search, stopped = _searched(options, batch, chosen, contender, worse, large=False)
    largest = search.extreme
    if largest is None:
        return _nothing(puzzle, search.tried, stopped, _why_no_gap(puzzle, search.tried))
    worst = largest
    if largest.score and not stopped:
        with executor(chosen) as workers:
            pending = workers.submit(
                smallest_worst, batch, contender, largest, options.shrink_seconds
            )
            stopped = run_until_interrupted(lambda: pending.result())
        worst = largest if stopped else pending.result()
    board, rows = worst.board, _rows_of_worst(worst)
    facts = [f"{count_noun(search.tried, puzzle.noun)} tried"]
    line = (
        f"no gap: {contender.name} finds a best one on each {puzzle.noun} whose optimum is PROVED; "
        "try larger ones (--size N) or more (--seconds S)"
    )
    if worst.score:
        path = save(f"worst-{board.digest}{board.suffix}", board)
        say("", str(board), "", f"replay: {again(puzzle, path, options)}")
        line = (
            f"{board.shown_size}: {contender.name} finds {worst.value}, and {worst.best} is the "
            f"optimum: gap {abs(worst.value - worst.best)}, {gap_text(worst.score)}"
        )
        if board != largest.board:
            facts.append(f"shrunk from {largest.board.shown_size}, gap {gap_text(largest.score)}")
    blamed = [interruption()] if stopped else []
    last_line = LastLine(Headline.NOTHING_COMPARED, blamed, line, facts)
    return Conclusion(
        verdict=last_line.headline,
        last_line=str(last_line),
        exit_status=INTERRUPTED if stopped else 0,
        tallies=[
            ContenderTally(
                puzzle=puzzle.name,
                part="worst",
                contender=contender.name,
                counts={"tried": search.tried},
            )
        ],
        tables={"worst": rows},
        results=[each.of_record(board) for each in worst.results],
    )


def _why_no_gap(puzzle: Puzzle, tried: int) -> str:
    """Why no gap could be measured, and what to do."""
    if not tried:
        return f"no {puzzle.noun} was tried: give more --seconds"
    return (
        f"no {puzzle.noun} with a PROVED optimum was found, so no gap is known: -b adds a backend "
        "whose optimum the check can prove (`candidates` or `bound_fault` of the puzzle), --size N "
        f"takes smaller {puzzle.noun}s"
    )


def _rows_of_worst(worst: WorstBoard) -> list[dict[str, object]]:
    """What each contender says of the board."""
    return [
        {"contender": each.contender, "value": each.value, "bound": each.bound, "best": worst.best}
        for each in worst.results
    ]


def _named(batch: Batch, name: str) -> Contender:
    """The contender of this name; raises `UnknownName`."""
    named = [each for each in batch.contenders if name in (each.name, each.name.partition(":")[2])]
    if len(named) != 1:
        raise UnknownName("contender", name, [each.name for each in batch.contenders])
    return named[0]


def _searched(
    options: argparse.Namespace,
    batch: Batch,
    chosen: Settings,
    contender: Contender,
    measure: Measure[ExtremeT],
    *,
    large: bool,
) -> tuple[ExtremeSearch[ExtremeT], bool]:
    """The search at its end, and whether it was interrupted."""
    with progress_bar(unit=puzzles.get(batch.puzzle).noun, total=options.cases) as shown_bar:
        search = ExtremeSearch(
            batch,
            contender,
            measure,
            large=large,
            cases=options.cases,
            seconds=options.seconds or DEFAULT_S,
            progress=lambda boards, doing: shown_bar.update(boards),
        )
        return search, run_until_interrupted(lambda: search.run(executor(chosen)))


def _nothing(puzzle: Puzzle, tried: int, stopped: bool, why: str) -> Conclusion:
    """What the search came to if it has nothing to show."""
    last_line = LastLine(
        Headline.NOTHING_COMPARED,
        [interruption()] if stopped else [],
        why,
        [f"{count_noun(tried, puzzle.noun)} tried"],
    )
    return Conclusion(
        verdict=last_line.headline,
        last_line=str(last_line),
        exit_status=INTERRUPTED if stopped else 1,
    )
