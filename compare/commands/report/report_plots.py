"""The plots of the report: boards solved within a time, one contender against the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from compare.show.plots import (
    DASHED,
    INK,
    LINE,
    MAX_SHAPES,
    Dots,
    colour,
    draw_dots,
    draw_limit,
    marker,
    plot_axes,
    svg_of,
)


def cactus(solved: Mapping[str, tuple[Sequence[float], int]], limit: float) -> str | None:
    """How many boards each contender solves within a time; the limit is a line.

    `solved`: by contender, the seconds of each board that it solved, and how many boards it was
    given.
    """
    if not solved:
        return None
    figure, axes = plot_axes("boards solved", "time for each", logarithmic="y")
    for index, (name, (times, boards)) in enumerate(solved.items()):
        axes.plot(
            range(1, len(times) + 1),
            sorted(times),
            color=colour(index),
            marker=marker(index),
            markersize=5,
            linewidth=1.2,
            label=f"{name}:  {len(times)} of {boards}",
            rasterized=len(times) > MAX_SHAPES,
        )
    draw_limit(axes, limit)
    return svg_of(figure, axes, "Boards solved within a time")


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
    figure, axes = plot_axes(f"time of {reference}", "time of the others")
    low = min(dot.seconds for pair in together for dot in pair) / 1.6
    right = max(a.seconds for a, _ in together)
    if any(a.stopped for a, _ in together):
        right = limit
        axes.axvline(limit, color=INK, linewidth=1, linestyle=DASHED, zorder=1)
    high = max(limit, *(b.seconds for _, b in together))
    ends = [low, 1.6 * high]
    axes.plot(ends, ends, color=LINE, linewidth=1, zorder=1, label="equal times")
    for index, (name, some) in enumerate(pairs.items()):
        points = [(a.seconds, b.seconds, a.stopped or b.stopped) for a, b in some]
        draw_dots(axes, index, points, name)
    draw_limit(axes, limit)
    axes.set_xlim(low, 1.6 * right)
    axes.set_ylim(*ends)
    return svg_of(figure, axes, f"Every contender against {reference}")
