"""`compare encodings`: the models of a puzzle side by side, their sizes and times."""

from __future__ import annotations

import argparse

from tabulate import tabulate

import puzzles
from compare.campaign.datasets import Set
from compare.campaign.record import Record
from compare.campaign.running import Settings, records, tasks
from compare.commands.run import at_least_one, at_least_zero, positive
from compare.isolate.sandbox import Limits, Status
from compare.show import table
from compare.work.contenders import SIDES, choose


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("puzzle", metavar="PUZZLE", help=", ".join(puzzles.names()))
    parser.add_argument("family", metavar="FAMILY", help="a family of the puzzle; `list` names them")
    parser.add_argument("size", metavar="SIZE", type=at_least_one, nargs="+", help="about SIZE x SIZE cells")
    parser.add_argument("-b", "--backend", action="append", default=[], metavar="BACKEND", help="these only (default: all)")
    parser.add_argument("--seed", type=at_least_zero, default=1, metavar="N", help="the boards' seed (default: 1)")
    parser.add_argument("--timeout", type=positive, default=10.0, metavar="S", help="seconds a run (default: 10)")
    parser.add_argument("--format", choices=("table", "markdown"), default="table", help="how to print the table")


def main(options: argparse.Namespace) -> int:
    """One board of each size on every backend, whatever the limits that they set themselves."""
    puzzle = puzzles.get(options.puzzle)
    family = puzzle.family(options.family)
    sets = [
        Set(f"{options.family} {n}", (family.board(n, options.seed),), family=options.family, seeds=(options.seed,))
        for n in options.size
    ]
    every = [backend.label for side in SIDES.values() for backend in side.backends(puzzle.name).values()]
    taking_part = choose(puzzle, options.backend or every, {})
    done = list(records(tasks(sets, taking_part), Settings(Limits(options.timeout), check=False)))
    rows = [_row(record) for record in done]
    style = "github" if options.format == "markdown" else "simple"
    print(tabulate(rows, headers="keys", tablefmt=style, disable_numparse=True, colalign=("left", "left", *["right"] * 6)))
    clashes = table.conflicts(done)
    print("\n".join(["", *map(table.describe, clashes), table.verdict(done)]))
    return 1 if clashes else 0


def _row(record: Record) -> dict[str, str]:
    counts = record.counts or {}
    times = {"build": record.build_s, "solve": record.solve_s, "in all": record.wall_s}
    ended = record.status is Status.OK
    row = {"board": f"{record.set} ({record.size[0]}x{record.size[1]})", "backend": record.backend}
    row |= {name: f"{counts[name]:,}" if counts.get(name) is not None else "" for name in ("variables", "clauses")}
    row |= {name: table.seconds(value) if ended and value is not None else "" for name, value in times.items()}
    return row | {"": "" if ended else str(record.status)}
