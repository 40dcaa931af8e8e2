"""A race on growing boards, in a process of its own: the page's server starts it, reads a line of JSON a size, and may end it."""

from __future__ import annotations

import json
import os
import pickle
import signal
import sys
from dataclasses import dataclass
from itertools import combinations
from math import isfinite
from typing import Any

import puzzles
from compare.campaign.tasks import Settings
from compare.isolate.outcome import Limits
from compare.isolate.processes import die_with_parent
from compare.measure.growth import GrowthSeries
from compare.measure.scaling import Scaling, sizes
from compare.page.bounds import LARGEST, MEMORY
from compare.show.overtaking import crossing
from compare.work.contenders import BackendContender
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
    contenders: dict[str, BackendContender]
    largest: int
    seconds: float


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
