"""Plots: what one shows, the CSV of its numbers, and its picture."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from textwrap import fill, wrap
from typing import Any, NamedTuple

import numpy as np

from compare.show.table import seconds
from puzzles.shell.output_files import try_to_write, whole_file, writing
from puzzles.text import UserError

PRINTED_INK, PRINTED_LINE = "#000000", "#c8c8c8"

OKABE_ITO = ("#0072B2", "#E69F00", "#009E73", "#56B4E9", "#D55E00", "#CC79A7")
"""Six of the eight colours of Okabe and Ito (Color Universal Design, 2008), which people who are
colour-blind tell apart. Black is for lines that are no contender's; yellow is too light on paper.
The order lets neighbours differ in lightness.
"""

LINES = ("-", ":", "-.", (0, (6, 2, 1, 2, 1, 2)))
"""How a contender's line is drawn: the colours begin anew with each of these. Dashes are for what
is no contender.
"""

_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "*", "h", "d", "8", "H")
_WIDTH, _HEIGHT, _FONT, DOTS_PER_INCH = 5.2, 4.1, 11.5, 200
"""Inches of a plot without its legend and points of its text, which can be read where a page has
390 pixels; dots an inch of a plot in pixels.
"""

_BOX_HEIGHT = 0.17
"""Inches of a box and of the room around it."""

_MARKS_OF_A_LINE = 14

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

    board: str
    size: int
    seconds: float
    stopped: bool
    family: str = ""


Dots = dict[str, list[Dot]]
"""The dots of each contender, in the order of the contenders."""


class PlotPoint(NamedTuple):
    """A point of a plot.

    Attributes:
        board: what the CSV calls the board.
        stopped: the time of `y` is that at which the run was stopped.
        x_stopped: so is the time of `x`.
    """

    x: float
    y: float
    board: str = ""
    stopped: bool = False
    x_stopped: bool = False


def limits_reached(points: Iterable[Dot | PlotPoint], limit: float) -> list[float]:
    """The limit if a run was stopped at it; a plot of quick runs has better use for its room."""
    return [limit] if any(each.stopped for each in points) else []


class FittedCurve(NamedTuple):
    """A curve that was fitted, with the band of its interval; `lower` and `upper` are empty where
    no band is drawn.
    """

    x: Sequence[float]
    middle: Sequence[float]
    lower: Sequence[float]
    upper: Sequence[float]


@dataclass(frozen=True)
class Curve:
    """What a plot shows of one contender.

    Attributes:
        rank: the contender's place among all, which has its colour, marker and line; None for what
            is no contender: a dashed line.
        note: what the legend says behind the name.
        joined: whether a line joins the points.
        steps: whether the line stays as high as a point until the next one.
        hollow: whether the line is a second one of the contender: thin, with hollow markers.
    """

    name: str
    points: Sequence[PlotPoint]
    rank: int | None
    note: str = ""
    joined: bool = False
    steps: bool = False
    hollow: bool = False
    fit: FittedCurve | None = None


@dataclass(frozen=True)
class Plot:
    """What a plot shows.

    Attributes:
        kind: in the names of files, such as `cactus`.
        x, y: what the axes say. `y` is a time, unless the plot is `over_time`.
        columns: what the CSV calls the two.
        limits: time limits at which a run was stopped, in seconds. An axis of times reaches to
            them; where nobody was stopped it ends a little above the slowest run.
        logarithmic: the axes that are.
        square: both axes are times, with one scale; a line stands where they are equal.
        groups: what `x` counts, if each contender has a box in each of these; else empty.
        over_time: whether `x` is a time, and `y` a whole number.
        heading: what stands above it.
        most: where `x` ends, if it counts from 0 on and is not logarithmic.
    """

    kind: str
    title: str
    x: str
    y: str
    columns: tuple[str, str]
    curves: Sequence[Curve]
    limits: Sequence[float]
    logarithmic: str = "xy"
    square: bool = False
    groups: Sequence[str] = ()
    over_time: bool = False
    heading: str = ""
    most: int = 0

    @property
    def count_ticks(self) -> list[int]:
        """Where an axis that counts has its ticks: at even steps, and at its end."""
        power = 10 ** (len(str(self.most)) - 1)
        steps = (k * ten for ten in (max(1, power // 10), power) for k in (1, 2, 5))
        step = next(each for each in steps if self.most <= 5 * each)
        return [*range(0, self.most - 2 * step // 3, step), self.most]

    @property
    def time_axes(self) -> str:
        """The axes of the drawing that are times; boxes lie along the first one."""
        return "xy" if self.square else "x" if self.groups or self.over_time else "y"

    @property
    def ends(self) -> tuple[float, float]:
        """Where an axis of times begins and ends that holds all of them, and the limits."""
        points = [point for curve in self.curves for point in curve.points]
        times = [] if self.over_time else [point.y for point in points]
        times += [point.x for point in points if self.square or self.over_time]
        return min(times) / 1.6, 1.6 * max([*times, *self.limits])


class Box(NamedTuple):
    """The times of a contender in one group: the least, the quartiles, the largest; `stopped` if
    the median is a time at which runs were stopped.
    """

    least: float
    low: float
    median: float
    high: float
    largest: float
    stopped: bool

    @classmethod
    def of(cls, points: Sequence[PlotPoint]) -> Box:
        every = [point.y for point in points]
        low, median, high = np.quantile(every, [0.25, 0.5, 0.75])
        ordered = sorted(points, key=lambda point: (point.y, point.stopped))
        stopped = ordered[len(points) // 2].stopped
        return cls(min(every), float(low), float(median), float(high), max(every), stopped)


def boxes(plot: Plot) -> list[tuple[Curve, float, float, Box]]:
    """The boxes of a plot: whose each is, where it stands (a group is 1 wide, and its middle is a
    whole number), how much room it has, and its times.
    """
    drawn: list[tuple[Curve, float, float, Box]] = []
    for group in range(len(plot.groups)):
        by_curve = [(curve, [p for p in curve.points if p.x == group]) for curve in plot.curves]
        some = [(curve, points) for curve, points in by_curve if points]
        for k, (curve, points) in enumerate(some):
            at = group + 0.8 * ((k + 0.5) / len(some) - 0.5)
            drawn.append((curve, at, 0.8 / len(some), Box.of(points)))
    return drawn


def colour(rank: int | None, ink: str) -> str:
    return ink if rank is None else OKABE_ITO[rank % len(OKABE_ITO)]


def line_style(rank: int | None) -> Any:
    return DASHED if rank is None else LINES[rank // len(OKABE_ITO) % len(LINES)]


def _marker(rank: int | None) -> dict[str, Any]:
    """The contender's own marker; a number where the shapes end."""
    number = rank or 0
    if number < len(_MARKERS):
        return {"marker": _MARKERS[number], "markersize": 5.5}
    return {"marker": f"${number + 1}$", "markersize": 8}


