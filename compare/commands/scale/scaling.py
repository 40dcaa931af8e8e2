"""Contenders on growing boards of a family, each until it passes its limit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from statistics import median

from msgspec.structs import replace as with_fields

from compare.commands.scale.growth import GrowthSeries, SizePoint
from compare.engine.campaign.comparison import Comparison
from compare.engine.campaign.journal import Journal
from compare.engine.campaign.plan import Dataset, Settings, collect, executor, of_family
from compare.engine.isolate.outcome import Status
from compare.engine.work.asking import carry_out
from compare.engine.work.contenders import Ask, Contender
from compare.engine.work.result import Kind, Result
from puzzles.puzzle import Puzzle


def sizes(least: int, largest: int) -> list[int]:
    """Growing sizes from `least` to `largest`, both included."""
    growing = [min(least, largest)]
    while growing[-1] < largest:
        growing.append(min(largest, max(growing[-1] + 1, round(growing[-1] * 1.5))))
    return growing


@dataclass
class Scaling:
    """All contenders on growing boards of one family. They take turns on each board. Who passes
    the limit ends the boards of that size, and takes part in no larger one.

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

    def run(
        self,
        sizes: Sequence[int],
        file: Journal | None = None,
        note_runs: Callable[[int, int], object] = lambda done, left: None,
    ) -> Iterator[int]:
        """Measure one size after the other; yields each size when it is done, and ends early if
        nobody is left.

        The boards are one dataset, named after the family and numbered through all sizes.

        Args:
            file: where new results go; what it holds already is not run again.
            note_runs: told after each run how many are done, and how many are left at most.
        """
        earlier = (file and file.earlier) or ()
        known = {result.run_key: result for result in earlier}
        seeds = range(self.seed, self.seed + self.settings.repeats)
        case = 0
        with executor(self.settings) as chosen:
            for number, size in enumerate(sizes, 1):
                if not self.running(size):
                    return
                dataset = of_family(self.puzzle, self.family, [(size, seed) for seed in seeds])
                times: dict[str, list[tuple[str, float]]] = {name: [] for name in self.series}
                for index in range(len(seeds)):
                    case += 1
                    asks = list(self.runnable(dataset, size, index, case))
                    for turn, ask in enumerate(asks, 1):
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
                        board = ask.instance.digest
                        times[contender.name] += [
                            (board, each) for each in self.seconds(contender, size, result)
                        ]
                        left = len(asks) - turn + (len(seeds) - index - 1) * len(asks)
                        left += (len(sizes) - number) * len(seeds) * len(self.running(size + 1))
                        note_runs(len(self.results), left)
                        if file is not None:
                            file.planned = len(self.results) + left
                self.add_size(size, dataset, times)
                self.comparison.close()
                yield size

    def running(self, size: int) -> list[Contender]:
        """Who takes part in a size. A run that was stopped at the limit is the last but for the
        other boards of its size.
        """
        return [
            each
            for each in self.contenders
            if (series := self.series[each.name]).stopped is None
            or (series.passed_limit and series.stopped_at == size)
        ]

    def runnable(self, dataset: Dataset, size: int, index: int, number: int) -> Iterator[Ask]:
        """What those are asked of a board who take part in its size.

        A backend is asked above its default limit, too.

        Args:
            number: of the board through all sizes.
        """
        case = with_fields(dataset.cases()[index], number=number)
        for contender in self.running(size):
            yield self.settings.ask(contender, (case,))

    def add_size(
        self, size: int, dataset: Dataset, times: Mapping[str, Sequence[tuple[str, float]]]
    ) -> None:
        """Add what was measured on the boards of a size: by contender, the board and the seconds of
        each run.
        """
        cells = float(median(instance.size for instance in dataset.instances))
        for name, runs in times.items():
            if runs:
                boards, seconds = zip(*runs, strict=True)
                self.series[name].points.append(SizePoint(size, cells, seconds, boards))

    def seconds(self, runner: Contender, size: int, result: Result) -> list[float]:
        """The time of a run, if it has one; a run that did not end well makes the size the
        contender's last.
        """
        if result.status is Status.SPARED:
            return []
        if result.status is Status.OK and result.usage.wall_s is not None:
            return [result.usage.wall_s]
        series = self.series[runner.name]
        series.stopped_at = size
        series.passed_limit = result.status is Status.TIMEOUT
        if series.passed_limit:
            series.stopped = result.reason
            return [inf]
        series.stopped = f"{result.status}: {result.reason}"
        return []
