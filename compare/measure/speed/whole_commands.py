"""Whole commands in processes of their own: their start, the default run, fuzzing, and the first run after an installation."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import puzzles
from compare.measure.speed.figure import JobTimes, Part, SpeedFigure
from compare.measure.speed.plan import SpeedJob, SpeedPlan, TimeIsUp
from compare.measure.speed.yardstick import NAME, beside_yardstick
from compare.work.worker import ENVIRONMENT
from puzzles.backend import SIDES
from puzzles.text import abridged

HOME = Path(__file__).resolve().parents[3]
"""The folder that holds our packages."""

PACKAGES = ("puzzles", "direct", "models", "compare")

STARTS = 2
"""Starts of a short command for each repeat of the plan; a single start says little."""

_RATE = re.compile(r"([\d.]+) \w+s a second; seed")


class CommandFailed(Exception):
    """A command that was to be timed failed; the message says how."""


def short_commands() -> list[SpeedJob]:
    """Commands that somebody types often, on the smallest input: most of their time is their start."""
    lines = [("compare", "--help"), ("compare", "list", "beams")]
    for side in SIDES:
        lines += [(side, name, str(_sample(name))) for name in puzzles.names()]
    return [SpeedJob(Part.START, _shown(words), partial(started, words)) for words in lines]


def default_run() -> list[SpeedJob]:
    """`compare` without arguments, and with our algorithms alone."""
    lines = [("compare",), ("compare", "-b", "direct")]
    return [SpeedJob(Part.DEFAULT, _shown(words), partial(defaults, words)) for words in lines]


def fuzzing() -> list[SpeedJob]:
    """Fuzzing of each puzzle by `direct` and `cnf`."""
    return [SpeedJob(Part.FUZZ, name, partial(fuzzed, name)) for name in puzzles.names()]


def compiling() -> list[SpeedJob]:
    """The first run on each puzzle of a new installation: the kernels are compiled."""
    return [SpeedJob(Part.COMPILE, name, partial(first_run, name)) for name in puzzles.names()]


def _sample(puzzle: str) -> Path:
    """The first bundled sample of a puzzle."""
    return min((puzzles.get(puzzle).data / "sample").glob("*.in"))


def _shown(words: tuple[str, ...]) -> str:
    """A command for people; of a path the last part."""
    return f"python -m {' '.join(Path(word).name if Path(word).is_absolute() else word for word in words)}"


def started(words: tuple[str, ...], plan: SpeedPlan) -> list[SpeedFigure]:
    """The seconds of a short command, from its start to its end."""
    return [_figure(Part.START, _shown(words), STARTS * plan.repeats, plan, lambda: _timed(words, plan))]


def defaults(words: tuple[str, ...], plan: SpeedPlan) -> list[SpeedFigure]:
    """The seconds of a whole run."""
    return [_figure(Part.DEFAULT, _shown(words), plan.repeats, plan, lambda: _timed(words, plan))]


def fuzzed(puzzle: str, plan: SpeedPlan) -> list[SpeedFigure]:
    """The seconds are those of one board. Each repeat has other boards."""
    seeds = iter(range(plan.seed, plan.seed + plan.repeats))

    def seconds_a_board() -> float:
        words = ("compare", "fuzz", puzzle, "-b", "direct", "-b", "cnf", "--kind", "ordinary")
        rate = _RATE.search(_output((*words, "--seconds", str(plan.fuzz_s), "--seed", str(next(seeds))), plan, HOME))
        if rate is None:
            raise CommandFailed(f"{_shown(words)} names no rate")
        return 1 / float(rate[1])

    return [_figure(Part.FUZZ, puzzle, plan.repeats, plan, seconds_a_board)]


def first_run(puzzle: str, plan: SpeedPlan) -> list[SpeedFigure]:
    """Compiling takes long, and varies little: it is timed once."""

    def seconds() -> float:
        with _installed_anew() as home:
            return _timed(("compare", "run", puzzle, "-b", "direct", "-k", "sample", "--no-check", "-q"), plan, home)

    return [_figure(Part.COMPILE, puzzle, 1, plan, seconds)]


def _figure(part: Part, name: str, repeats: int, plan: SpeedPlan, seconds: Callable[[], float]) -> SpeedFigure:
    """The figure of a command: all repeats, or as many as the time allows; raises `TimeIsUp` if it does not allow one."""
    job: list[float] = []
    yardstick: list[float] = []
    try:
        for _ in range(repeats):
            took, unit = beside_yardstick(seconds)
            job.append(took)
            yardstick.append(unit)
    except CommandFailed as error:
        return SpeedFigure(part, name, NAME, (), (str(error),))
    except TimeIsUp:
        if not job:
            raise
    return SpeedFigure(part, name, NAME, (JobTimes("", tuple(job), tuple(yardstick)),))


def _timed(words: tuple[str, ...], plan: SpeedPlan, home: Path = HOME) -> float:
    """The wall seconds of a command, from its start to its end."""
    started = perf_counter()
    _output(words, plan, home)
    return perf_counter() - started


def _output(words: tuple[str, ...], plan: SpeedPlan, home: Path) -> str:
    """What a command of ours prints, run in an empty folder as a user runs it; raises `CommandFailed` or `TimeIsUp`."""
    with TemporaryDirectory(prefix="twofold-") as folder:
        try:
            ended = subprocess.run(
                [sys.executable, "-m", *words],
                cwd=folder,
                env={name: value for name, value in os.environ.items() if name not in ENVIRONMENT} | {"PYTHONPATH": str(home)},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=max(plan.left, 1.0),
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise TimeIsUp from None
    if ended.returncode != 0:
        last = "".join([*ended.stdout.splitlines()[-1:], *ended.stderr.splitlines()[-1:]])
        raise CommandFailed(f"{_shown(words)}: exit status {ended.returncode}: {abridged(last)}")
    return ended.stdout


@contextmanager
def _installed_anew() -> Iterator[Path]:
    """A folder with a copy of our packages that nothing was compiled for."""
    with TemporaryDirectory(prefix="twofold-") as folder:
        for name in PACKAGES:
            shutil.copytree(HOME / name, Path(folder) / name, ignore=shutil.ignore_patterns("__pycache__"))
        yield Path(folder)
