"""Races with other packages and programs: both sides do the same job on the same inputs, in turn in
one process, and must agree.

`python -m benchmarks.races [PEER ...] [--programs DIR]`, in the root of a checkout; `pip install -e
'.[benchmarks]'` installs the packages, or `--peers DIR` names an environment that has them. The
ratios are kept, and it is said which of them fell.
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
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import peers
from benchmarks.kept import Figure, command_figures, keep
from compare.engine.campaign.ratios import bootstrap
from compare.engine.isolate.child import call
from compare.engine.isolate.outcome import Limits, Status
from compare.show.table import FORMATS, Table, number_cell, ratio_cell, render
from puzzles.extras import install
from puzzles.shell.argument_parser import at_least_one, at_least_zero, positive
from puzzles.shell.exit_status import returns_exit_status

PEERS = {
    "networkx": ("networkx", "benchmarks.formulas"),
    "scipy": ("scipy", "benchmarks.formulas"),
    "ac-library-python": ("atcoder", "benchmarks.formulas"),
    "ms_toollib": ("ms_toollib", "benchmarks.probabilities"),
    "cpmpy": ("cpmpy", "benchmarks.modelling"),
    "python-sat": ("pysat", "benchmarks.modelling"),
    "numpy": ("numpy", "benchmarks.fixed_work"),
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
        their_clock: the CPU seconds that their calls have taken so far.
    """

    name: str
    ours: Callable[[], Any]
    theirs: Callable[[], Any]
    differ: Callable[[Any, Any], str]
    their_clock: Callable[[], float] = process_time


@dataclass(frozen=True)
class Race:
    """One job that both sides can do: a row of the table.

    Attributes:
        name: the job and its inputs.
        ours, theirs: a backend or function of ours, and a function of the peer's.
        inputs: (seed) -> the inputs; the same seed gives the same inputs.
        repeats: the fewest timings of each input.
    """

    name: str
    ours: str
    theirs: str
    inputs: Callable[[int], Iterator[RaceInput]]
    repeats: int = 1


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
    """What came of a race with a package of some version, or with a program."""

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
        times.append(_measure(race_input, max(repeats, race.repeats), limit))
    return RaceResult(peer, race, tuple(times))


def _measure(race_input: RaceInput, repeats: int, limit: float) -> InputTimes:
    allowed = Limits(limit * (repeats + 2) + 2 * repeats)
    stopped = call(race_input.theirs, limits=Limits(limit)).status is Status.TIMEOUT
    sides: list[Side] = [(race_input.ours, process_time)]
    if not stopped:
        sides.append((race_input.theirs, race_input.their_clock))
    ended = call(_timed, sides, repeats, race_input.differ, limits=allowed)
    if ended.status is not Status.OK:
        return InputTimes(
            race_input.name, np.empty(0), np.empty(0), f"{ended.status} {ended.detail}"
        )
    (ours, *theirs), wrong = ended.value
    their_times = np.empty(0) if stopped else theirs[0]
    return InputTimes(race_input.name, ours, their_times, wrong, limit if stopped else None)


Side = tuple[Callable[[], Any], Callable[[], float]]
"""A call, and the clock of its CPU seconds."""


def _timed(
    sides: Sequence[Side], repeats: int, differ: Callable[[Any, Any], str]
) -> tuple[list[NDArray[np.float64]], str]:
    """CPU seconds of each side, repeat by repeat in turn, after a call each that is not counted;
    and how the results differ.
    """
    results, calls = [], []
    for side, clock in sides:
        results.append(side())
        started = clock()
        side()
        calls.append(max(1, round(SHORTEST_S / max(clock() - started, 1e-7))))
    times = [np.empty(repeats) for _ in sides]
    for repeat in range(repeats):
        for (side, clock), number, own in zip(sides, calls, times, strict=True):
            started = clock()
            for _ in range(number):
                side()
            own[repeat] = (clock() - started) / number
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


def races_with(names: Sequence[str], folder: Path | None) -> Iterator[tuple[str, Race]]:
    """The races with packages that are installed, then with the programs of a folder; beside each
    the peer with its version.
    """
    for name in names:
        package, module = PEERS[name]
        if find_spec(package) is None:
            print(f"{name}: not installed: {install('benchmarks')}", file=sys.stderr)
            continue
        for race in import_module(module).RACES[name]:
            yield f"{name} {version(name)}", race
    if folder is not None:
        with TemporaryDirectory(prefix="twofold-") as compiled:
            yield from import_module("benchmarks.programs").races_of(folder, Path(compiled))


@returns_exit_status
def main(words: Sequence[str] | None = None) -> int:
    """Race, print, and keep the figures; 1 if something fails or results differ, 2 if nobody is
    there to race with, 4 if a figure fell, 130 if interrupted.
    """
    parser = argparse.ArgumentParser(prog="python -m benchmarks.races", description=__doc__)
    parser.add_argument(
        "peer",
        nargs="*",
        metavar="PEER",
        help=f"of {', '.join(PEERS)} (default: all that are installed; with --programs none)",
    )
    parser.add_argument(
        "--programs",
        type=Path,
        metavar="DIR",
        help="a folder of C++ programs to race with; then the default run and fuzzing are timed, "
        "too",
    )
    peers.add_argument(parser)
    parser.add_argument(
        "--keep",
        type=Path,
        default=Path(__file__).with_name("kept.jsonl"),
        metavar="FILE",
        help="where figures are kept, by commit and machine (default: benchmarks/kept.jsonl)",
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
    peers.use(options.peers)
    results: list[RaceResult] = []
    commands: list[Figure] = []
    status = 0
    names = options.peer or ([] if options.programs else list(PEERS))
    try:
        for peer, race in races_with(names, options.programs):
            print(f"{peer}: {race.name}", file=sys.stderr)
            results.append(run(race, options.seed, options.repeat, options.timeout, peer))
        if options.programs:
            commands = command_figures(options.repeat)
    except KeyboardInterrupt:
        status = 130
    if not results:
        return status or 2
    tables = [table(results)]
    if commands:
        rows = [[each.name, number_cell(each.value, "s")] for each in commands]
        tables.append(Table.of("commands, CPU time", ["command", "seconds"], rows))
    sys.stdout.write(render(tables, options.format))
    wrong = [
        f"{each.peer} {each.race.name}, {t.name}: {t.wrong}"
        for each in results
        for t in each.inputs
        if t.wrong
    ]
    for line in wrong:
        print(line, file=sys.stderr)
    if wrong or status:
        return 1 if wrong else status
    ratios = [
        Figure(
            f"{each.peer}: {each.race.name}"
            + (f", stopped at {options.timeout:g} s" if each.stopped else ""),
            each.ratio,
        )
        for each in results
        if each.ratio is not None
    ]
    fell = keep(options.keep, [*ratios, *commands])
    for line in fell:
        print(line, file=sys.stderr)
    return 4 if fell else 0


if __name__ == "__main__":
    sys.exit(main())
