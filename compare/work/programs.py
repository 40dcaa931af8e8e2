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


def run_program(
    program: ProgramContender, parts: Sequence[Sequence[Instance]], format: str | None, limits: Limits
) -> list[ProgramRun]:
    """Start the program once on each part, then read all outputs in one sandbox.

    Args:
        parts: the instances of each start; several only if the contest's format holds several.
        format: of the program's output (default: the puzzle's first).

    Raises:
        ValueError: the contest's format cannot say an instance.
    """
    puzzle = puzzles.get(program.puzzle)
    texts = [puzzle.print_instances(part).encode() for part in parts]
    outcomes = [execute(program.command, text, limits=limits) for text in texts]
    outputs = [(part, outcome.value) for part, outcome in zip(parts, outcomes, strict=True) if outcome.ok]
    seconds = CHECK_S + _READ_S * sum(map(len, parts))
    read = call(_read, puzzle.name, outputs, format, program, limits=replace(limits, seconds=seconds)) if outputs else None
    answers_or_errors = iter(read.value if read is not None and read.ok else ())
    runs: list[ProgramRun] = []
    for outcome in outcomes:
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
    name: str, outputs: list[tuple[Sequence[Instance], bytes]], format: str | None, program: ProgramContender
) -> list[list[Answer] | str]:
    """The answers in each output, or what is wrong with it."""
    puzzle = puzzles.get(name)
    results: list[list[Answer] | str] = []
    for part, output in outputs:
        try:
            answers = puzzle.parse_answers(output, part, puzzle.format(format), f"<output of {program.name}>")
        except InputError as error:
            results.append(str(error))
        else:
            results.append(answers if program.complete else [answer.as_incomplete() for answer in answers])
    return results
