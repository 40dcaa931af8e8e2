"""A figure of speed: what a job takes, measured in turn with a yardstick.

Seconds of two machines, or of a quiet and a busy one, say little about the program. The ratio to a yardstick that is measured at
the same time says more. In a race the yardstick is the other package. Elsewhere it is a fixed piece of Python and NumPy.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import exp, log
from statistics import median
from typing import Annotated

import msgspec
import numpy as np
from msgspec import Meta

from compare.measure.differences import bootstrap

PositiveSeconds = Annotated[float, Meta(gt=0, le=1e12)]


class Part(StrEnum):
    """The parts of the table of speed, in the order in which they are measured."""

    START = "start"
    DEFAULT = "default"
    FUZZ = "fuzz"
    GROWTH = "growth"
    COMPILE = "compile"
    RACES = "races"


ABOUT = {
    Part.START: "a command on a small board, from its start to its end",
    Part.DEFAULT: "`compare` without arguments: every bundled board on every backend",
    Part.FUZZ: "ordinary boards a second of `fuzz` with `direct` and `cnf`, after everything is loaded",
    Part.GROWTH: "how time grows with the size of the board",
    Part.COMPILE: "the first large board of a puzzle, which waits for the compiler",
    Part.RACES: "other packages on the same inputs, in turn with ours in one process",
}


@dataclass(frozen=True)
class JobTimes:
    """The seconds of a job and of its yardstick on one input, repeat by repeat in turn.

    Attributes:
        input: its name.
        job: seconds of each repeat.
        yardstick: as many; none if the yardstick was stopped.
        stopped: seconds after which the yardstick was stopped; None if it ended by itself.
    """

    input: str
    job: tuple[PositiveSeconds, ...]
    yardstick: tuple[PositiveSeconds, ...]
    stopped: PositiveSeconds | None = None

    def __post_init__(self) -> None:
        if not self.job or len(self.yardstick) != (len(self.job) if self.stopped is None else 0):
            raise ValueError(f"input {self.input!r}: {len(self.job)} times, and {len(self.yardstick)} of its yardstick")

    @property
    def seconds(self) -> float:
        """The median of the job's seconds."""
        return median(self.job)

    @property
    def costs(self) -> tuple[float, ...]:
        """The job's seconds in units of the yardstick, one for each repeat; none if the yardstick was stopped."""
        return tuple(job / unit for job, unit in zip(self.job, self.yardstick, strict=False))

    @property
    def ratio(self) -> float:
        """The yardstick's median seconds divided by the job's; a lower bound if the yardstick was stopped."""
        return (median(self.yardstick) if self.stopped is None else self.stopped) / self.seconds


@dataclass(frozen=True)
class GrowthLine:
    """Time grows as cells^exponent, with a 95% interval; fitted to so many `sizes` (see `compare.measure.growth`)."""

    exponent: float
    low: float
    high: float
    sizes: int


@dataclass(frozen=True)
class SpeedFigure:
    """What a job takes.

    Attributes:
        name: the job; a part has each name once.
        yardstick: what the yardstick is.
        inputs: its times; none if it failed.
        wrong: how it failed, or where results differ; empty if nothing is wrong.
        by: of a race, the two functions that are compared.
        target: of a race, the ratio that we want at least; 0 for none.
        line: how time grows, if the part is about growth and there are enough sizes.
    """

    part: Part
    name: str
    yardstick: str
    inputs: tuple[JobTimes, ...]
    wrong: tuple[str, ...] = ()
    by: str = ""
    target: float = 0.0
    line: GrowthLine | None = None

    @property
    def seconds(self) -> float | None:
        """The median over the inputs of each input's median; None if it failed."""
        return median(each.seconds for each in self.inputs) if self.inputs else None

    @property
    def stopped(self) -> bool:
        """Whether the yardstick was stopped on some input."""
        return any(each.stopped is not None for each in self.inputs)

    @property
    def ratio(self) -> float | None:
        """The geometric mean of the yardstick's seconds divided by the job's; None if it failed."""
        return exp(sum(log(each.ratio) for each in self.inputs) / len(self.inputs)) if self.inputs else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95% bootstrap interval of `ratio`; None with fewer than three inputs, or if the yardstick was stopped."""
        if len(self.inputs) < 3 or self.stopped:
            return None
        return bootstrap([(each.job, each.yardstick) for each in self.inputs], np.random.default_rng(0))

    def text(self) -> str:
        """The figure as one line of JSON, without the line's end."""
        return msgspec.json.encode(self).decode()
