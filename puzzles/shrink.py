"""Smaller grids, for shrinking a failing board: rows and columns dropped, halves first, then cells made simpler."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from puzzles.text import Grid


def smaller_grids(grid: Grid, simplest_first: bytes, *, square: bool = False) -> Iterator[Grid]:
    """Grids one step smaller or simpler than `grid`, the largest steps first.

    Args:
        grid: uint8 array of character codes.
        simplest_first: the alphabet, from the character that says least on; a cell only ever becomes a simpler one.
        square: drop a row and the column of the same number together.
    """
    rows, columns = grid.shape
    for start, stop in _blocks(rows):
        fewer = np.delete(grid, np.s_[start:stop], axis=0)
        yield np.delete(fewer, np.s_[start:stop], axis=1) if square else fewer
    if not square:
        for start, stop in _blocks(columns):
            yield np.delete(grid, np.s_[start:stop], axis=1)
    rank = np.full(256, len(simplest_first), np.int64)
    rank[list(simplest_first)] = np.arange(len(simplest_first))
    flat = grid.ravel()
    busy = np.flatnonzero(flat != simplest_first[0])
    for start, stop in _blocks(busy.size + 1):
        if start < busy.size:
            yield _with(grid, busy[start:stop], simplest_first[0])
    for cell in busy.tolist():
        for character in simplest_first[1 : rank[flat[cell]]]:
            yield _with(grid, np.array([cell]), character)


def _with(grid: Grid, cells: np.ndarray, character: int) -> Grid:
    changed = grid.copy()
    changed.flat[cells] = character
    return changed


def _blocks(length: int) -> Iterator[tuple[int, int]]:
    """Intervals of [0, length), never all of it: halves, then quarters, ..., then single ones."""
    size = length // 2
    while size:
        yield from ((start, min(start + size, length)) for start in range(0, length, size))
        size //= 2
