"""Backends on growing boards of a family, each until it passes its limit, and a picture of what came."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import inf, isfinite
from pathlib import Path

import numpy as np

import puzzles
from compare.campaign.relation import Relation, Stance, relate
from compare.campaign.running import Settings, executor
from compare.isolate.sandbox import Status
from compare.measure.growth import Point, Series, beyond_fixed_costs, fit
from compare.work.contenders import Contender
from compare.work.executors import Lost
from compare.work.worker import Job, Run, perform
from puzzles.extras import not_installed
from puzzles.grid import Board
from puzzles.puzzle import Family
from puzzles.text import UserError


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
        first_claim_is_consistency = puzzles.get(board.puzzle).first_claim_is_consistency
        for (a, ours), (b, theirs) in combinations(stances, 2):
            if relate(ours, theirs, first_claim_is_consistency=first_claim_is_consistency) is Relation.CONFLICT:
                self.conflicts.append(Conflict(size, seed, (a, b)))


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
        raise UserError(f"--plot: {not_installed(['matplotlib'])}") from None
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
            fitted = beyond_fixed_costs(each.points)
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
    except OSError as error:
        raise UserError(f"--plot {path}: {error.strerror or error}") from None
    except ValueError as error:
        raise UserError(f"--plot {path}: {error}") from None
