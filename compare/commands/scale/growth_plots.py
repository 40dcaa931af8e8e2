"""Growth drawn: time against size, with fitted exponents. It is what `scale` saves into a file, and
its part of the report.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf, isfinite
from pathlib import Path

import numpy as np

from compare.commands.scale.growth import MIN_SIZES, GrowthSeries, SizePoint, fit
from compare.commands.scale.growth_tables import law
from compare.show.plots import Curve, Dot, Dots, FittedCurve, Plot, PlotPoint, limits_reached, save
from compare.show.table import WITH_START
from puzzles.extras import not_installed
from puzzles.text import UserError

MAX_BANDS = 6
"""Contenders of a plot with bands; those of more hide each other. The legend has the intervals of
the exponents.
"""


def time_against_size(
    dots: Dots, limit: float, size: str = "cells", noun: str = "board", *, mixed: bool = False
) -> Plot | None:
    """Time against size, with fitted exponents if all boards are of one family; None if there
    are no dots of two sizes.

    Args:
        size: what it counts, as `compare.show.wording` says.
        noun: what the puzzle calls a board.
        mixed: the boards are files of a folder, which need not be alike.
    """
    if len({dot.size for some in dots.values() for dot in some}) < 2:
        return None
    alike = not mixed and len({dot.family for some in dots.values() for dot in some}) == 1
    drawn = [
        (
            _series(name, some, limit),
            [PlotPoint(dot.size, dot.seconds, dot.board, dot.stopped) for dot in some],
        )
        for name, some in dots.items()
    ]
    return _growth_plot("Time against size", f"time of each {noun}", drawn, size, fitted=alike)


def save_growth(
    title: str,
    series: Sequence[GrowthSeries],
    path: str,
    size: str = "cells",
    *,
    dry_run: bool = False,
) -> None:
    """Draw time against size with fitted exponents into a file; the file's suffix says in which
    format.

    Args:
        dry_run: only find out whether this can be done; the file stays as it is.

    Raises:
        UserError: matplotlib is not installed, does not know the format, or cannot write the file.
    """
    if Path(path).suffix == "":
        raise UserError(f"--plot {path}: a suffix such as .svg or .png says in which format")
    try:
        import matplotlib as mpl
    except ImportError:
        raise UserError(f"--plot: {not_installed(['matplotlib'])}") from None
    del mpl
    drawn = [
        (
            each,
            [
                PlotPoint(point.cells, min(second, each.limit), stopped=not isfinite(second))
                for point in each.points
                for second in point.seconds
            ],
        )
        for each in series
    ]
    plot = replace(_growth_plot(title, "time", drawn, size), heading=title)
    save(plot, Path(path), "--plot", dry_run=dry_run)


def _growth_plot(
    title: str,
    y: str,
    series: Sequence[tuple[GrowthSeries, list[PlotPoint]]],
    size: str,
    *,
    fitted: bool = True,
) -> Plot:
    """Every run as a dot, the time limits as lines.

    If `fitted`, a curve is added where the exponent can be told, with its 95% band if there are at
    most `MAX_BANDS` contenders.
    """
    curves: list[Curve] = []
    for rank, (each, points) in enumerate(series):
        curve = Curve(each.label, points, rank)
        line = fit(each) if fitted else None
        if line is not None and line.is_law:
            cells = np.geomspace(*line.cells, 50)
            middle, lower, upper = (part.tolist() for part in line.band(cells))
            band = (lower, upper) if len(series) <= MAX_BANDS else ([], [])
            drawn = FittedCurve(cells.tolist(), middle, *band)
            curve = replace(curve, note=law(line, size), fit=drawn)
        curves.append(curve)
    limits = {limit for each, points in series for limit in limits_reached(points, each.limit)}
    return Plot("growth", title, size, y, (size, "seconds"), curves, sorted(limits))


def _series(name: str, dots: Sequence[Dot], limit: float) -> GrowthSeries:
    """What was measured of one contender, boards of one size together.

    `limit`: the longest that a run was stopped at.
    """
    by_size: dict[int, list[float]] = {}
    dots_by_size = sorted(dots, key=lambda dot: dot.size)
    for dot in dots_by_size:
        by_size.setdefault(dot.size, []).append(inf if dot.stopped else dot.seconds)
    points = [SizePoint(size, size, tuple(times)) for size, times in by_size.items()]
    limit = min([limit, *(dot.seconds for dot in dots if dot.stopped)])
    label = name.removesuffix(f" {WITH_START}")
    series = GrowthSeries(label, limit, points, with_start=label != name)
    series.stopped_at = next((dot.size for dot in dots_by_size if dot.stopped), None)
    if series.stopped_at is not None:
        series.stopped = f"stopped at {limit:g} s"
    return series


def growth_by_family(dots: Dots, limit: float) -> dict[str, list[GrowthSeries]]:
    """The growth of each contender on each family that has enough sizes to be fitted."""
    growing: dict[str, list[GrowthSeries]] = {}
    for name in dict.fromkeys(dot.family for some in dots.values() for dot in some):
        series = [
            _series(contender, alike, limit)
            for contender, some in dots.items()
            if (alike := [dot for dot in some if dot.family == name])
        ]
        if any(len(each.points) >= MIN_SIZES for each in series):
            growing[name] = series
    return growing
