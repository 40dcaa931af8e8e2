"""`compare diff`: the same runs then and now."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from itertools import chain

import puzzles
from compare.campaign import journal
from compare.commands.arguments import own_puzzles_argument, positive
from compare.measure import differences
from compare.measure.differences import LEAST, Effect, Pair
from compare.show.tables.cells import Cell, count_cell, ratio_cell, seconds_cell, text_cell
from compare.show.tables.table import Column, Table, for_terminal
from compare.show.wording import noun_of
from puzzles.shell.streams import visible
from puzzles.text import UserError

MAX_SHOWN = 10

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
        "files",
        nargs="+",
        metavar="FILE.jsonl",
        help="what `run --out` or `scale --out` wrote then, and what it wrote now; - for standard input",
    )
    parser.add_argument(
        "--new",
        nargs="+",
        default=[],
        metavar="FILE.jsonl",
        help="what it wrote now, if there are several files; all the others are of then",
    )
    parser.add_argument("--by", choices=GROUPS, help="a row for each (default: backend)")
    parser.add_argument(
        "--fail-above",
        type=positive,
        metavar="RATIO",
        help="exit with status 4 where a row is more than RATIO times as slow (and its interval above 1), or no longer ends",
    )
    own_puzzles_argument(parser)


def main(options: argparse.Namespace) -> int:
    """Print the table of effects; 1 if answers contradict those of then, 4 past `--fail-above`."""
    if not options.new and len(options.files) != 2:
        raise UserError(f"diff takes two files, then and now, not {len(options.files)}; of several, name those of now with --new")
    then, now = (options.files, options.new) if options.new else (options.files[:1], options.files[1:])
    for path in options.puzzle:
        puzzles.find(path)
    with ExitStack() as stack:
        old, new = ([stack.enter_context(journal.open_records(path)) for path in side] for side in (then, now))
        pairing = differences.pair(chain.from_iterable(old), chain.from_iterable(new))
    journal.warn_of_torn([*old, *new])
    pairs = pairing.pairs
    if not pairs:
        raise UserError(f"{', '.join(then)} and {', '.join(now)} have no instance and backend in common")
    headers = [(a.header, b.header) for a in old for b in new]
    for line in dict.fromkeys(line for a, b in headers for line in a.differences(b)):
        print(visible(f"warning: {line}"), file=sys.stderr)
    if pairing.parallel:
        print("warning: some runs were timed while others were under way: less reliable", file=sys.stderr)
    effects = differences.effects(pairs, GROUPS[options.by or "backend"])
    print(for_terminal(_table(effects)))
    noun = noun_of(effect.group[0] for effect in effects)
    print(f"\nnew / old, geometric mean over the {noun}s, 95% bootstrap interval; within {LEAST:.0%} is no change")
    if pairing.only_old or pairing.only_new:
        alone = f"{pairing.only_old} of {', '.join(then)}, {pairing.only_new} of {', '.join(now)}"
        print(f"without a partner, and left out: {alone}")
    for word, files in (("then", old), ("now", new)):
        for file in files:
            if file.header.when:
                print(visible(f"{word}: {file.header.when} ({file.name})"))
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


def _table(effects: Sequence[Effect]) -> Table:
    """A row for each group."""
    names = ["puzzle", "backend", "dataset", "case", "board"][: len(effects[0].group)]
    noun = noun_of(effect.group[0] for effect in effects)
    columns: list[Column[Effect]] = [
        *(
            Column(name, lambda effect, k=k: text_cell(effect.group[k]), heading=noun if name == "board" else name)
            for k, name in enumerate(names)
        ),
        Column("boards", lambda effect: count_cell(effect.boards), heading=f"{noun}s"),
        Column("old_s", lambda effect: seconds_cell(effect.old_s), heading="old"),
        Column("new_s", lambda effect: seconds_cell(effect.new_s), heading="new"),
        Column("ratio", lambda effect: ratio_cell(effect.ratio, shown=".3f")),
        Column("interval", _interval),
        Column("verdict", _verdict, heading=""),
    ]
    return Table.of("", columns, effects)


def _interval(effect: Effect) -> Cell:
    return text_cell("" if effect.interval is None else f"{effect.interval[0]:.3f} to {effect.interval[1]:.3f}")


def _verdict(effect: Effect) -> Cell:
    verdict = "slower" if effect.slower() else "faster" if effect.faster() else "same" if _same(effect) else "unclear"
    parts = [verdict] if effect.ratio is not None else []
    parts += [f"{count} {word}" for count, word in ((effect.broke, "broke"), (effect.mended, "mended")) if count]
    return text_cell(", ".join(parts))


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
    for pair in pairs[:MAX_SHOWN]:
        now = "" if pair.contradicts else f": {pair.new.failure}"
        print(visible(f"{title}: {pair.task.contender} on {pair.task}{now}"))
    if len(pairs) > MAX_SHOWN:
        print(f"... and {len(pairs) - MAX_SHOWN} more")
