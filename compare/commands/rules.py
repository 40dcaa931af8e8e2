"""`compare rules`: the rules of a puzzle, its formats and a sample."""

from __future__ import annotations

import argparse

import puzzles
from compare.commands.arguments import puzzle_argument
from compare.show.wording import filled, line_width


def arguments(parser: argparse.ArgumentParser) -> None:
    puzzle_argument(parser)


def main(options: argparse.Namespace) -> int:
    """Print what the puzzle says of itself."""
    rules, width = puzzles.find(options.puzzle).rules, line_width()
    print(rules if width is None else filled(rules, width), end="")
    return 0
