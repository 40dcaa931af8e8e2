"""Plots: time against size, boards solved within a time, one contender against the others.

A plot of the report is an SVG that takes its colours for text and lines from the page. The growth
of `scale` goes to a file.
"""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, inf, isfinite
from pathlib import Path
from textwrap import fill
from typing import Any

import numpy as np

from compare.engine.measure.growth import MIN_SIZES, GrowthSeries, SizePoint, fit
from compare.show.growth_tables import law
from compare.show.table import WITH_START, seconds
from compare.show.wording import writing
from puzzles.extras import not_installed
from puzzles.text import UserError

_INK, _LINE = "#010203", "#040506"
"""Stand for the page's own colours, which the page sets for light and dark."""

_COLOURS = ("#3b82f6", "#e5793a", "#2a9d6f", "#b45fc9", "#b8901c", "#d1477a", "#6b8299")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "*", "h", "d", "8", "H")
_SIZE, _FONT, _DOTS_PER_INCH = (4.6, 3.8), 11.5, 200
"""Inches of a plot and points of its text, which can be read where a page has 390 pixels; dots an
inch of a plot in pixels.
"""


_MAX_LABEL = 46
"""Characters in a line of a legend."""

_DASHED = (0, (4, 3))
_MAX_SHAPES = 1000
"""More dots than these of one contender are one picture inside the plot: as shapes, those of
100,000 boards take 79 MB.
"""


@dataclass(frozen=True)
class Dot:
    """One board and contender: the board's size, the median seconds, and whether the contender was
    stopped there.

    `family`: the name of the board's family, or of its dataset. Its boards are alike, so that a
    curve can be fitted to them.
    """

    board: object
    size: int
    seconds: float
    stopped: bool
    family: str = ""


Dots = dict[str, list[Dot]]
"""The dots of each contender, the reference first."""


def time_against_size(dots: Dots, limit: float, size: str = "cells") -> str | None:
    """Time against size, for a page, with fitted exponents if all boards are of one family; hollow:
    stopped at the limit.

    `size`: what it counts, as `compare.show.wording` says.
    """
    if not any(dots.values()):
        return None
    figure, axes = _axes(size, "time (median)")
    alike = len({dot.family for some in dots.values() for dot in some}) == 1
    _draw_growth(
        axes, [_series(name, some, limit) for name, some in dots.items()], size, fitted=alike
    )
    return _svg(figure, axes, "Time against size")


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
    figure, axes = _axes(size, "time", ink="black", line="#c8c8c8")
    axes.set_title(title)
    _draw_growth(axes, series, size, ink="black")
    _label_ticks(axes)
    _legend(axes, "black")
    try:
        with writing(f"--plot {path}"):
            figure.savefig(path, bbox_inches="tight", dpi=_DOTS_PER_INCH)
    except ValueError as error:
        raise UserError(f"--plot {path}: {error}") from None


