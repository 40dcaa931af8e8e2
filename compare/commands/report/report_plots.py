"""The plots of the report: boards solved within a time, one contender against the others, the times
in each family, and how near to the best value contenders were over time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from compare.engine.campaign.optimum import Optimum
from compare.engine.campaign.summaries import summary_rows
from compare.engine.isolate.outcome import Status
from compare.engine.work.result import InstanceKey, Result, TracePoint
from compare.show.plots import (
    MAX_NAME_OF_AXIS,
    Curve,
    Dots,
    Plot,
    PlotPoint,
    limits_reached,
    shorten,
)

VIRTUAL_BEST = "virtual best"

LEAST_SECONDS = 1e-7
"""No time is less than this on a logarithmic axis."""

WHY_NO_PLOT = {
    "cactus": "nobody solved anything",
    "scatter": "it takes two contenders with a time on the same {noun}",
    "boxes": "nothing was timed",
    "growth": "it takes {noun}s of two sizes with a time, and the command `scale`",
}
"""Why there is no plot of a kind."""


class SolvedBoards(NamedTuple):
    """What a contender solved.

    Attributes:
        times: the median seconds on each board, by what the board is called.
        boards: how many it was given.
        stopped: whether it was stopped at the limit on one of them.
    """

    times: Mapping[str, float]
    boards: int
    stopped: bool = False


def cactus(
    solved: Mapping[str, SolvedBoards],
    limit: float,
    noun: str = "board",
    places: Sequence[str] = (),
) -> Plot | None:
    """How many boards each contender solves within a time, and the virtual best solver, whose time
    on each board is that of the contender that is fastest there; None if nothing was solved.

    Args:
        solved: by contender.
        noun: what the puzzle calls a board.
        places: all contenders of the page in their order, if there are more than these.
    """
    if not any(each.times for each in solved.values()):
        return None
    ranked: dict[str, int | None] = {name: rank for rank, name in enumerate(places or solved)}
    every = dict(solved)
    if len(solved) > 1:
        best: dict[str, float] = {}
        for each in solved.values():
            best |= {board: min(time, best.get(board, time)) for board, time in each.times.items()}
        every[VIRTUAL_BEST] = SolvedBoards(best, max(each.boards for each in solved.values()))
    curves = [
        Curve(
            name,
            [
                PlotPoint(number, time, board)
                for number, (board, time) in enumerate(
                    sorted(each.times.items(), key=lambda item: item[1]), 1
                )
            ],
            ranked.get(name),
            f"{len(each.times)} of {each.boards}",
            joined=True,
        )
        for name, each in every.items()
    ]
    return Plot(
        "cactus",
        f"{noun.capitalize()}s solved within a time",
        f"{noun}s solved",
        "time for each",
        ("solved", "seconds"),
        curves,
        [limit] if any(each.stopped for each in solved.values()) else [],
        logarithmic="y",
        most=max(each.boards for each in solved.values()),
    )


def scatter(dots: Dots, reference: str, limit: float) -> Plot | None:
    """Every other contender against the reference, board by board; a stopped run stands at the
    limit. None if no other one has a time on a board of the reference.
    """
    base = {dot.board: dot for dot in dots.get(reference, [])}
    curves: list[Curve] = []
    for rank, (name, some) in enumerate(dots.items()):
        pairs = [(base[dot.board], dot) for dot in some if dot.board in base]
        points = [
            PlotPoint(one.seconds, dot.seconds, dot.board, dot.stopped, one.stopped)
            for one, dot in pairs
        ]
        if name != reference:
            curves.append(Curve(name, points, rank))
    drawn = [curve for curve in curves if curve.points]
    if not drawn:
        return None
    names = [reference, *(curve.name for curve in drawn)]
    own, other, *more = (f"time of {each}" for each in shorten(names, MAX_NAME_OF_AXIS))
    return Plot(
        "scatter",
        f"Every contender against {reference}",
        own,
        "time of the others" if more else other,
        ("reference_seconds", "seconds"),
        drawn,
        [limit] if any(p.stopped or p.x_stopped for curve in drawn for p in curve.points) else [],
        square=True,
    )


MAX_BOXES = 50
"""Boxes, and gaps between families, for which a page has room."""


def times_by_family(dots: Dots, limit: float) -> Plot | None:
    """A box for each contender in each family, or dataset: the least time, the quartiles and the
    largest time of its boards. If there are too many families for a page, some share a box. None if
    nothing was timed.
    """
    boards = {(dot.family, dot.board) for some in dots.values() for dot in some}
    if not boards:
        return None
    every = dict.fromkeys(dot.family for some in dots.values() for dot in some)
    counts = Counter(family for family, _ in boards)
    most = max(1, MAX_BOXES // (len(dots) + 1))
    row_of = summary_rows({name: counts[name] for name in every}, most)
    families = list(dict.fromkeys(row_of.values()))
    curves: list[Curve] = []
    for rank, (name, some) in enumerate(dots.items()):
        points = [
            PlotPoint(families.index(row_of[dot.family]), dot.seconds, dot.board, dot.stopped)
            for dot in some
        ]
        if points:
            curves.append(Curve(name, points, rank))
    return Plot(
        "boxes",
        "Times by family",
        "family",
        "time",
        ("family", "seconds"),
        curves,
        limits_reached((dot for some in dots.values() for dot in some), limit),
        groups=families,
    )


MAX_DRAWN_TRACES, MAX_DRAWN_VALUE = 6, 10**15
"""Cases of each puzzle whose values are drawn over time, and the largest value that has room at an
axis.
"""


def most_reported(points: Mapping[InstanceKey, int]) -> list[InstanceKey]:
    """Which cases of a puzzle are drawn over time: those in which somebody reported most often.

    Args:
        points: by case, the entries of its longest trace.
    """
    return sorted(points, key=lambda case: -points[case])[:MAX_DRAWN_TRACES]


def values_over_time(
    results: Sequence[Result], ranks: Mapping[str, int], limit: float
) -> Plot | None:
    """What each contender's best solution was worth after so much time, and its bound; a line shows
    the best value that a check has verified. None if nothing can be drawn.

    Args:
        results: all of one case. Refuted ones are left out.
        ranks: the place of each contender among all that were timed.
    """
    curves = [
        curve
        for each in results
        if each.contender in ranks and each.repeat == 1 and not each.is_refuted
        for curve in _curves_over_time(each, ranks[each.contender])
    ]
    points = [point for curve in curves for point in curve.points]
    if not points or max(abs(point.y) for point in points) > MAX_DRAWN_VALUE:
        return None
    known = Optimum.of(results)
    if known is not None and known.solution is not None:
        value, times = known.solution.value, [point.x for point in points]
        line = [PlotPoint(time, value, points[0].board) for time in (min(times), max(times))]
        name = f"{'the optimum' if known.is_proved else 'the best known'}: {value:,}"
        curves.append(Curve(name, line, None, joined=True))
    case = results[0].key.place
    return Plot(
        f"values {_case_of(results[0])}",
        f"Value and bound over time: {case}",
        "time",
        "value",
        ("seconds", "value"),
        curves,
        [limit] if any(each.status is Status.TIMEOUT for each in results) else [],
        logarithmic="x",
        over_time=True,
        heading=case,
    )


def _curves_over_time(result: Result, rank: int) -> Iterator[Curve]:
    """A line for the values, and one for the bounds if they were reported on the way."""
    trace = list(result.trace or ())
    end = TracePoint(result.usage.wall_s or 0.0, result.value, result.bound)
    if not trace or trace[-1].seconds < end.seconds:
        trace.append(end)
    case = _case_of(result)
    values = list(_points_of(case, ((each.seconds, each.value) for each in trace)))
    if values:
        yield Curve(result.contender, values, rank, joined=True, steps=True)
    bounds = list(_points_of(case, ((each.seconds, each.bound) for each in trace)))
    if bounds and (result.trace or not values):
        name = f"{result.contender}, bound"
        yield Curve(name, bounds, rank, joined=True, steps=True, hollow=True)


def _case_of(result: Result) -> str:
    """What plots call the case of a result."""
    return f"{result.dataset} {result.number}"


def _points_of(case: str, reports: Iterable[tuple[float, int | None]]) -> Iterator[PlotPoint]:
    return (
        PlotPoint(max(seconds, LEAST_SECONDS), value, case)
        for seconds, value in reports
        if value is not None
    )
