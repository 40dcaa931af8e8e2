"""How time grows with size: a fixed cost and a power of the size, fitted to the measured medians;
and who overtakes whom.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isfinite, log, pi
from statistics import median

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

MIN_SIZES, MIN_RANGE = 4, 4.0
"""The fewest sizes that are fitted, and the least ratio of the largest to the smallest of them, in
cells.
"""

_RESAMPLES = 400
STEEPEST = 12.0
"""The largest exponent that is tried: an interval that ends here has no upper end."""
_EXPONENTS = np.concatenate([np.arange(200) / 50, np.arange(4, STEEPEST, 0.08), [STEEPEST]])
_SHARES = 50
"""The grid of the fit: all these exponents, and with each of them no fixed cost or one of so
many.
"""

_DISTANCE, _CHANCE = 0.1, 0.001
"""A curve does not fit if the medians are farther from it than this (in logarithms), and noise has
less than this chance of it.
"""


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
        return median(self.seconds)


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

    def at(self, size: int) -> float | None:
        """The median at a size, infinity if it passed the limit; None if nothing was measured."""
        return next((point.median for point in self.points if point.size == size), None)


@dataclass(frozen=True)
class Fit:
    """seconds = fixed + scale * (cells / largest)^exponent, fitted to the medians of some sizes.

    Attributes:
        cells: the smallest and the largest size with a median, in cells.
        least: the least of the medians in seconds: the fixed cost of a call is at most this.
        sizes: how many sizes it is fitted to, one that passed the limit among them.
        left_out: the smallest sizes, which it is not fitted to.
        curves: float64 of shape (1 + resamples, 3), each row fixed, scale and exponent; the first
            is fitted to the medians themselves, each other to a bootstrap resample. There are no
            resamples if it is `too_quick`.
        fits: the medians are as near to the curve as the runs of one size are to each other.
        rises: it does not fit, and time grows all the same: the larger half of the sizes took
            longer than the smaller half.
        parts: if it does not fit, the exponent of the smaller sizes and the last of them, then the
            exponent of the larger sizes and the first of them; None if there are fewer than three
            of either.
    """

    cells: tuple[float, float]
    least: float
    sizes: int
    left_out: tuple[int, ...]
    curves: Floats
    fits: bool = True
    rises: bool = False
    parts: tuple[float, int, float, int] | None = None

    @property
    def exponent(self) -> float:
        return float(self.curves[0, 2])

    @cached_property
    def interval(self) -> tuple[float, float]:
        """Where the middle 95% of the resamples' exponents lie, and the exponent itself."""
        low, high = np.percentile(self.curves[:, 2], (2.5, 97.5))
        return min(float(low), self.exponent), max(float(high), self.exponent)

    @property
    def too_quick(self) -> bool:
        """Whether the fixed cost hides the growth: doubling the largest size adds less, or all
        growth up to there is less.
        """
        _, scale, exponent = self.curves[0]
        return bool(scale * min(2**exponent - 1, 1) <= self.least)

    @property
    def fixed(self) -> float:
        """The fixed cost in seconds, as far as the curve tells; where it rules, the least of the
        medians.
        """
        return self.least if self.too_quick else float(self.curves[0, 0])

    @property
    def is_law(self) -> bool:
        """Whether the exponent can be told: time certainly grows, growth outweighs the fixed cost,
        and one power fits.
        """
        return self.grows and self.fits and self.interval[1] < STEEPEST

    @property
    def grows(self) -> bool:
        """Whether time certainly grows, and growth outweighs the fixed cost."""
        return not self.too_quick and (self.interval[0] > 0 or self.rises)

    def band(self, cells: Floats) -> tuple[Floats, Floats, Floats]:
        """The curve at these numbers of cells, and the 95% interval around it, in seconds."""
        fixed, scale, exponent = self.curves.T[:, :, None]
        seconds = fixed + scale * (cells / self.cells[1]) ** exponent
        low, high = np.percentile(seconds, (2.5, 97.5), axis=0)
        return seconds[0], low, high


@dataclass(frozen=True)
class Crossover:
    """Which of two contenders is faster on large boards, and from which size on.

    Attributes:
        size: where their medians are equal, between two measured sizes; None if `fast` was faster
            on every size.
    """

    fast: GrowthSeries
    slow: GrowthSeries
    size: float | None


