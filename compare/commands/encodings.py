"""`compare encodings`: the models of a puzzle side by side, the sizes of their formulas and their times."""

from __future__ import annotations

import argparse

import puzzles
from compare.campaign.comparison import Comparison
from compare.campaign.datasets import of_family
from compare.campaign.running import records
from compare.campaign.tasks import Settings, plan
from compare.commands.arguments import at_least_one, puzzle_argument, seed_argument, style_argument, timeout_argument
from compare.isolate.outcome import Limits
from compare.show import messages
from compare.show.summary import sizes_table
from compare.show.table import for_terminal
from compare.work.contenders import backends, choose


def arguments(parser: argparse.ArgumentParser) -> None:
    puzzle_argument(parser)
    parser.add_argument("family", metavar="FAMILY", help="a family of the puzzle; `list` names them")
    parser.add_argument("size", metavar="SIZE", type=at_least_one, nargs="+", help="about SIZE x SIZE cells")
    parser.add_argument("-b", "--backend", action="append", default=[], metavar="BACKEND", help="these only (default: all)")
    seed_argument(parser)
    timeout_argument(parser)
    style_argument(parser)


def main(options: argparse.Namespace) -> int:
    """One board of each size on every backend, above the backends' default limits too."""
    puzzle, family = puzzles.get(options.puzzle), options.family
    datasets = [of_family(puzzle, family, [(size, options.seed)], f"{family} {size}") for size in options.size]
    taking_part = choose(puzzle, options.backend or [backend.label for backend in backends(puzzle.name)], {})
    comparison = Comparison.of(records(plan(datasets, taking_part), Settings(Limits(options.timeout), check=False)))
    print(for_terminal(sizes_table(comparison, puzzle.name), options.format))
    print("\n".join(["", *map(messages.describe, comparison.conflicts), messages.verdict(comparison)]))
    return 1 if comparison.conflict_count else 0
