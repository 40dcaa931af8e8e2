"""`compare rules`: the rules of a puzzle, its formats and a sample.

Of a user's puzzle that does not say what its input and output are, its reader says it: the
calls by which it reads a case are written down.
"""

from __future__ import annotations

import argparse
import re
import textwrap
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from itertools import groupby
from typing import Any

import puzzles
from compare.engine.isolate.child import call
from compare.engine.isolate.outcome import Limits
from compare.engine.work.contenders import backends
from compare.show.wording import line_width, warn
from puzzles.backend import Backend
from puzzles.instance import Instance
from puzzles.puzzle import Puzzle
from puzzles.shell.argument_parser import PUZZLE_ARGUMENT, ArgumentParser
from puzzles.text import Grid, InputError, Reader, UserError

ANSWER_S = 2.0
"""Seconds that a backend may take for the answers to the sample."""

_BEST = {"less": "least", "greater": "greatest"}
"""What the best value is, by which of two values is better."""

_INSTANCES = 5
"""Instances of each family that are read and solved; what has most kinds of lines counts."""

_ROW = "the characters"
"""How the words for a row of a board begin."""


def arguments(parser: ArgumentParser) -> None:
    parser.add(PUZZLE_ARGUMENT)


def main(options: argparse.Namespace) -> int:
    """Print what the puzzle says of itself, and what its reader says where it says nothing."""
    puzzle, width = puzzles.find(options.puzzle), line_width()
    rules = ""
    try:
        rules = puzzle.rules
    except UserError as error:
        if puzzle.origin.user_file is None:
            raise
        warn(str(error))
    if puzzle.origin.user_file is not None:
        rules = "\n".join(filter(None, [rules, *_sections(puzzle, rules)]))
    print(rules if width is None else fill_paragraphs(rules, width), end="")
    return 0


def _sections(puzzle: Puzzle, rules: str) -> list[str]:
    """The input, the output and a sample, each unless the rules speak of it."""
    if not puzzle.example:
        return []
    instances = puzzle.parse(puzzle.example, "<example>")
    solver, output = _output(puzzle, instances)
    for family in puzzle.families.values():
        instances += [family.board(*pair) for pair in family.bundled[:_INSTANCES]]
    inputs = [_of_input(puzzle, each) for each in instances]
    above, case = max(inputs, key=lambda parts: _variety(parts[1]))
    files = [[each] for each in instances]
    answers = (_print_in_time(puzzle, solver, files) if solver else []) or [output]
    answer = max(map(partial(_of_answer, puzzle), instances, answers), key=_variety)
    each = f"For each {puzzle.noun}:\n\n"
    sections = {
        "Input": (f"{_list_entries(above)}\n{each}" if above else "") + _list_entries(case)
        if case
        else "",
        "Output": f"{each if puzzle.many_instances else ''}{_list_entries(answer)}",
        "Best": f"The {_BEST[puzzle.better]} value is asked for.\n" if puzzle.better else "",
        "Sample": f"```text\n{puzzle.example}```\n"
        + (f"\nWhat {solver.label} prints:\n\n```text\n{output}```\n" if solver else ""),
    }
    return [
        f"## {name}\n\n{text}"
        for name, text in sections.items()
        if text and not re.search(rf"\b{name}\b", rules, re.IGNORECASE)
    ]


def _of_input(puzzle: Puzzle, instance: Instance) -> tuple[dict[int, str], dict[int, str]]:
    """The lines above the instances of a file, and those of an instance; see `_TracingReader`."""
    reader = _TracingReader(puzzle.print_instances([instance]))
    count = puzzle.read_count(reader)
    above, reader.lines = reader.lines, {}
    puzzle.read_instances(reader, count)
    return above, reader.lines


def _of_answer(puzzle: Puzzle, instance: Instance, text: str) -> dict[int, str]:
    """The lines of the answer to an instance; see `_TracingReader`."""
    reader = _TracingReader(text)
    with suppress(InputError):
        puzzle.read_answer(reader, instance, 1, puzzle.formats[0])
    return reader.lines


def _variety(lines: dict[int, str]) -> tuple[int, int]:
    """How many kinds of lines these are, and how many lines: IMPOSSIBLE shows least of a format."""
    return len({*lines.values()}), len(lines)


def _output(puzzle: Puzzle, instances: Sequence[Instance]) -> tuple[Backend | None, str]:
    """The first backend that has the answers in a moment, and what it prints; None and an empty
    text if none has.
    """
    for backend in backends(puzzle.name):
        if backend.available() is None:
            printed = _print_in_time(puzzle, backend, [instances])
            if printed:
                return backend, printed[0]
    return None, ""


def _print_in_time(
    puzzle: Puzzle, backend: Backend, files: Sequence[Sequence[Instance]]
) -> list[str]:
    """What a backend prints for each file of instances; empty if it has not all answers in a
    moment.
    """

    def answers() -> list[str]:
        return [
            puzzle.print_answers([backend.solve(each) for each in file], puzzle.formats[0])
            for file in files
        ]

    ended = call(answers, limits=Limits(ANSWER_S))
    return ended.value if ended.ok else []


def _list_entries(lines: dict[int, str]) -> str:
    """An entry for each kind of line; a board may have one row, and others have more."""
    return "".join(
        f"- {'a line' if count == 1 and not line.startswith(_ROW) else 'lines'}: {line}\n"
        for line, count in Counter(lines.values()).items()
    )


class _TracingReader(Reader):
    """A reader that keeps what each line is said to hold.

    Attributes:
        lines: by the position where a line begins.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.lines: dict[int, str] = {}

    def _keep(self, *names: str) -> None:
        groups = [(name, len(list(alike))) for name, alike in groupby(names)]
        words = [
            f"{name}, and so on" if many > 2 else ", ".join([name] * many) for name, many in groups
        ]
        start = self.data.rfind(b"\n", 0, self.position) + 1
        self.lines.setdefault(start, ", ".join(words))

    def line(self, expected: str) -> str:
        self._keep(expected)
        return super().line(expected)

    def numbers(self, *names: str, **options: Any) -> tuple[int, ...]:
        self._keep(*names)
        return super().numbers(*names, **options)

    def list_of_numbers(
        self, *names: str, rest: str = "a number", **options: Any
    ) -> tuple[int, ...]:
        self._keep(*names, *[rest] * 3)
        return super().list_of_numbers(*names, rest=rest, **options)

    def grid(self, rows: int, columns: int, alphabet: bytes) -> Grid:
        what = f"{_ROW} {' '.join(alphabet.decode())}"
        self.lines |= {self.position + k * (columns + 1): what for k in range(rows)}
        return super().grid(rows, columns, alphabet)


def fill_paragraphs(page: str, width: int) -> str:
    """A page of Markdown with its paragraphs and the entries of its lists broken anew; blocks of
    code stay as they are.
    """

    def break_line(match: re.Match[str]) -> str:
        if match[0].startswith(("```", "#")):
            return match[0]
        text = " ".join(line.strip() for line in match[0].split("\n"))
        indent = "  " if text.startswith("- ") else ""
        return textwrap.fill(text, width, subsequent_indent=indent, break_on_hyphens=False)

    return _PARAGRAPH.sub(break_line, page)


_PARAGRAPH = re.compile(r"^```.*?^```|^#[^\n]*|^[^\n]+(?:\n(?!- |#|```)[^\n]+)*", re.M | re.S)
"""A block of code, a heading, or a paragraph, for which an entry of a list counts."""
