"""How time grows with size: measuring backends until they pass their limit, and fitting lines to what came."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import exp, inf, isfinite, log
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import puzzles
from compare.contender import Contender
from compare.executor import Lost
from compare.relate import Relation, Stance, relate
from compare.run import Settings, executor
from compare.sandbox import Status
from compare.worker import Job, Run, perform
from puzzles.puzzle import Board, Family
from puzzles.text import UserError

FIXED = 4.0
"""Sizes whose median is within this factor of the fastest show what a call costs on any board, and are not fitted."""

RESAMPLES = 1000


@dataclass(frozen=True)
class Point:
    """The runs of one contender on the boards of one size.

    Attributes:
        cells: of the boards, their median.
        seconds: one a run that ended or passed the time limit, which is infinity.
    """

    size: int
    cells: float
    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        """Infinity where half of the runs or more passed the limit."""
        return _median(np.array(self.seconds))


@dataclass
class Series:
    """One contender over growing sizes.

    Attributes:
        limit: seconds after which a run was stopped.
        stopped: why it was not run on larger sizes, and `stopped_at` the size; None where it reached the largest.
    """

    name: str
    limit: float
    points: list[Point] = field(default_factory=list)
    stopped: str | None = None
    stopped_at: int | None = None

    def at(self, size: int) -> float | None:
        """The median at a size, infinity past the limit; None where nothing was measured."""
        return next((point.median for point in self.points if point.size == size), None)


@dataclass(frozen=True)
class Fit:
    """seconds = e^constant * cells^exponent, fitted to log medians.

    Attributes:
        sizes: how many sizes it is fitted to.
        fixed: whether those that fixed costs rule (`FIXED`) are among them, there being too few others; the exponent is then
            less than the growth on large boards.
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

    def band(self, cells: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """The line at these numbers of cells, and the 95% interval around it, in seconds."""
        x = np.log(cells)
        low, high = np.percentile(self.lines[:, :1] + self.lines[:, 1:] * x, (2.5, 97.5), axis=0)
        return np.exp(self.constant + self.exponent * x), np.exp(low), np.exp(high)


@dataclass(frozen=True)
class Crossover:
    """Which of two is faster on large boards, and from which size on.

    Attributes:
        size: where their medians are equal, between two measured sizes; None where `fast` was faster on every one.
    """

    fast: str
    slow: str
    size: float | None


@dataclass(frozen=True)
class Conflict:
    """A board on which two contenders' answers cannot both be right."""

    size: int
    seed: int
    names: tuple[str, str]


def sizes(least: int, largest: int, factor: float = 1.5) -> list[int]:
    """Growing sizes from `least` to `largest`, both included."""
    found = [min(least, largest)]
    while found[-1] < largest:
        found.append(min(largest, max(found[-1] + 1, round(found[-1] * factor))))
    return found


class Race:
    """Every contender on growing boards of one family, in turn on each board, each until it passes its limit."""

    def __init__(self, family: Family, contenders: Sequence[Contender], settings: Settings, seed: int = 1) -> None:
        self.family, self.contenders, self.settings, self.seed = family, contenders, settings, seed
        self.series = {c.name: Series(c.name, settings.limits.seconds, stopped=c.absent) for c in contenders}
        self.conflicts: list[Conflict] = []

    def run(self, wanted: Sequence[int]) -> Iterator[int]:
        """Measure one size after the other; yields each that is done, and ends early where nobody is left."""
        with executor(self.settings) as workers:
            for size in wanted:
                runners = [c for c in self.contenders if self.series[c.name].stopped is None]
                if not runners:
                    return
                times: dict[str, list[float]] = {c.name: [] for c in runners}
                cells: list[int] = []
                for seed in range(self.seed, self.seed + self.settings.repeats):
                    board = self.family.board(size, seed)
                    cells.append(board.cells)
                    told: list[tuple[Contender, Run]] = []
                    for contender in runners:
                        if self.series[contender.name].stopped is None:
                            job = Job(contender, (board,), (), self.settings.format, self.settings.limits, check=False)
                            try:
                                ((run,),) = workers.submit(perform, job, timeout=job.patience).result()
                            except Lost as lost:
                                run = Run(1, lost.status, lost.detail)
                            told.append((contender, run))
                            self._note(contender, size, run, times[contender.name])
                    self._relate(board, size, seed, told)
                for name, seconds in times.items():
                    if seconds:
                        self.series[name].points.append(Point(size, float(np.median(cells)), tuple(seconds)))
                yield size

    def _note(self, contender: Contender, size: int, run: Run, seconds: list[float]) -> None:
        series = self.series[contender.name]
        if run.status is Status.OK and run.wall_s is not None:
            seconds.append(run.wall_s)
            return
        series.stopped_at = size
        series.stopped = f"{run.status}: {run.detail}"
        if run.status is Status.TIMEOUT:
            series.stopped = run.detail
            seconds.append(inf)

    def _relate(self, board: Board, size: int, seed: int, told: list[tuple[Contender, Run]]) -> None:
        stances = [(c.name, Stance(run.claims, c.complete)) for c, run in told if run.claims is not None]
        verdict_first = puzzles.get(board.puzzle).verdict_first
        for (a, ours), (b, theirs) in combinations(stances, 2):
            if relate(ours, theirs, verdict_first=verdict_first) is Relation.CONFLICT:
                self.conflicts.append(Conflict(size, seed, (a, b)))


def fit(series: Series, seed: int = 1) -> Fit | None:
    """The growth of a series; None where fewer than three sizes, or fewer than two below the limit, are left to fit.

    A line through the logarithms of the medians, by least squares. A size that passed the limit is censored: all that is
    known is that its median is no less, so it counts only where the line would run below the limit there, and then as
    if it were the limit. The smallest sizes are left out where fixed costs rule them (`FIXED`) and enough others remain. The
    interval is a bootstrap's: of each size the runs are drawn anew that its median is taken of, and its distance from the line
    is drawn from those of all sizes.
    """
    points = _beyond_fixed_costs(series.points)
    line = _line(points, [point.median for point in points], series.limit)
    if line is None or len(points) < 3:
        return None
    medians = np.array([point.median for point in points])
    ended = np.isfinite(medians)
    predicted = line[0] + line[1] * np.log([point.cells for point in points])
    residuals = np.log(medians[ended]) - predicted[ended]
    residuals *= (residuals.size / max(residuals.size - 2, 1)) ** 0.5  # the line has taken two degrees of freedom out of them
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


def _beyond_fixed_costs(points: list[Point]) -> list[Point]:
    fastest = min((point.median for point in points), default=0.0)
    slower = [point for point in points if point.median >= FIXED * fastest]
    return slower if sum(isfinite(point.median) for point in slower) >= 3 else points


def _line(points: Sequence[Point], medians: Sequence[float], limit: float) -> tuple[float, float] | None:
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


def crossover(a: Series, b: Series) -> Crossover | None:
    """Who is faster from where on, by the medians at the sizes on which at least one of the two came to an end; else None."""
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


def plot(title: str, series: Sequence[Series], path: str) -> None:
    """Draw the medians, the fitted lines and their intervals, log-log; the file's suffix says in which format.

    Raises:
        UserError: matplotlib is not installed, does not know the format, or cannot write the file.
    """
    if Path(path).suffix == "":
        raise UserError(f"--plot {path}: a suffix such as .svg or .png says in which format")
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise UserError("--plot needs matplotlib: pip install 'twofold[report]'") from None
    figure = Figure((8, 5), layout="constrained")
    axes = figure.subplots()
    for number, each in enumerate(series):
        if not each.points:
            continue
        colour = f"C{number % 10}"
        done = [point for point in each.points if isfinite(point.median)]
        over = [point for point in each.points if not isfinite(point.median)]
        line = fit(each)
        label = each.name if line is None else f"{each.name}: n^{line.exponent:.2f}"
        axes.plot([p.cells for p in done], [p.median for p in done], "o", color=colour, markersize=4, label=label)
        axes.plot([p.cells for p in over], [each.limit for _ in over], "^", color=colour, markersize=7, fillstyle="none")
        if line is not None:
            fitted = _beyond_fixed_costs(each.points)
            cells = np.geomspace(fitted[0].cells, fitted[-1].cells, 50)
            middle, low, high = line.band(cells)
            axes.plot(cells, middle, color=colour, linewidth=1)
            axes.fill_between(cells, low, high, color=colour, alpha=0.2, linewidth=0)
    axes.set(xscale="log", yscale="log", xlabel="cells", ylabel="seconds", title=title)
    axes.grid(visible=True, which="major", linewidth=0.3)
    if series:
        axes.legend()
    try:
        figure.savefig(path)
    except (OSError, ValueError) as error:
        raise UserError(f"--plot {path}: {error}") from None
