"""Growth drawn: time against size, with fitted exponents. It is what `scale` saves into a file, and
its part of the report.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isfinite
from pathlib import Path
from typing import Any

import numpy as np

from compare.commands.scale.growth import MIN_SIZES, GrowthSeries, SizePoint, fit
from compare.commands.scale.growth_tables import law
from compare.show.plots import (
    DOTS_PER_INCH,
    INK,
    Dot,
    Dots,
    colour,
    draw_dots,
    draw_legend,
    draw_limit,
    label_ticks,
    plot_axes,
    svg_of,
)
from compare.show.table import WITH_START
from compare.show.wording import writing
from puzzles.extras import not_installed
from puzzles.text import UserError


def time_against_size(dots: Dots, limit: float, size: str = "cells") -> str | None:
    """Time against size, for a page, with fitted exponents if all boards are of one family; hollow:
    stopped at the limit.

    `size`: what it counts, as `compare.show.wording` says.
    """
    if not any(dots.values()):
        return None
    figure, axes = plot_axes(size, "time (median)")
    alike = len({dot.family for some in dots.values() for dot in some}) == 1
    _draw_growth(
        axes, [_series(name, some, limit) for name, some in dots.items()], size, fitted=alike
    )
    return svg_of(figure, axes, "Time against size")


def save_growth(title: str, series: Sequence[GrowthSeries], path: str, size: str = "cells") -> None:
    """Draw time against size with fitted exponents into a file; the file's suffix says in which
    format.

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
    figure, axes = plot_axes(size, "time", ink="black", line="#c8c8c8")
    axes.set_title(title)
    _draw_growth(axes, series, size, ink="black")
    label_ticks(axes)
    draw_legend(axes, "black")
    try:
        with writing(f"--plot {path}"):
            figure.savefig(path, bbox_inches="tight", dpi=DOTS_PER_INCH)
    except ValueError as error:
        raise UserError(f"--plot {path}: {error}") from None


def _draw_growth(
    axes: Any, series: Sequence[GrowthSeries], size: str, *, fitted: bool = True, ink: str = INK
) -> None:
    """Every run as a dot, the time limit as a line.

    If `fitted`, a curve with its 95% band is added where the exponent can be told.
    """
    for index, each in enumerate(series):
        label, line = each.label, fit(each) if fitted else None
        if line is not None and line.is_law:
            label = f"{each.label}:  {law(line, size)}"
            cells = np.geomspace(*line.cells, 50)
            middle, lower, upper = line.band(cells)
            axes.plot(cells, middle, color=colour(index), linewidth=1.2)
            axes.fill_between(cells, lower, upper, color=colour(index), alpha=0.15, linewidth=0)
        runs = [
            (point.cells, min(second, each.limit), not isfinite(second))
            for point in each.points
            for second in point.seconds
        ]
        draw_dots(axes, index, runs, label)
    for limit in sorted({each.limit for each in series if each.points and isfinite(each.limit)}):
        draw_limit(axes, limit, ink)


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
