"""What `compare speed` measures, and how thoroughly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic

from compare.measure.speed.figure import Part, SpeedFigure


class TimeIsUp(Exception):
    """The time of the plan is over, and nothing has been measured."""


@dataclass(frozen=True)
class SpeedPlan:
    """How thoroughly everything is measured.

    Attributes:
        repeats: of each race and each command.
        seed: of the inputs.
        timeout: seconds after which a peer is stopped.
        fuzz_s: seconds of each fuzzing.
        limit_s: seconds after which a run on growing boards is stopped.
        largest: the largest side of a growing board.
        ends: when the whole measurement should end, in seconds of the monotonic clock.
    """

    repeats: int = 3
    seed: int = 1
    timeout: float = 5.0
    fuzz_s: float = 8.0
    limit_s: float = 1.0
    largest: int = 600
    ends: float = float("inf")

    @property
    def left(self) -> float:
        """The seconds that are left, from 0 to a day."""
        return min(max(0.0, self.ends - monotonic()), 86_400.0)


@dataclass(frozen=True)
class SpeedJob:
    """One step of a measurement: it gives one figure or a few."""

    part: Part
    name: str
    measure: Callable[[SpeedPlan], Sequence[SpeedFigure]]
