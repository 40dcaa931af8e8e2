"""Minesweeper: which covered cells are certainly mines, and which are certainly safe."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from puzzles.answer import Claims
from puzzles.grid import GridPuzzle, grid_lines, grid_of
from puzzles.minesweeper.board import (
    COVERED,
    MINE,
    SIMPLEST_FIRST,
    Certificate,
    Deduction,
    Minesweeper,
)
from puzzles.minesweeper.chances import decimal, fraction_text
from puzzles.minesweeper.requests import REQUESTS
from puzzles.puzzle import Family, FromSubmodules, from_submodule
from puzzles.text import Grid, Reader, count_noun

__all__ = ["PUZZLE", "Deduction", "Minesweeper", "parse", "print_answers"]


class MinesweeperPuzzle(FromSubmodules, GridPuzzle[Minesweeper, Deduction]):
    """The puzzle, and how its texts are read and written.

    An input file is `T`, then per case `rows columns` or `rows columns mines` and the rows. A file
    whose first line has two or three numbers holds one board and no `T`.
    """

    name = "minesweeper"
    title = "Minesweeper"
    source = '"Minesweeper: a new use of 2-SAT" (Amb@HDU, 2011)'
    formats = ("writeup",)
    plain_values = "the rows, or None"
    example = "2\n3 4\n###O\n#2#O\n###2\n2 4\n####\n2#21\n"
    first_claim_is_consistency = True
    requests = REQUESTS
    exact_options = MappingProxyType({"probabilities": True})
    large_boards = (("spread", 32), ("spread", 40), ("spread-counted", 28))
    board_type = Minesweeper
    simplest_first = SIMPLEST_FIRST
    header_names = (*GridPuzzle.header_names, "the number of mines")
    optional_numbers = 1
    least_numbers = (1, 1, 0)

    def read_count(self, reader: Reader) -> int:
        first_line = reader.data[: reader.data.index(b"\n")]
        return super().read_count(reader) if len(first_line.split()) < 2 else 1

    def header_fields(self, *more: int) -> dict[str, Any]:
        return {"mines": more[0] if more else None}

    def boards_on(self, grid: Grid, like: Minesweeper) -> Iterator[Minesweeper]:
        """The board without a number of mines; then with each, as long as there are cells for
        them.
        """
        yield Minesweeper(grid)
        for mines in range(np.isin(grid, (COVERED, MINE)).sum() + 1):
            yield Minesweeper(grid, mines)

    def print_answers(self, answers: Sequence[Deduction], format: str) -> str:
        """An output file: per case `Case x:`, the board or INCONSISTENT, and an empty line."""
        shown = [
            answer.board.body() if answer.consistent else "INCONSISTENT\n" for answer in answers
        ]
        return "".join(f"Case {case}:\n{text}\n" for case, text in enumerate(shown, 1))

    def read_answer(
        self, reader: Reader, board: Minesweeper, /, case: int, format: str
    ) -> Deduction:
        """A complete answer to a board. The last empty line may be missing.

        A printed board only has to be of its case's size; whether it is right is for the check to
        say.
        """
        _expect(reader, f"Case {case}:")
        start = reader.position
        word = "INCONSISTENT"
        if reader.data.startswith(word.encode(), start) and reader.line(word) == word:
            answer = Deduction(False, board)
        else:
            reader.position = start
            grid = reader.grid(board.rows, board.columns, Minesweeper.alphabet)
            answer = Deduction(True, Minesweeper(grid, board.mines))
        if not reader.exhausted:
            _expect(reader, "")
        return answer

    def answer_from(self, board: Minesweeper, /, value: object) -> Deduction:
        """As `Puzzle.answer_from`; also the rows with `X` for the certain mines and `O` for the
        certain safe cells, or None for INCONSISTENT."""
        if value is None:
            return Deduction(False, board)
        if isinstance(value, list | tuple) and value and all(isinstance(row, str) for row in value):
            return Deduction(True, Minesweeper(grid_of(value), board.mines))
        return super().answer_from(board, value)

    def outcome(self, claims: Claims) -> str:
        return "INCONSISTENT" if claims[0] == 0 else "consistent"

    def headline(self, answer: Deduction, /) -> str:
        """How many covered cells are certain, given ones included, and how many are not."""
        if not answer.consistent:
            return "INCONSISTENT"
        mines, safe, open_questions = (answer.board.body().count(kind) for kind in "XO#")
        return (
            f"{count_noun(mines, 'certain mine')}, {count_noun(safe, 'safe cell')}, "
            f"{open_questions} undecided"
        )

    def fields(self, answer: Deduction) -> dict[str, object]:
        """`consistent` and `board`; also `layouts`, `mines` and `probability` if the layouts were
        counted, and with a certificate `layout`, one that fits, with `X` for its mines.
        """
        fields: dict[str, object] = {
            "consistent": answer.consistent,
            "board": grid_lines(answer.board.grid) if answer.consistent else None,
        }
        chances = answer.chances
        if chances is not None:
            texts = [fraction_text(each) for each in chances.fractions]
            cells = [None if value < 0 else texts[value] for value in chances.value_of.tolist()]
            width = answer.board.columns
            fields["layouts"] = decimal(chances.layouts)
            fields["mines"] = list(chances.mines)
            fields["probability"] = [
                cells[start : start + width] for start in range(0, len(cells), width)
            ]
        if isinstance(answer.certificate, Certificate) and answer.consistent:
            mines = answer.board.grid == MINE
            for layout in answer.certificate.layouts[:1]:
                mines = np.frombuffer(layout, np.uint8).reshape(mines.shape) == 1
            fields["layout"] = grid_lines(np.where(mines, np.uint8(MINE), np.uint8(ord("."))))
        return fields

    def decided_count(self, board: Minesweeper, /, claims: Claims) -> int:
        """How many covered cells are claimed to be a mine or safe.

        Claim 0 does not count: an incomplete answer cannot say that a board is consistent.
        """
        cells = claims[1:][board.grid.ravel() == COVERED]
        return int(((cells == 0) | (cells == 1)).sum())

    def differing_cells(self, board: Minesweeper, /, ours: Claims, theirs: Claims) -> list[int]:
        """As `GridPuzzle.differing_cells`; claim 0 is about the whole board, and alone counts if
        either answer says no.
        """
        return (
            []
            if 0 in (ours[0], theirs[0])
            else super().differing_cells(board, ours[1:], theirs[1:])
        )

    def core_cells(self, board: Minesweeper, /, answer: Deduction) -> Sequence[int]:
        return () if answer.contradiction is None else answer.contradiction.clues

    @property
    def fuzz_families(self) -> Mapping[str, Family[Minesweeper]]:
        return self.submodule("fuzzing").FAMILIES

    edge_cases = from_submodule("fuzzing", "edge_cases")
    smaller = from_submodule("fuzzing", "smaller")
    legal = from_submodule("fuzzing", "with_fitting_clues")
    extended = from_submodule("fuzzing", "extended")
    broken_promise = from_submodule("promises", "broken_promise")
    promised_near = from_submodule("promises", "promised_near")
    lacking = from_submodule("lacking", "lacking")
    with_irreducible_core = from_submodule("check", "with_irreducible_core")
    steps = from_submodule("explain", "steps_of")
    extra_pictures = from_submodule("picture", "extra_pictures")


def _expect(reader: Reader, line: str) -> None:
    """Read one line; raises `InputError` unless it is this one."""
    start = reader.position
    actual = reader.line(line)
    if actual != line:
        reader.fail(f"expected {line or 'an empty line'}; found {actual[:40]!r}", start)


PUZZLE = MinesweeperPuzzle()
parse, print_answers = PUZZLE.parse, PUZZLE.print_answers
