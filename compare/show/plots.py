"""What all plots have: axes, ticks, markers, a legend, and the SVG that a page takes in.

Such an SVG takes its colours for text and lines from the page.
"""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from textwrap import fill
from typing import Any

from compare.show.table import seconds

INK, LINE = "#010203", "#040506"
"""Stand for the page's own colours, which the page sets for light and dark."""

_COLOURS = ("#3b82f6", "#e5793a", "#2a9d6f", "#b45fc9", "#b8901c", "#d1477a", "#6b8299")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "*", "h", "d", "8", "H")
_SIZE, _FONT, DOTS_PER_INCH = (4.6, 3.8), 11.5, 200
"""Inches of a plot and points of its text, which can be read where a page has 390 pixels; dots an
inch of a plot in pixels.
"""


_MAX_LABEL = 46
"""Characters in a line of a legend."""

DASHED = (0, (4, 3))
MAX_SHAPES = 1000
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


def draw_limit(axes: Any, limit: float, ink: str = INK) -> None:
    """The time limit, named in the legend."""
    axes.axhline(
        limit, color=ink, linewidth=1, linestyle=DASHED, zorder=1, label=f"time limit, {limit:g} s"
    )


def colour(index: int) -> str:
    return _COLOURS[index % len(_COLOURS)]


def marker(index: int) -> str:
    """The contender's own marker; a number where the shapes end."""
    return _MARKERS[index] if index < len(_MARKERS) else f"${index + 1}$"


def plot_axes(
    x: str, y: str, *, logarithmic: str = "xy", ink: str = INK, line: str = LINE
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


def label_ticks(axes: Any) -> None:
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


def draw_dots(
    axes: Any, index: int, points: Sequence[tuple[float, float, bool]], label: str
) -> None:
    """Markers, hollow if stopped; one entry in the legend."""
    for stopped in (False, True) if points else ():
        some = [(x, y) for x, y, hollow in points if hollow is stopped]
        axes.plot(
            [x for x, _ in some],
            [y for _, y in some],
            marker=marker(index),
            linestyle="none",
            markersize=6,
            markeredgecolor=colour(index),
            markerfacecolor="none" if stopped else colour(index),
            alpha=0.85,
            label=None if stopped else label,
            zorder=3,
            rasterized=len(some) > MAX_SHAPES,
        )


def draw_legend(axes: Any, ink: str) -> None:
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


def svg_of(figure: Any, axes: Any, title: str) -> str:
    """The figure as an SVG element that scales with the page; its identifiers are its own."""
    import matplotlib as mpl

    label_ticks(axes)
    draw_legend(axes, INK)
    style: Any = {"svg.fonttype": "none", "svg.hashsalt": title, "font.family": "sans-serif"}
    out = io.StringIO()
    with mpl.rc_context(style):
        figure.savefig(
            out,
            format="svg",
            dpi=DOTS_PER_INCH,
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
    svg = svg.replace(INK, "var(--ink)").replace(LINE, "var(--line)")
    prefix = f"f{hashlib.sha256(svg.encode()).hexdigest()[:8]}-"
    return re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{prefix}", svg)
