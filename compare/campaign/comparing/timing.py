"""What the times of some results are worth: medians, their spread, and whether they are bounds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from compare.campaign.comparing.results import Result, middle
from compare.work.contenders import Kind


@dataclass(frozen=True)
class Timing:
    """The time of some results.

    Attributes:
        wall_s: the median over the instances of each instance's median. A run that was stopped counts with the time that it had.
        build_s, solve_s: medians over the instances, if every run says them and none was stopped; else None.
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
    timed = [(result, result.wall_s) for result in results if result.wall_s is not None]
    if not timed:
        return None
    wall_s, lower_bound = middle((seconds, result.lower_bound) for result, seconds in timed)
    build_s = [result.build_s for result, _ in timed if result.build_s is not None]
    solve_s = [result.solve_s for result, _ in timed if result.solve_s is not None]
    all_say = len(build_s) == len(solve_s) == len(timed)
    spreads = [result.spread for result, _ in timed if result.spread is not None]
    return Timing(
        wall_s,
        build_s=median(build_s) if all_say else None,
        solve_s=median(solve_s) if all_say else None,
        spread=median(spreads) if spreads else None,
        lower_bound=lower_bound,
        parallel=any(result.parallel for result, _ in timed),
        with_start=any(result.kind is Kind.PROGRAM for result, _ in timed),
    )
