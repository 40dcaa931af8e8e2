"""Contenders on growing boards of a family, each until it passes its limit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from statistics import median

from msgspec.structs import replace as with_fields

from compare.commands.scale.growth import GrowthSeries, SizePoint
from compare.engine.campaign.comparison import Comparison
from compare.engine.campaign.journal import Journal
from compare.engine.campaign.plan import Dataset, Settings, of_family
from compare.engine.campaign.running import collect, executor
from compare.engine.isolate.outcome import Status
from compare.engine.work.ask import Ask
from compare.engine.work.asking import carry_out
from compare.engine.work.contenders import Contender, Kind
from compare.engine.work.result import Result
from puzzles.puzzle import Puzzle


def sizes(least: int, largest: int) -> list[int]:
    """Growing sizes from `least` to `largest`, both included."""
    growing = [min(least, largest)]
    while growing[-1] < largest:
        growing.append(min(largest, max(growing[-1] + 1, round(growing[-1] * 1.5))))
    return growing


@dataclass
class Scaling:
    """All contenders on growing boards of one family. They take turns on each board, each until it
    passes its limit.

    Attributes:
        series: by contender, what was measured.
        comparison, results: of all runs.
    """

    puzzle: Puzzle
    family: str
    contenders: Sequence[Contender]
    settings: Settings
    seed: int = 1
    comparison: Comparison = field(default_factory=Comparison)
    results: list[Result] = field(default_factory=list)

    def __post_init__(self) -> None:
        limit = self.settings.limits.seconds
        self.series = {
            c.name: GrowthSeries(c.name, limit, stopped=c.absent, with_start=c.kind is Kind.PROGRAM)
            for c in self.contenders
        }

    def run(self, sizes: Sequence[int], file: Journal | None = None) -> Iterator[int]:
        """Measure one size after the other; yields each size when it is done, and ends early if
        nobody is left.

        The boards are one dataset, named after the family and numbered through all sizes.

        Args:
            file: where new results go; what it holds already is not run again.
        """
        earlier = (file and file.earlier) or ()
        known = {result.run_key: result for result in earlier}
        seeds = range(self.seed, self.seed + self.settings.repeats)
        case = 0
        with executor(self.settings) as chosen:
            for size in sizes:
                if all(series.stopped is not None for series in self.series.values()):
                    return
                dataset = of_family(self.puzzle, self.family, [(size, seed) for seed in seeds])
                times: dict[str, list[float]] = {name: [] for name in self.series}
                for index in range(len(seeds)):
                    case += 1
                    for ask in self.runnable(dataset, index, case):
                        contender, (run,) = ask.contender, ask.run_keys
                        result = known.get(run)
                        if result is None:
                            result = ask.skipped_result if contender.kind is Kind.PROGRAM else None
                            if result is None:
                                (result,) = collect(ask, chosen.submit(carry_out, ask))
                            if file is not None:
                                file.write(result.line())
                        self.comparison.add(result)
                        self.results.append(result)
                        times[contender.name] += self.seconds(contender, size, result)
                self.add_size(size, dataset, times)
                self.comparison.close()
                yield size

    def runnable(self, dataset: Dataset, index: int, number: int) -> Iterator[Ask]:
        """What those are asked of a board who have not been stopped.

        A backend is asked above its default limit, too.

        Args:
            number: of the board through all sizes.
        """
        case = with_fields(dataset.cases()[index], number=number)
        for contender in self.contenders:
            if self.series[contender.name].stopped is None:
                yield self.settings.ask(contender, (case,))

    def add_size(self, size: int, dataset: Dataset, times: Mapping[str, Sequence[float]]) -> None:
        """Add what was measured on the boards of a size: by contender, the seconds of its runs."""
        cells = float(median(instance.size for instance in dataset.instances))
        for name, seconds in times.items():
            if seconds:
                self.series[name].points.append(SizePoint(size, cells, tuple(seconds)))

    def seconds(self, runner: Contender, size: int, result: Result) -> list[float]:
        """The time of a run, if it has one; a run that did not end well is the contender's last."""
        if result.status is Status.SPARED:
            return []
        if result.status is Status.OK and result.usage.wall_s is not None:
            return [result.usage.wall_s]
        series = self.series[runner.name]
        series.stopped_at = size
        timed_out = result.status is Status.TIMEOUT
        series.stopped = result.reason if timed_out else f"{result.status}: {result.reason}"
        return [inf] if timed_out else []
