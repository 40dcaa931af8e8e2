"""`compare recall`: which share of what is certain the incomplete backends find, family by family."""

from __future__ import annotations

import argparse

import puzzles
from compare.campaign.comparison import Comparison
from compare.campaign.datasets import of_family
from compare.campaign.running import records
from compare.campaign.tasks import Settings, plan
from compare.commands.arguments import (
    at_least_one,
    puzzle_argument,
    refuse_too_many,
    seed_argument,
    style_argument,
    timeout_argument,
)
from compare.isolate.outcome import Limits
from compare.show import messages
from compare.show.summary import recall_table, without_recall
from compare.show.table import for_terminal
from compare.work.contenders import backends, choose
from puzzles.text import UserError


def arguments(parser: argparse.ArgumentParser) -> None:
    puzzle_argument(parser)
    parser.add_argument("family", metavar="FAMILY", nargs="*", help="families of the puzzle (default: all; `list` names them)")
    parser.add_argument("--size", type=at_least_one, default=30, metavar="N", help="about N x N cells (default: 30)")
    parser.add_argument("--cases", type=at_least_one, default=20, metavar="T", help="boards a family (default: 20)")
    seed_argument(parser)
    timeout_argument(parser)
    style_argument(parser)


def main(options: argparse.Namespace) -> int:
    """The boards of each family on the default direct backend, which is complete, and on every incomplete one."""
    puzzle = puzzles.get(options.puzzle)
    incomplete = [backend.label for backend in backends(puzzle.name) if not backend.complete]
    if not incomplete:
        raise UserError(f"every backend of {puzzle.name} is complete")
    families = options.family or [name for name, family in puzzle.families.items() if family.in_contest_format]
    refuse_too_many(options.cases * len(families), options.size)
    boards = [(options.size, seed) for seed in range(options.seed, options.seed + options.cases)]
    planned = plan([of_family(puzzle, name, boards) for name in families], choose(puzzle, ["direct", *incomplete], {}))
    comparison = Comparison.of(records(planned, Settings(Limits(options.timeout), check=False)))
    table = recall_table(comparison, puzzle.name)
    if table.rows:
        print(for_terminal(table, options.format), end="\n\n")
    conflicts = map(messages.describe, comparison.conflicts)
    print("\n".join([*without_recall(comparison, puzzle.name), *conflicts, messages.verdict(comparison)]))
    return 1 if comparison.conflict_count else 0
