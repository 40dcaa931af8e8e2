"""What has become slower between two files of figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import exp, log
from statistics import median

import numpy as np

from compare.measure.differences import Effect, bootstrap
from compare.measure.speed.figure import GrowthLine, SpeedFigure

LEAST_EXPONENT = 0.1
"""A growth exponent that differs by less counts as the same."""

LEAST_RUNS = 3
"""Runs on each side below which a ratio has no interval."""


@dataclass(frozen=True)
class LineChange:
    """How the growth of one job has changed."""

    name: str
    old: GrowthLine
    new: GrowthLine

    @property
    def slower(self) -> bool:
        """Whether time really grows faster now: the intervals do not overlap, and the exponents differ enough."""
        return self.new.low > self.old.high and self.new.exponent > self.old.exponent + LEAST_EXPONENT

    @property
    def faster(self) -> bool:
        """Whether time really grows more slowly now."""
        return self.new.high < self.old.low and self.new.exponent < self.old.exponent - LEAST_EXPONENT


def pairs(old: Sequence[SpeedFigure], new: Sequence[SpeedFigure]) -> Iterator[tuple[SpeedFigure, SpeedFigure]]:
    """The figures that both files have, in the order of the new one."""
    before = {(figure.part, figure.name): figure for figure in old}
    for figure in new:
        if (figure.part, figure.name) in before:
            yield before[figure.part, figure.name], figure


def effect(old: SpeedFigure, new: SpeedFigure) -> Effect:
    """How the cost of a job has changed: its seconds in units of the yardstick, on the inputs that both figures have.

    An input on which a yardstick was stopped takes no part. The seconds are the geometric means of the medians as they were
    measured, whatever the machine.
    """
    before = {each.input: each for each in old.inputs if each.costs}
    both = [(before[each.input], each) for each in new.inputs if each.costs and each.input in before]
    broke, mended = int(bool(new.wrong) and not old.wrong), int(bool(old.wrong) and not new.wrong)
    group = (str(new.part), new.name)
    if not both:
        return Effect(group, 0, None, None, None, None, broke, mended)
    timed = [(then.costs, now.costs) for then, now in both]
    ratio = _geometric_mean([median(now) / median(then) for then, now in timed])
    runs = min(sum(len(then) for then, _ in timed), sum(len(now) for _, now in timed))
    interval = bootstrap(timed, np.random.default_rng(0)) if runs >= LEAST_RUNS else None
    old_s, new_s = (_geometric_mean([each.seconds for each in side]) for side in zip(*both, strict=True))
    return Effect(group, len(both), old_s, new_s, ratio, interval, broke, mended)


def line_change(old: SpeedFigure, new: SpeedFigure) -> LineChange | None:
    """How the growth of a job has changed; None unless both figures know it."""
    return None if old.line is None or new.line is None else LineChange(new.name, old.line, new.line)


def _geometric_mean(values: Sequence[float]) -> float:
    return exp(sum(map(log, values)) / len(values))