def _draw_growth(
    axes: Any, series: Sequence[GrowthSeries], size: str, *, fitted: bool = True, ink: str = _INK
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
            axes.plot(cells, middle, color=_colour(index), linewidth=1.2)
            axes.fill_between(cells, lower, upper, color=_colour(index), alpha=0.15, linewidth=0)
        runs = [
            (point.cells, min(second, each.limit), not isfinite(second))
            for point in each.points
            for second in point.seconds
        ]
        _dots(axes, index, runs, label)
    for limit in sorted({each.limit for each in series if each.points and isfinite(each.limit)}):
        _limit_line(axes, limit, ink)


def _limit_line(axes: Any, limit: float, ink: str = _INK) -> None:
    """The time limit, named in the legend."""
    axes.axhline(
        limit, color=ink, linewidth=1, linestyle=_DASHED, zorder=1, label=f"time limit, {limit:g} s"
    )


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


def families(dots: Dots, limit: float) -> dict[str, list[GrowthSeries]]:
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


def cactus(solved: Mapping[str, tuple[Sequence[float], int]], limit: float) -> str | None:
    """How many boards each contender solves within a time; the limit is a line.

    `solved`: by contender, the seconds of each board that it solved, and how many boards it was
    given.
    """
    if not solved:
        return None
    figure, axes = _axes("boards solved", "time for each", logarithmic="y")
    for index, (name, (times, boards)) in enumerate(solved.items()):
        axes.plot(
            range(1, len(times) + 1),
            sorted(times),
            color=_colour(index),
            marker=_marker(index),
            markersize=5,
            linewidth=1.2,
            label=f"{name}:  {len(times)} of {boards}",
            rasterized=len(times) > _MAX_SHAPES,
        )
    _limit_line(axes, limit)
    return _svg(figure, axes, "Boards solved within a time")


def scatter(dots: Dots, reference: str, limit: float) -> str | None:
    """Every other contender against the reference, board by board; a stopped run stands at the
    limit.
    """
    base = {dot.board: dot for dot in dots.get(reference, [])}
    pairs = {
        name: [(base[dot.board], dot) for dot in some if dot.board in base and name != reference]
        for name, some in dots.items()
    }
    together = [pair for some in pairs.values() for pair in some]
    if not together:
        return None
    figure, axes = _axes(f"time of {reference}", "time of the others")
    low = min(dot.seconds for pair in together for dot in pair) / 1.6
    right = max(a.seconds for a, _ in together)
    if any(a.stopped for a, _ in together):
        right = limit
        axes.axvline(limit, color=_INK, linewidth=1, linestyle=_DASHED, zorder=1)
    high = max(limit, *(b.seconds for _, b in together))
    ends = [low, 1.6 * high]
    axes.plot(ends, ends, color=_LINE, linewidth=1, zorder=1, label="equal times")
    for index, (name, some) in enumerate(pairs.items()):
        points = [(a.seconds, b.seconds, a.stopped or b.stopped) for a, b in some]
        _dots(axes, index, points, name)
    _limit_line(axes, limit)
    axes.set_xlim(low, 1.6 * right)
    axes.set_ylim(*ends)
    return _svg(figure, axes, f"Every contender against {reference}")


def _colour(index: int) -> str:
    return _COLOURS[index % len(_COLOURS)]


def _marker(index: int) -> str:
    """The contender's own marker; a number where the shapes end."""
    return _MARKERS[index] if index < len(_MARKERS) else f"${index + 1}$"


def _axes(
    x: str, y: str, *, logarithmic: str = "xy", ink: str = _INK, line: str = _LINE
) -> tuple[Any, Any]:
    import matplotlib as mpl
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    style: Any = {
        "font.size": _FONT,
        "axes.titlesize": _FONT,
        "axes.labelcolor": ink,
        "axes.edgecolor": line,
        "axes.facecolor": "none",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "grid.color": line,
        "grid.linewidth": 0.6,
        **{f"{axis}tick.color": line for axis in "xy"},
        **{f"{axis}tick.labelcolor": ink for axis in "xy"},
    }
    with mpl.rc_context(style):
        figure = Figure(_SIZE)
        axes = figure.add_subplot(xlabel=x, ylabel=y, yscale="log")
        if "x" in logarithmic:
            axes.set_xscale("log")
        else:
            axes.xaxis.set_major_locator(MaxNLocator(5, integer=True, min_n_ticks=1))
    return figure, axes


_STEPS = ((1,), (1, 3), (1, 2, 5), (1, 1.5, 2, 3, 5, 7))
"""Where ticks may stand within a power of ten: the first of these is taken that gives an axis
three. Else they are even.
"""

_MAX_TICKS = {"x": 4, "y": 8}
"""Labels that fit along an axis."""


def _label_ticks(axes: Any) -> None:
    """Labelled ticks on the logarithmic axes, few enough to stand apart.

    Call it when all is drawn.
    """
    from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

    for name, most in _MAX_TICKS.items():
        axis, (low, high) = getattr(axes, f"{name}axis"), getattr(axes, f"get_{name}lim")()
        if axis.get_scale() != "log":
            continue
        ticks: list[float] = []
        for locator in (*(LogLocator(subs=steps, numticks=99) for steps in _STEPS), MaxNLocator(3)):
            ticks = [tick for tick in locator.tick_values(low, high) if low <= tick <= high]
            if len(ticks) >= 3:
                break
        ticks = ticks[:: ceil(len(ticks) / most) or 1]
        in_seconds = axis.get_label_text().startswith("time")
        axis.set_ticks(ticks, [seconds(tick) if in_seconds else f"{tick:,.0f}" for tick in ticks])
        axis.set_minor_formatter(NullFormatter())


def _dots(axes: Any, index: int, points: Sequence[tuple[float, float, bool]], label: str) -> None:
    """Markers, hollow if stopped; one entry in the legend."""
    for stopped in (False, True) if points else ():
        some = [(x, y) for x, y, hollow in points if hollow is stopped]
        axes.plot(
            [x for x, _ in some],
            [y for _, y in some],
            marker=_marker(index),
            linestyle="none",
            markersize=6,
            markeredgecolor=_colour(index),
            markerfacecolor="none" if stopped else _colour(index),
            alpha=0.85,
            label=None if stopped else label,
            zorder=3,
            rasterized=len(some) > _MAX_SHAPES,
        )


def _legend(axes: Any, ink: str) -> None:
    """The legend below the plot, if anything is named.

    Long names are broken: the plot is scaled to the width of all.
    """
    handles, labels = axes.get_legend_handles_labels()
    if labels:
        axes.legend(
            handles,
            [fill(label, _MAX_LABEL) if len(label) > _MAX_LABEL else label for label in labels],
            loc="upper left",
            bbox_to_anchor=(-0.16, -0.2),
            frameon=False,
            fontsize=_FONT,
            labelcolor=ink,
            borderaxespad=0,
            ncols=1,
        )


def _svg(figure: Any, axes: Any, title: str) -> str:
    """The figure as an SVG element that scales with the page; its identifiers are its own."""
    import matplotlib as mpl

    _label_ticks(axes)
    _legend(axes, _INK)
    style: Any = {"svg.fonttype": "none", "svg.hashsalt": title, "font.family": "sans-serif"}
    out = io.StringIO()
    with mpl.rc_context(style):
        figure.savefig(
            out,
            format="svg",
            dpi=_DOTS_PER_INCH,
            transparent=True,
            bbox_inches="tight",
            pad_inches=0.08,
            metadata=dict.fromkeys(("Creator", "Date", "Format", "Type")),
        )
    svg = out.getvalue()
    svg = svg[svg.index("<svg") :]
    head, _, body = svg.partition(">")
    head = re.sub(r' (width|height)="[^"]*"', "", head)
    svg = f'{head} class="plot" role="img" aria-label="{title}">{body}'
    svg = svg.replace(_INK, "var(--ink)").replace(_LINE, "var(--line)")
    prefix = f"f{hashlib.sha256(svg.encode()).hexdigest()[:8]}-"
    return re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{prefix}", svg)
