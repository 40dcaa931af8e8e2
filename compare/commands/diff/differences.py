"""Two files of records against each other: the same runs, then and now.

A pair is an instance and a contender that both files have. Its effect is the ratio of the medians
over its repeats, new to old. The effect of a group of pairs is the geometric mean; its interval is
that of `compare/engine/campaign/ratios.py`. An effect is real if the interval excludes 1 and the
ratio differs from 1 by at least the minimum effect: with many runs even the smallest change is
significant, but it is of no importance.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import geometric_mean, median

from msgspec.structs import replace as with_fields

from compare.engine.campaign.comparison import processor_share
from compare.engine.campaign.ratios import FEWEST, MIN_BOARDS, SHORTEST_S, bootstrap
from compare.engine.isolate.outcome import Status
from compare.engine.work.result import Relation, Result, Stance, relate

LEAST = 0.05
"""The minimum effect: a ratio that differs from 1 by less than this counts as no change."""


@dataclass(slots=True)
class Runs:
    """The runs of one contender on one instance in one file.

    Attributes:
        seconds: wall times of the runs that ended well.
        cpu_seconds: CPU times of those of them that say it.
        failure: how the last run that did not end well ended; empty if there is none.
    """

    seconds: tuple[float, ...] = ()
    cpu_seconds: tuple[float, ...] = ()
    failure: str = ""

    def add(self, result: Result) -> None:
        if result.status is not Status.OK:
            self.failure = f"{result.status} {result.reason}"
        elif result.is_refuted:
            self.failure = "REFUTED"
        elif result.usage.wall_s is not None:
            self.seconds += (max(result.usage.wall_s, SHORTEST_S),)
            if result.usage.cpu_s is not None:
                self.cpu_seconds += (max(result.usage.cpu_s, SHORTEST_S),)


@dataclass(slots=True)
class Pair:
    """The runs of one contender on one instance, old and new.

    Attributes:
        first: the first new run, without what it claims and without its texts.
        contradicts: the answers of then and now cannot both be right.
    """

    first: Result
    old: Runs
    new: Runs
    contradicts: bool = False

    def group(self, by: str) -> tuple[str, ...]:
        """What it has in common with the pairs of its group; `by`: one of `EFFECT_GROUPS`."""
        first = self.first
        names = first.puzzle, first.contender, first.dataset, first.number, first.digest
        return names[: EFFECT_GROUPS[by]]

    @property
    def solved_by_both(self) -> bool:
        """Whether its times can be compared."""
        return not (self.old.failure or self.new.failure or self.contradicts)

    @property
    def broke(self) -> bool:
        """Whether a run ended well in the old records, and does not in the new ones."""
        return bool(self.new.failure and not self.old.failure)

    @property
    def mended(self) -> bool:
        """Whether a run ends well in the new records, and did not in the old ones."""
        return bool(self.old.failure and not self.new.failure)


@dataclass(frozen=True)
class Pairing:
    """Two files of records, run by run.

    Attributes:
        only_old, only_new: how many instances and contenders of the old and of the new file have no
            partner.
        parallel: some runs were timed while others were under way.
    """

    pairs: list[Pair]
    only_old: int
    only_new: int
    parallel: bool

    @property
    def contradictions(self) -> list[Pair]:
        """The pairs whose answers contradict each other."""
        return [each for each in self.pairs if each.contradicts]

    @property
    def broke(self) -> list[Pair]:
        """The pairs whose run ended well in the old records, and does not in the new ones."""
        return [each for each in self.pairs if each.broke]

    @property
    def processor_share(self) -> float | None:
        """As that of a `Comparison`, of all runs that ended well and say their CPU time."""
        sides = [runs for each in self.pairs for runs in (each.old, each.new)]
        return processor_share(
            times
            for runs in sides
            if len(runs.cpu_seconds) == len(runs.seconds)
            for times in zip(runs.cpu_seconds, runs.seconds, strict=True)
        )


_Key = tuple[str, str, str | None, str]
"""Puzzle, contender, solver and digest: what the two runs of a pair have in common."""


def pair(old: Iterable[Result], new: Iterable[Result]) -> Pairing:
    """The pairs of two files. The records are taken one by one, first the old ones; of those only
    times and claims are kept.

    Skipped runs, answers that existed already, and starts with a whole file take no part.
    """
    parallel: set[bool] = set()

    def taking_part(results: Iterable[Result]) -> Iterator[tuple[_Key, Stance | None, Result]]:
        for each in results:
            parallel.add(each.parallel)
            timed = each.usage.wall_s is not None or each.status is not Status.OK
            if each.together == 1 and each.status.was_run and timed:
                yield (each.puzzle, each.contender, each.solver, each.digest), each.stance, each

    earlier: dict[_Key, Runs] = {}
    stances: dict[_Key, Stance] = {}
    previous: Stance | None = None
    for key, stance, result in taking_part(old):
        earlier.setdefault(key, Runs()).add(result)
        if stance is not None and key not in stances:
            # contenders that take turns mostly give the same answer
            previous = previous if previous is not None and stance.same(previous) else stance
            stances[key] = previous
    pairs: dict[_Key, Pair] = {}
    alone: set[_Key] = set()
    for key, stance, result in taking_part(new):
        if key not in earlier:
            alone.add(key)
            continue
        if key not in pairs:
            pairs[key] = Pair(_short(result), earlier[key], Runs())
        matched = pairs[key]
        matched.new.add(result)
        if stance is not None and key in stances:
            matched.contradicts = (
                relate(result.puzzle, stances.pop(key), stance) is Relation.CONFLICT
            )
            if matched.contradicts:
                matched.first = with_fields(matched.first, text=result.text)
    return Pairing(list(pairs.values()), len(earlier) - len(pairs), len(alone), True in parallel)


def _short(result: Result) -> Result:
    """The result without what it claims and without its texts, which takes little memory."""
    return with_fields(result, claims=None, exact=None, text=None, answer=None)


TOO_FEW = "too few"
"""The verdict on an effect that rests on too few boards, or runs."""

EFFECT_GROUPS = {"backend": 2, "dataset": 3, "board": 5}
"""What an effect may be about: so many of puzzle, contender, dataset, case and digest."""


@dataclass(frozen=True)
class Effect:
    """How the time of a group of pairs has changed.

    Attributes:
        group: what the pairs have in common, for people.
        old_s, new_s: the medians over the pairs that have times on both sides.
        ratio: the geometric mean of the ratios of these pairs, new to old; None if there are none.
        interval: the 95% bootstrap interval of the ratio; None with fewer than three pairs, unless
            each has three runs on both sides, and None of the same runs.
        broke, mended: how many pairs no longer end well, and how many only now do.
        contradicted: in how many pairs the answers of then and now cannot both be right.
        samples: what the ratio rests on: so many boards, or of a single board so many runs.
        same_runs: old and new have the same times, run by run, so they are the same records.
    """

    group: tuple[str, ...]
    boards: int
    broke: int
    mended: int
    old_s: float | None = None
    new_s: float | None = None
    ratio: float | None = None
    interval: tuple[float, float] | None = None
    contradicted: int = 0
    samples: int = 0
    same_runs: bool = False

    @property
    def is_of_board(self) -> bool:
        """Whether it is about a single board, so that runs are its samples."""
        return len(self.group) == EFFECT_GROUPS["board"]

    @property
    def says_enough(self) -> bool:
        """Whether it may be said who is faster, or that nobody is."""
        return self.samples >= MIN_BOARDS

    def slower(self, than: float = 1 + LEAST) -> bool:
        """Whether it is really slower by this factor: the whole interval, if there is one, lies
        above 1.
        """
        return (
            self.ratio is not None
            and self.ratio > than
            and (self.interval is None or self.interval[0] > 1)
        )

    @property
    def verdict(self) -> str:
        """`slower` and `faster` if that is certain, `same` if all of the interval is within the
        minimum effect, `unclear`, or `too few` samples to say; `the same runs`; empty without a
        ratio.
        """
        least, ratio = 1 + LEAST, self.ratio
        if ratio is None:
            return ""
        if self.same_runs:
            return "the same runs"
        if not self.says_enough:
            return TOO_FEW
        low, high = self.interval or (ratio, ratio)
        if ratio > least and low > 1:
            return "slower"
        if ratio < 1 / least and high < 1:
            return "faster"
        return "same" if 1 / least <= low and high <= least else "unclear"


def effects(pairs: Sequence[Pair], by: str = "backend", *, cpu: bool = False) -> list[Effect]:
    """The effect of each group of pairs, in the order of their first pairs; the same pairs give the
    same intervals.

    Args:
        by: one of `EFFECT_GROUPS`.
        cpu: on the CPU time, not on the wall time.
    """
    groups: dict[tuple[str, ...], list[Pair]] = {}
    for pair in pairs:
        groups.setdefault(pair.group(by), []).append(pair)
    return [_effect(name, members, cpu=cpu) for name, members in groups.items()]


def _effect(name: tuple[str, ...], members: Sequence[Pair], *, cpu: bool) -> Effect:
    broke, mended = sum(each.broke for each in members), sum(each.mended for each in members)
    contradicted = sum(each.contradicts for each in members)
    effect = Effect(name, len(members), broke, mended, contradicted=contradicted)
    times = [
        (each.old.cpu_seconds, each.new.cpu_seconds)
        if cpu
        else (each.old.seconds, each.new.seconds)
        for each in members
        if each.solved_by_both
    ]
    times = [(old, new) for old, new in times if old and new]
    if not times:
        return effect
    medians = [(median(old), median(new)) for old, new in times]
    old_s, new_s = (median(side) for side in zip(*medians, strict=True))
    repeats = min(len(runs) for pair in times for runs in pair)
    is_enough = len(times) >= FEWEST or repeats >= FEWEST
    same_runs = all(old == new for old, new in times)
    interval = bootstrap(times) if is_enough and not same_runs else None
    return replace(
        effect,
        old_s=old_s,
        new_s=new_s,
        ratio=geometric_mean(new / old for old, new in medians),
        interval=interval,
        samples=repeats if effect.is_of_board else len(times),
        same_runs=same_runs,
    )
