"""Races with other packages: both sides do the same job on the same inputs, in turn in one process,
and must agree.

`python -m benchmarks.races [PEER ...]`, in the root of a checkout; `pip install -e '.[benchmarks]'`
installs the peers.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from math import exp, log
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compare.commands.arguments import at_least_one, at_least_zero, positive
from compare.isolate.child import call
from compare.isolate.outcome import Limits, Status
from compare.measure.differences import bootstrap
from compare.show.table import FORMATS, Table, number_cell, ratio_cell, render
from puzzles.extras import install
from puzzles.text import ending

PEERS = {
    "networkx": ("networkx", "benchmarks.formulas"),
    "scipy": ("scipy", "benchmarks.formulas"),
    "ac-library-python": ("atcoder", "benchmarks.formulas"),
    "ms_toollib": ("ms_toollib", "benchmarks.probabilities"),
    "cpmpy": ("cpmpy", "benchmarks.modelling"),
    "python-sat": ("pysat", "benchmarks.modelling"),
}
"""Of each package the module to import, and our module whose `RACES` has its races."""

SHORTEST_S = 0.002
"""The least CPU seconds of a timing: what is faster than that is called several times."""


@dataclass(frozen=True)
class RaceInput:
    """One input and what each side does with it. What both need beforehand is prepared earlier, so
    that it is not timed.

    Attributes:
        differ: (our result, their result) -> how they differ, for people; an empty text if they
            agree.
    """

    name: str
    ours: Callable[[], Any]
    theirs: Callable[[], Any]
    differ: Callable[[Any, Any], str]


@dataclass(frozen=True)
class Race:
    """One job that both sides can do: a row of the table.

    Attributes:
        name: the job and its inputs.
        ours, theirs: a backend or function of ours, and a function of the peer's.
        inputs: (seed) -> the inputs; the same seed gives the same inputs.
    """

    name: str
    ours: str
    theirs: str
    inputs: Callable[[int], Iterator[RaceInput]]


@dataclass(frozen=True)
class InputTimes:
    """The CPU seconds of each side on one input, one for each repeat; none of a peer that was
    stopped, or if a side failed.

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
    def their_s(self) -> float:
        """Their median; a lower bound if they were stopped."""
        return float(np.median(self.theirs)) if self.stopped is None else self.stopped

    @property
    def ratio(self) -> float:
        """Their median seconds divided by ours."""
        return self.their_s / float(np.median(self.ours))


