"""The report's plots, as SVG that takes its colours for text and lines from the page."""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from compare.measure import growth

_INK, _LINE = "#010203", "#040506"
"""Stand for the page's own colours, which the page sets for light and dark."""

_COLOURS = ("#3b82f6", "#e5793a", "#2a9d6f", "#b45fc9", "#b8901c", "#d1477a", "#6b8299")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X")
_SIZE = (4.8, 4.0)


@dataclass(frozen=True)
class Point:
    """One board and contender: cells, median seconds, and whether it was stopped there."""

    board: object
    cells: int
    seconds: float
    stopped: bool


Series = dict[str, list[Point]]
"""The points of each contender, the reference first."""


def time_against_size(series: Series, limit: float | None) -> str | None:
    """Time against size on logarithmic axes with exponents and 95% intervals where fixed costs do not rule; hollow: stopped."""
    if not any(series.values()):
        return None
    figure, axes = _axes("cells", "seconds (median)")
    for index, (name, points) in enumerate(series.items()):
        measured = _by_size(name, points, limit)
        law, label = growth.fit(measured), name
        if law is not None and not law.fixed:
            low, high = law.interval
            label = f"{name}:  cells^{law.exponent:.2f} ({low:.2f} to {high:.2f})"
            fitted = growth.beyond_fixed_costs(measured.points)
            ends = np.array([fitted[0].cells, fitted[-1].cells])
            axes.plot(ends, law.band(ends)[0], color=_colour(index), linewidth=1.2)
        _dots(axes, index, [(p.cells, p.seconds, p.stopped) for p in points], label)
    return _svg(figure, axes, "Time against size")


def _by_size(name: str, points: Sequence[Point], limit: float | None) -> growth.Series:
    """What was measured of one contender, boards of as many cells together."""
    seconds: dict[int, list[float]] = {}
    for point in sorted(points, key=lambda point: point.cells):
        seconds.setdefault(point.cells, []).append(inf if point.stopped else point.seconds)
    stopped = min((point.seconds for point in points if point.stopped), default=inf)
    some = [growth.Point(cells, cells, tuple(times)) for cells, times in seconds.items()]
    return growth.Series(name, stopped if limit is None else limit, some)


def cactus(series: Series) -> str | None:
    """How many boards each contender solves within a time."""
    if not any(series.values()):
        return None
    figure, axes = _axes("boards solved", "seconds for each", logarithmic="y")
    for index, (name, points) in enumerate(series.items()):
        times = sorted(point.seconds for point in points if not point.stopped)
        label = f"{name}:  {len(times)} of {len(points)}"
        axes.plot(
            range(1, len(times) + 1), times, color=_colour(index), marker=_marker(index), markersize=3.5, linewidth=1.2, label=label
        )
    return _svg(figure, axes, "Boards solved within a time")


def scatter(series: Series, reference: str, limit: float | None) -> str | None:
    """Every other contender against the reference, board by board; what was stopped stands on the edge."""
    base = {point.board: point for point in series.get(reference, [])}
    others = {name: points for name, points in series.items() if name != reference}
    met = [(base[p.board], p) for points in others.values() for p in points if p.board in base]
    if not met:
        return None
    figure, axes = _axes(f"{reference}, seconds", "the others, seconds")
    low = min(min(a.seconds, b.seconds) for a, b in met) / 1.6
    high = max(max(a.seconds, b.seconds) for a, b in met) * 1.6
    axes.plot([low, high], [low, high], color=_LINE, linewidth=1, zorder=1)
    if limit is not None and any(a.stopped or b.stopped for a, b in met):
        axes.axhline(limit, color=_INK, linewidth=0.8, linestyle=":", zorder=1)
        if any(a.stopped for a, _ in met):
            axes.axvline(limit, color=_INK, linewidth=0.8, linestyle=":", zorder=1)
    for index, name in enumerate(series):
        pairs = [(base[p.board], p) for p in others.get(name, []) if p.board in base]
        _dots(axes, index, [(a.seconds, b.seconds, a.stopped or b.stopped) for a, b in pairs], name)
    axes.set_xlim(low, high)
    axes.set_ylim(low, high)
    return _svg(figure, axes, f"Every contender against {reference}")


def _colour(index: int) -> str:
    return _COLOURS[index % len(_COLOURS)]


def _marker(index: int) -> str:
    return _MARKERS[index % len(_MARKERS)]


def _axes(x: str, y: str, logarithmic: str = "xy") -> tuple[Any, Any]:
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    figure = Figure(_SIZE)
    axes = figure.add_subplot()
    axes.set_xlabel(x, color=_INK)
    axes.set_ylabel(y, color=_INK)
    if "x" in logarithmic:
        axes.set_xscale("log")
    else:
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    axes.set_yscale("log")
    axes.patch.set_alpha(0)
    axes.grid(color=_LINE, linewidth=0.6)
    axes.tick_params(which="both", color=_LINE, labelcolor=_INK, labelsize=9)
    for side, spine in axes.spines.items():
        spine.set_color(_LINE)
        spine.set_visible(side in ("left", "bottom"))
    return figure, axes


def _dots(axes: Any, index: int, points: Sequence[tuple[float, float, bool]], label: str) -> None:
    """Full markers, hollow where stopped; one entry in the legend."""
    if not points:
        return
    for stopped in (False, True):
        some = [(x, y) for x, y, hollow in points if hollow is stopped]
        style = {"marker": _marker(index), "linestyle": "none", "markersize": 5, "markeredgecolor": _colour(index)}
        fill = "none" if stopped else _colour(index)
        named = label if not stopped else None
        axes.plot([x for x, _ in some], [y for _, y in some], markerfacecolor=fill, alpha=0.85, label=named, zorder=3, **style)


def _svg(figure: Any, axes: Any, title: str) -> str:
    """The figure as an SVG element that scales with the page, its identifiers its own."""
    import matplotlib as mpl

    entries = len(axes.get_legend_handles_labels()[0])
    if entries:
        axes.legend(
            loc="upper left", bbox_to_anchor=(-0.02, -0.17), frameon=False, fontsize=9, labelcolor=_INK, borderaxespad=0, ncols=1
        )
    style: Any = {"svg.fonttype": "none", "svg.hashsalt": title, "font.family": "sans-serif"}
    out = io.StringIO()
    with mpl.rc_context(style):
        figure.savefig(out, format="svg", transparent=True, bbox_inches="tight", pad_inches=0.08, metadata={"Date": None})
    svg = out.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.S)
    head, _, body = svg.partition(">")
    head = re.sub(r' (width|height)="[^"]*"', "", head)
    svg = f'{head} class="plot" role="img" aria-label="{title}">{body}'
    svg = svg.replace(_INK, "var(--ink)").replace(_LINE, "var(--line)")
    prefix = f"f{hashlib.sha256(svg.encode()).hexdigest()[:8]}-"
    return re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{prefix}", svg)
