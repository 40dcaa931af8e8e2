"""Races: two functions on the same inputs, in turn in one process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import exp, inf, log
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compare.isolate.outcome import Limits, Status
from compare.isolate.sandbox import call
from compare.measure.differences import bootstrap
from compare.measure.peers import Race, RaceInput

SHORTEST_S = 0.002
"""The least CPU seconds of a timing: what is faster than that is called several times."""


@dataclass(frozen=True)
class InputTimes:
    """The CPU seconds of each side on one input, one for each repeat; infinity for a peer that was stopped.

    Attributes:
        wrong: what the results differ in, or how a side failed; empty if nothing is wrong.
        stopped: seconds after which the peer was stopped; None if it ended by itself.
    """

    name: str
    ours: NDArray[np.float64]
    theirs: NDArray[np.float64]
    wrong: str = ""
    stopped: float | None = None

    @property
    def ratio(self) -> float:
        """Their median seconds divided by ours; a lower bound if they were stopped."""
        theirs = float(np.median(self.theirs)) if self.stopped is None else self.stopped
        return theirs / float(np.median(self.ours))


@dataclass(frozen=True)
class RaceResult:
    """What came of a race.

    Attributes:
        ratio: the geometric mean of their seconds divided by ours; a stopped input counts with the limit.
        interval: its 95% bootstrap interval over inputs and repeats; None with fewer than three inputs, or if one was stopped.
    """

    race: Race
    inputs: tuple[InputTimes, ...]

    @property
    def timed(self) -> list[InputTimes]:
        """The inputs on which our side ended."""
        return [each for each in self.inputs if each.ours.size]

    @property
    def stopped(self) -> bool:
        """Whether the peer was stopped on some input."""
        return any(each.stopped is not None for each in self.timed)

    @property
    def ratio(self) -> float:
        return exp(sum(log(race_input.ratio) for race_input in self.timed) / len(self.timed))

    @property
    def interval(self) -> tuple[float, float] | None:
        if len(self.timed) < 3 or any(race_input.stopped is not None for race_input in self.timed):
            return None
        return bootstrap([(race_input.ours, race_input.theirs) for race_input in self.timed], np.random.default_rng(0))


def run(race: Race, seed: int, repeats: int, limit: float) -> RaceResult:
    """Every input of a race, each in a fork of this process; `limit`: seconds that one call of the peer may take."""
    times: list[InputTimes] = []
    for race_input in race.inputs(seed):
        if not times:
            with suppress(Exception):  # what fails here fails in the fork too, which tells it
                race_input.ours()  # loads our kernels here, once for all forks
        times.append(_measure(race_input, repeats, limit))
    return RaceResult(race, tuple(times))


def _measure(race_input: RaceInput, repeats: int, limit: float) -> InputTimes:
    allowed = Limits(limit * (repeats + 2) + 2 * repeats)
    if call(race_input.theirs, limits=Limits(limit)).status is Status.TIMEOUT:
        ended = call(_alone, race_input.ours, repeats, limits=allowed)
        if ended.status is Status.OK:
            return InputTimes(race_input.name, ended.value, np.full(repeats, inf), stopped=limit)
    else:
        ended = call(_both, race_input, repeats, limits=allowed)
        if ended.status is Status.OK:
            (ours, theirs), wrong = ended.value
            return InputTimes(race_input.name, ours, theirs, wrong)
    return InputTimes(race_input.name, np.empty(0), np.empty(0), f"{ended.status} {ended.detail}")


def _alone(side: Callable[[], Any], repeats: int) -> NDArray[np.float64]:
    (times,), _ = _timed((side,), repeats)
    return times


def _both(race_input: RaceInput, repeats: int) -> tuple[list[NDArray[np.float64]], str]:
    times, (ours, theirs) = _timed((race_input.ours, race_input.theirs), repeats)
    return times, race_input.differ(ours, theirs)


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
