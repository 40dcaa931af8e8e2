"""`compare coverage`: which share of what is certain the incomplete backends find, family by family."""

from __future__ import annotations

import argparse

from tabulate import tabulate

import puzzles
from compare.campaign.datasets import Set
from compare.campaign.running import Settings, records, tasks
from compare.commands.run import at_least_one, at_least_zero, positive
from compare.isolate.sandbox import Limits
from compare.show import table
from compare.work.contenders import SIDES, choose
from puzzles.text import UserError


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("puzzle", metavar="PUZZLE", help=", ".join(puzzles.names()))
    parser.add_argument("family", metavar="FAMILY", nargs="*", help="families of the puzzle (default: all; `list` names them)")
    parser.add_argument("--size", type=at_least_one, default=30, metavar="N", help="about N x N cells (default: 30)")
    parser.add_argument("--cases", type=at_least_one, default=20, metavar="T", help="boards a family (default: 20)")
    parser.add_argument("--seed", type=at_least_zero, default=1, metavar="N", help="the first board's seed (default: 1)")
    parser.add_argument("--timeout", type=positive, default=10.0, metavar="S", help="seconds a run (default: 10)")
    parser.add_argument("--format", choices=("table", "markdown"), default="table", help="how to print the table")


def main(options: argparse.Namespace) -> int:
    """The boards of each family on the default direct backend, which is complete, and on every incomplete one."""
    puzzle = puzzles.get(options.puzzle)
    known = [backend for side in SIDES.values() for backend in side.backends(puzzle.name).values()]
    parts = [backend.label for backend in known if not backend.complete]
    if not parts:
        raise UserError(f"every backend of {puzzle.name} is complete")
    seeds = tuple(range(options.seed, options.seed + options.cases))
    names = options.family or [name for name, family in puzzle.families.items() if family.in_contest_format]
    sets = [
        Set(name, tuple(puzzle.family(name).board(options.size, seed) for seed in seeds), family=name, seeds=seeds)
        for name in names
    ]
    taking_part = choose(puzzle, ["direct", *parts], {})
    done = list(records(tasks(sets, taking_part), Settings(Limits(options.timeout), check=False)))
    style = "github" if options.format == "markdown" else "simple"
    shares, left_out, clashes = table.shares(done), table.left_out(done), table.conflicts(done)
    if shares:
        print(tabulate(shares, headers="keys", tablefmt=style, disable_numparse=True), end="\n\n")
    print("\n".join([*left_out, *map(table.describe, clashes), table.verdict(done)]))
    return 1 if clashes else 0
