"""Two files of records against each other: the same runs, then and now.

A board and backend that both files have is a pair. Its effect is the ratio of the medians over its repeats, new to old; the
effect of a group of pairs is the geometric mean. The interval is a percentile bootstrap over both levels, the boards of
the group and the repeats of each board (Efron and Tibshirani 1993, chapter 13). An effect is real where the interval
excludes 1 and the ratio is at least the minimum effect away from 1: with many runs the smallest change is significant, and
is still of no importance. With few boards and repeats the interval is too narrow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import exp, log

import numpy as np
from numpy.typing import NDArray

import puzzles
from compare.campaign.record import Record
from compare.campaign.relation import Relation, Stance, relate
from compare.isolate.sandbox import Status

LEAST = 0.05
"""The minimum effect: a ratio nearer to 1 than this, either way, counts as no change."""

_RESAMPLES, _LEVEL = 2000, 0.95
_SHORTEST_S = 1e-7

Key = tuple[str, str, str, str | None]
Seconds = NDArray[np.float64]


@dataclass(frozen=True)
class Pair:
    """The runs of one backend on one board, old and new."""

    old: tuple[Record, ...]
    new: tuple[Record, ...]

    @property
    def first(self) -> Record:
        return self.new[0]

    @property
    def comparable(self) -> bool:
        """Both sides have times: every run came to its end."""
        return all(run.status is Status.OK and run.wall_s is not None for run in (*self.old, *self.new))

    @property
    def ratio(self) -> float:
        """New median seconds to old."""
        old, new = (np.median(_seconds(runs)) for runs in (self.old, self.new))
        return float(new / old)

    @property
    def contradicts(self) -> bool:
        """The answers of then and now cannot both be right."""
        old, new = (next((run for run in runs if run.claims is not None), None) for runs in (self.old, self.new))
        if old is None or new is None or old.claims is None or new.claims is None:
            return False
        first_claim_is_consistency = puzzles.get(old.puzzle).first_claim_is_consistency
        stances = Stance(old.claims, old.complete, old.exact or {}), Stance(new.claims, new.complete, new.exact or {})
        return relate(*stances, first_claim_is_consistency=first_claim_is_consistency) is Relation.CONFLICT

    @property
    def broke(self) -> bool:
        """It came to its end then and does not now."""
        return _ended(self.old) and not _ended(self.new)

    @property
    def mended(self) -> bool:
        return _ended(self.new) and not _ended(self.old)


def _ended(runs: Sequence[Record]) -> bool:
    return all(run.status is Status.OK for run in runs)


def _seconds(runs: Iterable[Record]) -> Seconds:
    return np.maximum(np.array([run.wall_s for run in runs], float), _SHORTEST_S)


def pairs(old: Iterable[Record], new: Iterable[Record]) -> tuple[list[Pair], int, int]:
    """The pairs of board and backend, and how many of either file have no partner; what was skipped takes no part."""
    before, after = _grouped(old), _grouped(new)
    both = [Pair(tuple(before[key]), tuple(runs)) for key, runs in after.items() if key in before]
    return both, len(before) - len(both), len(after) - len(both)


def _grouped(records: Iterable[Record]) -> dict[Key, list[Record]]:
    found: dict[Key, list[Record]] = {}
    for record in records:
        if record.status is not Status.SKIPPED and (record.wall_s is not None or record.status is not Status.OK):
            found.setdefault((record.puzzle, record.digest, record.backend, record.solver), []).append(record)
    return found


@dataclass(frozen=True)
class Effect:
    """How the time of a group of pairs has changed.

    Attributes:
        group: what the pairs have in common, for people.
        ratio: geometric mean of new to old; None where no pair has times on both sides.
        interval: 95% bootstrap interval of the ratio; None with less than three runs a side in all.
        broke, mended: pairs that no longer, or only now, come to their end.
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
        """Really slower than so many times: where there is an interval, it lies above 1 as a whole."""
        return self.ratio is not None and self.ratio > than and (self.interval is None or self.interval[0] > 1)

    def faster(self, than: float = 1 / (1 + LEAST)) -> bool:
        return self.ratio is not None and self.ratio < than and (self.interval is None or self.interval[1] < 1)


def effects(found: Sequence[Pair], group: Callable[[Pair], tuple[str, ...]], seed: int = 0) -> list[Effect]:
    """The effect of each group of pairs, in the order of their first pairs; the same seed gives the same intervals."""
    groups: dict[tuple[str, ...], list[Pair]] = {}
    for pair in found:
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


def bootstrap(timed: Sequence[tuple[Seconds, Seconds]], rng: np.random.Generator) -> tuple[float, float]:
    """The interval of the geometric mean of the ratios of medians, second to first of each; O(resamples x runs)."""
    logs = np.stack([np.log(_medians(new, rng)) - np.log(_medians(old, rng)) for old, new in timed])
    chosen = rng.integers(0, len(timed), (len(timed), _RESAMPLES))
    means = np.take_along_axis(logs, chosen, axis=0).mean(axis=0)
    low, high = np.quantile(means, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2])
    return float(np.exp(low)), float(np.exp(high))


def _medians(times: Seconds, rng: np.random.Generator) -> Seconds:
    """The medians of as many resamples of the repeats."""
    return np.median(times[rng.integers(0, times.size, (_RESAMPLES, times.size))], axis=1)


def differences(old: dict[str, object], new: dict[str, object]) -> list[str]:
    """In what the headers of two files differ that times depend on, a line each."""
    lines = [
        f"{name}: {old.get(name)} then, {new.get(name)} now"
        for name in ("machine", "processor", "cores", "memory", "os", "python", "jobs", "limits", "executor")
        if old.get(name) != new.get(name)
    ]
    before, after = old.get("versions"), new.get("versions")
    before, after = before if isinstance(before, dict) else {}, after if isinstance(after, dict) else {}
    for package in dict.fromkeys([*before, *after]):
        if before.get(package) != after.get(package):
            lines.append(f"{package}: {before.get(package) or 'missing'} then, {after.get(package) or 'missing'} now")
    return lines
