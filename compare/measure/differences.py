"""Two files of records against each other: the same runs, then and now.

A pair is an instance and a contender that both files have. Its effect is the ratio of the medians over its repeats, new to old.
The effect of a group of pairs is the geometric mean. The interval is a percentile bootstrap over both levels: the instances of
the group, and the repeats of each instance (Efron and Tibshirani 1993, chapter 13). An effect is real if the interval excludes
1 and the ratio differs from 1 by at least the minimum effect: with many runs even the smallest change is significant, but it
is of no importance. With few instances and repeats the interval is too narrow.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import exp, log, sqrt
from statistics import NormalDist, median

import numpy as np
from numpy.typing import NDArray

from compare.campaign.record import Record, TaskIdentity
from compare.campaign.relation import Relation, Stance, relate
from compare.isolate.outcome import Status
from compare.work.job import Run

LEAST = 0.05
"""The minimum effect: a ratio that differs from 1 by less than this counts as no change."""

FEW = 1000
"""Instances; the intervals of groups that have more are those of a normal distribution."""

_RESAMPLES, _RESAMPLES_OF_MANY, _LEVEL = 2000, 20, 0.95
_SHORTEST_S = 1e-7

SecondsArray = NDArray[np.float64]

Times = Sequence[float] | SecondsArray


@dataclass(slots=True)
class Runs:
    """The runs of one contender on one instance in one file.

    Attributes:
        seconds: wall times of the runs that ended well.
        failure: how the last run that did not end well ended; empty if there is none.
    """

    seconds: tuple[float, ...] = ()
    failure: str = ""

    @property
    def ended(self) -> bool:
        """Every run ended well."""
        return not self.failure

    def add(self, run: Run) -> None:
        if run.status is not Status.OK:
            self.failure = f"{run.status} {run.detail}"
        elif run.usage.wall_s is not None:
            self.seconds += (max(run.usage.wall_s, _SHORTEST_S),)


@dataclass(slots=True)
class Pair:
    """The runs of one contender on one instance, old and new.

    Attributes:
        task: of the first new run.
        contradicts: the answers of then and now cannot both be right.
    """

    task: TaskIdentity
    old: Runs
    new: Runs
    contradicts: bool = False

    @property
    def comparable(self) -> bool:
        """Both sides have times: every run ended well."""
        return self.old.ended and self.new.ended

    @property
    def ratio(self) -> float:
        """New median seconds to old."""
        return median(self.new.seconds) / median(self.old.seconds)

    @property
    def broke(self) -> bool:
        """It ended well then and does not now."""
        return self.old.ended and not self.new.ended

    @property
    def mended(self) -> bool:
        """It ends well now and did not then."""
        return self.new.ended and not self.old.ended


@dataclass(frozen=True)
class Pairing:
    """Two files of records, run by run.

    Attributes:
        only_old, only_new: how many instances and contenders of the old and of the new file have no partner.
        parallel: some runs were timed while others were under way.
    """

    pairs: list[Pair]
    only_old: int
    only_new: int
    parallel: bool


@dataclass(slots=True)
class _Half:
    """What is known of a pair before both files are read.

    Attributes:
        stance: the first old answer that claims something, compressed; None without one, and as soon as it has been related.
        pair: None before the first new run.
    """

    runs: Runs
    stance: bytes | None = None
    pair: Pair | None = None


def pair(old: Iterable[Record], new: Iterable[Record]) -> Pairing:
    """The pairs of two files. The records are taken one by one, first the old ones; none is kept.

    Skipped runs, answers that existed already, and starts with a whole file take no part.
    """
    halves: dict[tuple[str, str, str | None], dict[str, _Half]] = {}
    previous = packed = b""
    pairs: list[Pair] = []
    alone: set[tuple[str, str, str | None, str]] = set()
    parallel = False
    for record in old:
        parallel |= record.parallel
        task = record.task
        if _takes_part(record):
            half = halves.setdefault((task.puzzle, task.contender, task.solver), {}).setdefault(task.digest, _Half(Runs()))
            half.runs.add(record.run)
            if half.stance is None and record.stance is not None:
                if (flat := _flat(record.stance)) != previous:  # contenders that take turns mostly give the same answer
                    previous, packed = flat, zlib.compress(flat, 1)
                half.stance = packed
    for record in new:
        parallel |= record.parallel
        task = record.task
        if not _takes_part(record):
            continue
        half = halves.get((task.puzzle, task.contender, task.solver), {}).get(task.digest)
        if half is None:
            alone.add((task.puzzle, task.contender, task.solver, task.digest))
            continue
        if half.pair is None:
            half.pair = Pair(task, half.runs, Runs())
            pairs.append(half.pair)
        half.pair.new.add(record.run)
        if half.stance is not None and record.stance is not None:
            half.pair.contradicts = _contradicts(task.puzzle, half.stance, record.stance)
            half.stance = None
    only_old = sum(half.pair is None for group in halves.values() for half in group.values())
    return Pairing(pairs, only_old, len(alone), parallel)


def _takes_part(record: Record) -> bool:
    status, timed = record.run.status, record.run.usage.wall_s is not None
    return record.task.together == 1 and status is not Status.SKIPPED and (timed or status is not Status.OK)


def _flat(stance: Stance) -> bytes:
    """A stance as bytes: a line of JSON, then the claims, in one byte each if they are small. Equal stances have equal bytes."""
    claims = stance.claims
    small = claims.astype(np.int8)
    dtype, data = ("<i1", small) if np.array_equal(small, claims) else ("<i8", claims)
    return json.dumps([stance.complete, stance.exact, dtype], sort_keys=True).encode() + b"\n" + data.tobytes()


def _contradicts(puzzle: str, packed: bytes, stance: Stance) -> bool:
    """Whether the old answer, flat and compressed, and the new one cannot both be right."""
    flat = zlib.decompress(packed)
    if flat == _flat(stance):
        return False
    line, _, data = flat.partition(b"\n")
    complete, exact, dtype = json.loads(line)
    claims = np.frombuffer(data, dtype).astype(np.int64)
    return relate(puzzle, Stance(claims, complete, exact), stance) is Relation.CONFLICT


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
    old_s, new_s = (
        exp(sum(log(median(runs.seconds)) for runs in side) / len(timed))
        for side in ([pair.old for pair in timed], [pair.new for pair in timed])
    )
    runs = min(sum(len(pair.old.seconds) for pair in timed), sum(len(pair.new.seconds) for pair in timed))
    interval = bootstrap([(pair.old.seconds, pair.new.seconds) for pair in timed], rng) if runs >= 3 else None
    return Effect(name, len(members), old_s, new_s, new_s / old_s, interval, broke, mended)


def bootstrap(timed: Sequence[tuple[Times, Times]], rng: np.random.Generator, few: int = FEW) -> tuple[float, float]:
    """The interval of the geometric mean of the ratios of medians, second to first of each.

    The mean over many instances is as good as normal, so more than `few` of them need no resamples of the instances: the
    standard deviation over instances and resamples of their repeats says the interval. O(resamples x runs), with few resamples
    if there are many instances; numbers in memory: `few` times the resamples.
    """
    if len(timed) <= few:
        logs = np.stack([_log_ratios(old, new, rng, _RESAMPLES) for old, new in timed])
        chosen = rng.integers(0, len(timed), (len(timed), _RESAMPLES))
        means = np.take_along_axis(logs, chosen, axis=0).mean(axis=0)
        low, high = np.quantile(means, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2])
    else:
        logs = np.stack([_log_ratios(old, new, rng, _RESAMPLES_OF_MANY) for old, new in timed])
        reach = NormalDist().inv_cdf((1 + _LEVEL) / 2) * logs.std() / sqrt(len(timed))
        low, high = logs.mean() - reach, logs.mean() + reach
    return float(np.exp(low)), float(np.exp(high))


def _log_ratios(old: Times, new: Times, rng: np.random.Generator, resamples: int) -> SecondsArray:
    """The logarithms of the ratios of medians of resampled repeats, new to old."""
    return np.log(_medians(new, rng, resamples)) - np.log(_medians(old, rng, resamples))


def _medians(times: Times, rng: np.random.Generator, resamples: int) -> SecondsArray:
    """The medians of resamples of the repeats."""
    if len(times) == 1:
        return np.full(resamples, times[0])
    ordered = np.sort(np.array(times)[rng.integers(0, len(times), (resamples, len(times)))], axis=1)
    return (ordered[:, (len(times) - 1) // 2] + ordered[:, len(times) // 2]) / 2
