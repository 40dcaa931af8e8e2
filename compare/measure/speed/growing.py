"""Backends on growing boards, size by size beside the yardstick: how time grows, and what a board of each size takes."""

from __future__ import annotations

from collections import defaultdict
from functools import partial
from math import isfinite

import puzzles
from compare.campaign.tasks import Settings
from compare.isolate.outcome import Limits
from compare.measure.growth import GrowthSeries, fit
from compare.measure.scaling import Scaling, sizes
from compare.measure.speed.figure import GrowthLine, JobTimes, Part, SpeedFigure
from compare.measure.speed.plan import SpeedJob, SpeedPlan, TimeIsUp
from compare.measure.speed.yardstick import NAME, yardstick_seconds
from compare.work.contenders import choose

GROWING = {
    "beams": ("mirror", ("direct:two-sat", "models:cnf", "models:cnf-traced")),
    "minesweeper": ("d16", ("direct:frontier", "direct:two-sat", "models:cnf")),
    "nogo": ("empty", ("direct:union-find", "models:cnf", "models:cnf-monotone")),
    "geography": ("walls-20", ("direct:matching", "models:cnf", "models:cnf-cover", "models:lp")),
}
"""For each puzzle, the family and the backends."""

BOARDS = 3
"""Boards of each size."""

SMALLEST = 12


def growing() -> list[SpeedJob]:
    """The backends of each puzzle."""
    return [SpeedJob(Part.GROWTH, f"{name}, {family}", partial(_grown, name)) for name, (family, _) in GROWING.items()]


def _grown(name: str, plan: SpeedPlan) -> list[SpeedFigure]:
    """A figure for each backend. Its inputs are the sizes at which no run was stopped ."""
    puzzle = puzzles.get(name)
    family, backends = GROWING[name]
    settings = Settings(limits=Limits(plan.limit_s), repeats=BOARDS, check=False)
    scaling = Scaling(puzzle, family, choose(puzzle, backends, {}), settings, plan.seed)
    units = {0: yardstick_seconds()}
    before = 0
    by_size: dict[int, float] = defaultdict(float)
    for size in scaling.run(sizes(max(SMALLEST, puzzle.family(family).least), plan.largest)):
        units[size] = yardstick_seconds()
        by_size[size] = (units[before] + units[size]) / 2
        before = size
        if plan.left == 0:
            raise TimeIsUp
    wrong = tuple(f"CONFLICT on size {each.records[0].task.dataset}" for each in scaling.comparison.conflicts)
    return [_figure(f"{name}, {family}, {series.name}", series, by_size, wrong) for series in scaling.series.values()]


def _figure(name: str, series: GrowthSeries, units: dict[int, float], wrong: tuple[str, ...]) -> SpeedFigure:
    points = [each for each in series.points if all(map(isfinite, each.seconds))]
    inputs = tuple(
        JobTimes(f"size {each.size}", each.seconds, (units[each.size],) * len(each.seconds))
        for each in points
        if each.size in units
    )
    line = fit(series)
    grows = None if line is None or not line.is_law else GrowthLine(line.exponent, *line.interval, line.sizes)
    failed = (series.stopped or "no run ended",) if not series.points else ()
    return SpeedFigure(Part.GROWTH, name, NAME, inputs, (*wrong, *failed), line=grows)
