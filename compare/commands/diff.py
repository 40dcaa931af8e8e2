"""`compare diff`: the same runs, then and now."""

from __future__ import annotations

import argparse
import sys

from tabulate import tabulate

from compare.campaign import journal
from compare.commands.run import positive
from compare.measure import differences
from compare.measure.differences import Effect, Pair
from compare.show.table import seconds, where
from puzzles.text import UserError

MOST_SHOWN = 10

GROUPS = {
    "backend": lambda pair: (pair.first.puzzle, pair.first.backend),
    "set": lambda pair: (pair.first.puzzle, pair.first.backend, pair.first.set),
    "board": lambda pair: (pair.first.puzzle, pair.first.backend, pair.first.set, pair.first.number, pair.first.digest),
}
"""What a row stands for."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("old", metavar="OLD.jsonl", help="what `run --out` wrote then; - for standard input")
    parser.add_argument("new", metavar="NEW.jsonl", help="what it wrote now")
    parser.add_argument("--by", choices=list(GROUPS), default="backend", help="a row for each (default: backend)")
    parser.add_argument(
        "--fail-above",
        type=positive,
        metavar="RATIO",
        help="exit with status 4 where a row is more than RATIO times as slow (and its interval above 1), or no longer ends",
    )


def main(options: argparse.Namespace) -> int:
    """Print the table of effects; 1 where answers contradict those of then, 4 past `--fail-above`."""
    old, new = journal.read(options.old), journal.read(options.new)
    found, only_old, only_new = differences.pairs(old.records, new.records)
    if not found:
        raise UserError(f"{options.old} and {options.new} have no board and backend in common")
    for line in differences.differences(old.header, new.header):
        print(f"warning: {line}", file=sys.stderr)
    if any(record.parallel for record in (*old.records, *new.records)):
        print("warning: some runs were timed while others were under way: less reliable", file=sys.stderr)
    effects = differences.effects(found, GROUPS[options.by])
    titles = ["puzzle", "backend", "set", "case", "board"][: len(effects[0].group)]
    print(tabulate([dict(zip(titles, effect.group, strict=True)) | _cells(effect) for effect in effects], headers="keys"))
    print(f"\nnew / old, geometric mean over the boards, 95% bootstrap interval; within {differences.LEAST:.0%} is no change")
    if only_old or only_new:
        print(f"without a partner, and left out: {only_old} of {options.old}, {only_new} of {options.new}")
    contradictions = [pair for pair in found if pair.contradicts]
    broken = [pair for pair in found if pair.broke]
    _list("CONFLICT: the answers of then and now cannot both be right", contradictions)
    _list("came to its end then and does not now", broken)
    if contradictions:
        return 1
    if options.fail_above is None:
        return 0
    slower = [effect for effect in effects if effect.slower(options.fail_above)]
    for effect in slower:
        print(f"REGRESSION: {' '.join(effect.group)} takes {effect.ratio:.3g} times as long, more than {options.fail_above:g}")
    return 4 if slower or broken else 0


def _cells(effect: Effect) -> dict[str, str]:
    verdict = "slower" if effect.slower() else "faster" if effect.faster() else "same" if _same(effect) else "unclear"
    parts = [verdict] if effect.ratio is not None else []
    parts += [f"{count} {word}" for count, word in ((effect.broke, "broke"), (effect.mended, "mended")) if count]
    return {
        "boards": str(effect.boards),
        "old": "" if effect.old_s is None else seconds(effect.old_s),
        "new": "" if effect.new_s is None else seconds(effect.new_s),
        "ratio": "" if effect.ratio is None else f"{effect.ratio:.3f}",
        "interval": "" if effect.interval is None else f"{effect.interval[0]:.3f} to {effect.interval[1]:.3f}",
        "": ", ".join(parts),
    }


def _same(effect: Effect) -> bool:
    """The ratio is within the minimum effect, and the interval no wider than three times that effect; or it is exactly 1.

    It is so of a file and itself, however widely the repeats scatter.
    """
    least = 1 + differences.LEAST
    ratio, interval = effect.ratio or 1.0, effect.interval
    return ratio == 1 or (
        1 / least <= ratio <= least and (interval is None or (interval[0] > least**-3 and interval[1] < least**3))
    )


def _list(title: str, found: list[Pair]) -> None:
    for pair in found[:MOST_SHOWN]:
        now = "" if pair.contradicts else f": {pair.new[-1].status} {pair.new[-1].detail}"
        print(f"{title}: {pair.first.backend} on {where(pair.first)}{now}")
    if len(found) > MOST_SHOWN:
        print(f"... and {len(found) - MOST_SHOWN} more")
