"""Beams: the board, the answer, and their texts.

Code Jam 2017 Round 2 C, "Beaming With Joy"; the same puzzle without `Case #x: ` is Luogu P5297. Turn each turret so that it
shoots left and right (`-`) or up and down (`|`); every open cell (`.`) must be crossed by a beam, and no beam may enter a
turret's cell, its own included. Mirrors (`/`, `\\`) turn a beam; walls (`#`) and the edge end it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from puzzles.answer import Answer, Claims
from puzzles.grid import Board, bodies, grid_lines
from puzzles.text import Reader

FORMATS = ("codejam", "luogu")
TURRETS = b"-|"

_CASE = re.compile(r"case\s*#\s*(\d+)\s*:\s*(\S+)", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class Beams(Board):
    """A beams board; `-` and `|` are turrets as they stand at first, which constrains nothing."""

    puzzle: ClassVar[str] = "beams"
    alphabet: ClassVar[bytes] = b"/\\-|#."

    def text(self) -> str:
        return f"{self.rows} {self.columns}\n{self.body()}"

    def _repr_svg_(self) -> str:
        from puzzles.beams.picture import picture

        return picture(self)


@dataclass(frozen=True, eq=False)
class Layout(Answer):
    """Whether the turrets can be turned so that every open cell is lit and no turret hit.

    Attributes:
        possible: the verdict.
        board: where possible, the board with its turrets turned: the witness.
        certificate: where impossible, the core: flat indices of open cells (each must be lit) and of turrets (none may
            be hit) that cannot all be satisfied.
    """

    possible: bool
    board: Beams | None = None

    @property
    def claims(self) -> Claims:
        return np.array([self.possible], np.int64)

    def _repr_svg_(self) -> str | None:
        return self.board and self.board._repr_svg_()


def parse(text: str | bytes, name: str = "<text>") -> list[Beams]:
    """The boards of an input file: `T`, then per case `R C` and R rows.

    Raises:
        InputError: the text breaks the format.
    """
    reader = Reader(text, name)
    (cases,) = reader.numbers("the number of cases")
    same = reader.alike(cases, 2, Beams.alphabet)
    boards = [] if same is None else [Beams.from_valid_grid(grid) for grid in same[1]]
    while len(boards) < cases:
        rows, columns = reader.numbers("the number of rows", "the number of columns")
        boards.append(Beams.from_valid_grid(reader.grid(rows, columns, Beams.alphabet)))
    reader.end("the last case")
    return boards


def print_instances(boards: Sequence[Beams]) -> str:
    """An input file with these boards."""
    return f"{len(boards)}\n" + "".join(board.text() for board in boards)


def print_answers(answers: Sequence[Layout], format: str) -> str:
    """An output file with these answers, in `codejam` or `luogu` format."""
    layouts = iter(bodies([answer.board for answer in answers if answer.board is not None]))
    parts: list[str] = []
    for case, answer in enumerate(answers, 1):
        prefix = f"Case #{case}: " if format == "codejam" else ""
        parts.append(f"{prefix}{'POSSIBLE' if answer.possible else 'IMPOSSIBLE'}\n")
        if answer.board is not None:
            parts.append(next(layouts))
    return "".join(parts)


def parse_answers(text: str | bytes, boards: Sequence[Beams], format: str, name: str = "<text>") -> list[Layout]:
    """The answers in an output file to these boards; verdicts in any case, as the contest's judge reads them.

    Whether a printed board solves its case is for the check to say; here it only has to be a board of the case's size.

    Raises:
        InputError: the text breaks the format, or holds more or fewer answers than there are boards.
    """
    reader = Reader(text, name)
    answers: list[Layout] = []
    for case, board in enumerate(boards, 1):
        start = reader.position
        expected = f"{f'Case #{case}: ' if format == 'codejam' else ''}POSSIBLE or IMPOSSIBLE"
        word = reader.line(expected)
        if format == "codejam":
            match = _CASE.fullmatch(word)
            if match is None or int(match[1]) != case:
                reader.fail(f"expected {expected}; found {word[:40]!r}", start)
            word = match[2]
        if word.upper() not in ("POSSIBLE", "IMPOSSIBLE"):
            reader.fail(f"expected {expected}; found {word[:40]!r}", start)
        possible = word.upper() == "POSSIBLE"
        grid = reader.grid(board.rows, board.columns, Beams.alphabet) if possible else None
        answers.append(Layout(possible, None if grid is None else Beams(grid)))
    reader.end("the last answer")
    return answers


def fields(answer: Layout) -> dict[str, object]:
    """The answer's fields for JSON."""
    return {"possible": answer.possible, "board": answer.board and grid_lines(answer.board.grid)}
