"""What the plots show: the limit, a marker for each contender, exponents only where they mean
something.
"""

from __future__ import annotations

import re
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest

from compare.commands.report import report_plots
from compare.commands.report.html import svg_of
from compare.commands.report.report_plots import SolvedBoards
from compare.commands.scale import growth_plots
from compare.commands.scale.growth import GrowthSeries, SizePoint
from compare.commands.scale.growth_tables import growth_table
from compare.show.plots import Dot, Plot
from compare.show.plots_in_tex import tex_of
from tests.installed import needs

needs("matplotlib")

CELLS = (16, 64, 256, 1024)


def growing(exponent: float, *datasets: str) -> list[Dot]:
    """Dots of which time grows with this exponent, with the datasets in turn."""
    return [
        Dot(str(k), cells, 1e-5 * cells**exponent, False, datasets[k % len(datasets)])
        for k, cells in enumerate(CELLS)
    ]


def drawn(plot: Plot | None) -> str:
    assert plot is not None
    return svg_of(plot)


def texts(svg: str) -> list[str]:
    return re.findall(r"<text [^>]*>([^<]*)</text>", svg)


def solved(times: dict[str, list[float]], *, stopped: bool = False) -> dict[str, SolvedBoards]:
    """By contender, the seconds of each board that it solved."""
    return {
        name: SolvedBoards({str(k): time for k, time in enumerate(some)}, len(some), stopped)
        for name, some in times.items()
    }


def test_an_exponent_stands_only_where_all_boards_are_alike() -> None:
    (fitted,) = (
        text
        for text in texts(drawn(growth_plots.time_against_size({"a": growing(1.0, "one")}, 10.0)))
        if text.startswith("a")
    )
    assert fitted == "a:  cells^1.00 (1.00 to 1.00)"
    unlike = growth_plots.time_against_size({"a": growing(1.0, "one", "two")}, 10.0)
    assert "a" in texts(drawn(unlike))


def test_no_exponent_whose_interval_holds_0(tmp_path) -> None:
    uncertain = [
        SizePoint(k, cells, (s,))
        for k, (cells, s) in enumerate(zip(CELLS, (1.0, 5.0, 0.6, 1.4), strict=True))
    ]
    certain = [SizePoint(k, cells, (1e-3 * cells,)) for k, cells in enumerate(CELLS)]
    path = tmp_path / "x.svg"
    import matplotlib as mpl

    with mpl.rc_context({"svg.fonttype": "none"}):
        growth_plots.save_growth(
            "title",
            [GrowthSeries("flat", 10.0, uncertain), GrowthSeries("steep", 10.0, certain)],
            str(path),
        )
    words = texts(path.read_text())
    assert "flat" in words
    assert "steep:  cells^1.00 (1.00 to 1.00)" in words
    assert "time limit, 10 s" not in words, "nobody was stopped"


@pytest.mark.parametrize("number", [6, 7])
def test_bands_that_would_hide_each_other_are_left_out(number: int) -> None:
    names = [f"c{k}" for k in range(number)]
    plot = growth_plots.time_against_size({name: growing(1.0, "one") for name in names}, 10.0)
    assert plot is not None
    shown = texts(drawn(plot))
    svg, tex = ElementTree.fromstring(drawn(plot)), tex_of(plot, "x")
    bands = [each for each in svg.iter() if "FillBetween" in each.get("id", "")]
    assert len(bands) == tex.count("fill opacity") == (6 if number == 6 else 0)
    exponents = [text for text in shown if "cells^1.00" in text]
    assert len(exponents) == number


def tick_labels(svg: str, axis: str) -> list[tuple[float, str]]:
    """Where the tick labels of an axis stand along it, and what they say."""
    ticks = (
        group
        for group in ElementTree.fromstring(svg).iter()
        if re.search(rf"{axis}tick_\d+$", group.get("id", ""))
    )
    texts = [text for tick in ticks for text in tick.iter() if text.tag.endswith("text")]
    places = [re.findall(r"-?[\d.]+", text.get("transform", ""))[1:] for text in texts]
    return [
        (float(place[axis == "y"]), str(text.text))
        for place, text in zip(places, texts, strict=True)
    ]


