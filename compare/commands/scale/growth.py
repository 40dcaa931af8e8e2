"""How time grows with size: a fixed cost and a power of the size, fitted to the measured medians;
and who overtakes whom.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate, combinations
from math import factorial, inf, isfinite, log, pi
from statistics import median

import numpy as np
from numpy.typing import NDArray

from compare.engine.campaign.ratios import MIN_BOARDS

Floats = NDArray[np.float64]

MIN_SIZES, MIN_RANGE = 4, 4.0
"""The fewest sizes that are fitted, and the least ratio of the largest to the smallest of them, in
cells.
"""

_RESAMPLES = 400
_AT_ONCE = 8
"""Resamples that are fitted at once: so few that their distances stay in the processor's cache."""

STEEPEST = 12.0
"""The largest exponent that is tried: an interval that ends here has no upper end."""
_EXPONENTS = np.concatenate([np.arange(200) / 50, np.arange(4, STEEPEST, 0.08), [STEEPEST]])
_SHARES = 50
"""The grid of the fit: all these exponents, and with each of them no fixed cost or one of so
many.
"""

_ONE_END = 0.025
"""The chance that is left out at each end of an interval of 95%."""

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
        boards: the digest of the board of each run; empty if nobody knows them.
    """

    size: int
    cells: float
    seconds: tuple[float, ...]
    boards: tuple[str, ...] = ()

    @property
    def median(self) -> float:
        """The median; infinity if half of the runs or more passed the limit."""
        return median(self.seconds)

    def by_board(self) -> dict[str, float]:
        """The median seconds of each different board."""
        runs: dict[str, list[float]] = {}
        for board, seconds in zip(self.boards, self.seconds, strict=False):
            runs.setdefault(board, []).append(seconds)
        return {board: median(some) for board, some in runs.items()}


@dataclass
class GrowthSeries:
    """One contender over growing sizes.

    Attributes:
        limit: seconds after which a run was stopped.
        stopped: why it was not run on larger sizes; None if it reached the largest.
        stopped_at: the size at which that happened.
        passed_limit: it was stopped at the limit, and not for anything else.
        with_start: it is a program, so its times include the start of its process.
    """

    name: str
    limit: float
    points: list[SizePoint] = field(default_factory=list)
    stopped: str | None = None
    stopped_at: int | None = None
    passed_limit: bool = False
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
        least_slope: time grows at least with this power of the size on average, whatever the
            curve is; see `_least_slope`.
        parts: if it does not fit, the exponent of the smaller sizes and the last of them, then the
            exponent of the larger sizes and the first of them; None if there are fewer than three
            of either.
    """

    cells: tuple[float, float]
    least: float
    sizes: int
    left_out: tuple[int, ...]
    curves: Floats
    least_slope: float
    fits: bool = True
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
        """Whether the exponent can be told: growth outweighs the fixed cost, one power fits, and
        its interval has two ends.
        """
        low, high = self.interval
        return not self.too_quick and self.fits and low > 0 and high < STEEPEST

    @property
    def grows(self) -> bool:
        """Whether time certainly grows, and growth outweighs the fixed cost."""
        return not self.too_quick and self.at_least > 0

    @property
    def at_least(self) -> float:
        """The power with which time grows at least; 0 or less if it may not grow at all."""
        return max(self.interval[0], self.least_slope)

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
        fast, slow: by the medians.
        size: where their medians are equal, between two measured sizes; None if `fast` was faster
            on every size.
        first: the smallest size that is compared.
        too_few: the largest of the smaller sizes, which have too few different boards; None if all
            sizes are compared.
        boards: how many different boards a size has, at least.
        interval: the sizes between which they cross in 95% of the resamples; a low end of 0 means
            that `fast` may be faster on every size. None if `slow` may be faster on the largest
            size, or if there are fewer boards than `MIN_BOARDS`.
    """

    fast: GrowthSeries
    slow: GrowthSeries
    size: float | None
    first: int
    too_few: int | None
    boards: int
    interval: tuple[float, float] | None


def fit(series: GrowthSeries) -> Fit | None:
    """How a series grows; None if it has fewer than `MIN_SIZES` medians below the limit, or they
    span less than `MIN_RANGE`.

    Of fixed + scale * cells^exponent, the curve with the least squared distances between logarithms
    is taken, from a grid of exponents and of fixed costs, with the best scale for each. Time is
    never below the fixed cost. So the smallest sizes are left out while they take less than half of
    the fixed cost of the others: small boards may be solved in another way.

    A size that passed the limit is censored: its median is at least the limit. The first such size
    counts only if the curve would run below the limit there, and then as if its median were the
    limit. That time grows can be certain where the curve is not: see `_least_slope`.

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
    return replace(growth, curves=curves, fits=False, parts=_two_parts(points))


