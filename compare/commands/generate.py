"""`compare generate`: boards of a family in the contest's format."""

from __future__ import annotations

import argparse
import sys

import puzzles
from compare.commands.run import at_least_one, at_least_zero
from puzzles.text import UserError


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("puzzle", metavar="PUZZLE", help=", ".join(puzzles.names()))
    parser.add_argument("family", metavar="FAMILY", help="a family of the puzzle; `list` names them")
    parser.add_argument("size", metavar="SIZE", type=at_least_one, help="about SIZE x SIZE cells")
    parser.add_argument("--seed", type=at_least_zero, default=1, metavar="N", help="the first board's seed (default: 1)")
    parser.add_argument(
        "--cases", type=at_least_one, default=1, metavar="T", help="how many boards, of consecutive seeds (default: 1)"
    )


def main(options: argparse.Namespace) -> int:
    puzzle = puzzles.get(options.puzzle)
    family = puzzle.family(options.family)
    boards = [family.board(options.size, options.seed + case) for case in range(options.cases)]
    try:
        sys.stdout.write(puzzle.print_instances(boards))
    except ValueError as error:
        raise UserError(str(error)) from None
    return 0
