"""`compare solve`: the answers of one backend, in the contest's format, under limits."""

from __future__ import annotations

import argparse
import sys
from functools import partial

import puzzles
from compare.commands.arguments import positive, puzzle_argument
from compare.isolate.outcome import Limits, Status
from compare.show.progress import progress_bar
from compare.work.attempt import attempt
from compare.work.contenders import backends, choose
from compare.work.foreign.plugins import register_plugins
from compare.work.job import Job
from compare.work.pool import local
from models.solvers.solver_names import solver_argument
from puzzles.shell.streams import visible
from puzzles.text import UserError, read_source

FAILED, NOT_SOLVED = 1, 3
"""The exit status if the backend crashes or prints nonsense, and if it refuses a case or is stopped
at a limit.
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    puzzle_argument(parser)
    parser.add_argument(
        "file", metavar="FILE", nargs="?", help="the contest's input (default: standard input)"
    )
    parser.add_argument(
        "-b",
        "--backend",
        metavar="BACKEND",
        help="direct, models, side:name, or name (default: the first one)",
    )
    solver_argument(parser, "a SAT solver of python-sat for a backend that takes one")
    parser.add_argument("--plugin", metavar="FILE", help="a Python file that registers backends")
    parser.add_argument(
        "--answer-format", metavar="F", help="the answer format; `rules PUZZLE` lists them"
    )
    parser.add_argument(
        "--timeout", type=positive, default=60.0, metavar="S", help="seconds a case (default: 60)"
    )
    parser.add_argument("--memory", type=positive, metavar="MB", help="resident megabytes a case")


def main(options: argparse.Namespace) -> int:
    """Print the answers to all cases; if one has none, print why in their place."""
    puzzle = puzzles.find(options.puzzle)
    plugins = [] if options.plugin is None else [options.plugin]
    register_plugins(plugins)
    named = options.backend or next((each.label for each in backends(puzzle.name)), None)
    if named is None:
        raise UserError(f"{puzzle.name} has no backend yet")
    (contender,) = choose(
        puzzle, [named], {} if options.solver is None else {"solver": options.solver}
    )
    if options.solver is not None and contender.solver is None:
        raise UserError(f"--solver {options.solver}: {contender.name} uses no SAT solver")
    instances = puzzle.parse(*read_source(options.file))
    job = partial(
        Job,
        contender=contender,
        format=puzzle.format(options.answer_format),
        limits=Limits(
            options.timeout, None if options.memory is None else int(options.memory * 2**20)
        ),
        check=False,
    )
    texts: list[str] = []
    user_files = tuple(puzzles.user_files().values())
    with (
        local(1, plugins, user_files) as worker,
        progress_bar(unit=puzzle.noun, total=len(instances)) as bar,
    ):
        for case, instance in enumerate(instances, 1):
            run = worker.submit(attempt, job(instance=instance)).result()
            if run.status is not Status.OK:
                why = f"case {case}: {contender.name}: {run.status} {run.detail}"
                print(visible(why), file=sys.stderr)
                return FAILED if run.status in (Status.CRASH, Status.ERROR) else NOT_SOLVED
            texts.append(run.answer or "")
            bar.update()
    style = puzzle.format(options.answer_format)
    answers = [
        puzzle.parse_answers(text, [instance], style, "<answer>")[0]
        for text, instance in zip(texts, instances, strict=True)
    ]
    print(puzzle.print_answers(answers, style), end="")
    return 0
