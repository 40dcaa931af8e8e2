"""`compare generate`: boards of a family in the contest's format."""

from __future__ import annotations

import argparse
import sys

import puzzles
from compare.commands.arguments import at_least_one, puzzle_argument, refuse_too_many, seed_argument
from puzzles.text import UserError


def arguments(parser: argparse.ArgumentParser) -> None:
    puzzle_argument(parser)
    parser.add_argument("family", metavar="FAMILY", help="a family of the puzzle; `list` names them")
    parser.add_argument("size", metavar="SIZE", type=at_least_one, help="about SIZE x SIZE cells")
    seed_argument(parser)
    parser.add_argument(
        "--cases", type=at_least_one, default=1, metavar="T", help="how many boards, of consecutive seeds (default: 1)"
    )


def main(options: argparse.Namespace) -> int:
    """Print the input file."""
    puzzle = puzzles.get(options.puzzle)
    family = puzzle.family(options.family)
    if options.size <= family.most:  # else the family says what is wrong
        refuse_too_many(options.cases, options.size)
    boards = [family.board(options.size, options.seed + case) for case in range(options.cases)]
    try:
        sys.stdout.write(puzzle.print_instances(boards))
    except ValueError as error:
        raise UserError(str(error)) from None
    return 0
