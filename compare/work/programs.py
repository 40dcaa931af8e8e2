"""Running a program on instances and reading its answers; the one place where that is done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import puzzles
from compare.isolate.outcome import Limits, Outcome, Status
from compare.isolate.sandbox import call, execute
from compare.work.contenders import ProgramContender
from compare.work.job import CHECK_S
from puzzles.answer import Answer
from puzzles.instance import Instance
from puzzles.text import InputError

_READ_S = 0.01
"""Seconds that reading one more answer may take."""


@dataclass(frozen=True)
class ProgramRun:
    """One start of a program on some instances.

    Attributes:
        outcome: how it ended; ERROR if its output could not be read.
        answers: one for each instance; empty if it did not end well.
    """

    outcome: Outcome
    answers: list[Answer]


def start_program(program: ProgramContender, part: Sequence[Instance], limits: Limits) -> Outcome:
    """Start the program once on some instances; the value is what it printed.

    Args:
        part: several instances only if the contest's format holds several.

    Raises:
        ValueError: the contest's format cannot say an instance.
    """
    return execute(program.command, puzzles.get(program.puzzle).print_instances(part).encode(), limits=limits)


def read_outputs(
    program: ProgramContender, starts: Sequence[tuple[Sequence[Instance], Outcome]], format: str | None, limits: Limits
) -> list[ProgramRun]:
    """Read the outputs of some starts in one sandbox; each by itself if they cannot be read together.

    Args:
        starts: the instances of each start, and how it ended.
        format: of the program's output (default: the puzzle's first).
    """
    ended_well = [(part, outcome.value) for part, outcome in starts if outcome.ok]
    seconds = CHECK_S + _READ_S * sum(len(part) for part, _ in ended_well)
    read = call(_read, ended_well, format, program, limits=replace(limits, seconds=seconds)) if ended_well else None
    if read is not None and not read.ok and len(starts) > 1:
        return [run for start in starts for run in read_outputs(program, [start], format, limits)]
    answers_or_errors = iter(read.value if read is not None and read.ok else ())
    runs: list[ProgramRun] = []
    for _, outcome in starts:
        if not outcome.ok:
            runs.append(ProgramRun(outcome, []))
            continue
        what = next(answers_or_errors, f"its output could not be read: {read.detail if read else ''}")
        if isinstance(what, str):
            runs.append(ProgramRun(replace(outcome, status=Status.ERROR, value=None, detail=what), []))
        else:
            runs.append(ProgramRun(outcome, what))
    return runs


def _read(
    outputs: list[tuple[Sequence[Instance], bytes]], format: str | None, program: ProgramContender
) -> list[list[Answer] | str]:
    """The answers in each output, or what is wrong with it."""
    puzzle = puzzles.get(program.puzzle)
    results: list[list[Answer] | str] = []
    for part, output in outputs:
        try:
            answers = puzzle.parse_answers(output, part, puzzle.format(format), f"<output of {program.name}>")
        except InputError as error:
            results.append(str(error))
        else:
            results.append(answers if program.complete else [answer.as_incomplete() for answer in answers])
    return results
