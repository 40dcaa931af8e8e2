"""`compare check`: judge an output that somebody already has."""

from __future__ import annotations

import argparse

import puzzles
from compare.campaign import datasets
from compare.campaign.running import Settings, Task
from compare.commands.run import carry_out, exit_status, report
from compare.work.contenders import choose
from puzzles.text import UserError, read_source


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("puzzle", metavar="PUZZLE", help=", ".join(puzzles.names()))
    parser.add_argument("input", metavar="INPUT", help="the contest's input")
    parser.add_argument("output", metavar="OUTPUT", help="the output to judge; one that cannot be read is bad input: exit status 2")
    parser.add_argument("--answers", metavar="F", help="the output's format")


def main(options: argparse.Namespace) -> int:
    """The output against the rules, and against the default direct backend, whose proof refutes a wrong 'no'."""
    puzzle = puzzles.get(options.puzzle)
    if options.input == "-" and options.output == "-":
        raise UserError("INPUT and OUTPUT cannot both be standard input")
    boards = tuple(puzzle.parse(*read_source(options.input)))
    text, name = read_source(options.output)
    answers = tuple(puzzle.parse_answers(text, boards, puzzle.format(options.answers), name))
    judged = datasets.Set("input", boards, answers=answers)
    contenders = [*choose(puzzle, ["direct"], {}), datasets.given(puzzle, "output")]
    planned = [Task(contender, judged, index) for index in range(len(boards)) for contender in contenders]
    done, status = carry_out(planned, Settings(format=options.answers))
    report(done)
    return status or exit_status(done, planned)
