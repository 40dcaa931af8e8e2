"""What the times of some results are worth: medians, their spread, and whether they are bounds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from compare.campaign.comparing.results import Result
from compare.work.contenders import Kind


@dataclass(frozen=True)
class Timing:
    """The time of some results.

    Attributes:
        wall_s: the median over the instances of each instance's median. A run that was stopped counts with the time that it had.
        build_s, solve_s: medians, if every run says them and none was stopped; else None.
        spread: half the range of an instance's repeats relative to its median, the median over the instances; None without
            repeats.
        lower_bound: the median itself stands on runs that were stopped at their limit.
        parallel: other runs were under way at the same time.
        with_start: of a program, so each time includes the start of its process.
    """

    wall_s: float
    build_s: float | None = None
    solve_s: float | None = None
    spread: float | None = None
    lower_bound: bool = False
    parallel: bool = False
    with_start: bool = False


def timing(results: Iterable[Result]) -> Timing | None:
    """The time of some results; None if nothing was timed."""
    timed = [result for result in results if result.seconds or result.stopped_s]
    if not timed:
        return None
    middles = [_middle([*((s, False) for s in r.seconds), *((s, True) for s in r.stopped_s)]) for r in timed]
    wall_s, lower_bound = _middle(middles)
    build_s = solve_s = None
    efforts = [effort for result in timed for effort in result.efforts]
    if efforts and not any(result.stopped_s for result in timed) and len(efforts) == sum(len(r.seconds) for r in timed):
        build_s, solve_s = (median(part) for part in zip(*efforts, strict=True))
    spreads = [(max(r.seconds) - min(r.seconds)) / 2 / median(r.seconds) for r in timed if len(r.seconds) > 1 and median(r.seconds)]
    parallel = any(result.parallel for result in timed)
    with_start = any(result.kind is Kind.PROGRAM for result in timed)
    return Timing(wall_s, build_s, solve_s, median(spreads) if spreads else None, lower_bound, parallel, with_start)


def _middle(values: list[tuple[float, bool]]) -> tuple[float, bool]:
    """The median of (seconds, stopped), and whether it stands on one that was stopped."""
    values = sorted(values)
    low, high = values[(len(values) - 1) // 2], values[len(values) // 2]
    return (low[0] + high[0]) / 2, low[1] or high[1]
