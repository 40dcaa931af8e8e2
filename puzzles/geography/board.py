"""Geography: the board, the answer, and their texts.

LOJ6033, "Board Game"; Luogu P4055 asks for the same cells. A piece stands on an open cell (`.`), which counts as visited.
The players move it in turn to an open cell beside it that was not visited before; who cannot move loses. Wanted are all
cells from which the first mover loses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from puzzles.answer import Answer, Claims
from puzzles.grid import Board
from puzzles.text import Reader, UserError, counted

FORMATS = ("loj", "luogu")
_MOST_KEPT = 10_000


@dataclass(frozen=True, eq=False)
class Geography(Board):
    """A geography board: open cells and walls."""

    puzzle: ClassVar[str] = "geography"
    alphabet: ClassVar[bytes] = b".#"

    def text(self) -> str:
        return f"{self.rows} {self.columns}\n{self}\n"

    def _repr_svg_(self) -> str:
        from puzzles.geography.picture import picture

        return picture(self)


@dataclass(frozen=True, eq=False)
class Losing(Answer):
    """The cells from which the first mover loses; from every other open cell that player wins.

    Attributes:
        board: the board that was asked about.
        cells: int32 array, their flat indices in ascending order.
        certificate: int32 array of shape (3, cells of the board): `mate`, a matching of open neighbours (-1 where exposed or
            wall); `parent`, for each losing cell that is not exposed a losing cell with a neighbour to which it is matched
            (-1 elsewhere); `rank`, which is smaller for the parent (-1 outside the losing cells). See the check.
    """

    board: Geography
    cells: NDArray[np.int32]

    def __post_init__(self) -> None:
        cells = np.array(self.cells, np.int32)
        cells.flags.writeable = False
        object.__setattr__(self, "cells", cells)

    @property
    def claims(self) -> Claims:
        """int64, for each cell of the board 1 where the first mover loses, else 0; walls are 0."""
        made = np.zeros(self.board.cells, np.int64)
        made[self.cells] = 1
        return made

    def _repr_svg_(self) -> str:
        from puzzles.geography.picture import picture

        return picture(self.board, self)


def parse(text: str | bytes, name: str = "<text>") -> list[Geography]:
    """The one board of an input file: `n m` and n rows.

    Raises:
        InputError: the text breaks the format.
    """
    reader = Reader(text, name)
    same = reader.alike(1, 2, Geography.alphabet)
    if same is not None:
        grid = same[1][0]
    else:
        rows, columns = reader.numbers("the number of rows", "the number of columns")
        grid = reader.grid(rows, columns, Geography.alphabet)
    reader.end("the board")
    return [Geography.from_valid_grid(grid)]


def print_instances(boards: Sequence[Geography]) -> str:
    """An input file with this board.

    Raises:
        UserError: there are more or fewer boards than the one that a file can hold.
    """
    if len(boards) != 1:
        raise UserError(f"a geography file holds one board, not {len(boards)}")
    return boards[0].text()


def print_answers(answers: Sequence[Losing], format: str) -> str:
    """An output file with these answers, in `loj` or `luogu` format."""
    return "".join(f"{_heading(answer, format)}\n{_lines(answer.cells, answer.board)}" for answer in answers)


def _heading(answer: Losing, format: str) -> str:
    if format == "loj":
        return str(answer.cells.size)
    return "WIN" if answer.cells.size else "LOSE"


def _lines(cells: NDArray[np.int32], board: Geography) -> str:
    """One line `row column` a cell, counted from 1; whole arrays, for there may be millions."""
    if cells.size == 0:
        return ""
    longest = max(board.grid.shape)
    first, second = (_words if longest < _MOST_KEPT else _words.__wrapped__)(longest)
    row, column = np.divmod(cells, np.int32(board.columns))
    lines = np.empty((cells.size, 2), first.dtype)
    lines[:, 0], lines[:, 1] = first[row], second[column]
    return lines.tobytes().translate(None, b"\0").decode("ascii")


@lru_cache(maxsize=8)
def _words(longest: int) -> tuple[NDArray[np.generic], NDArray[np.generic]]:
    """The numbers from 1 to `longest`, those of a row with a blank after them, those of a column with a line's end.

    A number and what follows it are one machine word where they fit, filled up with zero bytes, which no text has.
    """
    width, word = (4, "u4") if longest < 1000 else (8, "u8") if longest < 10**7 else (16, "S16")
    digits = np.arange(1, longest + 1).astype(np.bytes_)
    made = [np.char.add(digits, end).astype(f"S{width}").view(word) for end in (b" ", b"\n")]
    return made[0], made[1]


def parse_answers(text: str | bytes, boards: Sequence[Geography], format: str, name: str = "<text>") -> list[Losing]:
    """The answers in an output file to these boards; cells must be in row-major order and on the board.

    That a listed cell is open is for the check to say: an answer that names a wall is false, not unreadable.

    Raises:
        InputError: the text breaks the format, or holds more or fewer answers than there are boards.
    """
    reader = Reader(text, name)
    answers = [Losing(board, _cells(reader, board, format)) for board in boards]
    reader.end("the last answer")
    return answers


def _cells(reader: Reader, board: Geography, format: str) -> NDArray[np.int32]:
    start = reader.position
    if format == "loj":
        (count,) = reader.numbers("the number of cells", least=0)
        if count > board.cells:
            reader.fail(f"{counted(count, 'cell')}, but the board has only {board.cells}", start)
    else:
        verdict = reader.line("WIN or LOSE")
        if verdict not in ("WIN", "LOSE"):
            reader.fail(f"expected WIN or LOSE; found {verdict[:40]!r}", start)
        count = None if verdict == "WIN" else 0
    quick = _canonical(reader, board, count)
    if quick is not None:
        return quick
    cells: list[int] = []
    while len(cells) != count:
        start = reader.position
        row, column = reader.numbers("a row", "a column")
        if row > board.rows or column > board.columns:
            reader.fail(f"{row} {column} is not on the {board.rows}x{board.columns} board", start)
        cell = (row - 1) * board.columns + column - 1
        if cells and cell <= cells[-1]:
            reader.fail(f"{row} {column} is listed {'twice' if cell == cells[-1] else 'out of row-major order'}", start)
        cells.append(cell)
        if count is None and (reader.exhausted or reader.data[reader.position : reader.position + 1] in (b"W", b"L")):
            break
    return np.array(cells, np.int32)


def _canonical(reader: Reader, board: Geography, count: int | None) -> NDArray[np.int32] | None:
    """The rest of the text as cells, read at once, where it is exactly what `print_answers` would write; else None."""
    rest = reader.data[reader.position :]
    if rest.translate(None, b"0123456789 \n"):
        return None
    numbers = np.array(rest.split(), np.bytes_)
    if numbers.size == 0 or numbers.size % 2 or numbers.itemsize > 9 or (count is not None and numbers.size != 2 * count):
        return None
    places = numbers.astype(np.int64).reshape(-1, 2)
    if places.min() < 1 or (places > board.grid.shape).any():
        return None
    cells = ((places[:, 0] - 1) * board.columns + places[:, 1] - 1).astype(np.int32)
    if (np.diff(cells) <= 0).any() or _lines(cells, board).encode() != rest:
        return None
    reader.position = len(reader.data)
    return cells


def fields(answer: Losing) -> dict[str, object]:
    """The answer's fields for JSON: the losing cells as [row, column], counted from 1."""
    places = np.column_stack(np.divmod(answer.cells, np.int32(answer.board.columns))) + 1
    return {"losing": places.tolist()}
