"""`compare generate`: boards of a family in the contest's format."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path

import puzzles
from compare.commands.arguments import at_least_one, puzzle_argument, refuse_too_many, seed_argument
from puzzles.text import UserError


def arguments(parser: argparse.ArgumentParser) -> None:
    puzzle_argument(parser)
    parser.add_argument(
        "family", metavar="FAMILY", help="a family of the puzzle; `list` names them"
    )
    parser.add_argument(
        "size",
        metavar="SIZE",
        type=at_least_one,
        help="about SIZE x SIZE cells of a board; `list` says what it means elsewhere",
    )
    seed_argument(parser)
    parser.add_argument(
        "--cases",
        type=at_least_one,
        default=1,
        metavar="T",
        help="how many boards, of consecutive seeds (default: 1)",
    )
    parser.add_argument(
        "--out-dir",
        metavar="DIR",
        help="write FAMILY-SIZE-SEED.in into this folder: one file, or one a board where a file "
        "holds "
        "one",
    )


def main(options: argparse.Namespace) -> int:
    """Print the input file, or write files and print their names."""
    puzzle = puzzles.find(options.puzzle)
    family = puzzle.family(options.family)
    if options.size <= family.most:  # else the family says what is wrong
        refuse_too_many(options.cases, options.size)
    boards = [family.board(options.size, options.seed + case) for case in range(options.cases)]
    if options.out_dir is not None:
        groups = [boards] if puzzle.many_instances else [[board] for board in boards]
        names = [
            f"{options.family}-{options.size}-{options.seed + k}.in" for k in range(len(groups))
        ]
        _write(
            Path(options.out_dir),
            {
                name: puzzle.print_instances(group)
                for name, group in zip(names, groups, strict=True)
            },
        )
        return 0
    if len(boards) > 1 and not puzzle.many_instances:
        raise UserError(
            f"a {puzzle.name} file holds one {puzzle.noun}, not {len(boards)}: --out-dir DIR "
            f"writes one file a {puzzle.noun}"
        )
    try:
        sys.stdout.write(puzzle.print_instances(boards))
    except ValueError as error:
        raise UserError(str(error)) from None
    return 0


def _write(folder: Path, texts: Mapping[str, str]) -> None:
    """Write each text into its file, and print the file's name; a file that is there is not written
    over.
    """
    path = folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            path = folder / name
            with path.open("x") as file:
                file.write(text)
            print(path)
    except OSError as error:
        raise UserError(f"--out-dir {path}: {error.strerror or error}") from None
