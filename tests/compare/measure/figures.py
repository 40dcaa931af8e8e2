"""Figures of speed and files of them, as tests need them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from compare.measure.speed.figure import GrowthLine, JobTimes, Part, SpeedFigure
from compare.measure.speed.speed_file import open_speed_file


def figure(
    seconds: float = 1.0,
    machine: float = 1.0,
    *,
    name: str = "a job",
    repeats: int = 5,
    noise: float = 0.0,
    seed: int = 0,
    wrong: tuple[str, ...] = (),
    line: GrowthLine | None = None,
) -> SpeedFigure:
    """A job that takes `seconds` where the yardstick takes one, on a machine that is `machine` times as slow as another."""
    rng = np.random.default_rng(seed)
    units = machine * rng.lognormal(0, noise, repeats)
    times = seconds * machine * rng.lognormal(0, noise, repeats)
    inputs = () if wrong else (JobTimes("", tuple(times.tolist()), tuple(units.tolist())),)
    return SpeedFigure(Part.FUZZ, name, "the yardstick", inputs, wrong, line=line)


def speed_file(path: Path, *figures: SpeedFigure) -> str:
    """The path of a new file with these figures."""
    with open_speed_file(str(path), ["speed"], overwrite=True) as writer:
        for each in figures:
            writer.add(each)
    return str(path)