@dataclass(frozen=True)
class RaceResult:
    """What came of a race with a package of some version."""

    peer: str
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
    def ratio(self) -> float | None:
        """The geometric mean of their seconds divided by ours; None if nothing was timed."""
        ratios = [log(each.ratio) for each in self.timed]
        return exp(sum(ratios) / len(ratios)) if ratios else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95% bootstrap interval of `ratio`; None with fewer than three inputs, or if the peer
        was stopped.
        """
        if len(self.timed) < 3 or self.stopped:
            return None
        return bootstrap([(each.ours, each.theirs) for each in self.timed])


def run(race: Race, seed: int, repeats: int, limit: float, peer: str = "") -> RaceResult:
    """Every input of a race, each in a fork of this process; `limit`: seconds that one call of the
    peer may take.
    """
    times: list[InputTimes] = []
    for race_input in race.inputs(seed):
        if not times:
            with suppress(Exception):  # what fails here fails in the fork too, which tells it
                race_input.ours()  # loads our kernels here, once for all forks
        times.append(_measure(race_input, repeats, limit))
    return RaceResult(peer, race, tuple(times))


def _measure(race_input: RaceInput, repeats: int, limit: float) -> InputTimes:
    allowed = Limits(limit * (repeats + 2) + 2 * repeats)
    stopped = call(race_input.theirs, limits=Limits(limit)).status is Status.TIMEOUT
    sides = [race_input.ours] if stopped else [race_input.ours, race_input.theirs]
    ended = call(_timed, sides, repeats, race_input.differ, limits=allowed)
    if ended.status is not Status.OK:
        return InputTimes(
            race_input.name, np.empty(0), np.empty(0), f"{ended.status} {ended.detail}"
        )
    (ours, *theirs), wrong = ended.value
    their_times = np.empty(0) if stopped else theirs[0]
    return InputTimes(race_input.name, ours, their_times, wrong, limit if stopped else None)


def _timed(
    sides: Sequence[Callable[[], Any]], repeats: int, differ: Callable[[Any, Any], str]
) -> tuple[list[NDArray[np.float64]], str]:
    """CPU seconds of each side, repeat by repeat in turn, after a call each that is not counted;
    and how the results differ.
    """
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
    return times, differ(*results) if len(results) == 2 else ""


def table(results: Sequence[RaceResult]) -> Table:
    """CPU seconds, medians over the inputs, and the geometric mean of the ratios."""
    rows = [
        [
            each.peer,
            each.race.name,
            len(each.inputs),
            number_cell(_middle([float(np.median(t.ours)) for t in each.timed]), "s"),
            number_cell(_middle([t.their_s for t in each.timed]), "s", bound=each.stopped),
            ratio_cell(each.ratio, each.interval, each.stopped),
            ratio_cell(min((t.ratio for t in each.timed), default=None)),
            f"{each.race.ours} / {each.race.theirs}",
        ]
        for each in results
    ]
    return Table.of(
        "races, CPU time", ["peer", "job", "inputs", "ours", "theirs", "ratio", "least", "by"], rows
    )


def _middle(values: Sequence[float]) -> float | None:
    return float(np.median(values)) if values else None


def main(words: Sequence[str] | None = None) -> int:
    """Race and print; 1 if something fails or results differ, 2 if nobody is there to race with,
    130 if interrupted.
    """
    parser = argparse.ArgumentParser(prog="python -m benchmarks.races", description=__doc__)
    parser.add_argument(
        "peer",
        nargs="*",
        metavar="PEER",
        help=f"of {', '.join(PEERS)} (default: all that are installed)",
    )
    parser.add_argument(
        "--repeat",
        type=at_least_one,
        default=3,
        metavar="N",
        help="timings of each input (default: 3)",
    )
    parser.add_argument(
        "--seed", type=at_least_zero, default=1, metavar="N", help="the inputs' seed (default: 1)"
    )
    parser.add_argument(
        "--timeout",
        type=positive,
        default=5.0,
        metavar="S",
        help="seconds after which a peer is stopped (default: 5)",
    )
    parser.add_argument("--format", choices=FORMATS, default="table", help="how to print the table")
    options = parser.parse_args(words)
    for name in options.peer:
        if name not in PEERS:
            parser.error(f"unknown peer {name!r}: choose from {', '.join(PEERS)}")
    os.environ.setdefault("TWOFOLD_KERNELS", "compiled")  # as `compare` times them
    results: list[RaceResult] = []
    status = 0
    try:
        for name in options.peer or PEERS:
            package, races = PEERS[name]
            if find_spec(package) is None:
                print(f"{name}: not installed: {install('benchmarks')}", file=sys.stderr)
                continue
            for race in import_module(races).RACES[name]:
                print(f"{name}: {race.name}", file=sys.stderr)
                results.append(
                    run(
                        race,
                        options.seed,
                        options.repeat,
                        options.timeout,
                        f"{name} {version(name)}",
                    )
                )
    except KeyboardInterrupt:
        status = 130
    if not results:
        return status or 2
    sys.stdout.write(render([table(results)], options.format))
    wrong = [
        f"{each.peer} {each.race.name}, {t.name}: {t.wrong}"
        for each in results
        for t in each.inputs
        if t.wrong
    ]
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else status


if __name__ == "__main__":
    sys.exit(ending(main))