def csv_of(plot: Plot) -> str:
    """The numbers of a plot, a line a point."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    of_reference = ["reference_stopped"] if plot.square else []
    writer.writerow(["contender", "board", *plot.columns, *of_reference, "stopped"])
    for curve in plot.curves:
        for point in curve.points:
            x = plot.groups[int(point.x)] if plot.groups else point.x
            stopped = [int(point.x_stopped), int(point.stopped)][1 - plot.square :]
            writer.writerow([curve.name, point.board, x, point.y, *stopped])
    return out.getvalue()


def save(plot: Plot, path: Path, option: str, *, dry_run: bool = False) -> None:
    """Draw a plot into a file, whose suffix says in which format; `option` is whose value it is.

    Args:
        dry_run: only find out whether this can be done; the file stays as it is.

    Raises:
        UserError: the format is not known, or the file cannot be written.
    """
    content = _content_of(plot, path, option)
    with writing(f"{option} {path}"):
        if dry_run:
            try_to_write(path)
            return
        with whole_file(path) as file:
            file.write(content)


def _content_of(plot: Plot, path: Path, option: str) -> bytes:
    """What a file holds in which the plot is drawn; raises `UserError` if its suffix names no known
    format.
    """
    if path.suffix == ".csv":
        return csv_of(plot).encode()
    if path.suffix == ".tex":
        from compare.show.plots_in_tex import tex_of

        return tex_of(plot, path.stem).encode()
    return _picture_of(plot, path, option)


def _picture_of(plot: Plot, path: Path, option: str) -> bytes:
    import matplotlib as mpl

    figure = figure_of(plot, PRINTED_INK, PRINTED_LINE)
    # Fonts that a print shop takes, and the same file from the same numbers.
    dates = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
    style: Any = {"pdf.fonttype": 42, "svg.hashsalt": plot.title}
    picture = io.BytesIO()
    with mpl.rc_context(style):
        try:
            figure.savefig(
                picture,
                format=path.suffix.removeprefix("."),
                dpi=DOTS_PER_INCH,
                metadata=dates.get(path.suffix),
            )
        except ValueError as error:
            raise UserError(f"{option} {path}: {error}") from None
    return picture.getvalue()


def figure_of(plot: Plot, ink: str, line: str) -> Any:
    """The whole plot, with room for its legend below it."""
    figure, axes = _plot_axes(plot, ink, line)
    for limit in plot.limits:
        label: str | None = f"time limit, {limit:g} s"
        for axis in plot.time_axes:
            across = axes.axvline if axis == "x" else axes.axhline
            across(limit, label=label, color=ink, linewidth=1, linestyle=DASHED, zorder=1)
            label = None  # one entry of the legend for both lines
    if plot.square:
        axes.plot(plot.ends, plot.ends, color=line, linewidth=1, zorder=1, label="equal times")
        axes.set(xlim=plot.ends, ylim=plot.ends)
    if plot.groups:
        _draw_boxes(axes, plot, ink)
    else:
        for curve in plot.curves:
            (_draw_line if curve.joined else _draw_dots)(axes, curve, ink)
    _label_ticks(axes)
    _draw_legend(figure, axes, {curve.name: curve.note for curve in plot.curves}, ink)
    return figure


def _plot_axes(plot: Plot, ink: str, line: str) -> tuple[Any, Any]:
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
    height = _HEIGHT
    if plot.groups:
        height = max(height, 1 + _BOX_HEIGHT * (len(boxes(plot)) + len(plot.groups)))
    with mpl.rc_context(style):
        figure = Figure((_WIDTH, height), layout="constrained")
        axes = figure.add_subplot(title=plot.heading)
        if plot.groups:
            names = [fill(_cut(name, 40), 16) for name in plot.groups]
            axes.set(xlabel=plot.y, xscale="log", ylim=(len(plot.groups) - 0.5, -0.5))
            axes.set_xlim(plot.ends)
            axes.set_yticks(range(len(plot.groups)), names)
            axes.grid(visible=False, axis="y")
            return figure, axes
        axes.set(xlabel=plot.x, ylabel=plot.y)
        if plot.over_time:
            axes.set_xlim(plot.ends)
        for name, axis in (("x", axes.xaxis), ("y", axes.yaxis)):
            if name in plot.logarithmic:
                axes.set(**{f"{name}scale": "log"})
            else:
                axis.set_major_locator(MaxNLocator(5, integer=True, min_n_ticks=1))
                axis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        if plot.most:
            axes.set_xlim(0, 1.03 * plot.most)  # room for a marker at the end
            axes.set_xticks(plot.count_ticks)
    return figure, axes


_STEPS = ((1,), (1, 3), (1, 2, 5), (1, 1.5, 2, 3, 5, 7))
"""Where ticks may stand within a power of ten: the first of these is taken that gives an axis
three. Else they are even.
"""

_MAX_TICKS = {"x": 4, "y": 8}
"""Labels that fit along an axis."""


def _label_ticks(axes: Any) -> None:
    """Labelled ticks on the logarithmic axes, few enough to stand apart, when all is drawn."""
    from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator

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
        axis.set_minor_locator(NullLocator())  # ticks without a label, many on a long axis


def _draw_line(axes: Any, curve: Curve, ink: str) -> None:
    """A line through the points, with a marker here and there."""
    marks: dict[str, Any] = {}
    if curve.rank is not None:
        apart = ceil(len(curve.points) / _MARKS_OF_A_LINE) or 1
        marks = {**_marker(curve.rank), "markevery": apart}
    if curve.hollow:
        marks["markerfacecolor"] = "none"
    axes.plot(
        [point.x for point in curve.points],
        [point.y for point in curve.points],
        color=colour(curve.rank, ink),
        drawstyle="steps-post" if curve.steps else "default",
        linestyle=line_style(curve.rank),
        linewidth=0.7 if curve.hollow else 1.3,
        label=curve.name,
        zorder=3,
        rasterized=len(curve.points) > MAX_SHAPES,
        **marks,
    )


def _draw_dots(axes: Any, curve: Curve, ink: str) -> None:
    """Markers, hollow if stopped, with one entry in the legend; and the curve that was fitted."""
    drawn, line = colour(curve.rank, ink), "none"
    if curve.fit is not None:
        line = line_style(curve.rank)
        x, middle, lower, upper = curve.fit
        axes.plot(x, middle, color=drawn, linewidth=1.2, linestyle=line)
        if lower:
            axes.fill_between(x, lower, upper, color=drawn, alpha=0.15, linewidth=0)
    for stopped in (False, True) if curve.points else ():
        some = [point for point in curve.points if (point.stopped or point.x_stopped) is stopped]
        axes.plot(
            [point.x for point in some],
            [point.y for point in some],
            **_marker(curve.rank),
            linestyle="none",
            markeredgecolor=drawn,
            markerfacecolor="none" if stopped else drawn,
            alpha=0.85,
            zorder=3,
            rasterized=len(some) > MAX_SHAPES,
        )
    if curve.points:  # what the legend shows: the marker, and the line if there is one
        axes.plot([], [], **_marker(curve.rank), color=drawn, linestyle=line, label=curve.name)


def _draw_boxes(axes: Any, plot: Plot, ink: str) -> None:
    """For each contender and group a line from the least time to the largest, a box from the first
    quartile to the third, and the contender's marker on the median.
    """
    named: set[str] = set()
    for curve, at, room, box in boxes(plot):
        drawn = colour(curve.rank, ink)
        axes.plot([box.least, box.largest], [at, at], color=drawn, linewidth=1)
        axes.barh(
            at,
            box.high - box.low,
            left=box.low,
            height=0.7 * room,
            facecolor=(drawn, 0.25),
            edgecolor=drawn,
        )
        axes.plot(
            box.median,
            at,
            **_marker(curve.rank),
            linestyle="none",
            markeredgecolor=drawn,
            markerfacecolor="none" if box.stopped else drawn,
            label=None if curve.name in named else curve.name,
            zorder=3,
        )
        named.add(curve.name)


_MAX_LABEL, MAX_NAME_OF_AXIS = 46, 26
"""Characters in a line of a legend of one column, and of a name that stands along an axis, behind
two words more.
"""


class LegendLayout(NamedTuple):
    """How a legend is laid out: up to how many entries, in how many columns, how many characters a
    column has, and points of its text.
    """

    most: float
    columns: int
    width: int
    font: float


_LEGENDS = (
    LegendLayout(6, 1, _MAX_LABEL, _FONT),
    LegendLayout(26, 2, 24, 9.5),
    LegendLayout(float("inf"), 3, 16, 8.5),
)


def legend_labels(names: Sequence[str], notes: Mapping[str, str]) -> tuple[LegendLayout, list[str]]:
    """How the legend of these is laid out, and what it says of each, in lines.

    `notes`: what stands behind a name.
    """
    layout = next(each for each in _LEGENDS if len(names) <= each.most)
    labels: list[str] = []
    for name, text in zip(names, shorten(names, layout.width), strict=True):
        note = notes.get(name, "")
        fits = note and len(f"{text}:  {note}") <= layout.width
        labels.append(f"{text}:  {note}" if fits else "\n".join([text, *wrap(note, layout.width)]))
    return layout, labels


def _draw_legend(figure: Any, axes: Any, notes: Mapping[str, str], ink: str) -> None:
    """The legend below the plot, which becomes higher by as much."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    handles, names = axes.get_legend_handles_labels()
    if not names:
        return
    layout, labels = legend_labels(names, notes)
    legend = figure.legend(
        handles,
        labels,
        loc="outside lower left",
        frameon=False,
        fontsize=layout.font,
        labelcolor=ink,
        ncols=layout.columns,
        handlelength=2.4,
        columnspacing=1.2,
    )
    extent = legend.get_window_extent(FigureCanvasAgg(figure).get_renderer())
    width, height = figure.get_size_inches()
    # In tenths of an inch: then browsers need not round, and all plots are equally wide there.
    figure.set_size_inches(width, ceil(10 * (height + extent.height / figure.dpi)) / 10)