def _least_slope(points: Sequence[SizePoint], limit: float) -> float:
    """What the slope from size to size is at least, in logarithms, with 95% confidence; minus
    infinity if there are too few sizes.

    It asks for no curve, and for no distribution of the noise. Of the slopes between each two sizes
    the smallest ones are left out: as many as are too small by chance in 5% of all orders of the
    sizes (Sen 1968, by Kendall's rank test). The slope to a median that passed the limit is at
    least the slope to the limit. Between two such medians nothing is known.
    """
    slopes: list[float] = []
    for before, after in combinations(points, 2):
        if after.cells > before.cells and isfinite(before.median):
            rise = log(min(after.median, limit) / before.median)
            slopes.append(rise / log(after.cells / before.cells))
        else:
            slopes.append(-inf)
    orders = [1]
    """How many orders of the sizes have each number of pairs that fall."""
    for size in range(2, len(points) + 1):
        orders = [
            sum(orders[max(0, falls - size + 1) : falls + 1])
            for falls in range(len(orders) + size - 1)
        ]
    certain = [
        falls
        for falls, count in enumerate(accumulate(orders))
        if count <= 2 * _ONE_END * factorial(len(points))
    ]
    return sorted(slopes)[certain[-1]] if certain else -inf


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
    stopped = [SizePoint(0, cells, (inf,)) for cells in passed[:1]]
    curves, least_slope = (
        grid.nearest(np.log(medians)[None]),
        _least_slope([*points, *stopped], limit),
    )
    return Fit(ends, float(medians.min()), sizes, (), curves, least_slope), grid


class _Grid:
    """The curves that are tried at some sizes: each of `_EXPONENTS` with each of `_SHARES` fixed
    costs.

    Attributes:
        exponents, fixed: float64 of shape (curves,); fixed costs in units of the growing part at
            the largest size.
        logs: float64 of shape (sizes, curves), logarithms of seconds with a scale of 1. The last
            row is the first size that passed the limit, if there is one.
    """

    def __init__(self, points: Sequence[SizePoint], passed: Sequence[float], limit: float) -> None:
        cells = np.array([point.cells for point in points])
        self._cells, self._limit = cells / cells[-1], limit if passed else None
        self._exponents = np.repeat(_EXPONENTS, _SHARES)
        least = 0.02 * self._cells[0] ** _EXPONENTS
        self._fixed = np.geomspace(least, 50, _SHARES - 1, axis=1)
        self._fixed = np.concatenate([np.zeros((len(_EXPONENTS), 1)), self._fixed], axis=1).ravel()
        at = np.concatenate([self._cells, np.array(passed[:1]) / cells[-1]])
        grown = np.repeat(at[:, None] ** _EXPONENTS, _SHARES, axis=1)
        self._logs = np.log(self._fixed + grown)

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
            below = self._logs[-1, chosen] + scales < log(self._limit)
            at_limit = np.column_stack([logs[below], np.full(below.sum(), log(self._limit))])
            chosen[below], scales[below] = self._least_squares(at_limit)
        scales = np.exp(scales)
        return np.column_stack([self._fixed[chosen] * scales, scales, self._exponents[chosen]])

    def _least_squares(self, logs: Floats) -> tuple[NDArray[np.intp], Floats]:
        """For each row the index of the nearest curve, and the logarithm of its scale."""
        tried = self._logs[: logs.shape[1]]
        means, middles = tried.mean(axis=0), logs.mean(axis=1)
        centred = tried - means
        curves = np.vstack([-2 * centred, (centred**2).sum(axis=0)])
        rows = np.column_stack([logs - middles[:, None], np.ones(len(logs))])
        distances = np.empty((_AT_ONCE, len(means)))  # their squares, less the same for each curve
        nearest = [
            np.argmin(np.matmul(some, curves, out=distances[: len(some)]), axis=1)
            for some in (rows[k : k + _AT_ONCE] for k in range(0, len(rows), _AT_ONCE))
        ]
        chosen = np.concatenate(nearest) if nearest else np.zeros(0, np.intp)
        return chosen, middles - means[chosen]


