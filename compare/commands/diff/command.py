"""`compare diff`: the same runs then and now."""

from __future__ import annotations

import argparse
from itertools import chain

from compare.commands.arguments import OUTPUT, OWN_RECORDS, recorded
from compare.commands.diff import differences
from compare.commands.diff.words import differences_text
from compare.show.wording import warn
from puzzles.shell.argument_parser import Argument, ArgumentParser, positive
from puzzles.text import UserError


def arguments(parser: ArgumentParser) -> None:
    parser.add(
        Argument(
            "files",
            "what `--out` of run, scale or stress wrote then, and what it wrote now; - for "
            "standard input",
            metavar="FILE.jsonl",
            nargs="+",
        ),
        Argument(
            "--new",
            "what it wrote now, if there are several files; all the others are of then",
            metavar="FILE.jsonl",
            nargs="+",
            default=[],
        ),
        Argument("--by", "a row for each (default: backend)", choices=differences.GROUPS),
        Argument(
            "--fail-above",
            "exit with status 4 where a row is more than RATIO times as slow (and its interval "
            "above 1), or no longer ends",
            metavar="RATIO",
            type=positive,
            group=OUTPUT,
        ),
        OWN_RECORDS,
    )


def main(options: argparse.Namespace) -> int:
    """Print the table of effects; 1 if answers contradict those of then, 4 past `--fail-above`."""
    if not options.new and len(options.files) != 2:
        raise UserError(
            f"diff takes two files, then and now, not {len(options.files)}; of several, name "
            "those of now with --new"
        )
    then, now = (
        (options.files, options.new) if options.new else (options.files[:1], options.files[1:])
    )
    with recorded([*then, *now], options.puzzle) as every:
        old, new = every[: len(then)], every[len(then) :]
        pairing = differences.pair(chain.from_iterable(old), chain.from_iterable(new))
    names = ", ".join(then), ", ".join(now)
    if not pairing.pairs:
        raise UserError(f"{names[0]} and {names[1]} have no instance and backend in common")
    headers = [(a.header, b.header) for a in old for b in new]
    differing = dict.fromkeys(line for a, b in headers for line in a.differences(b))
    warn(*(f"warning: {line}" for line in differing))
    if pairing.parallel:
        warn("warning: some runs were timed while others were under way: less reliable")
    effects = differences.effects(pairing.pairs, options.by or "backend")
    files = [
        (word, file.name, file.header.when)
        for word, side in (("then", old), ("now", new))
        for file in side
    ]
    print(differences_text(pairing, effects, *names, files, options.fail_above), end="")
    if any(pair.contradicts for pair in pairing.pairs):
        return 1
    if options.fail_above is None:
        return 0
    worse = any(pair.broke for pair in pairing.pairs) or any(
        effect.slower(options.fail_above) for effect in effects
    )
    return 4 if worse else 0
