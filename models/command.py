"""The command line of `models`: the shared options, external solvers, and formulas and proofs
written to files.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import replace
from pathlib import Path

import puzzles
from models import SIDE
from models.backend_encoding import asked_formula, written_encoding
from models.dimacs import text as dimacs_text
from models.proofs.refutation import proof_solver, refutation
from models.python_file import load_plugin
from models.solvers.solver_names import CPSAT_WORKERS, DEFAULT_SOLVER, OTHER_KINDS, SOLVER_ARGUMENT
from puzzles.backend import Unsupported
from puzzles.grid import Board
from puzzles.shell.argument_parser import Argument, at_least_one
from puzzles.shell.exit_status import returns_exit_status
from puzzles.shell.output_files import write_file, writing
from puzzles.shell.shared_command import output, parser, print_text
from puzzles.text import UserError, count_noun, read_source, whole_number


@returns_exit_status
def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status, as `puzzles.shell.shared_command.main`
    does.
    """
    options_parser = parser(SIDE)
    options_parser.add(
        replace(
            SOLVER_ARGUMENT,
            help=f"a SAT solver of python-sat (default: {DEFAULT_SOLVER}); with --proof, who "
            f"writes the proofs; {OTHER_KINDS}",
        ),
        CPSAT_WORKERS,
        Argument(
            "--dimacs",
            "write the formula that the backend asks its SAT solver first, before it is solved "
            "(-: standard output)",
            metavar="OUT",
            is_written=True,
        ),
        Argument(
            "--proof",
            "write each board's formula, and a DRAT proof as text where it is unsatisfiable, for "
            "any checker",
            metavar="DIR",
        ),
        Argument(
            "--case",
            "which board, counted from 1 (for --dimacs and --proof)",
            metavar="K",
            type=at_least_one,
        ),
        Argument(
            "--cell",
            "ask about one cell, row and column from 1 (for both)",
            metavar="R,C",
            type=_cell,
        ),
        Argument(
            "--plugin",
            "a Python file that registers backends; it runs in this process, without limits (may "
            "be repeated)",
            metavar="FILE",
            repeatable=True,
            is_read=True,
        ),
    )
    options = options_parser.read(arguments)
    if options.plugin and options.backend is None:
        options_parser.error(
            "--plugin registers backends: say with --backend which of them is meant"
        )
    if options.dimacs is None and options.proof is None:
        if options.case is not None or options.cell is not None:
            options_parser.error("--case and --cell go with --dimacs or --proof")
    elif options.dimacs is not None and options.proof is not None:
        options_parser.error("--proof writes the formulas too: leave --dimacs out")
    elif options.answer_format or options.json or options.svg or options.cpsat_workers:
        options_parser.error(
            "--dimacs and --proof answer nothing: of the other options they take --backend, "
            "--plugin, --case and --cell"
        )
    return print_text(lambda: _print(options))


def _print(options: argparse.Namespace) -> str:
    puzzles.find(options.puzzle)  # a plugin may be for a puzzle of one's own, which is loaded here
    _load(options.plugin)
    if options.proof is not None:
        return _proofs(options)
    return output(SIDE, options) if options.dimacs is None else _dimacs(options)


def _load(plugins: Sequence[str]) -> None:
    """Import files that register backends.

    What they print goes to standard error, since answers and formulas go to the other.
    """
    for path in plugins:
        try:
            with redirect_stdout(sys.stderr):
                load_plugin(path)
        except UserError as error:
            raise UserError(f"--plugin {error}") from None


def _cell(text: str) -> tuple[int, int]:
    row, column = map(whole_number, text.partition(",")[::2])
    if row is None or column is None:
        raise argparse.ArgumentTypeError(f"a cell is ROW,COLUMN, counted from 1, not {text[:40]!r}")
    return row, column


def _boards(options: argparse.Namespace) -> dict[int, Board]:
    """The boards of the file, or the one that `--case` picks, by their numbers in the file."""
    source, name = read_source(options.file)
    puzzle = puzzles.find(options.puzzle)
    boards = dict(enumerate(puzzle.parse(source, name), 1))
    if options.case is None:
        return boards
    if options.case not in boards:
        raise UserError(f"{name} holds {count_noun(len(boards), puzzle.noun)}, not {options.case}")
    return {options.case: boards[options.case]}


@contextmanager
def _about(case: int) -> Iterator[None]:
    """Say which board a refusal is about.

    What a plugin prints meanwhile is no formula: it goes to standard error.
    """
    try:
        with redirect_stdout(sys.stderr):
            yield
    except Unsupported as reason:
        raise Unsupported(f"case {case}: {reason}") from None


def _dimacs(options: argparse.Namespace) -> str:
    """The formula of one board, to be printed; empty if it went to a file."""
    boards = _boards(options)
    if len(boards) != 1:
        noun = puzzles.find(options.puzzle).noun
        raise UserError(
            f"{options.file or 'standard input'} holds {len(boards)} {noun}s: say which with --case"
        )
    ((case, board),) = boards.items()
    with _about(case):
        if options.cell is not None:
            encoding = written_encoding(board, options.cell, backend=options.backend)
        else:
            encoding = asked_formula(board, backend=options.backend, solver=options.solver)
    formula = dimacs_text(encoding)
    if options.dimacs == "-":
        return formula
    write_file(Path(options.dimacs), formula)
    return ""


def _proofs(options: argparse.Namespace) -> str:
    """Write each board's formula, and a proof if it is unsatisfiable.

    Returns one line for each board.
    """
    folder, lines = Path(options.proof), []
    solver = proof_solver(options.solver or DEFAULT_SOLVER)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise UserError(f"--proof {folder} is not a folder") from None
    except OSError as error:
        raise UserError(f"--proof {folder}: {error.strerror or error}") from None
    for case, board in _boards(options).items():
        with _about(case):
            encoding = written_encoding(board, options.cell, backend=options.backend)
            if encoding.formula.soft:
                raise Unsupported(
                    "the formula has soft clauses, and a DRAT proof says nothing of what a "
                    "solution is worth: --dimacs writes it as WCNF"
                )
        cnf = folder / ("-".join(map(str, (board.puzzle, case, *(options.cell or ())))) + ".cnf")
        write_file(cnf, dimacs_text(encoding))
        proof = cnf.with_suffix(".drat")
        steps = refutation(encoding.formula, solver)
        if steps is None:
            with writing(proof):
                proof.unlink(missing_ok=True)
            lines.append(f"Case #{case}: satisfiable, so there is no proof: {cnf}\n")
            continue
        write_file(proof, (f"{step}\n" for step in steps))
        lines.append(
            f"Case #{case}: unsatisfiable, {count_noun(len(steps), 'proof step')}: {cnf} {proof}\n"
        )
    return "".join(lines)
