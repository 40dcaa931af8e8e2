"""Reading the list of losing cells in an output file of geography."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from puzzles.coordinates import coordinate_lines
from puzzles.geography.board import Geography
from puzzles.text import Reader, counted


def read_cells(reader: Reader, board: Geography, format: str) -> NDArray[np.int32]:
    """The losing cells of one board, as ascending flat indices; raises `InputError`."""
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
    canonical = _canonical(reader, board, count)
    return canonical if canonical is not None else _by_lines(reader, board, count)


def _by_lines(reader: Reader, board: Geography, count: int | None) -> NDArray[np.int32]:
    """The cells read line by line; without a count at least one, up to the next answer's heading or the text's end."""
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
    """The rest of the text as cells, read by whole arrays. None if it is not exactly what `print_answers` writes."""
    rest = reader.data[reader.position :]
    if rest.translate(None, b"0123456789 \n"):
        return None
    words = rest.split()
    if not words or len(words) % 2 or (count is not None and len(words) != 2 * count) or max(map(len, words)) > 9:
        return None  # an array gives every word as many bytes as the longest one has
    places = np.array(words, np.bytes_).astype(np.int64).reshape(-1, 2)
    if places.min() < 1 or (places > board.grid.shape).any():
        return None
    cells = ((places[:, 0] - 1) * board.columns + places[:, 1] - 1).astype(np.int32)
    if (np.diff(cells) <= 0).any() or "".join(coordinate_lines(cells, board.shape)).encode() != rest:
        return None
    reader.position = len(reader.data)
    return cells
