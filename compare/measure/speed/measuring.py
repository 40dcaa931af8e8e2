"""All the jobs of a measurement, and measuring them one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from compare.measure.peers import Peer
from compare.measure.speed.figure import Part, SpeedFigure
from compare.measure.speed.growing import growing
from compare.measure.speed.plan import SpeedJob, SpeedPlan, TimeIsUp
from compare.measure.speed.racing import racing
from compare.measure.speed.whole_commands import compiling, default_run, fuzzing, short_commands


def jobs_of(parts: Sequence[Part], peers: Sequence[Peer]) -> list[SpeedJob]:
    """The jobs of these parts, in the order of `Part`; the races are those of these peers."""
    by_part = {
        Part.START: short_commands,
        Part.DEFAULT: default_run,
        Part.FUZZ: fuzzing,
        Part.GROWTH: growing,
        Part.COMPILE: compiling,
        Part.RACES: lambda: racing(peers),
    }
    return [job for part in Part if part in parts for job in by_part[part]()]


def measure_all(jobs: Iterable[SpeedJob], plan: SpeedPlan) -> Iterator[tuple[SpeedJob, Sequence[SpeedFigure] | None]]:
    """Each job with its figures as soon as they are measured; None if the time of the plan was up before."""
    for job in jobs:
        try:
            figures = job.measure(plan) if plan.left > 0 else None
        except TimeIsUp:
            figures = None
        yield job, figures
