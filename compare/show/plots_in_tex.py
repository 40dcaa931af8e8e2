r"""Plots as TikZ pictures by pgfplots: a file for `\input`, with its numbers in it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil

from compare.show.plots import (
    LINES,
    OKABE_ITO,
    Box,
    Curve,
    LegendLayout,
    Plot,
    PlotPoint,
    boxes,
    legend_labels,
)

_MARKS = (
    "*",
    "square*",
    "triangle*",
    "diamond*",
    "triangle*, mark options={rotate=180}",
    "pentagon*",
    "halfcircle*",
    "triangle*, mark options={rotate=90}",
    "triangle*, mark options={rotate=270}",
    "halfsquare*",
    "oplus*",
    "otimes*",
    "halfdiamond*",
    "star",
    "asterisk",
    "x",
    "+",
)

_DASHES = ("solid", "densely dotted", "dashdotted", "dashdotdotted")
assert len(_DASHES) == len(LINES)

_ESCAPED = {
    "\\": r"\textbackslash{}",
    "\n": r"\\",
    "…": r"\dots{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",
    **{each: rf"\{each}" for each in "{}$&#_%"},
}

_ENTRY = "entry"
"""Stands behind what the legend names next."""


def escape_tex(text: str) -> str:
    """The text as TeX sets it; what its fonts lack is a question mark."""
    return "".join(
        _ESCAPED.get(each, each if each.isprintable() and ord(each) < 0x180 else "?")
        for each in text
    )


def tex_of(plot: Plot, name: str) -> str:
    """The plot as a picture, for a file `name.tex`."""
    layout, labels = legend_labels(*_named(plot))
    preamble = r"\documentclass{article}\usepackage[T1]{fontenc}\usepackage{lmodern,pgfplots}"
    body = rf"\pagestyle{{empty}}\begin{{document}}\input{{{name}}}\end{{document}}"
    lines = [
        f"% {' '.join(plot.title.split())}. In a document that has \\usepackage{{pgfplots}}, write",
        f"% \\input{{{name}}}. Alone it is made by",
        f"%   pdflatex -jobname {name}-alone '{preamble}{body}'",
        r"\begin{tikzpicture}",
        *(rf"\definecolor{{c{k}}}{{HTML}}{{{each[1:]}}}" for k, each in enumerate(OKABE_ITO)),
        r"\begin{axis}[",
        *(f"  {each}," for each in _axis(plot, layout)),
        "]",
    ]
    drawn: list[str] = []
    if plot.groups:
        drawn += _boxes(plot)
    else:
        for curve in plot.curves:
            drawn += _line(curve) if curve.joined else _dots(curve)
    if plot.square:
        drawn += [_addplot("gray", [PlotPoint(each, each) for each in plot.ends]), _ENTRY]
    for limit in plot.limits:
        drawn += _limit(limit, plot)
    entries = iter(labels)
    lines += [
        rf"\addlegendentry{{{escape_tex(next(entries))}}}" if each is _ENTRY else each
        for each in drawn
    ]
    return "\n".join([*lines, r"\end{axis}", r"\end{tikzpicture}", ""])


def _axis(plot: Plot, layout: LegendLayout) -> list[str]:
    """The options of the axes and of the legend below them."""
    height, below = _height(plot), -0.2
    axis = [f"width=11cm, height={height:g}cm, scale only axis, axis lines=left"]
    if plot.groups:
        below = -1.6 / height
        names = ",".join(f"{{{escape_tex(group)}}}" for group in plot.groups)
        axis += [
            f"xmode=log, y dir=reverse, ymin=-0.5, ymax={len(plot.groups) - 0.5}",
            f"ytick={{{','.join(map(str, range(len(plot.groups))))}}}, yticklabels={{{names}}}",
            "yticklabel style={text width=3cm, align=right}",
            f"xlabel={{{escape_tex(plot.y)} (s)}}, xmajorgrids",
        ]
    else:
        axis += [f"{each}mode=log" for each in plot.logarithmic]
        if plot.most:
            ticks = ",".join(map(str, plot.count_ticks))
            axis.append(f"xmin=0, xmax={plot.most}, xtick={{{ticks}}}")
        x, y = (
            escape_tex(label) + (" (s)" if name in plot.time_axes else "")
            for name, label in (("x", plot.x), ("y", plot.y))
        )
        axis += [f"xlabel={{{x}}}, ylabel={{{y}}}", "grid=major"]
        if plot.over_time:
            axis.append("scaled y ticks=false, yticklabel style={/pgf/number format/fixed}")
    if plot.heading:
        axis.append(f"title={{{escape_tex(plot.heading)}}}")
    if any(curve.points for curve in plot.curves):
        least, largest = plot.ends
        for each in plot.time_axes:
            axis.append(f"{each}min={least:.6g}, {each}max={largest:.6g}")
    font = r"\small" if layout.columns == 1 else r"\footnotesize"
    style = f"at={{(0,{below:.3g})}}, anchor=north west, draw=none, fill=none, font={font}"
    axis += [
        f"legend columns={layout.columns}, legend cell align=left",
        f"legend style={{{style}, cells={{align=left}}}}",
    ]
    return axis


def _height(plot: Plot) -> float:
    """Centimetres between the ends of the upright axis."""
    return min(max(7.5, 0.3 * len(boxes(plot))), 16) if plot.groups else 7.5


def _named(plot: Plot) -> tuple[list[str], dict[str, str]]:
    """What the legend names, in the order in which it is drawn, and the notes."""
    names = [curve.name for curve in plot.curves if curve.points or curve.joined]
    names += ["equal times"] * plot.square
    names += [f"time limit, {limit:g} s" for limit in plot.limits]
    return names, {curve.name: curve.note for curve in plot.curves}


def _style(rank: int | None) -> str:
    """The colour and the line of a contender."""
    if rank is None:
        return "black, dashed"
    return f"c{rank % len(OKABE_ITO)}, {_DASHES[rank // len(OKABE_ITO) % len(_DASHES)]}"


def _mark(rank: int | None, *, hollow: bool = False) -> str:
    """The marker of a contender; all that are hollow have the colour of their contender alone."""
    mark = _MARKS[(rank or 0) % len(_MARKS)]
    turned = "mark options={" if "options" in mark else ", mark options={"
    options = "solid, fill=white" if hollow else "solid"
    if "options" in mark:
        return f"mark={mark.replace(turned, f'{turned}{options}, ')}"
    return f"mark={mark}{turned}{options}}}"


def _addplot(style: str, points: Iterable[PlotPoint], end: str = "") -> str:
    shown = " ".join(f"({point.x:.6g},{point.y:.6g})" for point in points)
    return rf"\addplot[{style}] coordinates {{{shown}}}{end};"


def _line(curve: Curve) -> list[str]:
    style = _style(curve.rank) + (", const plot" if curve.steps else "")
    if curve.rank is None:
        style += ", no marks"
    else:
        mark = _mark(curve.rank, hollow=curve.hollow)
        style += f", {mark}, mark repeat={ceil(len(curve.points) / 14) or 1}"
    return [_addplot(style, curve.points), _ENTRY]


def _dots(curve: Curve) -> list[str]:
    """The dots of a contender, hollow where it was stopped, and the curve that was fitted."""
    if not curve.points:
        return []
    ended = [point for point in curve.points if not (point.stopped or point.x_stopped)]
    stopped = [point for point in curve.points if point.stopped or point.x_stopped]
    style = f"{_style(curve.rank)}, only marks"
    lines = [_addplot(f"{style}, {_mark(curve.rank)}", ended), _ENTRY]
    if stopped:
        hollow = f"{style}, {_mark(curve.rank, hollow=True)}, forget plot"
        lines.append(_addplot(hollow, stopped))
    if curve.fit is not None:
        x, middle, lower, upper = curve.fit
        style = f"{_style(curve.rank)}, no marks, forget plot"
        lines.append(_addplot(style, _points(x, middle)))
        if lower:
            colour = f"c{(curve.rank or 0) % len(OKABE_ITO)}"
            band = f"draw=none, fill={colour}, fill opacity=0.15, forget plot"
            corners = [*_points(x, lower), *reversed(_points(x, upper))]
            lines.append(_addplot(band, corners, " -- cycle"))
    return lines


def _points(x: Sequence[float], y: Sequence[float]) -> list[PlotPoint]:
    return [PlotPoint(*each) for each in zip(x, y, strict=True)]


def _boxes(plot: Plot) -> list[str]:
    lines: list[str] = []
    medians: dict[str, list[tuple[float, Box]]] = {}
    for curve, at, room, box in boxes(plot):
        top, bottom = at - 0.35 * room, at + 0.35 * room
        ends = [PlotPoint(box.least, at), PlotPoint(box.largest, at)]
        corners = [PlotPoint(x, y) for x, y in ((box.low, top), (box.high, top))]
        corners += [PlotPoint(x, y) for x, y in ((box.high, bottom), (box.low, bottom))]
        style = f"{_style(curve.rank)}, solid, no marks, forget plot"
        lines.append(_addplot(style, ends))
        filled = f"{style}, fill=c{(curve.rank or 0) % len(OKABE_ITO)}, fill opacity=0.25"
        lines.append(_addplot(filled, corners, " -- cycle"))
        medians.setdefault(curve.name, []).append((at, box))
    for curve in plot.curves:
        points = [PlotPoint(box.median, at, stopped=box.stopped) for at, box in medians[curve.name]]
        lines += _dots(Curve(curve.name, points, curve.rank, curve.note))
    return lines


def _limit(limit: float, plot: Plot) -> list[str]:
    r"""The line of a time limit. `\addlegendimage` has its entry: the line is drawn from side to
    side, and is no curve.
    """
    across = {
        "y": r"\draw[black, dashed] ({rel axis cs:0,0}|-{axis cs:1,%s}) -- "
        r"({rel axis cs:1,0}|-{axis cs:1,%s});",
        "x": r"\draw[black, dashed] ({axis cs:%s,1}|-{rel axis cs:0,0}) -- "
        r"({axis cs:%s,1}|-{rel axis cs:0,1});",
    }
    drawn = [across[each] % (f"{limit:g}", f"{limit:g}") for each in plot.time_axes]
    return [
        *drawn,
        r"\addlegendimage{black, dashed}",
        _ENTRY,
    ]
