"""Minesweeper: which covered cells are certainly mines, and which are certainly safe."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from types import MappingProxyType
from typing import Any

from puzzles.answer import Claims
from puzzles.derivation import DerivationStep
from puzzles.grid import GridPuzzle, bodies, grid_lines, grid_of
from puzzles.minesweeper.board import COVERED, Deduction, Minesweeper
from puzzles.minesweeper.chances import decimal, fraction_text
from puzzles.minesweeper.requests import REQUESTS
from puzzles.puzzle import Family, FromSubmodules
from puzzles.text import Reader, counted

__all__ = ["PUZZLE", "Deduction", "Minesweeper", "parse", "print_answers"]

_INCONSISTENT = b"INCONSISTENT"


class MinesweeperPuzzle(FromSubmodules[Minesweeper, Deduction], GridPuzzle[Minesweeper, Deduction]):
    """The puzzle: texts and rooms.

    An input file is `T`, then per case `rows columns` or `rows columns mines` and the rows. A file whose first line has two or
    three numbers holds one board and no `T`.
    """

    name = "minesweeper"
    title = "Minesweeper"
    source = '"Minesweeper: a new use of 2-SAT" (Amb@HDU, 2011)'
    formats = ("writeup",)
    example = "2\n3 4\n###O\n#2#O\n###2\n2 4\n####\n2#21\n"
    first_claim_is_consistency = True
    requests = REQUESTS
    exact_options = MappingProxyType({"probabilities": True, "smallest_cores": 2})
    large_boards = (("spread", 32), ("spread", 40), ("spread-counted", 28))
    board_type = Minesweeper
    simplest_first = b"#O.X012345678"
    header_names = (*GridPuzzle.header_names, "the number of mines")
    optional_numbers = 1
    least_numbers = (1, 1, 0)

    def read_count(self, reader: Reader) -> int:
        first_line = reader.data[: reader.data.index(b"\n")]
        return super().read_count(reader) if len(first_line.split()) < 2 else 1

    def header_fields(self, *more: int) -> dict[str, Any]:
        return {"mines": more[0] if more else None}

    def print_answers(self, answers: Sequence[Deduction], format: str) -> str:
        """An output file: per case `Case x:`, the board or INCONSISTENT, and an empty line."""
        shown = bodies([answer.board for answer in answers])
        parts: list[str] = []
        for case, (answer, body) in enumerate(zip(answers, shown, strict=True), 1):
            parts.append(f"Case {case}:\n{body if answer.consistent else 'INCONSISTENT' + chr(10)}\n")
        return "".join(parts)

    def read_answer(self, reader: Reader, board: Minesweeper, /, case: int, format: str) -> Deduction:
        """A complete answer to a board. The last empty line may be missing.

        A printed board only has to be of its case's size; whether it is right is for the check to say.
        """
        _expect(reader, f"Case {case}:")
        stop = reader.data.find(b"\n", reader.position)
        if stop >= 0 and reader.data[reader.position : stop].rstrip(b" \t\r") == _INCONSISTENT:
            reader.line("INCONSISTENT")
            answer = Deduction(False, board)
        else:
            grid = reader.grid(board.rows, board.columns, Minesweeper.alphabet)
            answer = Deduction(True, Minesweeper(grid, board.mines))
        if not reader.exhausted:
            _expect(reader, "")
        return answer

    def answer_from(self, board: Minesweeper, /, value: object) -> Deduction:
        """As `Puzzle.answer_from`; also the rows with `X` for the certain mines and `O` for the certain safe cells, or None for
        INCONSISTENT."""
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
        return f"{counted(mines, 'certain mine')}, {counted(safe, 'safe cell')}, {open_questions} undecided"

    def fields(self, answer: Deduction) -> dict[str, object]:
        """`consistent` and `board`; also `layouts`, `mines` and `probability` if the layouts were counted."""
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
            fields["probability"] = [cells[start : start + width] for start in range(0, len(cells), width)]
        return fields

    def decided(self, board: Minesweeper, /, claims: Claims) -> int:
        """How many covered cells are claimed to be a mine or safe.

        Claim 0 does not count: an incomplete answer cannot say that a board is consistent.
        """
        cells = claims[1:][board.grid.ravel() == COVERED]
        return int(((cells == 0) | (cells == 1)).sum())

    def smaller(self, board: Minesweeper, /) -> Iterator[Minesweeper]:
        from puzzles.minesweeper.fuzzing import smaller

        return smaller(board, self.simplest_first)

    def differing_cells(self, board: Minesweeper, /, ours: Claims, theirs: Claims) -> list[int]:
        """As `GridPuzzle.differing_cells`; claim 0 is about the whole board, and alone counts if either answer says no."""
        return [] if 0 in (ours[0], theirs[0]) else super().differing_cells(board, ours[1:], theirs[1:])

    @property
    def fuzz_families(self) -> Mapping[str, Family[Minesweeper]]:
        from puzzles.minesweeper.fuzzing import FAMILIES

        return FAMILIES

    def legal(self, board: Minesweeper, /, rng: Random, extended: bool) -> Minesweeper:
        from puzzles.minesweeper.fuzzing import legal

        return legal(board, rng, extended)

    def broken_promise(self, board: Minesweeper, /, answer: Deduction, promise: str) -> str | None:
        """What the closure (`promise`: "closure") does not find, or a smallest core that has too many clues."""
        from puzzles.minesweeper.promises import broken_promise

        return broken_promise(board, answer, promise)

    def extended(self, board: Minesweeper, /, rng: Random) -> Minesweeper:
        """The board with a number of mines."""
        from puzzles.minesweeper.fuzzing import extended

        return extended(board, rng)

    def steps(self, board: Minesweeper, /, answer: Deduction) -> Sequence[DerivationStep]:
        """Why an inconsistent board has no layout, by the core of the answer; no steps if there are none."""
        from puzzles.minesweeper.explain import steps

        return () if answer.contradiction is None else steps(board, answer.contradiction._replace(cells=()), False)

    def extra_pictures(self, board: Minesweeper, /, answer: Deduction) -> Iterator[tuple[str, str]]:
        from puzzles.minesweeper.picture import extra_pictures

        return extra_pictures(board, answer)


def _expect(reader: Reader, line: str) -> None:
    """Read one line; raises `InputError` unless it is this one."""
    start = reader.position
    actual = reader.line(line)
    if actual != line:
        reader.fail(f"expected {line or 'an empty line'}; found {actual[:40]!r}", start)


PUZZLE = MinesweeperPuzzle()
parse, print_answers = PUZZLE.parse, PUZZLE.print_answers
