"""Figures that are kept from commit to commit, a line of JSON each: what has become slower?

A machine is its processor and its number of cores. Figures of one machine are set against the last
ones that it kept of another commit, so a figure that fell is said until its commit is gone.
"""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

import puzzles
from compare.engine.campaign.header import environment
from compare.show.table import seconds
from puzzles.text import UserError

ROOT = Path(__file__).resolve().parents[1]

FELL = 4 / 5
"""A figure fell if it is less than this share of the last one."""

CASES = 20_000
"""Ordinary boards a puzzle."""


class Figure(msgspec.Struct, frozen=True):
    """A ratio of a race, or the CPU seconds of a command.

    Attributes:
        name: of the race with its peer, or the words of the command.
        seconds: whether it is seconds; else it is how many times as long the peer takes.
    """

    name: str
    value: float
    seconds: bool = False

    def __str__(self) -> str:
        return seconds(self.value) if self.seconds else f"{self.value:.3g} times"

    def share_of(self, last: Figure) -> float:
        """How fast this is, as a share of the last one."""
        return last.value / self.value if self.seconds else self.value / last.value


class Line(msgspec.Struct, frozen=True):
    """A figure, when and where it was measured."""

    commit: str
    machine: str
    started: str
    figure: Figure


def children_s() -> float:
    """The CPU seconds of the processes that this one has started and waited for."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def command_figures(repeats: int) -> list[Figure]:
    """The default run of `compare`, and ordinary boards of each puzzle: the least CPU seconds of so
    many repeats, with those of all processes that a command starts.
    """
    lines = [["run"]]
    for name in puzzles.names():
        words = ["-b", "direct", "-b", "cnf", "--kind", "ordinary", "--cases", str(CASES)]
        lines.append(["fuzz", name, *words])
    figures: list[Figure] = []
    for words in lines:
        print(f"compare {' '.join(words)}", file=sys.stderr)
        taken: list[float] = []
        for _ in range(repeats):
            before = children_s()
            command = [sys.executable, "-m", "compare", *words]
            ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
            if ended.returncode:
                last = ended.stdout.splitlines()[-1:]
                raise UserError(f"compare {' '.join(words)} ends with {ended.returncode}: {last}")
            taken.append(children_s() - before)
        figures.append(Figure(f"compare {' '.join(words)}", min(taken), seconds=True))
    return figures


def keep(path: Path, figures: Sequence[Figure]) -> list[str]:
    """Add figures to a file; returns a sentence for each that fell.

    Raises:
        UserError: a line of the file is none of ours.
    """
    here = environment()
    commit, machine = here.commit or "no commit", f"{here.processor}, {here.cores} cores"
    last: dict[str, Line] = {}
    for number, text in enumerate(path.read_bytes().splitlines() if path.exists() else (), 1):
        try:
            line = msgspec.json.decode(text, type=Line)
        except msgspec.DecodeError as error:
            raise UserError(f"{path}:{number}: no line of figures: {error}") from None
        if line.machine == machine and line.commit != commit:
            last[line.figure.name] = line
    with path.open("ab") as file:
        for figure in figures:
            line = Line(commit, machine, here.started, figure)
            file.write(msgspec.json.encode(line) + b"\n")
    return [
        f"FELL: {figure.name}: {figure}; {before.figure} at {before.commit[:8]}"
        for figure in figures
        if (before := last.get(figure.name)) is not None and figure.share_of(before.figure) < FELL
    ]
