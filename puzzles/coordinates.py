"""Cells of a grid as rows and columns: as people and contests count them, from 1, or from 0."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

_BLOCK = 1 << 13
"""Lines that are written together: few enough to stay in the processor's cache."""

_DIGITS = 4
"""The most digits of a number that is written as one word."""

_LINE = np.dtype(
    [("row", np.uint32), ("blank", np.uint8), ("column", np.uint32), ("end", np.uint8)]
)


def coordinates(cells: Sequence[int] | NDArray[np.integer], columns: int) -> list[list[int]]:
    """Flat cell indices as [row, column], counted from 1."""
    return (np.column_stack(np.divmod(np.asarray(cells, np.int32), columns)) + 1).tolist()


def coordinate_lines(cells: NDArray[np.int32], shape: tuple[int, ...]) -> str:
    """A line `row column` for each flat index of a grid of this shape, counted from 1.

    A line is written as two words of digits, each filled up with zero bytes, and the characters
    after them; then the zero bytes are taken out.
    """
    if max(shape) >= 10**_DIGITS:
        return "".join(f"{row} {column}\n" for row, column in coordinates(cells, shape[1]))
    numbers = _numbers(max(shape))
    columns = np.uint32(shape[1])
    parts: list[str] = []
    for start in range(0, cells.size, _BLOCK):
        some = cells[start : start + _BLOCK].view(np.uint32)  # NumPy divides these faster
        row = some // columns
        lines = np.empty(some.size, _LINE)
        lines["row"], lines["column"] = numbers[row], numbers[some - row * columns]
        lines["blank"], lines["end"] = ord(" "), ord("\n")
        parts.append(lines.tobytes().translate(None, b"\0").decode("ascii"))
    return "".join(parts)


@lru_cache(maxsize=8)
def _numbers(count: int) -> NDArray[np.uint32]:
    """The numbers from 1 to `count` in ASCII, each filled up with zero bytes to a word. NumPy picks
    integers out of an array faster than texts.
    """
    return np.arange(1, count + 1).astype(f"S{_DIGITS}").view(np.uint32)


def cells_of_lines(text: bytes, shape: tuple[int, ...]) -> NDArray[np.int32] | None:
    """The flat cells of lines `row column`, read by whole arrays; None if a line is not plainly a
    cell of such a grid.
    """
    lines = text.count(b"\n")
    if text.translate(None, b"0123456789") != b" \n" * lines:
        return None
    numbers = np.fromstring(text, np.int64, sep=" ") if lines else np.empty(0, np.int64)
    if numbers.size != 2 * lines:
        return None
    places = numbers.reshape(lines, 2)
    if ((places < 1) | (places > shape)).any():
        return None
    return ((places[:, 0] - 1) * shape[1] + places[:, 1] - 1).astype(np.int32)


def flat_cells(cells: object, shape: tuple[int, ...]) -> NDArray[np.int32]:
    """Flat indices of cells of a grid of this shape; the cells are pairs (row, column) or flat
    indices, counted from 0.

    Raises:
        TypeError: this is no sequence of cells.
        ValueError: a cell is not on the grid.
    """
    values = np.array(
        list(cells) if isinstance(cells, Iterable) and not isinstance(cells, str) else [None]
    )
    if values.size == 0:
        return np.empty(0, np.int32)
    pairs = values.ndim == 2 and values.shape[1] == 2
    if not (pairs or values.ndim == 1) or values.dtype.kind not in "iu":
        raise TypeError(
            f"{cells!r:.60} is no list of cells: write each cell as (row, column), counted from 0"
        )
    if np.any(values < 0) or np.any(values >= (np.array(shape) if pairs else shape[0] * shape[1])):
        raise ValueError(
            f"{cells!r:.60} leaves the board of {shape[0]}x{shape[1]}; rows and columns are "
            "counted from 0"
        )
    return (values[:, 0] * shape[1] + values[:, 1] if pairs else values).astype(np.int32)
