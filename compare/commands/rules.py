"""`compare rules`: the rules of a puzzle, its formats and a sample."""

from __future__ import annotations

import argparse

import puzzles
from compare.commands.arguments import puzzle_argument


def arguments(parser: argparse.ArgumentParser) -> None:
    puzzle_argument(parser)


def main(options: argparse.Namespace) -> int:
    """Print what the puzzle says of itself."""
    print(puzzles.get(options.puzzle).rules, end="")
    return 0
