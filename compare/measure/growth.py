"""How time grows with size: lines fitted to the measured medians, and who overtakes whom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import exp, isfinite, log

import numpy as np
from numpy.typing import NDArray

FIXED = 4.0
"""Sizes whose median is within this factor of the fastest one show the fixed cost of a call. They are not fitted."""

RESAMPLES = 1000

LEAST_RANGE = 4.0
"""The least ratio of the largest to the smallest size, in cells. Below it nothing is fitted."""


@dataclass(frozen=True)
class SizePoint:
    """The runs of one contender on the boards of one size.

    Attributes:
        cells: the median over the boards.
        seconds: one for each run; infinity for a run that passed the time limit.
    """

    size: int
    cells: float
    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        """The median; infinity if half of the runs or more passed the limit."""
        return _median(np.array(self.seconds))


@dataclass
class GrowthSeries:
    """One contender over growing sizes.

    Attributes:
        limit: seconds after which a run was stopped.
        stopped: why it was not run on larger sizes; None if it reached the largest.
        stopped_at: the size at which that happened.
        with_start: it is a program, so its times include the start of its process.
    """

    name: str
    limit: float
    points: list[SizePoint] = field(default_factory=list)
    stopped: str | None = None
    stopped_at: int | None = None
    with_start: bool = False

    @property
    def label(self) -> str:
        """The name, for people, with what its times include."""
        return f"{self.name} with start" if self.with_start else self.name

    @property
    def fixed_cost(self) -> float | None:
        """The least median in seconds, if it rules all sizes: no median is `FIXED` times as long. None otherwise."""
        medians = [point.median for point in self.points]
        return min(medians) if medians and max(medians) < FIXED * min(medians) else None

    def at(self, size: int) -> float | None:
        """The median at a size, infinity if it passed the limit; None if nothing was measured."""
        return next((point.median for point in self.points if point.size == size), None)


@dataclass(frozen=True)
class Fit:
    """seconds = e^constant * cells^exponent, fitted to log medians.

    Attributes:
        sizes: how many sizes it is fitted to.
        fixed: whether the sizes that fixed costs rule (`FIXED`) are among them, because there are too few others. Then the
            exponent is less than the growth on large boards.
        lines: float64 of shape (resamples, 2), constant and exponent of each bootstrap resample.
    """

    constant: float
    exponent: float
    sizes: int
    fixed: bool
    lines: NDArray[np.float64]

    @property
    def interval(self) -> tuple[float, float]:
        """Where the middle 95% of the resamples' exponents lie."""
        low, high = np.percentile(self.lines[:, 1], (2.5, 97.5))
        return float(low), float(high)

    @property
    def grows(self) -> bool:
        """Whether it is certain that time grows: the interval lies above 0."""
        return self.interval[0] > 0

    def band(self, cells: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """The line at these numbers of cells, and the 95% interval around it, in seconds."""
        x = np.log(cells)
        low, high = np.percentile(self.lines[:, :1] + self.lines[:, 1:] * x, (2.5, 97.5), axis=0)
        return np.exp(self.constant + self.exponent * x), np.exp(low), np.exp(high)


@dataclass(frozen=True)
class Crossover:
    """Which of two contenders is faster on large boards, and from which size on.

    Attributes:
        size: where their medians are equal, between two measured sizes; None if `fast` was faster on every size.
    """

    fast: str
    slow: str
    size: float | None


def fit(series: GrowthSeries, seed: int = 1) -> Fit | None:
    """The growth of a series; None if fewer than three sizes, fewer than two below the limit, or a narrow range are left.

    The line runs through the logarithms of the medians, by least squares. A size that passed the limit is censored: its median
    is at least the limit. So it counts only if the line would run below the limit there, and then as if its median were the
    limit. The smallest sizes are left out if fixed costs rule them (`FIXED`) and enough others remain. The interval is a
    bootstrap's: the runs of each size are drawn again, and each size's distance from the line is drawn from those of all sizes.
    """
    points = beyond_fixed_costs(series.points)
    line = _line(points, [point.median for point in points], series.limit)
    if line is None or len(points) < 3 or points[-1].cells < LEAST_RANGE * points[0].cells:
        return None
    medians = np.array([point.median for point in points])
    ended = np.isfinite(medians)
    predicted = line[0] + line[1] * np.log([point.cells for point in points])
    residuals = np.log(medians[ended]) - predicted[ended]
    residuals *= (residuals.size / max(residuals.size - 2, 1)) ** 0.5  # the line takes two degrees of freedom out of them
    rng = np.random.default_rng(seed)
    lines: list[tuple[float, float]] = []
    for _ in range(RESAMPLES):
        drawn = np.array([_median(rng.choice(np.array(point.seconds), len(point.seconds))) for point in points])
        moved = np.exp(predicted + rng.choice(residuals, len(points))) * (drawn / np.where(ended, medians, 1.0))
        again = _line(points, np.where(ended, moved, drawn).tolist(), series.limit)
        if again is not None:
            lines.append(again)
    return Fit(*line, len(points), len(points) == len(series.points), np.array(lines))


def _median(seconds: NDArray[np.float64]) -> float:
    """The median; of an even number the greater of the middle two if one of those is infinite."""
    ordered = np.sort(seconds)
    return float((ordered[(ordered.size - 1) // 2] + ordered[ordered.size // 2]) / 2)


def beyond_fixed_costs(points: list[SizePoint]) -> list[SizePoint]:
    fastest = min((point.median for point in points), default=0.0)
    slower = [point for point in points if point.median >= FIXED * fastest]
    return slower if sum(isfinite(point.median) for point in slower) >= 3 else points


def _line(points: Sequence[SizePoint], medians: Sequence[float], limit: float) -> tuple[float, float] | None:
    """Constant and exponent by least squares, one-sided at censored points."""
    x = np.log([point.cells for point in points])
    seconds = np.array(medians)
    censored = ~np.isfinite(seconds)
    y = np.log(np.where(censored, limit, seconds))
    if np.unique(x[~censored]).size < 2:
        return None
    counted = ~censored
    constant = exponent = 0.0
    for _ in range(len(points) + 1):
        middle = x[counted].mean()
        away = x[counted] - middle
        exponent = float(away @ y[counted] / (away @ away))
        constant = float(y[counted].mean() - exponent * middle)
        now = ~censored | (constant + exponent * x < y)
        if (now == counted).all():
            break
        counted = now
    return constant, exponent


def crossover(a: GrowthSeries, b: GrowthSeries) -> Crossover | None:
    """Who is faster from which size on, by the medians; None if there is no size on which both ran and one of them ended."""
    leads: list[tuple[int, float, bool]] = []
    for point in a.points:
        ours, theirs = point.median, b.at(point.size)
        if theirs is not None and (isfinite(ours) or isfinite(theirs)):
            known = isfinite(ours) and isfinite(theirs)
            lead = log(min(theirs, b.limit)) - log(min(ours, a.limit))
            leads.append((point.size, lead, known))
    if not leads:
        return None
    a_wins = leads[-1][1] >= 0
    fast, slow = (a, b) if a_wins else (b, a)
    before = [k for k, (_, lead, _) in enumerate(leads) if (lead >= 0) != a_wins]
    if not before:
        return Crossover(fast.name, slow.name, None)
    (low, lead, _), (high, after, known) = leads[before[-1]], leads[before[-1] + 1]
    share = lead / (lead - after) if known else 0.5
    return Crossover(fast.name, slow.name, exp(log(low) + share * (log(high) - log(low))))
