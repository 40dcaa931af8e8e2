"""The command line of `compare`: each subcommand is a module of `compare.commands`."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Sequence
from importlib import import_module

from puzzles.text import ending

COMMANDS = {
    "run": "run backends and programs on datasets, relate and check their answers, tabulate",
    "fuzz": "search for a board on which contenders disagree or fail, and shrink it",
    "scale": "measure backends on growing boards of a family: growth exponents and crossover sizes",
    "list": "puzzles, families, backends, solvers, versions",
    "check": "judge an output that somebody already has",
    "doctor": "what is installed, what is missing and how to get it, which limits hold here",
    "prove": "the claims that the direct algorithms rest on: proved for all boards up to a size, or refuted by a smallest one",
    "recall": "which share of what is certain the incomplete backends find, family by family",
    "peers": "races against other packages on the same inputs: do the results agree, who takes how long",
    "encodings": "the models of a puzzle side by side: sizes of the formulas, seconds to build and to solve",
    "generate": "boards of a family in the contest's format",
    "report": "a file of records as one self-contained HTML page",
    "diff": "the same runs then and now: what has become slower, what answers differently",
}
"""The subcommands by name. Without one, `run` takes every bundled dataset."""

ALIASES = {"coverage": "recall"}
"""Older names of subcommands, which still work and are not listed."""


def overview(program: str) -> argparse.ArgumentParser:
    """Lists the subcommands. Each has a parser of its own, so that its options and arguments may come in any order."""
    parser = argparse.ArgumentParser(
        prog=program,
        description="Solve puzzles twice, relate the answers, check them against the rules, tabulate speed. "
        "Without a subcommand, with or without options: `run`, which takes every bundled dataset on every backend.",
        epilog="Exit status: 0 all agree; 1 a conflict, a refuted answer, or a program that crashed or printed what cannot be "
        "read; 2 bad usage or input; 3 something stayed unproved, skipped or unfinished under --strict; 4 a regression "
        "(`diff`); 130 interrupted.",
    )
    subcommands = parser.add_subparsers(metavar="COMMAND", required=True)
    for name, about in COMMANDS.items():
        subcommands.add_parser(name, help=about)
    return parser


def main(arguments: Sequence[str] | None = None, program: str = "python -m compare") -> int:
    """Run a subcommand; returns the exit status. Usage messages call the program `program`."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if not words or (words[0].startswith("-") and words[0] not in ("-h", "--help")):
        words.insert(0, "run")
    words[0] = ALIASES.get(words[0], words[0])
    if words[0] not in COMMANDS:
        overview(program).parse_args(words[:1])  # prints the help or what is wrong, and exits
    signal.signal(signal.SIGTERM, _as_interrupt)
    return ending(lambda: _run(words, program))


def _run(words: list[str], program: str) -> int:
    name, *rest = words
    about, module = COMMANDS[name], import_module(f"compare.commands.{name}")
    description = f"{about[0].upper()}{about[1:]}."
    parser = argparse.ArgumentParser(prog=f"{program} {name}", description=description, allow_abbrev=False)
    module.arguments(parser)
    options = parser.parse_intermixed_args(rest)
    options.words = words
    return module.main(options)


def _as_interrupt(number: int, frame: object) -> None:
    raise KeyboardInterrupt
