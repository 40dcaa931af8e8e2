"""Geography: from which cells does the first mover lose the game of never visiting a cell twice?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

import numpy as np

from puzzles.answer import Claims
from puzzles.coordinates import cells_of_lines, coordinate_lines, coordinates, flat_cells
from puzzles.geography.board import Geography, Losing
from puzzles.grid import GridPuzzle, part_of
from puzzles.puzzle import FromSubmodules, from_submodule
from puzzles.text import Reader, count_noun

__all__ = ["PUZZLE", "Geography", "Losing", "parse", "print_answers"]


class GeographyPuzzle(FromSubmodules, GridPuzzle[Geography, Losing]):
    """The puzzle. An input file is one board: `n m` and n rows."""

    name = "geography"
    title = "Board Game"
    source = "LOJ6033; the same cells as Luogu P4055"
    formats = ("loj", "luogu")
    example = "3 3\n.##\n...\n#.#\n"
    many_instances = False
    board_type = Geography
    simplest_first = b"#."
    largest = 100
    large_boards = (("walls-10", 150), ("walls-05", 150), ("walls-10", 150))
    steps = from_submodule("picture", "steps")

    def print_answers(self, answers: Sequence[Losing], format: str) -> str:
        """An output file: the number of cells (`loj`), or WIN or LOSE (`luogu`), then a line `row
        column` a cell.
        """
        return "".join(
            f"{_heading(answer, format)}\n{coordinate_lines(answer.cells, answer.board.shape)}"
            for answer in answers
        )

    def read_answer(self, reader: Reader, board: Geography, /, case: int, format: str) -> Losing:
        """The losing cells of a board; they must be in row-major order and on the board.

        After WIN there is at least one, and they end where the next answer or the text does.
        Whether a listed cell is open is for the check to say: an answer that lists a wall is wrong,
        but can be read.
        """
        start = reader.position
        if format == "loj":
            (count,) = reader.numbers("the number of cells", least=0)
            if count > board.cells:
                reader.fail(
                    f"{count_noun(count, 'cell')}, but the board has only {board.cells}", start
                )
        else:
            verdict = reader.line("WIN or LOSE")
            if verdict not in ("WIN", "LOSE"):
                reader.fail(f"expected WIN or LOSE; found {verdict[:40]!r}", start)
            count = None if verdict == "WIN" else 0
        plain = cells_of_lines(reader.data[reader.position :], board.shape)
        if (
            plain is not None
            and plain.size
            and count in (None, plain.size)
            and (np.diff(plain) > 0).all()
        ):
            reader.position = len(reader.data)
            return Losing(board, plain)
        cells: list[int] = []
        while len(cells) != count:
            start = reader.position
            row, column = reader.numbers("a row", "a column")
            if row > board.rows or column > board.columns:
                reader.fail(
                    f"{row} {column} is not on the {board.rows}x{board.columns} board", start
                )
            cell = (row - 1) * board.columns + column - 1
            if cells and cell <= cells[-1]:
                reader.fail(
                    f"{row} {column} is listed "
                    f"{'twice' if cell == cells[-1] else 'out of row-major order'}",
                    start,
                )
            cells.append(cell)
            if count is None and (
                reader.exhausted
                or reader.data[reader.position : reader.position + 1] in (b"W", b"L")
            ):
                break
        return Losing(board, np.array(cells, np.int32))

    def answer_from(self, board: Geography, /, value: object) -> Losing:
        """As `Puzzle.answer_from`; also the losing cells in any order, as pairs (row, column) or
        flat indices, counted from 0.
        """
        if isinstance(value, Losing | str):
            return super().answer_from(board, value)
        return Losing(board, np.unique(flat_cells(value, board.shape)))

    def broken_promise(self, board: Geography, /, format: str) -> str:
        """As `Puzzle.broken_promise`. LOJ6033 and Luogu P4055 (JSOI 2009): n, m <= 100.

        Neither promises an open cell.
        """
        large = max(board.shape) > self.largest
        return f"more than {self.largest} rows or columns" if large else ""

    def promised_near(self, board: Geography, /, format: str, rng: Random) -> Iterator[Geography]:
        """A part of the board."""
        yield Geography(part_of(board.grid, self.largest, rng))

    def place_of(self, board: Geography, /, claim: int) -> str:
        return f"the cell at {board.place(claim)}"

    def outcome(self, claims: Claims) -> str:
        return "some cell loses" if claims.any() else "every cell wins"

    def in_words(self, line: str) -> str:
        """The first line of the format `loj` is a number."""
        return (
            count_noun(int(line), "losing cell")
            if line.isascii() and line.isdigit() and len(line) < 10
            else line
        )

    def fields(self, answer: Losing) -> dict[str, object]:
        """`losing`: the losing cells as [row, column], counted from 1. With a certificate also
        `pairs`: those of its matching, two cells each.
        """
        columns = answer.board.columns
        fields: dict[str, object] = {"losing": coordinates(answer.cells, columns)}
        if answer.certificate is not None:
            mates = answer.certificate[0]
            first = np.flatnonzero(mates > np.arange(mates.size))
            pairs = np.stack([first, mates[first]], axis=1)
            fields["pairs"] = (np.stack(np.divmod(pairs, columns), axis=-1) + 1).tolist()
        return fields


def _heading(answer: Losing, format: str) -> str:
    if format == "loj":
        return str(answer.cells.size)
    return "WIN" if answer.cells.size else "LOSE"


PUZZLE = GeographyPuzzle()
parse, print_answers = PUZZLE.parse, PUZZLE.print_answers
