"""The command line of `compare`: one module of `compare.commands` a subcommand."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Sequence
from importlib import import_module

from puzzles.text import UserError

COMMANDS = {
    "run": "run backends and programs on sets of boards, relate and check their answers, tabulate",
    "fuzz": "search for a board on which contenders disagree or fail, and shrink it",
    "scale": "measure backends on growing boards of a family: growth exponents and crossover sizes",
    "list": "puzzles, families, backends, solvers, versions",
    "check": "judge an output that somebody already has",
    "doctor": "what is installed, what is missing and how to get it, which limits hold here",
    "prove": "the claims that the direct algorithms rest on: proved for all boards up to a size, or refuted by a smallest one",
    "coverage": "which share of what is certain the incomplete backends find, family by family",
    "peers": "races against other packages on the same inputs: do the results agree, who takes how long",
    "encodings": "the models of a puzzle side by side: sizes of the formulas, seconds to build and to solve",
    "generate": "boards of a family in the contest's format",
    "report": "a file of records as one self-contained HTML page",
    "diff": "the same runs then and now: what has become slower, what answers differently",
}
"""The subcommands by name; `run` on every bundled set is what happens without one."""


def parser() -> argparse.ArgumentParser:
    """The arguments of every subcommand."""
    made = argparse.ArgumentParser(
        prog="python -m compare",
        description="Solve puzzles twice, relate the answers, check them against the rules, tabulate speed. "
        "Without a subcommand: every bundled set on every backend.",
        epilog="Exit status: 0 all agree; 1 a conflict, a refuted answer, or a program that crashed or printed what cannot be "
        "read; 2 bad usage or input; 3 something stayed unproved, skipped or unfinished under --strict; 4 a regression "
        "(`diff`); 130 interrupted.",
    )
    subcommands = made.add_subparsers(metavar="COMMAND", required=True)
    for name, about in COMMANDS.items():
        sub = subcommands.add_parser(name, help=about, description=f"{about[0].upper()}{about[1:]}.", allow_abbrev=False)
        module = import_module(f"compare.commands.{name}")
        module.arguments(sub)
        sub.set_defaults(main=module.main)
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a subcommand; returns the exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments) or ["run"]
    options = parser().parse_args(words)
    options.words = words
    signal.signal(signal.SIGTERM, _as_interrupt)
    try:
        return options.main(options)
    except UserError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        sys.stderr.close()
        return 0


def _as_interrupt(number: int, frame: object) -> None:
    raise KeyboardInterrupt
