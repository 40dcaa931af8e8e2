"""The command line of `models`: the shared one, other people's solvers, and formulas to take away."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import puzzles
from models import SIDE
from models.dimacs import encode, text
from models.external import solver_arguments
from models.proof import refutation
from puzzles.command import output, parser, printed
from puzzles.grid import Board
from puzzles.text import UserError, counted, ending, read_source


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status, as `puzzles.command.main` does."""
    made = parser(SIDE)
    solver_arguments(made, "a SAT solver of python-sat (default: cadical153)")
    made.add_argument("--dimacs", metavar="OUT", help="solve nothing, write a board's self-contained formula (-: standard output)")
    made.add_argument(
        "--proof",
        metavar="DIR",
        help="write each board's formula, and a DRAT proof where it is unsatisfiable, for any checker",
    )
    made.add_argument("--case", type=int, metavar="K", help="which board, counted from 1 (for --dimacs and --proof)")
    made.add_argument("--cell", type=_cell, metavar="R,C", help="ask about one cell, row and column from 1 (for both)")
    options = made.parse_intermixed_args(arguments)
    if options.dimacs is None and options.proof is None:
        if options.case is not None or options.cell is not None:
            made.error("--case and --cell go with --dimacs or --proof")
        return ending(lambda: printed(lambda: output(SIDE, options)))
    if options.dimacs is not None and options.proof is not None:
        made.error("--proof writes the formulas too: leave --dimacs out")
    if options.backend or options.format or options.json or options.svg or options.solver is not None:
        made.error("--dimacs and --proof answer nothing: of the other options they take --case and --cell")
    return ending(lambda: printed(lambda: _dimacs(options) if options.proof is None else _proofs(options)))


def _cell(given: str) -> tuple[int, int]:
    row, comma, column = given.partition(",")
    if not (comma and row.isdecimal() and column.isdecimal()):
        raise argparse.ArgumentTypeError(f"a cell is ROW,COLUMN, counted from 1, not {given!r}")
    return int(row), int(column)


def _boards(options: argparse.Namespace) -> dict[int, Board]:
    """The boards asked about, by their numbers in the file."""
    source, name = read_source(options.file)
    boards = dict(enumerate(puzzles.get(options.puzzle).parse(source, name), 1))
    if options.case is None:
        return boards
    if options.case not in boards:
        raise UserError(f"{name} holds {counted(len(boards), 'board')}, not {options.case}")
    return {options.case: boards[options.case]}


def _dimacs(options: argparse.Namespace) -> str:
    boards = _boards(options)
    if len(boards) != 1:
        raise UserError(f"{options.file or 'standard input'} holds {len(boards)} boards: say which with --case")
    (board,) = boards.values()
    made = text(encode(board, options.cell))
    if options.dimacs == "-":
        return made
    _write(Path(options.dimacs), made)
    return ""


def _proofs(options: argparse.Namespace) -> str:
    """Write the formulas, and the proofs of those that are unsatisfiable; says of each board what came of it."""
    folder, lines = Path(options.proof), []
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise UserError(f"--proof {folder} is not a folder") from None
    except OSError as error:
        raise UserError(f"--proof {folder}: {error.strerror or error}") from None
    for case, board in _boards(options).items():
        encoding = encode(board, options.cell)
        cnf = folder / ("-".join(map(str, (board.puzzle, case, *(options.cell or ())))) + ".cnf")
        _write(cnf, text(encoding))
        proof = cnf.with_suffix(".drat")
        steps = refutation(encoding.formula)
        if steps is None:
            with _writing(proof):
                proof.unlink(missing_ok=True)
            lines.append(f"Case #{case}: satisfiable, so there is no proof: {cnf}\n")
            continue
        _write(proof, "".join(f"{step}\n" for step in steps))
        lines.append(f"Case #{case}: unsatisfiable, {counted(len(steps), 'proof step')}: {cnf} {proof}\n")
    return "".join(lines)


def _write(path: Path, made: str) -> None:
    with _writing(path):
        path.write_text(made)


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UserError(f"{path}: {error.strerror or error}") from None
