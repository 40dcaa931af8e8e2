"""Older commands under their new names: `encodings`, `recall` and `coverage` are views of `run`."""

from __future__ import annotations

from collections.abc import Sequence

import puzzles
from compare.commands.arguments import at_least_one
from models.solvers.external import is_command
from models.solvers.ipasir import PREFIX, is_library
from models.solvers.solver_arguments import solver_arguments
from puzzles.shell.argument_parser import ArgumentParser


def as_today(name: str, words: Sequence[str], program: str) -> list[str]:
    """The words of today's command that do what an older command with these words did; a usage error ends the process."""
    parser = ArgumentParser(prog=f"{program} {name}", description="An older name of a view of `run`.", allow_abbrev=False)
    parser.add_argument("puzzle", metavar="PUZZLE")
    if name == "encodings":
        parser.add_argument("family", metavar="FAMILY")
        parser.add_argument("size", metavar="SIZE", type=at_least_one, nargs="+")
        parser.add_argument("-b", "--backend", action="append", default=[], metavar="BACKEND")
    else:
        parser.add_argument("family", metavar="FAMILY", nargs="*")
        parser.add_argument("--size", metavar="N", type=at_least_one, default=30)
        parser.add_argument("--cases", metavar="T", default="20")
    for option, default in (("--seed", "1"), ("--timeout", "10"), ("--format", "table")):
        parser.add_argument(option, metavar="X", default=default)
    parser.add_argument("--plugin", action="append", default=[], metavar="FILE")
    solver_arguments(parser, "the SAT solver of the backends that take one")
    options = parser.parse_intermixed_args(words)
    puzzle = puzzles.find(options.puzzle)
    shared = ["run", options.puzzle, "--no-check", "--seed", options.seed, "--timeout", options.timeout, "--format", options.format]
    for path in options.plugin:
        shared += ["--plugin", path]
    if options.solver is not None:
        shared += [_option_of(options.solver), options.solver.removeprefix(PREFIX)]
    if name == "encodings":
        named = [word for each in options.backend for word in ("-b", each)]
        return [*shared, "--show", "sizes", "--family", options.family, *named, "--size", *map(str, options.size)]
    families = options.family or [each for each, family in puzzle.families.items() if family.in_contest_format]
    named = [word for each in families for word in ("--family", each)]
    return [*shared, "--show", "recall", "--cases", options.cases, *named, "--size", str(options.size)]


def _option_of(solver: str) -> str:
    """The option of `run` that takes a solver of this name."""
    return "--solver-command" if is_command(solver) else "--ipasir" if is_library(solver) else "--solver"
