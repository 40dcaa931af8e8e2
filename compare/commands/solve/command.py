"""`compare solve`: the answers of one backend, in the contest's format, under limits."""

from __future__ import annotations

import argparse
from dataclasses import replace

import puzzles
from compare.commands.arguments import (
    ANSWER_FORMAT,
    BACKEND,
    MEMORY_MB,
    PLUGIN,
    QUIET,
    SOLVER,
    TIMEOUT,
    limits,
)
from compare.engine.campaign.plan import collect, compile_first
from compare.engine.isolate.outcome import Status
from compare.engine.work.ask import Ask, DatasetCase
from compare.engine.work.asking import carry_out
from compare.engine.work.contenders import backends, choose
from compare.engine.work.plugins import register_plugins
from compare.engine.work.pool import local
from compare.show.wording import progress_bar, say_what_is_compiled, warn
from models.solvers.solver_names import OTHER_KINDS
from puzzles.answer import Answer
from puzzles.backend import TO_TAKE_A_SOLVER
from puzzles.shell.argument_parser import FILE_ARGUMENT, PUZZLE_ARGUMENT, ArgumentParser
from puzzles.text import UserError, read_source

FAILED, NOT_SOLVED = 1, 3
"""The exit status if the backend crashes or prints nonsense, and if it refuses a case or is stopped
at a limit.
"""


def arguments(parser: ArgumentParser) -> None:
    parser.add(
        PUZZLE_ARGUMENT,
        FILE_ARGUMENT,
        replace(
            BACKEND,
            help="direct, models, side:name, or name (default: the first one)",
            repeatable=False,
        ),
        replace(
            SOLVER,
            help=f"a SAT solver of python-sat for a backend that takes one; {OTHER_KINDS}",
        ),
        PLUGIN,
        replace(ANSWER_FORMAT, help="the answer format; `rules PUZZLE` lists them"),
        replace(TIMEOUT, help="seconds a case (default: %(default)g)", default=60.0),
        replace(MEMORY_MB, help="resident megabytes a case"),
        replace(QUIET, help="no progress"),
    )


def main(options: argparse.Namespace) -> int:
    """Print the answers to all cases; if one has none, print why in their place."""
    puzzle = puzzles.find(options.puzzle)
    register_plugins(options.plugin)
    known = [options.backend] if options.backend else [b.label for b in backends(puzzle.name)]
    if not known:
        raise UserError(f"{puzzle.name} has no backend yet")
    asked = {} if options.solver is None else {"solver": options.solver}
    (contender,) = choose(puzzle, known[:1], asked)
    if options.solver is not None and contender.solver is None:
        hint = f"; {TO_TAKE_A_SOLVER}" * (contender.side == "models" and not contender.ours)
        raise UserError(f"--solver {options.solver}: {contender.name} takes no SAT solver{hint}")
    instances = puzzle.parse(*read_source(options.file))
    style = puzzle.format(options.answer_format)
    answers: list[Answer] = []
    compile_first([contender], say_what_is_compiled)
    with (
        local(1, options.plugin, tuple(puzzles.user_files().values())) as worker,
        progress_bar(quiet=options.quiet, unit=puzzle.noun, total=len(instances)) as bar,
    ):
        for case, instance in enumerate(instances, 1):
            ask = Ask(
                contender=contender,
                cases=[DatasetCase(instance)],
                format=style,
                limits=limits(options),
                check=False,
            )
            (result,) = collect(ask, worker.submit(carry_out, ask))
            if result.status is not Status.OK:
                warn(f"case {case}: {contender.name}: {result.status} {result.reason}")
                return FAILED if result.status in (Status.CRASH, Status.ERROR) else NOT_SOLVED
            answers += puzzle.parse_answers(result.answer or "", [instance], style, "<answer>")
            bar.update()
    print(puzzle.print_answers(answers, style), end="")
    return 0
