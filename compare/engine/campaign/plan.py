"""The plan of a campaign: which contender is asked for which instance, how often, and how."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import puzzles
from compare.engine.campaign.datasets import Dataset
from compare.engine.elsewhere import Destination
from compare.engine.isolate.outcome import DEFAULT_LIMITS, Limits
from compare.engine.work.ask import Ask, DatasetCase
from compare.engine.work.contenders import BackendContender, Contender, GivenAnswers, Kind

EXPECTED = "expected"
"""The name of the contender that a dataset's expected answers make."""


@dataclass(frozen=True)
class Settings:
    """How everything is run.

    Attributes:
        format: the answer format of programs and expected answers (default: each puzzle's first).
        jobs: how many runs may be under way at once. With more than one the timings are less
            reliable.
        plugins: Python files that workers load first.
        elsewhere: where everything is run; None for this machine.
    """

    limits: Limits = DEFAULT_LIMITS
    repeats: int = 1
    check: bool = True
    jobs: int = 1
    format: str | None = None
    plugins: tuple[str, ...] = ()
    elsewhere: Destination | None = None

    @property
    def parallel(self) -> bool:
        """Several runs may be under way at the same time."""
        return self.jobs > 1 or self.elsewhere is not None

    def ask(self, contender: Contender, *cases: DatasetCase, repeat: int = 1) -> Ask:
        """What a contender is asked. Of a built-in backend only the first repeat is checked;
        foreign code may answer by chance.
        """
        built_in = isinstance(contender, BackendContender) and not contender.foreign
        counts = repeat == 1 or not built_in
        return Ask(
            contender=contender,
            cases=cases,
            repeat=repeat,
            format=self.format,
            limits=self.limits,
            check=self.check and counts,
            only_time=not counts,
            recorded=True,
            parallel=self.parallel,
        )


def plan(
    datasets: Iterable[Dataset], contenders: Sequence[Contender], settings: Settings
) -> list[Ask]:
    """Every contender on every instance. On each instance they take turns: all of them once, then
    all of them again.

    Answers that exist already, and what is skipped or spared, are not repeated. If a dataset has
    several instances, each program gets them all in one start, too, as from a judge.
    """
    return [ask for dataset in datasets for ask in _turns(dataset, contenders, settings)]


def _turns(dataset: Dataset, contenders: Sequence[Contender], settings: Settings) -> Iterator[Ask]:
    cases, taking_part = dataset.cases(), list(contenders)
    if dataset.answers:
        taking_part.append(GivenAnswers(puzzle=dataset.instances[0].puzzle, name=EXPECTED))
    for case in cases:
        for repeat in range(1, settings.repeats + 1):
            for contender in taking_part:
                ask = settings.ask(contender, case, repeat=repeat)
                if repeat == 1 or not (contender.kind is Kind.GIVEN or ask.not_run):
                    yield ask
    for contender in contenders:
        if contender.kind is Kind.PROGRAM and puzzles.get(contender.puzzle).many_instances:
            taken = [case for case in cases if settings.ask(contender, case).not_run is None]
            if len(taken) > 1:
                yield settings.ask(contender, *taken)