@pytest.mark.parametrize(
    ("last", "slowest"),
    [(12, 1.4e-5), (30, 0.02), (700, 4000.0), (40_000, 0.02), (10**9, 4000.0)],
)
def test_tick_labels_stand_apart(last: int, slowest: float) -> None:
    cells = np.geomspace(9, last, 6)
    times = [1e-5 * (slowest / 1e-5) ** (k / 5) for k in range(len(cells))]
    dots = {
        name: [Dot(str(n), int(n), time, False) for n, time in zip(cells, times, strict=True)]
        for name in ("a", "b")
    }
    for plot in (
        growth_plots.time_against_size(dots, 2 * slowest),
        report_plots.scatter(dots, "a", 2 * slowest),
    ):
        svg = drawn(plot)
        for axis in ("x", "y"):
            places = sorted(tick_labels(svg, axis))
            assert 2 <= len(places) <= 8
            for (at, text), (after, other) in pairwise(places):
                wide = 11.5 * 0.6 * (len(text) + len(other)) / 2 if axis == "x" else 11.5
                assert after - at > wide, (text, other)


@pytest.mark.parametrize("stopped", [True, False])
def test_the_limit_is_a_line_in_every_plot_with_a_stopped_run_and_in_no_other(
    stopped: bool,
) -> None:
    dots = {"a": growing(1.0, "one"), "b": growing(1.1, "one")}
    if stopped:
        dots["b"][-1] = Dot("3", CELLS[-1], 7.0, True, "one")
    for plot, lines in (
        (growth_plots.time_against_size(dots, 7.0), 1),
        (report_plots.cactus(solved({"a": [1.0, 2.0]}, stopped=stopped), 7.0), 1),
        (report_plots.scatter(dots, "a", 7.0), 2),
        (report_plots.times_by_family(dots, 7.0), 1),
    ):
        assert plot is not None
        svg = drawn(plot)
        assert ("time limit, 7 s" in texts(svg)) is stopped
        in_axes = svg.partition("legend_1")[0]
        assert in_axes.count("stroke-dasharray") == lines * stopped
        slowest = max(point.y for curve in plot.curves for point in curve.points)
        assert plot.ends[1] <= 1.6 * (7.0 if stopped else slowest)


def test_every_contender_has_its_own_marker() -> None:
    dots = {
        f"contender {k}": [Dot(str(size), size, 1e-3, False, "one") for size in (9, 16)]
        for k in range(20)
    }
    svg = drawn(growth_plots.time_against_size(dots, 10.0))
    used = re.findall(r'<use [^>]*xlink:href="#([^"]*)"', svg)
    shapes = dict(re.findall(r'<path id="([^"]*)" d="([^"]*)"', svg))
    numbers = len(re.findall(r"contender \d+<", svg))
    assert numbers == 20
    assert (
        len(
            {
                re.sub(r"\s+", " ", shapes[name])
                for name in used
                if (name in shapes and "C" in shapes[name]) or "L" in shapes.get(name, "")
            }
        )
        >= 20
    )


@pytest.mark.slow
def test_very_many_dots_are_one_picture_and_the_words_stay_text() -> None:
    def dots(count: int, factor: float) -> list[Dot]:
        quick = [
            Dot(str(k), 16 + k % 2, factor * (1 + k / count), False, "one") for k in range(1, count)
        ]
        return [*quick, Dot("0", 16, 7.0, True, "one")]

    few, many = ({"a": dots(count, 1e-4), "b": dots(count, 2e-4)} for count in (100, 3_000))
    for plotted, as_picture in ((many, True), (few, False)):
        times = {name: [dot.seconds for dot in some] for name, some in plotted.items()}
        for plot in (
            growth_plots.time_against_size(plotted, 7.0),
            report_plots.cactus(solved(times, stopped=True), 7.0),
            report_plots.scatter(plotted, "a", 7.0),
        ):
            svg = drawn(plot)
            assert len(svg) < 400_000
            assert ("<image" in svg) == as_picture
            assert "time limit, 7 s" in texts(svg)


def test_a_growth_from_dots_says_where_it_was_stopped() -> None:
    fast = [Dot(str(size), size, size * 1e-4, False, "one") for size in (100, 400, 900, 1600, 3600)]
    slow = [
        Dot(str(size), size, min(size * 1e-3, 2.0), size > 2000, "one")
        for size in (100, 400, 900, 1600, 3600)
    ]
    rows = growth_table(
        "", growth_plots.growth_by_family({"fast": fast, "slow": slow}, 10.0), "cells"
    ).rows
    assert [row[-1].text for row in rows] == [
        "",
        "10 times the median at 1600, stopped at 2 s at 3600",
    ]
