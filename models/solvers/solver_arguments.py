"""The options of a command line that choose a SAT solver, and the threads of CP-SAT."""

from __future__ import annotations

import argparse

from models.cpsat import MOST_WORKERS
from models.solvers.external import command_of
from models.solvers.ipasir import PREFIX, library_path
from puzzles.text import UserError, whole_number


def solver_arguments(parser: argparse.ArgumentParser, help_text: str, *, several: bool = False) -> None:
    """Add `--solver`, with this help text, `--solver-command` and `--ipasir`. Each sets `solver` to the solver's name.

    Args:
        several: whether they may be repeated and mixed. `solver` is a list then. Otherwise two of them are an error.
    """
    if several:
        parser.set_defaults(solver=[])
        options, action = parser, "append"
    else:
        options, action = parser.add_mutually_exclusive_group(), "store"
    options.add_argument("--solver", metavar="S", action=action, help=f"{help_text}; FILE.py:CLASS: a Python class of your own")
    options.add_argument(
        "--solver-command",
        dest="solver",
        type=_command,
        action=action,
        metavar="C",
        help="a program that solves DIMACS in its place, such as 'kissat {cnf}', "
        "or 'minisat {cnf} {out}' where it writes its model to a file",
    )
    options.add_argument(
        "--ipasir",
        dest="solver",
        type=_library,
        action=action,
        metavar="LIB",
        help="a shared library with the IPASIR interface in its place, such as ./libipasircadical.so",
    )


def workers_argument(parser: argparse.ArgumentParser) -> None:
    """Add `--workers`, of CP-SAT."""
    parser.add_argument(
        "--workers",
        type=_workers,
        metavar="N",
        help=f"threads of CP-SAT, in the backends `cpsat`: 1 to {MOST_WORKERS} (default: 1, so that a run can be repeated)",
    )


def _workers(text: str) -> int:
    number = whole_number(text)
    if number is None or not 1 <= number <= MOST_WORKERS:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1 to {MOST_WORKERS}, not {text[:40]!r}")
    return number


def _command(text: str) -> str:
    try:
        command_of(text)
    except UserError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


def _library(text: str) -> str:
    try:
        return f"{PREFIX}{library_path(text)}"
    except UserError as error:
        raise argparse.ArgumentTypeError(str(error).removeprefix("--ipasir ")) from None
