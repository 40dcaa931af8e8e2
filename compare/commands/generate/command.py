"""`compare generate`: boards of a family in the contest's format."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

import puzzles
from compare.commands.arguments import CASES, FAMILY, OUTPUT, SEED, refuse_too_many
from puzzles.shell.argument_parser import PUZZLE_ARGUMENT, Argument, ArgumentParser, at_least_one
from puzzles.shell.output_files import whole_file, writing
from puzzles.text import UserError


def arguments(parser: ArgumentParser) -> None:
    parser.add(
        PUZZLE_ARGUMENT,
        Argument(
            "family",
            "a family of the puzzle; `list` names them",
            metavar="FAMILY",
            completer=FAMILY.completer,
        ),
        Argument(
            "size",
            "about SIZE x SIZE cells of a board; `list` says what it means elsewhere",
            metavar="SIZE",
            type=at_least_one,
        ),
        SEED,
        replace(
            CASES, help="how many boards, of consecutive seeds (default: %(default)s)", default=1
        ),
        Argument(
            "--out-dir",
            "write FAMILY-SIZE-SEED.in into this folder: one file, or one a board where a file "
            "holds one (of formula .cnf, of traces .icnf)",
            metavar="DIR",
            group=OUTPUT,
        ),
    )


def main(options: argparse.Namespace) -> int:
    """Print the input file, or write files and print their names; a file that is there is not
    written over.
    """
    puzzle = puzzles.find(options.puzzle)
    family = puzzle.family(options.family)
    if options.size <= family.most:  # else the family says what is wrong
        refuse_too_many(options.cases, options.size, puzzle.noun)
    boards = [family.board(options.size, options.seed + case) for case in range(options.cases)]
    if options.out_dir is not None:
        folder = Path(options.out_dir)
        with writing(f"--out-dir {folder}"):
            folder.mkdir(parents=True, exist_ok=True)
        groups = [boards] if puzzle.many_instances else [[board] for board in boards]
        for number, group in enumerate(groups, options.seed):
            path = folder / f"{options.family}-{options.size}-{number}{group[0].suffix}"
            with writing(f"--out-dir {path}"), whole_file(path, new=True) as file:
                file.write(puzzle.print_instances(group).encode())
            print(path)
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
