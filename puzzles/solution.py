"""Puzzles that ask for a solution: the answer is POSSIBLE with a board that solves the given one,
or IMPOSSIBLE.

In an output file each answer is one of these words, and POSSIBLE is followed by the rows of the
solution.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from puzzles.answer import Answer, Check, Claims, Verdict
from puzzles.grid import Board, BoardT, GridPuzzle, grid_lines, grid_of
from puzzles.puzzle import WitnessPuzzle
from puzzles.text import Reader

_VERDICT = re.compile(r"(im)?possible", re.IGNORECASE | re.ASCII)


@dataclass(frozen=True, eq=False, repr=False)
class GridSolution(Answer):
    """Whether a board can be solved, and how.

    Attributes:
        possible: whether it can.
        board: the witness if possible: a board of the same size that shows the solution. None if
            impossible.
        certificate: the core if impossible, in plain values: tuples, numbers, texts, bytes, arrays.
            The check knows its form.
    """

    possible: bool
    board: Board | None = None

    @property
    def claims(self) -> Claims:
        return np.array([self.possible], np.int64)

    def __str__(self) -> str:
        if self.board is not None:
            return f"POSSIBLE\n{self.board}"
        return "POSSIBLE" if self.possible else "IMPOSSIBLE"


SolutionT = TypeVar("SolutionT", bound=GridSolution)


class SolutionPuzzle(WitnessPuzzle[BoardT, SolutionT], GridPuzzle[BoardT, SolutionT]):
    """A grid puzzle whose answers are solutions, with defaults for all but its name, its boards and
    its rules.

    The rules are those of `WitnessPuzzle`.

    Attributes:
        answer_type: the class of the answers; a subclass of `GridSolution` may add to it.
        solution_type: the class of solutions, if they hold characters that a board may not; by
            default the class of the boards.
    """

    answer_type = GridSolution
    solution_type: type[Board] | None = None

    @property
    def solved_type(self) -> type[Any]:
        """The class of solutions."""
        return self.solution_type or self.board_type

    def check_solution(self, board: BoardT, answer: SolutionT, /) -> Check:
        solution = answer.board
        if solution is None:
            return Check(Verdict.UNPROVED, "POSSIBLE without a board")
        if solution.shape != board.shape:
            return Check(Verdict.REFUTED, board.other_shape(solution))
        broken = self.broken_rule(board, solution)
        return (
            Check(Verdict.REFUTED, broken) if broken else Check(Verdict.PROVED, "every rule holds")
        )

    def heading(self, case: int, format: str) -> str:
        """What stands before POSSIBLE or IMPOSSIBLE in an output file; by default nothing."""
        return ""

    def without_heading(self, line: str, case: int, format: str) -> str | None:
        """The rest of a line that begins with the heading of a case; None if it begins
        otherwise.
        """
        heading = self.heading(case, format)
        return line[len(heading) :] if line.startswith(heading) else None

    def answer_from(self, board: BoardT, /, value: object) -> SolutionT:
        """As `WitnessPuzzle.answer_from`; also a solution as a board or as a list of its rows."""
        if isinstance(value, list | tuple) and value and all(isinstance(row, str) for row in value):
            value = self.solved_type(grid_of(value))
        return (
            self.answer_type(True, value)
            if isinstance(value, self.solved_type)
            else super().answer_from(board, value)
        )

    def print_answers(self, answers: Sequence[SolutionT], format: str) -> str:
        """An output file: POSSIBLE and the solution, or IMPOSSIBLE; after the case's heading."""
        parts: list[str] = []
        for case, answer in enumerate(answers, 1):
            verdict = "POSSIBLE" if answer.possible else "IMPOSSIBLE"
            parts.append(f"{self.heading(case, format)}{verdict}\n")
            if answer.board is not None:
                parts.append(answer.board.body())
        return "".join(parts)

    def read_answer(self, reader: Reader, board: BoardT, /, case: int, format: str) -> SolutionT:
        """The answer to a board. Upper and lower case are the same.

        A printed board only has to be of its case's size; whether it solves the case is for the
        check to say.
        """
        start = reader.position
        expected = f"{self.heading(case, format)}POSSIBLE or IMPOSSIBLE"
        line = reader.line(expected)
        word = self.without_heading(line, case, format)
        verdict = None if word is None else _VERDICT.fullmatch(word)
        if verdict is None:
            reader.fail(
                f"expected {expected}; found {(line if word is None else word)[:40]!r}", start
            )
        if verdict[1] is not None:
            return self.answer_type(False)
        return self.answer_type(
            True,
            self.solved_type(reader.grid(board.rows, board.columns, self.solved_type.alphabet)),
        )

    def outcome(self, claims: Claims) -> str:
        return "POSSIBLE" if claims[0] else "IMPOSSIBLE"

    def fields(self, answer: SolutionT) -> dict[str, object]:
        """`possible`, and `board`: the rows of the solution, or null."""
        return {
            "possible": answer.possible,
            "board": answer.board and grid_lines(answer.board.grid),
        }