def fit(series: GrowthSeries) -> Fit | None:
    """How a series grows; None if it has fewer than `MIN_SIZES` medians below the limit, or they
    span less than `MIN_RANGE`.

    Of fixed + scale * cells^exponent, the curve with the least squared distances between logarithms
    is taken, from a grid of exponents and of fixed costs, with the best scale for each. Time is
    never below the fixed cost. So the smallest sizes are left out while they take less than half of
    the fixed cost of the others: small boards may be solved in another way.

    A size that passed the limit is censored: its median is at least the limit. The first such size
    counts only if the curve would run below the limit there, and then as if its median were the
    limit.

    The interval is a bootstrap's: each size's distance from the curve is drawn again from those of
    all sizes (Efron and Tibshirani 1993, chapter 9), and stretched as in Student's t, since few
    distances say little about the noise.

    Where a size has several runs, their spread says how far the medians may be from the curve (an F
    test of lack of fit).
    """
    points = [point for point in series.points if isfinite(point.median)]
    passed = [point.cells for point in series.points if not isfinite(point.median)]
    if not _fittable(points):
        return None
    growth, grid = _nearest(points, passed, series.limit)
    while _fittable(points[1:]):
        others, other_grid = _nearest(points[1:], passed, series.limit)
        if points[0].median >= others.fixed / 2:
            break
        points, growth, grid = points[1:], others, other_grid
    used = {point.size for point in points}
    growth = replace(
        growth,
        left_out=tuple(p.size for p in series.points if isfinite(p.median) and p.size not in used),
    )
    if growth.too_quick:
        return growth
    on_curve = np.log(grid.seconds(growth.curves))
    distances = np.log([point.median for point in points]) - on_curve[0]
    freedom = len(points) - 3  # the curve takes three degrees of freedom out of the distances
    rng = np.random.default_rng(1)
    drawn = rng.choice(distances, (_RESAMPLES, len(points)))
    drawn *= (
        len(points) / rng.chisquare(freedom, (_RESAMPLES, 1))
    ) ** 0.5  # how large they are is not certain either
    curves = np.concatenate([growth.curves, grid.nearest(on_curve + drawn)])
    fits = _is_noise(distances, points, rng)
    if fits:
        return replace(growth, curves=curves)
    half, medians = len(points) // 2, [point.median for point in points]
    rises = max(medians[:half]) < min(medians[half:])
    return replace(growth, curves=curves, fits=False, rises=rises, parts=_two_parts(points))


def _is_noise(distances: Floats, points: Sequence[SizePoint], rng: np.random.Generator) -> bool:
    """Whether the spread of the runs explains how far the medians are from the curve; true if every
    size has one run.
    """
    logs = [np.log([second for second in point.seconds if isfinite(second)]) for point in points]
    spread = sum(float(((some - some.mean()) ** 2).sum()) for some in logs)
    freedom, runs_freedom = len(points) - 3, sum(len(some) - 1 for some in logs)
    squares = float((distances**2).sum()) / freedom
    if runs_freedom == 0 or squares <= _DISTANCE**2:
        return True
    of_medians = [
        (1 if len(some) < 3 else pi / 2) / len(some) for some in logs
    ]  # a median varies more than a mean
    noise = spread / runs_freedom * float(np.mean(of_medians))
    by_chance = rng.f(freedom, runs_freedom, 20_000) * noise
    return float(np.mean(by_chance >= squares)) >= _CHANCE


def _two_parts(points: Sequence[SizePoint]) -> tuple[float, int, float, int] | None:
    """The two straight lines through the logarithms that are nearest to them, see `Fit.parts`."""
    cells = np.log([point.cells for point in points])
    medians = np.log([point.median for point in points])

    def line(part: slice) -> tuple[float, float]:
        """The slope and the sum of squared distances."""
        (slope, _), squares, *_ = np.polyfit(cells[part], medians[part], 1, full=True)
        return float(slope), float(squares.sum())

    splits = [(line(slice(0, k)), line(slice(k, None)), k) for k in range(3, len(points) - 2)]
    if not splits:
        return None
    (before, _), (after, _), k = min(splits, key=lambda split: split[0][1] + split[1][1])
    return before, points[k - 1].size, after, points[k].size