def shorten(names: Sequence[str], width: int) -> list[str]:
    """Different names with at most so many characters, which are different, too.

    Every plot cuts its names by this, in legends and along axes. Where one backend with several
    options is too long, the values of its options are left. Of another long name the beginning and
    the end are left, or what follows on that which it shares with others.
    """
    values = _values_of_one_backend(names)
    if max(map(len, names), default=0) > width and values:
        names = [values.get(name, name) for name in names]
    alike: dict[str, list[str]] = {}
    for name in names:
        alike.setdefault(_cut(name, width), []).append(name)
    shown = {name: text for text, some in alike.items() for name in some}
    for some in alike.values():
        if len(some) > 1:
            letters = enumerate(zip(*some, strict=False))
            shared = next((k for k, each in letters if len({*each}) > 1), 0)
            shown |= {name: _cut(f"…{name[shared:]}", width) for name in some}
    if len({*shown.values()}) < len(shown):
        shown = {name: _cut(f"{k}: {name}", width) for k, name in enumerate(names, 1)}
    return [shown[name] for name in names]


_WITH_OPTIONS = r"(.+):([^:,=]+=[^,=]+(?:,[^:,=]+=[^,=]+)*)(, [^,=]+)?"
"""A backend's name, its options behind the colon, and what a legend says behind them."""


def _values_of_one_backend(names: Sequence[str]) -> dict[str, str]:
    """The values of options alone, for names such as `totals:card=seqcounter,solver=cadical195`;
    empty if they do not tell the names apart, or if the names are of several backends.
    """
    split = {name: match for name in names if (match := re.fullmatch(_WITH_OPTIONS, name))}
    values = {
        name: ", ".join(re.findall("=([^,]*)", match[2])) + (match[3] or "")
        for name, match in split.items()
    }
    backends = {match[1] for match in split.values()}
    shown = {values.get(name, name) for name in names}
    return values if len(backends) == 1 and len(shown) == len({*names}) else {}


def _cut(text: str, width: int) -> str:
    """The text with at most so many characters; of a longer one the beginning and the end."""
    if len(text) <= width:
        return text
    end = (width - 1) // 2
    return f"{text[: width - 1 - end]}…{text[-end:]}"
