"""Reading the moves in an output file of nogo."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from puzzles.nogo.board import NoGo
from puzzles.text import Reader

_LAST = re.compile(rb"^-1 -1[ \t\r]*$", re.MULTILINE)
_WORD = re.compile(rb"\S+")


def read_moves(reader: Reader, board: NoGo) -> NDArray[np.int32]:
    """The moves up to `-1 -1`, as flat cell indices in the order of play; raises `InputError`."""
    moves = _plain(reader, board)
    return moves if moves is not None else _by_lines(reader, board)


def _plain(reader: Reader, board: NoGo) -> NDArray[np.int32] | None:
    """The moves read by whole arrays. None, and the cursor unmoved, if a line is not plainly a point of the board."""
    last = _LAST.search(reader.data, reader.position)
    if last is None:
        return None
    body = reader.data[reader.position : last.start()]
    count = body.count(b"\n")
    if body.translate(None, b"0123456789") != b" \n" * count:
        return None
    numbers = np.fromstring(body, np.int64, sep=" ") if count else np.empty(0, np.int64)
    if numbers.size != 2 * count:
        return None
    places = numbers.reshape(count, 2)
    if count and (places.min() < 1 or (places > board.grid.shape).any()):
        return None
    reader.position = reader.data.index(b"\n", last.end()) + 1
    return (places[:, 0] * board.columns + places[:, 1] - board.columns - 1).astype(np.int32)


def _by_lines(reader: Reader, board: NoGo) -> NDArray[np.int32]:
    moves: list[int] = []
    while True:
        start = reader.position
        row, column = reader.numbers("a row", "a column", signed=True)
        if (row, column) == (-1, -1):
            return np.array(moves, np.int32)
        words = _WORD.finditer(reader.data, start)
        for number, most, what in ((row, board.rows, "row"), (column, board.columns, "column")):
            at = next(words).start()
            if not 1 <= number <= most:
                reader.fail(f"the {what} must be from 1 to {most}, found {number}", at)
        moves.append((row - 1) * board.columns + column - 1)
