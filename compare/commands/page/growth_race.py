"""A race on growing boards: a line of JSON a size.

Each run takes a worker as any solve does, so that no core has two.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from itertools import combinations
from math import isfinite
from statistics import median
from typing import Any

import puzzles
from compare.commands.page.bounds import LARGEST, MEMORY, GrowthRequest
from compare.commands.page.sessions import tab_of
from compare.commands.page.workers import Workers, in_judge
from compare.commands.scale.growth import GrowthSeries
from compare.commands.scale.growth_tables import crossing
from compare.commands.scale.scaling import Scaling, sizes
from compare.engine.campaign.plan import Dataset, Settings, of_family
from compare.engine.campaign.ratios import MIN_BOARDS
from compare.engine.isolate.outcome import Limits
from compare.engine.work.asking import carry_out
from compare.engine.work.contenders import Contender
from puzzles.text import UserError

SMALLEST, REPEATS = 4, MIN_BOARDS
"""The first size, unless the family starts later, and the boards of each size."""


async def race_lines(
    workers: Workers, contenders: Sequence[Contender], wanted: GrowthRequest
) -> AsyncGenerator[dict[str, Any], None]:
    """The lines of the race, a size each, and at its end who is faster."""
    puzzle = puzzles.get(wanted.puzzle)
    family = puzzle.family(wanted.family)
    settings = Settings(limits=Limits(wanted.seconds, MEMORY), check=False)
    scaling = Scaling(puzzle, wanted.family, contenders, settings)
    series = list(scaling.series.values())
    last = min(wanted.largest, family.most, LARGEST)
    every = sizes(max(family.least, min(SMALLEST, last)), last)
    try:
        for done, size in enumerate(every, 1):
            if all(each.stopped is not None for each in series):
                break
            boards = await workers.call(in_judge, _boards, wanted.puzzle, wanted.family, size)
            await _measure(workers, tab_of(wanted.session), scaling, size, boards)
            points = {each.name: _point(each, size) for each in series}
            cells = median(each.size for each in boards.instances)
            yield {
                "type": "size",
                "size": size,
                "cells": cells,
                "points": points,
                "done": done,
                "sizes": len(every),
            }
        ended = [
            f"{each.name}: {each.stopped} at {each.stopped_at}"
            for each in series
            if each.stopped_at is not None
        ]
        yield {
            "type": "end",
            "lines": [*(crossing(a, b, puzzle.noun) for a, b in combinations(series, 2)), *ended],
        }
    except UserError as error:
        yield {"type": "end", "lines": [str(error)]}


def _boards(name: str, family: str, size: int) -> Dataset:
    return of_family(puzzles.get(name), family, [(size, seed) for seed in range(1, REPEATS + 1)])


async def _measure(
    workers: Workers, tab: str, scaling: Scaling, size: int, boards: Dataset
) -> None:
    """Run the boards of one size. The contenders take turns, each until it passes its limit."""
    seconds: dict[str, list[tuple[str, float]]] = {}
    for index in range(len(boards.instances)):
        for ask in scaling.runnable(boards, size, index, index + 1):
            (result,) = await workers.call(carry_out, ask, contender=ask.contender, tab=tab)
            seconds.setdefault(result.contender, []).extend(
                (ask.instance.digest, each) for each in scaling.seconds(ask.contender, size, result)
            )
    scaling.add_size(size, boards, seconds)


def _point(series: GrowthSeries, size: int) -> dict[str, Any]:
    seconds = series.at(size)
    return {
        "median_s": seconds if seconds is not None and isfinite(seconds) else None,
        "stopped": series.stopped,
    }
