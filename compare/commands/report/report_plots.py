"""The plots of the report: boards solved within a time, one contender against the others, the times
in each family.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from compare.show.plots import Curve, Dots, Plot, PlotPoint

VIRTUAL_BEST = "virtual best"

WHY_NO_PLOT = {
    "cactus": "nobody solved anything",
    "scatter": "it takes two contenders with a time on the same {noun}",
    "boxes": "nothing was timed",
    "growth": "nothing was timed, or the command `scale` is not here",
}
"""Why there is no plot of a kind."""


class SolvedBoards(NamedTuple):
    """What a contender solved.

    Attributes:
        times: the median seconds on each board, by what the board is called.
        boards: how many it was given.
    """

    times: Mapping[str, float]
    boards: int


def cactus(solved: Mapping[str, SolvedBoards], limit: float) -> Plot | None:
    """How many boards each contender solves within a time, and the virtual best solver, whose time
    on each board is that of the contender that is fastest there; None if nothing was solved.
    """
    if not any(each.times for each in solved.values()):
        return None
    ranked: dict[str, int | None] = {name: rank for rank, name in enumerate(solved)}
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
                    sorted(times.items(), key=lambda item: item[1]), 1
                )
            ],
            ranked.get(name),
            f"{len(times)} of {boards}",
            joined=True,
        )
        for name, (times, boards) in every.items()
    ]
    return Plot(
        "cactus",
        "Boards solved within a time",
        "boards solved",
        "time for each",
        ("solved", "seconds"),
        curves,
        (limit,),
        logarithmic="y",
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
    other = f"time of {drawn[0].name}" if len(drawn) == 1 else "time of the others"
    return Plot(
        "scatter",
        f"Every contender against {reference}",
        f"time of {reference}",
        other,
        ("reference_seconds", "seconds"),
        drawn,
        (limit,),
        square=True,
    )


def times_by_family(dots: Dots, limit: float) -> Plot | None:
    """A box for each contender in each family, or dataset: the least time, the quartiles and the
    largest time of its boards. None if nothing was timed.
    """
    families = list(dict.fromkeys(dot.family for some in dots.values() for dot in some))
    if not families:
        return None
    curves: list[Curve] = []
    for rank, (name, some) in enumerate(dots.items()):
        points = [
            PlotPoint(families.index(dot.family), dot.seconds, dot.board, dot.stopped)
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
        (limit,),
        groups=families,
    )
