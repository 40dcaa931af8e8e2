"""`compare diff`: the same runs, or the same figures of speed, then and now."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence

import puzzles
from compare.campaign import journal
from compare.commands.arguments import own_puzzles_argument, positive
from compare.measure import differences
from compare.measure.differences import LEAST, Effect, Pair
from compare.measure.speed import speed_changes
from compare.measure.speed.speed_file import is_speed_file, read_speed_file
from compare.show.nouns import noun_of
from compare.show.tables.cells import Cell, Count, Ratio, Seconds, Text
from compare.show.tables.speed_tables import changes_table, lines_table
from compare.show.tables.table import Column, Table, for_terminal
from puzzles.shell.streams import visible
from puzzles.text import UserError

MOST_SHOWN = 10

SPEED_RATIO = 1.25
"""A figure of speed that takes up to this many times as long counts as unchanged: two runs on one machine differ by as much."""

GROUPS: dict[str, Callable[[Pair], tuple[str, ...]]] = {
    "backend": lambda pair: (pair.task.puzzle, pair.task.contender),
    "dataset": lambda pair: (pair.task.puzzle, pair.task.contender, pair.task.dataset),
    "board": lambda pair: (
        pair.task.puzzle,
        pair.task.contender,
        pair.task.dataset,
        pair.task.number,
        pair.task.digest,
    ),
}
"""What a row stands for."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "old", metavar="OLD.jsonl", help="what `run --out` or `speed --out` wrote then; - for records on standard input"
    )
    parser.add_argument("new", metavar="NEW.jsonl", help="what it wrote now")
    parser.add_argument("--by", choices=GROUPS, help="of records: a row for each (default: backend)")
    parser.add_argument(
        "--fail-above",
        type=positive,
        metavar="RATIO",
        help="exit with status 4 where a row is more than RATIO times as slow (and its interval above 1), or no longer ends "
        f"(default: of records never, of figures of speed {SPEED_RATIO:g})",
    )
    own_puzzles_argument(parser)


def main(options: argparse.Namespace) -> int:
    """Print the table of effects; 1 if answers contradict those of then, 4 past `--fail-above`."""
    kinds = [is_speed_file(path) for path in (options.old, options.new)]
    if any(kinds):
        for path, is_speed in zip((options.old, options.new), kinds, strict=True):
            if not is_speed:
                what = "only records can come from standard input" if path == "-" else "it is not a file that `speed --out` wrote"
                raise UserError(f"{path}: the other file has figures of speed, and {what}")
        return _speed_changes(options)
    for path in options.puzzle:
        puzzles.find(path)
    with journal.open_records(options.old) as old, journal.open_records(options.new) as new:
        pairing = differences.pair(old, new)
    pairs = pairing.pairs
    if not pairs:
        raise UserError(f"{options.old} and {options.new} have no instance and backend in common")
    for line in old.header.differences(new.header):
        print(visible(f"warning: {line}"), file=sys.stderr)
    if pairing.parallel:
        print("warning: some runs were timed while others were under way: less reliable", file=sys.stderr)
    effects = differences.effects(pairs, GROUPS[options.by or "backend"])
    print(for_terminal(_table(effects)))
    noun = noun_of(effect.group[0] for effect in effects)
    print(f"\nnew / old, geometric mean over the {noun}s, 95% bootstrap interval; within {LEAST:.0%} is no change")
    if pairing.only_old or pairing.only_new:
        print(f"without a partner, and left out: {pairing.only_old} of {options.old}, {pairing.only_new} of {options.new}")
    contradictions = [pair for pair in pairs if pair.contradicts]
    broken = [pair for pair in pairs if pair.broke]
    _list("CONFLICT: the answers of then and now cannot both be right", contradictions)
    _list("came to its end then and does not now", broken)
    if contradictions:
        return 1
    if options.fail_above is None:
        return 0
    slower = [effect for effect in effects if effect.slower(options.fail_above)]
    for effect in slower:
        group = visible(" ".join(effect.group))
        print(f"REGRESSION: {group} takes {effect.ratio:.3g} times as long, more than {options.fail_above:g}")
    return 4 if slower or broken else 0