def _fittable(points: Sequence[SizePoint]) -> bool:
    return len(points) >= MIN_SIZES and points[-1].cells >= MIN_RANGE * points[0].cells


def _nearest(
    points: Sequence[SizePoint], passed: Sequence[float], limit: float
) -> tuple[Fit, _Grid]:
    """The growth without resamples, and the grid that it is from."""
    grid = _Grid(points, passed, limit)
    medians = np.array([point.median for point in points])
    ends, sizes = (points[0].cells, points[-1].cells), len(points) + bool(passed)
    return Fit(ends, float(medians.min()), sizes, (), grid.nearest(np.log(medians)[None])), grid


class _Grid:
    """The curves that are tried at some sizes: each of `_EXPONENTS` with each of `_SHARES` fixed
    costs.

    Attributes:
        exponents, fixed: float64 of shape (curves,); fixed costs in units of the growing part at
            the largest size.
        logs: float64 of shape (curves, sizes), logarithms of seconds with a scale of 1. The last
            column is the first size that passed the limit, if there is one.
    """

    def __init__(self, points: Sequence[SizePoint], passed: Sequence[float], limit: float) -> None:
        cells = np.array([point.cells for point in points])
        self._cells, self._limit = cells / cells[-1], limit if passed else None
        self._exponents = np.repeat(_EXPONENTS, _SHARES)
        least = 0.02 * self._cells[0] ** _EXPONENTS
        self._fixed = np.geomspace(least, 50, _SHARES - 1, axis=1)
        self._fixed = np.concatenate([np.zeros((len(_EXPONENTS), 1)), self._fixed], axis=1).ravel()
        at = np.concatenate([self._cells, np.array(passed[:1]) / cells[-1]])
        self._logs = np.log(self._fixed[:, None] + at ** self._exponents[:, None])

    def seconds(self, curves: Floats) -> Floats:
        """The seconds of curves, shape (n, 3), at the sizes that ended: shape (n, sizes)."""
        fixed, scale, exponent = curves.T[:, :, None]
        return fixed + scale * self._cells**exponent

    def nearest(self, logs: Floats) -> Floats:
        """For each row of logarithms of medians, shape (n, sizes), the nearest curve: shape (n, 3),
        see `Fit.curves`.
        """
        chosen, scales = self._least_squares(logs)
        if self._limit is not None:
            below = self._logs[chosen, -1] + scales < log(self._limit)
            at_limit = np.column_stack([logs[below], np.full(below.sum(), log(self._limit))])
            chosen[below], scales[below] = self._least_squares(at_limit)
        scales = np.exp(scales)
        return np.column_stack([self._fixed[chosen] * scales, scales, self._exponents[chosen]])

    def _least_squares(self, logs: Floats) -> tuple[NDArray[np.intp], Floats]:
        """For each row the index of the nearest curve, and the logarithm of its scale."""
        tried = self._logs[:, : logs.shape[1]]
        centred = tried - tried.mean(axis=1, keepdims=True)
        middles = logs.mean(axis=1)
        squares = (centred**2).sum(axis=1)
        chosen = np.array(
            [np.argmin(squares - 2 * (centred @ row)) for row in logs - middles[:, None]], np.intp
        )
        return chosen, middles - tried[chosen].mean(axis=1)


def crossover(a: GrowthSeries, b: GrowthSeries) -> Crossover | None:
    """Who is faster from which size on, by the medians; None if there is no size on which both ran
    and one of them ended.
    """
    leads: list[tuple[int, float, bool]] = []
    for point in a.points:
        ours, theirs = point.median, b.at(point.size)
        if theirs is not None and isfinite(min(ours, theirs)):
            lead = log(min(theirs, b.limit) / min(ours, a.limit))
            leads.append((point.size, lead, isfinite(max(ours, theirs))))
    if not leads:
        return None
    a_wins = leads[-1][1] >= 0
    fast, slow = (a, b) if a_wins else (b, a)
    before = [k for k, (_, lead, _) in enumerate(leads) if (lead >= 0) != a_wins]
    if not before:
        return Crossover(fast, slow, None)
    (low, lead, _), (high, after, known) = leads[before[-1] :][:2]
    share = lead / (lead - after) if known else 0.5
    return Crossover(fast, slow, low * (high / low) ** share)
