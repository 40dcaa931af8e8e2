"""Cells as rows and columns counted from 1, for many cells at once: whole arrays instead of
loops.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint32]

_BLOCK = 1 << 13
"""Lines that are written together: few enough to stay in the processor's cache."""

_MAX_KEPT = 10_000
"""The longest side of a grid whose digits are kept for the next one."""


def coordinate_lines(cells: NDArray[np.int32], shape: tuple[int, ...]) -> Iterator[str]:
    """A line `row column` for each flat index of a grid of this shape, in blocks of many lines.

    Linear in the cells.
    """
    longest = max(shape)
    if longest < 1000:
        write = partial(_packed, *_words_of_three_digits(longest))
    else:
        write = partial(
            _separate, (_digits if longest < _MAX_KEPT else _digits.__wrapped__)(longest)
        )
    for start in range(0, cells.size, _BLOCK):
        padded = write(*_divided(cells[start : start + _BLOCK], shape[1]))
        yield padded.translate(None, b"\0").decode("ascii")


def coordinates(cells: Sequence[int] | NDArray[np.integer], columns: int) -> list[list[int]]:
    """Flat cell indices as [row, column], counted from 1."""
    return (np.column_stack(_divided(np.asarray(cells, np.int32), columns)) + 1).tolist()


def plain_cells(text: bytes, shape: tuple[int, ...]) -> NDArray[np.int32] | None:
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
    if lines and (places.min() < 1 or (places > shape).any()):
        return None
    return (places[:, 0] * shape[1] + places[:, 1] - shape[1] - 1).astype(np.int32)


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


def _divided(cells: NDArray[np.int32], columns: int) -> tuple[Words, Words]:
    """The rows and the columns of flat indices, counted from 0; unsigned division is the fast
    one.
    """
    unsigned = cells.view(np.uint32)
    row = unsigned // np.uint32(columns)
    return row, unsigned - row * np.uint32(columns)


def _packed(row_words: Words, column_words: Words, row: Words, column: Words) -> bytes:
    """The lines with zero bytes between; a number of up to three digits and the character after it
    are one word.
    """
    lines = np.empty((row.size, 2), np.uint32)
    lines[:, 0], lines[:, 1] = row_words[row], column_words[column]
    return lines.tobytes()


def _separate(digits: NDArray[np.generic], row: Words, column: Words) -> bytes:
    """The lines with zero bytes between; a number is a word, the character after it a byte."""
    word = digits.dtype
    lines = np.empty(
        row.size, [("row", word), ("blank", np.uint8), ("column", word), ("end", np.uint8)]
    )
    lines["row"], lines["blank"], lines["column"], lines["end"] = (
        digits[row],
        ord(" "),
        digits[column],
        ord("\n"),
    )
    return lines.tobytes()


@lru_cache(maxsize=8)
def _words_of_three_digits(longest: int) -> tuple[Words, Words]:
    """The numbers from 1 to `longest` (at most 999) with a blank after each, and with a line's end
    after each.
    """
    numbers = range(1, longest + 1)
    rows, columns = (
        np.array([b"%d%c" % (number, end) for number in numbers], "S4").view(np.uint32)
        for end in b" \n"
    )
    return rows, columns


@lru_cache(maxsize=8)
def _digits(longest: int) -> NDArray[np.generic]:
    """The numbers from 1 to `longest` as words of digits: of four if that is enough, else of
    eight.
    """
    width, word = (4, np.uint32) if longest < 10**4 else (8, np.uint64)
    return np.arange(1, longest + 1).astype(f"S{width}").view(word)
