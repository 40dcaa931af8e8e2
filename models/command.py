"""The command line of `models`: the shared one, other people's solvers, and formulas to take away."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import puzzles
from models import SIDE
from models.dimacs import encode, text
from puzzles.command import ending, output, parser
from puzzles.text import UserError, read_source


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status, as `puzzles.command.main` does."""
    made = parser(SIDE)
    made.add_argument(
        "--solver-command",
        dest="solver",
        metavar="C",
        help="a program that solves DIMACS, such as 'kissat {cnf}', or 'minisat {cnf} {out}' where it writes its model to a file",
    )
    made.add_argument("--dimacs", metavar="OUT", help="solve nothing, write a board's self-contained formula (-: standard output)")
    made.add_argument("--case", type=int, metavar="K", help="which board, counted from 1 (for --dimacs)")
    made.add_argument("--cell", type=_cell, metavar="R,C", help="ask about one cell, row and column from 1 (for --dimacs)")
    options = made.parse_args(arguments)
    if options.dimacs is None:
        if options.case is not None or options.cell is not None:
            made.error("--case and --cell go with --dimacs")
        return ending(lambda: output(SIDE, options))
    if options.backend or options.format or options.json or options.svg or options.solver:
        made.error("--dimacs solves nothing: of the other options it takes --case and --cell")
    return ending(lambda: _dimacs(options))


def _cell(given: str) -> tuple[int, int]:
    row, comma, column = given.partition(",")
    if not (comma and row.isdecimal() and column.isdecimal()):
        raise argparse.ArgumentTypeError(f"a cell is ROW,COLUMN, counted from 1, not {given!r}")
    return int(row), int(column)


def _dimacs(options: argparse.Namespace) -> str:
    source, name = read_source(options.file)
    boards = puzzles.get(options.puzzle).parse(source, name)
    case = options.case or 1
    if options.case is None and len(boards) > 1:
        raise UserError(f"{name} holds {len(boards)} boards: say which with --case")
    if not 1 <= case <= len(boards):
        raise UserError(f"{name} holds {len(boards)} boards, not {case}")
    made = text(encode(boards[case - 1], options.cell))
    if options.dimacs == "-":
        return made
    try:
        Path(options.dimacs).write_text(made)
    except OSError as error:
        raise UserError(f"{options.dimacs}: {error.strerror or error}") from None
    return ""
