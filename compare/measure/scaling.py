"""Contenders on growing boards of a family, each until it passes its limit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import inf
from statistics import median

from compare.campaign.comparison import Comparison
from compare.campaign.datasets import of_family
from compare.campaign.journal import Journal
from compare.campaign.record import Record
from compare.campaign.running import collect, executor, record_of
from compare.campaign.tasks import Settings, Task
from compare.isolate.outcome import Status
from compare.measure.growth import GrowthSeries, SizePoint
from compare.work.attempt import attempt
from compare.work.contenders import Contender, Kind
from compare.work.job import Run
from compare.work.pool import Executor
from puzzles.puzzle import Puzzle


def sizes(least: int, largest: int, factor: float = 1.5) -> list[int]:
    """Growing sizes from `least` to `largest`, both included."""
    growing = [min(least, largest)]
    while growing[-1] < largest:
        growing.append(min(largest, max(growing[-1] + 1, round(growing[-1] * factor))))
    return growing


class Scaling:
    """All contenders on growing boards of one family. They take turns on each board, each until it passes its limit.

    Attributes:
        series: by contender, what was measured.
        comparison: of all runs.
    """

    def __init__(self, puzzle: Puzzle, family: str, contenders: Sequence[Contender], settings: Settings, seed: int = 1) -> None:
        self.puzzle, self.family, self.contenders, self.settings, self.seed = puzzle, family, contenders, settings, seed
        self.series = {
            c.name: GrowthSeries(c.name, settings.limits.seconds, stopped=c.absent, with_start=c.kind is Kind.PROGRAM)
            for c in contenders
        }
        self.comparison = Comparison()

    def run(self, sizes: Sequence[int], file: Journal | None = None) -> Iterator[int]:
        """Measure one size after the other; yields each size when it is done, and ends early if nobody is left.

        The boards are one dataset, named after the family and numbered through all sizes.

        Args:
            file: where new records go; what it holds already is not run again.
        """
        earlier = (file and file.earlier) or ()
        known = {(r.task.contender, r.task.case, r.task.digest): r for r in earlier}
        with executor(self.settings) as chosen:
            for index, size in enumerate(sizes):
                runners = [c for c in self.contenders if self.series[c.name].stopped is None]
                if not runners:
                    return
                for record in self._measure(chosen, size, runners, index * self.settings.repeats, known):
                    if file is not None:
                        file.write(record.line())
                self.comparison.close()
                yield size

    def _measure(
        self,
        chosen: Executor,
        size: int,
        runners: Sequence[Contender],
        before: int,
        known: Mapping[tuple[str, int, str], Record],
    ) -> Iterator[Record]:
        """Run the boards of a size, and yield each new record; `before`: how many boards the smaller sizes have."""
        seeds = range(self.seed, self.seed + self.settings.repeats)
        dataset = of_family(self.puzzle, self.family, [(size, seed) for seed in seeds])
        seconds: dict[str, list[float]] = {runner.name: [] for runner in runners}
        for index in range(len(dataset.instances)):
            for runner in runners:
                if self.series[runner.name].stopped is not None:
                    continue
                task = Task(runner, dataset, index)
                if runner.kind is Kind.PROGRAM and task.reason_to_skip:
                    self.series[runner.name].stopped = task.reason_to_skip
                    continue
                identity = replace(task.identity, case=before + index + 1)
                record = known.get((identity.contender, identity.case, identity.digest))
                if record is None:
                    run = collect(chosen.submit(attempt, task.job(self.settings)))
                    record = record_of(task, run, self.settings)
                    record = replace(record, task=identity)
                    yield record
                self.comparison.add(record)
                seconds[runner.name] += self.seconds(runner, size, record.run)
        cells = float(median(instance.size for instance in dataset.instances))
        for name, times in seconds.items():
            if times:
                self.series[name].points.append(SizePoint(size, cells, tuple(times)))

    def seconds(self, runner: Contender, size: int, run: Run) -> list[float]:
        """The time of a run, if it has one; a run that did not end well is the contender's last."""
        if run.status is Status.OK and run.usage.wall_s is not None:
            return [run.usage.wall_s]
        series = self.series[runner.name]
        series.stopped_at = size
        timed_out = run.status is Status.TIMEOUT
        series.stopped = run.detail if timed_out else f"{run.status}: {run.detail}"
        return [inf] if timed_out else []