def crossover(a: GrowthSeries, b: GrowthSeries) -> Crossover | None:
    """Who is faster from which size on, by the medians; None if there is no size on which both ran
    and one of them ended.

    Sizes with fewer different boards than `MIN_BOARDS` are left out, unless all have fewer. The
    interval is a bootstrap's over the boards of each size: the same boards are drawn for both.
    """
    sizes: list[int] = []
    seconds: list[tuple[Floats, Floats]] = []
    """Of each size, what each of the two took on the boards that both ran."""
    for point in a.points:
        other = next((each for each in b.points if each.size == point.size), None)
        if other is None or not isfinite(min(point.median, other.median)):
            continue
        ours, theirs = point.by_board(), other.by_board()
        both = [board for board in ours if board in theirs]
        sizes.append(point.size)
        seconds.append(
            (np.array([ours[each] for each in both]), np.array([theirs[each] for each in both]))
        )
    boards = [len(ours) for ours, _ in seconds]
    enough = [k for k, count in enumerate(boards) if count >= MIN_BOARDS]
    if not any(boards):
        return None
    chosen = enough or [k for k, count in enumerate(boards) if count]
    compared = [sizes[k] for k in chosen]
    rng = np.random.default_rng(1)
    leads: list[Floats] = []
    ended: list[NDArray[np.bool_]] = []
    for k in chosen:
        resamples = rng.integers(0, boards[k], (_RESAMPLES, boards[k]))
        drawn = np.vstack([np.arange(boards[k]), resamples])
        ours, theirs = (np.median(some[drawn], axis=1) for some in seconds[k])
        ended.append(np.isfinite(ours) & np.isfinite(theirs))
        leads.append(np.log(np.minimum(theirs, b.limit) / np.minimum(ours, a.limit)))
    a_wins = bool(leads[-1][0] >= 0)
    fast, slow = (a, b) if a_wins else (b, a)
    crossings = np.array(
        [
            _crossing(compared, row if a_wins else -row, known)
            for row, known in zip(np.column_stack(leads), np.column_stack(ended), strict=True)
        ]
    )
    low = float(np.percentile(crossings[:, 0], 100 * _ONE_END, method="lower"))
    high = float(np.percentile(crossings[:, 1], 100 * (1 - _ONE_END), method="higher"))
    return Crossover(
        fast,
        slow,
        size=float(crossings[0].prod()) ** 0.5 or None,
        first=compared[0],
        too_few=max((size for size in sizes if size < compared[0]), default=None),
        boards=min(boards[k] for k in chosen),
        interval=(low, high) if enough and isfinite(high) else None,
    )


def _crossing(sizes: Sequence[int], leads: Floats, ended: NDArray[np.bool_]) -> tuple[float, float]:
    """The least and the largest size from which on the leads may be positive; twice 0 if all are,
    twice infinity if the last one is not.

    Args:
        leads: of each size, in logarithms.
        ended: whether both contenders ended there; else the lead is at least as large.
    """
    behind = np.flatnonzero(~(leads > 0))
    if not behind.size:
        return 0.0, 0.0
    last = int(behind[-1])
    if last == len(sizes) - 1:
        return inf, inf
    share = leads[last] / (leads[last] - leads[last + 1])
    latest = float(sizes[last] * (sizes[last + 1] / sizes[last]) ** share)
    return latest if ended[last + 1] else float(sizes[last]), latest
