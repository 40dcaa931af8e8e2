"""`compare check`: judge an output that exists already."""

from __future__ import annotations

import argparse
from dataclasses import replace

import puzzles
from compare.commands.arguments import ANSWER_FORMAT, DOCUMENT, FORMAT
from compare.commands.functions import printing
from compare.engine.campaign.plan import Dataset, Settings
from compare.engine.campaign.running import run_campaign
from compare.engine.work.contenders import GivenAnswers, backends, of_backend
from compare.engine.work.result import Result
from compare.show.comparison_tables import datasets_tables
from compare.show.conclusion import Conclusion
from compare.show.messages import comparison_text
from compare.show.progress import RunBar, say_what_is_compiled
from compare.show.wording import command, warn, write
from puzzles.shell.argument_parser import PUZZLE_ARGUMENT, Argument, ArgumentParser
from puzzles.shell.interruption import INTERRUPTED
from puzzles.text import UserError, read_source


def arguments(parser: ArgumentParser) -> None:
    parser.add(
        PUZZLE_ARGUMENT,
        Argument("input", "the contest's input", metavar="INPUT"),
        Argument(
            "output",
            "the output to judge; one that cannot be read is bad input: exit status 2",
            metavar="OUTPUT",
        ),
        replace(ANSWER_FORMAT, help="the output's format; `rules PUZZLE` lists the formats"),
        FORMAT,
        *DOCUMENT,
    )


def conclude(options: argparse.Namespace) -> Conclusion:
    """The output against the rules, and against the first backend (a direct one if it can), whose
    proof refutes a wrong 'no'.
    """
    puzzle = puzzles.find(options.puzzle)
    if options.input == "-" and options.output == "-":
        raise UserError("INPUT and OUTPUT cannot both be standard input")
    instances = tuple(puzzle.parse(*read_source(options.input)))
    text, name = read_source(options.output)
    answers = tuple(puzzle.answers_in(text, instances, puzzle.format(options.answer_format), name))
    dataset = Dataset(name="input", instances=instances, answers=answers)
    first = [of_backend(each, {}, named=True) for each in backends(puzzle.name)[:1]]
    contenders = [*first, GivenAnswers(puzzle=puzzle.name, name="output")]
    settings = Settings(format=options.answer_format)
    planned = [
        settings.ask(contender, (case,)) for case in dataset.cases() for contender in contenders
    ]
    results: list[Result] = []
    comparison, interrupted = run_campaign(
        planned, settings, RunBar, say_what_is_compiled, warn, keep=results.append
    )
    shown = datasets_tables(comparison)
    if options.format != "json":
        write(comparison_text(comparison, shown, options.format), end="")
    status = INTERRUPTED if interrupted else comparison.exit_status()
    again = command(options.words, {})
    return Conclusion.of(comparison, status, shown, lambda _: again, results)


main = printing(conclude)