def _speed_changes(options: argparse.Namespace) -> int:
    """Print what has become of each figure of speed; 4 where one has become slower, or fails now."""
    if options.by is not None or options.puzzle:
        raise UserError("--by and --puzzle are about records, and these files have figures of speed")
    threshold = options.fail_above or SPEED_RATIO
    old, new = read_speed_file(options.old), read_speed_file(options.new)
    pairs = list(speed_changes.pairs(old.figures, new.figures))
    if not pairs:
        raise UserError(f"{options.old} and {options.new} have no figure in common")
    for line in old.header.differences(new.header):
        print(visible(f"warning: {line}"), file=sys.stderr)
    for then, now in pairs:
        if then.yardstick != now.yardstick:
            print(visible(f"warning: {now.name}: against {then.yardstick} then, {now.yardstick} now"), file=sys.stderr)
    effects = [speed_changes.effect(then, now) for then, now in pairs]
    lines = [change for then, now in pairs if (change := speed_changes.line_change(then, now)) is not None]
    print(for_terminal(changes_table(effects, threshold)))
    if lines:
        print(f"\n{for_terminal(lines_table(lines))}")
    print(f"\nratio: new / old, in units of the yardstick, with its 95% interval; up to {threshold:g} is no change")
    for figures, path in ((old.figures, options.old), (new.figures, options.new)):
        alone = len(figures) - len(pairs)
        if alone:
            print(f"without a partner, and left out: {alone} of {path}")
    slower = [each for each in effects if (each.interval and each.slower(threshold)) or each.broke]
    for each in slower:
        how = "fails now" if each.broke else f"takes {each.ratio:.3g} times as long, more than {threshold:g}"
        print(visible(f"REGRESSION: {' '.join(each.group)} {how}"))
    steeper = [change for change in lines if change.slower]
    for change in steeper:
        print(visible(f"REGRESSION: {change.name} grows as cells^{change.new.exponent:.2f}, and it was {change.old.exponent:.2f}"))
    if not slower and not steeper:
        print("NOTHING SLOWER")
    return 4 if slower or steeper else 0


def _table(effects: Sequence[Effect]) -> Table:
    """A row for each group."""
    names = ["puzzle", "backend", "dataset", "case", "board"][: len(effects[0].group)]
    noun = noun_of(effect.group[0] for effect in effects)
    columns: list[Column[Effect]] = [
        *(
            Column(name, lambda effect, k=k: Text(effect.group[k]), heading=noun if name == "board" else name)
            for k, name in enumerate(names)
        ),
        Column("boards", lambda effect: Count(effect.boards), heading=f"{noun}s"),
        Column("old_s", lambda effect: Seconds(effect.old_s), heading="old"),
        Column("new_s", lambda effect: Seconds(effect.new_s), heading="new"),
        Column("ratio", lambda effect: Ratio(effect.ratio, shown=".3f")),
        Column("interval", _interval),
        Column("verdict", _verdict, heading=""),
    ]
    return Table.of("", columns, effects)


def _interval(effect: Effect) -> Cell:
    return Text("" if effect.interval is None else f"{effect.interval[0]:.3f} to {effect.interval[1]:.3f}")


def _verdict(effect: Effect) -> Cell:
    verdict = "slower" if effect.slower() else "faster" if effect.faster() else "same" if _same(effect) else "unclear"
    parts = [verdict] if effect.ratio is not None else []
    parts += [f"{count} {word}" for count, word in ((effect.broke, "broke"), (effect.mended, "mended")) if count]
    return Text(", ".join(parts))


def _same(effect: Effect) -> bool:
    """The ratio is within the minimum effect, and the interval is at most three times as wide; or the ratio is exactly 1.

    A file and itself have a ratio of exactly 1, however much the repeats vary.
    """
    least = 1 + LEAST
    ratio, interval = effect.ratio or 1.0, effect.interval
    return ratio == 1 or (
        1 / least <= ratio <= least and (interval is None or (interval[0] > least**-3 and interval[1] < least**3))
    )


def _list(title: str, pairs: Sequence[Pair]) -> None:
    for pair in pairs[:MOST_SHOWN]:
        now = "" if pair.contradicts else f": {pair.new.failure}"
        print(visible(f"{title}: {pair.task.contender} on {pair.task}{now}"))
    if len(pairs) > MOST_SHOWN:
        print(f"... and {len(pairs) - MOST_SHOWN} more")
