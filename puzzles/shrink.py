"""Smaller and simpler grids, for shrinking a failing board."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from puzzles.text import Grid

_MOST_CROSSES = 6
"""Rows of a square up to which every row is dropped with every column, not only with the column of the same number."""


def tiny_cells(alphabet: bytes, most: int, *, square: bool = False) -> int:
    """The largest n such that there are at most `most` grids of 1 to n cells in all."""
    cells = 0
    while (most := most - len(_shapes(cells + 1, square)) * len(alphabet) ** (cells + 1)) >= 0:
        cells += 1
    return cells


def windows(grid: Grid, most: int, *, square: bool = False) -> Iterator[Grid]:
    """The different rectangular parts of at most `most` cells, the smallest first; never the whole grid."""
    for cells in range(1, min(most + 1, grid.size)):
        for shape in _shapes(cells, square):
            if shape[0] <= grid.shape[0] and shape[1] <= grid.shape[1]:
                yield from np.unique(sliding_window_view(grid, shape).reshape(-1, *shape), axis=0)


def tiny_grids(alphabet: bytes, below: int, *, square: bool = False) -> Iterator[Grid]:
    """All grids of fewer than `below` cells, the smallest first."""
    for cells in range(1, below):
        for shape in _shapes(cells, square):
            for kinds in product(alphabet, repeat=cells):
                yield np.array(kinds, np.uint8).reshape(shape)


def _shapes(cells: int, square: bool) -> list[tuple[int, int]]:
    """The (rows, columns) of the grids with this number of cells."""
    shapes = [(rows, cells // rows) for rows in range(1, cells + 1) if cells % rows == 0]
    return [(rows, columns) for rows, columns in shapes if rows == columns or not square]


def smaller_grids(grid: Grid, simplest_first: bytes, *, square: bool = False) -> Iterator[Grid]:
    """Grids one step smaller or simpler than `grid`, the largest steps first: rows and columns dropped, then cells simplified.

    Args:
        grid: uint8 array of character codes.
        simplest_first: the alphabet, from the character that constrains least. A cell only changes to an earlier character.
        square: keep squares square: drop a row together with a column.
    """
    rows, columns = grid.shape
    for start, stop in blocks(rows):
        fewer = np.delete(grid, np.s_[start:stop], axis=0)
        yield np.delete(fewer, np.s_[start:stop], axis=1) if square else fewer
    if not square:
        for start, stop in blocks(columns):
            yield np.delete(grid, np.s_[start:stop], axis=1)
    if square and rows <= _MOST_CROSSES:
        for row, column in np.ndindex(rows, columns):
            if rows > 1 and row != column:
                yield np.delete(np.delete(grid, row, axis=0), column, axis=1)
    rank = np.full(256, len(simplest_first), np.int64)
    rank[list(simplest_first)] = np.arange(len(simplest_first))
    flat = grid.ravel()
    busy = np.flatnonzero(flat != simplest_first[0])
    for start, stop in blocks(busy.size + 1):
        if start < busy.size:
            yield _with(grid, busy[start:stop], simplest_first[0])
    for cell in busy.tolist():
        for character in simplest_first[1 : rank[flat[cell]]]:
            yield _with(grid, np.array([cell]), character)


def _with(grid: Grid, cells: np.ndarray, character: int) -> Grid:
    changed = grid.copy()
    changed.flat[cells] = character
    return changed


def blocks(length: int) -> Iterator[tuple[int, int]]:
    """Parts [start, stop) of [0, length), never the whole: halves, then quarters, and so on down to single numbers."""
    size = (length + 1) // 2
    while 0 < size < length:
        for start in range(0, length, size):
            stop = min(start + size, length)
            yield stop - size, stop
        size = (size + 1) // 2 if size > 1 else 0
