"""Races: two callables on the same input, in turn in one process, with what comes of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf, log
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compare.isolate.sandbox import Limits, Status, call
from compare.measure.differences import bootstrap
from compare.measure.peers import Heat, Race

SHORTEST_S = 0.002
"""CPU seconds that a timing takes at least: what is faster is called often enough."""


@dataclass(frozen=True)
class Ran:
    """The CPU seconds of one heat, one a repeat and side; infinity for a peer that was stopped.

    Attributes:
        wrong: what the results differ in, or how a side failed; empty where nothing is wrong.
        stopped: seconds after which the peer was stopped; None where it came to its end.
    """

    name: str
    ours: NDArray[np.float64]
    theirs: NDArray[np.float64]
    wrong: str = ""
    stopped: float | None = None

    @property
    def ratio(self) -> float:
        """Their median seconds to ours; a lower bound where they were stopped."""
        theirs = float(np.median(self.theirs)) if self.stopped is None else self.stopped
        return theirs / float(np.median(self.ours))


@dataclass(frozen=True)
class Outcome:
    """What came of a race.

    Attributes:
        ratio: geometric mean of their seconds to ours; stopped heats count with the limit.
        interval: its 95% bootstrap interval over inputs and repeats; None with less than three inputs, or where one was stopped.
    """

    race: Race
    heats: tuple[Ran, ...]

    @property
    def timed(self) -> list[Ran]:
        return [heat for heat in self.heats if heat.ours.size]

    @property
    def ratio(self) -> float:
        return exp(sum(log(heat.ratio) for heat in self.timed) / len(self.timed))

    @property
    def interval(self) -> tuple[float, float] | None:
        if len(self.timed) < 3 or any(heat.stopped is not None for heat in self.timed):
            return None
        return bootstrap([(heat.ours, heat.theirs) for heat in self.timed], np.random.default_rng(0))


def run(race: Race, seed: int, repeats: int, limit: float) -> Outcome:
    """Every heat of a race, each in a fork of this process; `limit`: seconds that one call of the peer may take."""
    return Outcome(race, tuple(_heat(heat, repeats, limit) for heat in race.heats(seed)))


def _heat(heat: Heat, repeats: int, limit: float) -> Ran:
    allowed = Limits(limit * (repeats + 2) + 2 * repeats)
    if call(heat.theirs, limits=Limits(limit)).status is Status.TIMEOUT:
        ended = call(_timed, (heat.ours,), repeats, limits=allowed)
        if ended.status is Status.OK:
            (ours,), _ = ended.value
            return Ran(heat.name, ours, np.full(repeats, inf), stopped=limit)
    else:
        ended = call(_both, heat, repeats, limits=allowed)
        if ended.status is Status.OK:
            (ours, theirs), wrong = ended.value
            return Ran(heat.name, ours, theirs, wrong)
    return Ran(heat.name, np.empty(0), np.empty(0), f"{ended.status} {ended.detail}")


def _both(heat: Heat, repeats: int) -> tuple[list[NDArray[np.float64]], str]:
    times, (ours, theirs) = _timed((heat.ours, heat.theirs), repeats)
    return times, heat.differ(ours, theirs)


def _timed(sides: Sequence[Any], repeats: int) -> tuple[list[NDArray[np.float64]], list[Any]]:
    """CPU seconds of each side, repeat by repeat in turn, after a call each that is not counted; and what those returned."""
    results, calls = [], []
    for side in sides:
        results.append(side())
        started = process_time()
        side()
        calls.append(max(1, round(SHORTEST_S / max(process_time() - started, 1e-7))))
    times = [np.empty(repeats) for _ in sides]
    for repeat in range(repeats):
        for side, number, own in zip(sides, calls, times, strict=True):
            started = process_time()
            for _ in range(number):
                side()
            own[repeat] = (process_time() - started) / number
    return times, results
