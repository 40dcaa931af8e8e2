"""`compare check`: judge an output that exists already, by the rules of a puzzle or by a user's
checker.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace

from msgspec.structs import replace as with_fields

import puzzles
from compare.commands.arguments import ANSWER_FORMAT, DOCUMENT, FORMAT, QUIET, TIMEOUT
from compare.commands.checkers import (
    BEATEN,
    CHECKER_ARGUMENTS,
    OK,
    WRONG_ANSWERS,
    CheckerVerdict,
    OutputChecker,
    PoolStarts,
)
from compare.commands.run.campaign import run_campaign
from compare.commands.run.comparison_tables import datasets_tables
from compare.commands.run.views import comparison_text
from compare.engine.campaign.plan import Dataset, Settings
from compare.engine.campaign.summaries import Grade, Headline
from compare.engine.isolate.outcome import Limits
from compare.engine.work.contenders import GivenAnswers, backends, of_backend
from compare.engine.work.pool import Pool, local
from compare.engine.work.result import Result, kept_text
from compare.show.conclusion import (
    WRONG,
    Conclusion,
    ContenderTally,
    FaultReport,
    Rows,
    blames,
    printing,
)
from compare.show.messages import LastLine
from compare.show.table import STYLES, Cell, Table, for_terminal, number_cell, render, text_cell
from compare.show.wording import command, line_width, wrap, write
from puzzles.shell.argument_parser import PUZZLE_ARGUMENT, Argument, ArgumentParser
from puzzles.shell.interruption import INTERRUPTED
from puzzles.text import UserError, read_source, visible


def arguments(parser: ArgumentParser) -> None:
    parser.add(
        replace(
            PUZZLE_ARGUMENT, help=f"{PUZZLE_ARGUMENT.help}; with --checker: the contest's input"
        ),
        Argument(
            "input",
            "the contest's input; with --checker: the jury's answer",
            metavar="INPUT",
            is_read=True,
        ),
        Argument(
            "output",
            "the output to judge; one that cannot be read is bad input: exit status 2",
            metavar="OUTPUT",
            is_read=True,
        ),
        replace(ANSWER_FORMAT, help="the output's format; `rules PUZZLE` lists the formats"),
        *CHECKER_ARGUMENTS,
        replace(TIMEOUT, help="seconds a run, or a start of the checker (default: %(default)g)"),
        FORMAT,
        QUIET,
        *DOCUMENT,
    )


def conclude(options: argparse.Namespace) -> Conclusion:
    """The output against the rules, and against the first backend (a direct one if it can), whose
    proof refutes a wrong 'no'; or against the jury's answer, by a checker.
    """
    if (checker := OutputChecker.of(options.checker, options.better)) is not None:
        return _by_checker(checker, options)
    puzzle = puzzles.find(options.puzzle)
    if options.input == "-" and options.output == "-":
        raise UserError("INPUT and OUTPUT cannot both be standard input")
    instances = tuple(puzzle.parse(*read_source(options.input)))
    text, name = read_source(options.output)
    answers = tuple(puzzle.answers_in(text, instances, puzzle.format(options.answer_format), name))
    dataset = Dataset(name="input", instances=instances, answers=answers)
    first = [of_backend(each, {}, named=True) for each in backends(puzzle.name)[:1]]
    contenders = [*first, GivenAnswers(puzzle=puzzle.name, name="output")]
    settings = Settings(format=options.answer_format, limits=Limits(options.timeout))
    planned = [
        settings.ask(contender, (case,)) for case in dataset.cases() for contender in contenders
    ]
    results: list[Result] = []
    comparison, interrupted = run_campaign(
        planned, settings, quiet=options.quiet, keep=results.append
    )
    shown = datasets_tables(comparison)
    if options.format != "json":
        text = comparison_text(comparison, shown, options.format, quiet=options.quiet)
        write(text, end="")
    status = INTERRUPTED if interrupted else comparison.exit_status()
    again = command(options.words, {})
    return Conclusion.of(comparison, status, shown, lambda _: again, results)


main = printing(conclude)


def _by_checker(checker: OutputChecker, options: argparse.Namespace) -> Conclusion:
    """What a checker says of the jury's answer and of the output. No puzzle is asked for, so what
    stands in its place is the input.
    """
    paths = options.puzzle, options.input, options.output
    if paths.count("-") > 1:
        raise UserError("only one of input, answer and output can be standard input")
    if options.answer_format is not None:
        raise UserError("--answer-format is for a puzzle's answers: --checker knows its own")
    (data, place), (answer, reference), (output, name) = map(read_source, paths)
    names = reference, name
    with local(1) as worker:
        judging = worker.submit(
            _verdicts, checker, Limits(options.timeout), data, (answer, output), names
        )
        verdicts = judging.result()
    faults: list[FaultReport] = []
    grades = [Grade.RIGHT, Grade.RIGHT]
    for k, each in enumerate(verdicts):
        mark, reason = each.beside(verdicts[0], names[k], reference, checker.better)
        if mark in WRONG_ANSWERS:
            whose = 0 if mark == BEATEN else k
            grades[whose] = Grade.WRONG
            fault = FaultReport(
                kind=WRONG,
                contenders=(names[whose],),
                reason=reason,
                part=place,
                place=place,
                input=kept_text(data.decode("utf-8", "replace")),
                replay=command(options.words, {}),
            )
            faults.append(with_fields(fault, text=visible(fault.sentence)))
    shown = _answers_table(names, verdicts, grades, with_values=bool(checker.better))
    if options.format != "json":
        text = render([shown], options.format)
        if options.format in STYLES:
            lines = (wrap(each.text, line_width()) for each in faults)
            text = "\n".join([for_terminal(shown, options.format), "", *lines, ""])
        write(text, end="")
    worth = [
        f"{name} {each.value}"
        for name, each in zip(names, verdicts, strict=True)
        if checker.better and each.kind == OK
    ]
    facts = [f"values: {', '.join(worth)}" if worth else "1 input"]
    ending = LastLine(Headline.ALL_AGREE, blames(faults), facts=facts)
    return Conclusion(
        verdict=ending.headline,
        last_line=str(ending),
        exit_status=int(bool(faults)),
        faults=faults,
        tallies=[
            ContenderTally(
                part=place, contender=name, counts={grade: 1}, failed=int(grade is Grade.WRONG)
            )
            for name, grade in zip(names, grades, strict=True)
        ],
        tables={shown.title: Rows(shown)},
    )


def _verdicts(
    pool: Pool,
    checker: OutputChecker,
    limits: Limits,
    data: bytes,
    outputs: Sequence[bytes],
    names: Sequence[str],
) -> list[CheckerVerdict]:
    """What the checker says of each output. The first is the reference's: one that it does not
    accept shows nothing of the others, and often means that the checker is broken.
    """
    starts = PoolStarts(pool, limits)
    checker = checker.in_its_style(starts, data, outputs[0], names[0], (OK,))
    return [
        checker.verdict(starts, data, each, outputs[0], name)
        for each, name in zip(outputs, names, strict=True)
    ]


def _answers_table(
    names: Sequence[str],
    verdicts: Sequence[CheckerVerdict],
    grades: Sequence[Grade],
    *,
    with_values: bool,
) -> Table:
    """A row for each answer: whether it is right, what it is worth, and the checker's sentence."""

    def value_cell(verdict: CheckerVerdict) -> Cell:
        if not with_values or verdict.kind != OK or verdict.value is None:
            return number_cell(None)
        value = verdict.value
        return Cell(str(value), {"": int(value) if value == int(value) else float(value)})

    rows = [
        [
            text_cell(name),
            text_cell(grade, "bad" if grade is Grade.WRONG else "good"),
            value_cell(verdict),
            number_cell(verdict.points),
            text_cell(verdict.message),
        ]
        for name, verdict, grade in zip(names, verdicts, grades, strict=True)
    ]
    columns = "answer", "grade", "value", "points", "checker says"
    return Table.of("answers", columns, rows).without_empty_columns()
