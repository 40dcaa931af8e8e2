"""Two files of records against each other: the same runs, then and now.

A pair is an instance and a contender that both files have. Its effect is the ratio of the medians over its repeats, new to old.
The effect of a group of pairs is the geometric mean. The interval is a percentile bootstrap over both levels: the instances of
the group, and the repeats of each instance (Efron and Tibshirani 1993, chapter 13). An effect is real if the interval excludes
1 and the ratio differs from 1 by at least the minimum effect: with many runs even the smallest change is significant, but it
is of no importance. With few instances and repeats the interval is too narrow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import exp, log

import numpy as np
from numpy.typing import NDArray

from compare.campaign.record import Record
from compare.campaign.relation import Relation, relate
from compare.isolate.outcome import Status

LEAST = 0.05
"""The minimum effect: a ratio that differs from 1 by less than this counts as no change."""

_RESAMPLES, _LEVEL = 2000, 0.95
_SHORTEST_S = 1e-7

PairKey = tuple[str, str, str, str | None]
"""Puzzle, digest of the instance, contender, solver."""

SecondsArray = NDArray[np.float64]


@dataclass(frozen=True)
class Pair:
    """The runs of one contender on one instance, old and new."""

    old: tuple[Record, ...]
    new: tuple[Record, ...]

    @property
    def first(self) -> Record:
        return self.new[0]

    @property
    def comparable(self) -> bool:
        """Both sides have times: every run ended well."""
        return all(each.run.status is Status.OK and each.run.usage.wall_s is not None for each in (*self.old, *self.new))

    @property
    def ratio(self) -> float:
        """New median seconds to old."""
        old, new = (np.median(_seconds(runs)) for runs in (self.old, self.new))
        return float(new / old)

    @property
    def contradicts(self) -> bool:
        """The answers of then and now cannot both be right."""
        old, new = (next((each.stance for each in records if each.stance is not None), None) for records in (self.old, self.new))
        return old is not None and new is not None and relate(self.first.task.puzzle, old, new) is Relation.CONFLICT

    @property
    def broke(self) -> bool:
        """It ended well then and does not now."""
        return _ended(self.old) and not _ended(self.new)

    @property
    def mended(self) -> bool:
        """It ends well now and did not then."""
        return _ended(self.new) and not _ended(self.old)


def _ended(records: Sequence[Record]) -> bool:
    return all(record.run.status is Status.OK for record in records)


def _seconds(records: Iterable[Record]) -> SecondsArray:
    return np.maximum(np.array([record.run.usage.wall_s for record in records], float), _SHORTEST_S)


def pairs(old: Iterable[Record], new: Iterable[Record]) -> tuple[list[Pair], int, int]:
    """The pairs, and how many instances and contenders of the old and of the new file have no partner.

    Skipped runs and answers that existed already take no part.
    """
    before, after = _grouped(old), _grouped(new)
    both = [Pair(tuple(before[key]), tuple(records)) for key, records in after.items() if key in before]
    return both, len(before) - len(both), len(after) - len(both)


def _grouped(records: Iterable[Record]) -> dict[PairKey, list[Record]]:
    groups: dict[PairKey, list[Record]] = {}
    for record in records:
        task, run = record.task, record.run
        if run.status is not Status.SKIPPED and (run.usage.wall_s is not None or run.status is not Status.OK):
            groups.setdefault((task.puzzle, task.digest, task.contender, task.solver), []).append(record)
    return groups


@dataclass(frozen=True)
class Effect:
    """How the time of a group of pairs has changed.

    Attributes:
        group: what the pairs have in common, for people.
        ratio: the geometric mean of new to old; None if no pair has times on both sides.
        interval: the 95% bootstrap interval of the ratio; None with fewer than three runs on a side.
        broke, mended: how many pairs no longer end well, and how many only now do.
    """

    group: tuple[str, ...]
    boards: int
    old_s: float | None
    new_s: float | None
    ratio: float | None
    interval: tuple[float, float] | None
    broke: int
    mended: int

    def slower(self, than: float = 1 + LEAST) -> bool:
        """Whether it is really slower by this factor: the whole interval, if there is one, lies above 1."""
        return self.ratio is not None and self.ratio > than and (self.interval is None or self.interval[0] > 1)

    def faster(self, than: float = 1 / (1 + LEAST)) -> bool:
        """Whether it is really faster by this factor: the whole interval, if there is one, lies below 1."""
        return self.ratio is not None and self.ratio < than and (self.interval is None or self.interval[1] < 1)


def effects(pairs: Sequence[Pair], group: Callable[[Pair], tuple[str, ...]], seed: int = 0) -> list[Effect]:
    """The effect of each group of pairs, in the order of their first pairs; the same seed gives the same intervals."""
    groups: dict[tuple[str, ...], list[Pair]] = {}
    for pair in pairs:
        groups.setdefault(group(pair), []).append(pair)
    return [_effect(name, members, np.random.default_rng(seed)) for name, members in groups.items()]


def _effect(name: tuple[str, ...], members: Sequence[Pair], rng: np.random.Generator) -> Effect:
    timed = [pair for pair in members if pair.comparable]
    broke, mended = sum(pair.broke for pair in members), sum(pair.mended for pair in members)
    if not timed:
        return Effect(name, len(members), None, None, None, None, broke, mended)
    medians = [[float(np.median(_seconds(runs))) for runs in (pair.old, pair.new)] for pair in timed]
    old_s, new_s = (exp(sum(map(log, side)) / len(timed)) for side in zip(*medians, strict=True))
    runs = min(sum(len(pair.old) for pair in timed), sum(len(pair.new) for pair in timed))
    times = [(_seconds(pair.old), _seconds(pair.new)) for pair in timed]
    interval = bootstrap(times, rng) if runs >= 3 else None
    return Effect(name, len(members), old_s, new_s, new_s / old_s, interval, broke, mended)


def bootstrap(timed: Sequence[tuple[SecondsArray, SecondsArray]], rng: np.random.Generator) -> tuple[float, float]:
    """The interval of the geometric mean of the ratios of medians, second to first of each; O(resamples x runs)."""
    logs = np.stack([np.log(_medians(new, rng)) - np.log(_medians(old, rng)) for old, new in timed])
    chosen = rng.integers(0, len(timed), (len(timed), _RESAMPLES))
    means = np.take_along_axis(logs, chosen, axis=0).mean(axis=0)
    low, high = np.quantile(means, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2])
    return float(np.exp(low)), float(np.exp(high))


def _medians(times: SecondsArray, rng: np.random.Generator) -> SecondsArray:
    """The medians of as many resamples of the repeats."""
    return np.median(times[rng.integers(0, times.size, (_RESAMPLES, times.size))], axis=1)
