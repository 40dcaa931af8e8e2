"""Who is called so, and how sure a ratio of times is: its interval.

The interval is a percentile bootstrap over both levels: the instances, and the repeats of each
instance where they are known (Efron and Tibshirani 1993, chapter 13). With few instances it would
be too narrow, so it is expanded: see `tail_share`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import combinations
from math import sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from puzzles.backend import split_options
from puzzles.text import UserError

SHORTEST_S = 1e-7
"""Seconds; a shorter time counts as this: a ratio needs a time above 0."""

FEWEST = 3
"""Instances, or runs: fewer of them say nothing of an interval."""

MIN_BOARDS = 5
"""The fewest different instances from which one contender is called faster. All of three instances
lie on one side of the median in a quarter of all draws, of five in one of 16.
"""

FEW = 1000
"""Instances; the intervals of groups that have more are those of a normal distribution."""

_RESAMPLES, _RESAMPLES_OF_MANY, _LEVEL = 10_000, 20, 0.95

_AT_ONCE = 1000
"""Resamples that are held in memory."""

_MAX_IN_A_LINE = 5
"""Names of contenders that a message lists in one line."""

SecondsArray = NDArray[np.float64]

RepeatTimes = Sequence[float] | SecondsArray
"""The times of the repeats on one instance, in seconds."""


def called(contenders: Iterable[str], name: str) -> list[str]:
    """The contenders that are called so: `direct:two-sat`, its side `direct`, or `two-sat`. If
    there are none, those with at least these options: `totals`, `totals:card=totalizer`. If there
    are none either, those with all these pieces in their names: `cadical153` of
    `models:sat@cadical153`; `totalizer,glucose4` of `models:x:card=totalizer,solver=glucose4`.
    """
    known = list(contenders)
    return (
        [each for each in known if name == each or name in each.split(":", 1)]
        or [each for each in known if _has_options(each, name)]
        or [each for each in known if _has_pieces(each, name)]
    )


def the_called(contenders: Iterable[str], name: str, option: str) -> str:
    """The one contender that is called so.

    Raises:
        UserError: none is, or several are; it names those that there are. `option`: whose value the
            name is.
    """
    known = list(dict.fromkeys(contenders))
    fitting = called(known, name)
    if len(fitting) == 1:
        return fitting[0]
    if not fitting:
        raise no_contender(option, name, known)
    raise UserError(
        f"{option} {name}: several contenders are called so; name one of them:{_listed(fitting)}"
    )


def no_contender(option: str, name: str, known: Iterable[str]) -> UserError:
    """What is wrong with a name that no contender has."""
    every = list(dict.fromkeys(known))
    return UserError(f"{option} {name}: no contender is called so; there are{_listed(every)}")


def _listed(names: Sequence[str]) -> str:
    """Some names, with a space before; each on a line of its own if there are many."""
    if len(names) <= _MAX_IN_A_LINE:
        return f" {', '.join(names)}"
    return "".join(f"\n  {each}" for each in names)


def _has_options(contender: str, name: str) -> bool:
    try:
        (own, options), (base, wanted) = split_options(contender), split_options(name)
    except UserError:
        return False
    return base in (own, *own.split(":", 1)) and wanted.items() <= options.items()


def _has_pieces(contender: str, name: str) -> bool:
    """Whether all pieces of the name are in the contender's; `card=a` is one, and so are its two
    halves in the contender.
    """
    wanted, options = (set(re.split("[:@,]", each)) - {""} for each in (name, contender))
    halves = {half for option in options for half in option.split("=")}
    return bool(wanted) and wanted <= options | halves


def tail_share(boards: int) -> float:
    """The share of the resamples that an interval leaves out at each end.

    Resamples of few boards differ less than few boards do. So the interval goes farther out than to
    the middle 95% of them: as far as the interval of Student's t would for as many boards
    (Hesterberg, "What Teachers Should Know About the Bootstrap", The American Statistician 69,
    2015: the expanded percentile interval). The quantile of t is that of the expansion 26.7.5 of
    Abramowitz and Stegun (1964). A single board has only its repeats, and the middle 95%.
    """
    z, free = NormalDist().inv_cdf((1 + _LEVEL) / 2), boards - 1
    if not free:
        return (1 - _LEVEL) / 2
    t = (
        z
        + (z**3 + z) / (4 * free)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * free**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * free**3)
    )
    return NormalDist().cdf(-sqrt(boards / free) * t)


def bootstrap(timed: Sequence[tuple[RepeatTimes, RepeatTimes]]) -> tuple[float, float]:
    """The interval of the geometric mean of the ratios of medians, second to first of each; the
    same for the same pairs in any order.

    The mean over many instances is as good as normal, so more than `FEW` of them need no resamples
    of the instances: the standard deviation over instances and resamples of their repeats says the
    interval. O(resamples x runs), with few resamples if there are many instances; numbers in
    memory: `FEW` times 1000.
    """
    rng = np.random.default_rng(0)
    in_order = sorted((sorted(old), sorted(new)) for old, new in timed)

    def logs_of(resamples: int) -> SecondsArray:
        return np.stack(
            [
                np.log(_medians(new, rng, resamples)) - np.log(_medians(old, rng, resamples))
                for old, new in in_order
            ]
        )

    if len(timed) <= FEW:
        means: list[SecondsArray] = []
        repeated = any(len(times) > 1 for pair in in_order for times in pair)
        same = None if repeated else logs_of(1)[:, 0]  # in each resample
        for _ in range(_RESAMPLES // _AT_ONCE):
            chosen = rng.integers(0, len(timed), (len(timed), _AT_ONCE))
            if same is None:
                drawn = np.take_along_axis(logs_of(_AT_ONCE), chosen, axis=0)
            else:
                drawn = same[chosen]
            means.append(drawn.mean(axis=0))
        tail = tail_share(len(timed))
        low, high = np.quantile(np.concatenate(means), [tail, 1 - tail])
    else:
        low, high = _of_normal(logs_of(_RESAMPLES_OF_MANY))
    return float(np.exp(low)), float(np.exp(high))


def told_apart(scores: SecondsArray) -> NDArray[np.bool_]:
    """Of each two contenders, whether the interval of the difference of their mean scores leaves
    out 0; a symmetric matrix. With fewer boards than `MIN_BOARDS` nobody is told apart.

    The interval is that of `tail_share` over the boards, the same ones drawn for all. Of more than
    `FEW` boards the mean is as good as normal. O(resamples x contenders x boards).

    Args:
        scores: of shape (contenders, boards), all on the same boards.
    """
    contenders, boards = scores.shape
    apart = np.zeros((contenders, contenders), np.bool_)
    if boards < MIN_BOARDS:
        return apart
    rng, means, tail = np.random.default_rng(0), np.zeros((0, contenders)), tail_share(boards)
    if boards <= FEW:
        resample = np.arange(_AT_ONCE)[:, None]
        for _ in range(_RESAMPLES // _AT_ONCE):
            drawn = resample * boards + rng.integers(0, boards, (_AT_ONCE, boards))
            counts = np.bincount(drawn.ravel(), minlength=_AT_ONCE * boards)
            means = np.vstack([means, counts.reshape(_AT_ONCE, boards) @ scores.T / boards])
    for a, b in combinations(range(contenders), 2):
        if boards <= FEW:
            low, high = np.quantile(means[:, a] - means[:, b], [tail, 1 - tail])
        else:
            low, high = _of_normal(scores[a] - scores[b])
        apart[a, b] = apart[b, a] = low > 0 or high < 0
    return apart


def _of_normal(values: SecondsArray) -> tuple[float, float]:
    """The interval of a mean over many instances, each a row: it is as good as normal."""
    reach = NormalDist().inv_cdf((1 + _LEVEL) / 2) * values.std() / sqrt(len(values))
    return values.mean() - reach, values.mean() + reach


def _medians(times: RepeatTimes, rng: np.random.Generator, resamples: int) -> SecondsArray:
    """The medians of resamples of the repeats."""
    if len(times) == 1:
        return np.full(resamples, times[0])
    drawn = rng.integers(0, len(times), (resamples, len(times)))
    return np.median(np.array(times)[drawn], axis=1)
