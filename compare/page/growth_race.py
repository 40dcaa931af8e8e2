"""A race on growing boards: a process of its own prints a line of JSON a size, and the server passes the lines on.

`race_lines` runs in the server, `main` in that process.
"""

from __future__ import annotations

import asyncio
import json
import os
import pickle
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations
from math import isfinite
from pathlib import Path
from typing import Any

import puzzles
from compare.campaign.tasks import Settings
from compare.isolate.child import stop_server
from compare.isolate.outcome import Limits
from compare.isolate.processes import die_with_parent, kill_descendants
from compare.measure.growth import GrowthSeries
from compare.measure.scaling import Scaling, sizes
from compare.page.answers import CANCELLED
from compare.page.bounds import LARGEST, MEMORY
from compare.page.workers import Workers
from compare.show.measurements import crossing
from compare.work.contenders import Contender
from puzzles.text import UserError
from puzzles.user.user_file import UserFile

SMALLEST, REPEATS = 4, 3
"""The first size, unless the family starts later, and the boards of each size."""


@dataclass(frozen=True)
class GrowthRace:
    """What is raced.

    Attributes:
        user_files: the puzzles of one's own that the server has loaded.
        contenders: by what the page calls them.
        largest: the last size.
        seconds: for one run.
    """

    user_files: tuple[UserFile, ...]
    puzzle: str
    family: str
    contenders: dict[str, Contender]
    largest: int
    seconds: float


_CODE = "import sys; sys.path[:] = sys.argv[1:]; from compare.page.growth_race import main; main()"

_END_S = 5.0
"""Seconds that the process may take to end once it is asked to."""


async def race_lines(workers: Workers, race: GrowthRace, cancelled: asyncio.Event) -> AsyncIterator[dict[str, Any]]:
    """The lines of the race; the last one is `CANCELLED` once the event is set. The race ends when nobody reads on."""
    lines: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()

    async def cancel() -> None:
        await cancelled.wait()
        lines.put_nowait(CANCELLED)
        lines.put_nowait(None)

    running, cancelling = workers.in_background(_carried_out(workers, race, lines)), workers.in_background(cancel())
    try:
        while (line := await lines.get()) is not None:
            yield line
    finally:
        running.cancel()
        cancelling.cancel()


async def _carried_out(workers: Workers, race: GrowthRace, lines: asyncio.Queue[dict[str, Any] | None]) -> None:
    """Run the process and pass its lines on. It counts as one of the workers, so that no core has two solves."""
    try:
        async with workers.held():
            places = [place or str(Path.cwd()) for place in sys.path]
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-c", _CODE, *places, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, limit=2**20
            )
            try:
                await _read(process, race, lines)
            finally:
                await _ended(process)
    finally:
        lines.put_nowait(None)


async def _read(process: Process, race: GrowthRace, lines: asyncio.Queue[dict[str, Any] | None]) -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    with suppress(BrokenPipeError, ConnectionResetError):
        process.stdin.write(pickle.dumps(race))
        await process.stdin.drain()
        process.stdin.close()
    last = ""
    async for line in process.stdout:
        value = json.loads(line)
        last = value["type"]
        lines.put_nowait(value)
    if last != "end":
        lines.put_nowait({"type": "end", "lines": ["the race broke off: its process ended"]})


async def _ended(process: Process) -> None:
    """End the process, and all that it has started."""
    with suppress(ProcessLookupError):
        process.terminate()
    try:
        await asyncio.wait_for(process.wait(), _END_S)
    except TimeoutError:
        kill_descendants(process.pid)
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def main() -> None:
    """Carry out the race that stands on standard input, pickled; ends early by SIGTERM, or if the server ends."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    die_with_parent(signal.SIGTERM)
    race: GrowthRace = pickle.load(sys.stdin.buffer)  # noqa: S301 - our own server wrote it
    try:
        for file in race.user_files:
            puzzles.load(file, silent=True)
        _run(race)
    except UserError as error:
        _say({"type": "end", "lines": [str(error)]})
    except (KeyboardInterrupt, BrokenPipeError):
        stop_server()
        os._exit(130)


def _run(race: GrowthRace) -> None:
    puzzle = puzzles.get(race.puzzle)
    family = puzzle.family(race.family)
    settings = Settings(limits=Limits(race.seconds, MEMORY), repeats=REPEATS, check=False)
    scaling = Scaling(puzzle, race.family, list(race.contenders.values()), settings)
    last = min(race.largest, family.most, LARGEST)
    wanted = sizes(max(family.least, min(SMALLEST, last)), last)
    for done, size in enumerate(scaling.run(wanted), 1):
        points = {word: _point(scaling.series[each.name], size) for word, each in race.contenders.items()}
        cells = next((point.cells for series in scaling.series.values() for point in series.points if point.size == size), None)
        _say({"type": "size", "size": size, "cells": cells, "points": points, "done": done, "sizes": len(wanted)})
    series = list(scaling.series.values())
    ended = [f"{each.name}: {each.stopped} at {each.stopped_at}" for each in series if each.stopped_at is not None]
    _say({"type": "end", "lines": [*(crossing(a, b) for a, b in combinations(series, 2)), *ended]})


def _point(series: GrowthSeries, size: int) -> dict[str, Any]:
    median = series.at(size)
    return {"median_s": median if median is not None and isfinite(median) else None, "stopped": series.stopped}


def _say(line: dict[str, Any]) -> None:
    print(json.dumps(line), flush=True)
