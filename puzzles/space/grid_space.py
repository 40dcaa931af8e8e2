"""The space of the boards of a grid puzzle: parts of boards, boards with other cells, all tiny
boards.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import product
from random import Random
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from puzzles.grid import Board, BoardT, GridPuzzle
from puzzles.space.instance_space import InstanceSpace, TinyInstances, blocks, large_blocks
from puzzles.text import Grid

_LARGE = 400
"""Boards of more cells are taken down in big steps first.

They have many tiny parts, and trying those takes long.
"""

MAX_CUT = 12
"""Parts of the board of up to this many cells are tried first, before the board is taken down step
by step.
"""

_MAX_CROSSES = 6
"""Rows of a square up to which every row is dropped with every column, not only with the column of
the same number.
"""


class GridSpace(InstanceSpace[BoardT]):
    """The boards of a puzzle.

    Attributes:
        square: see `Puzzle`.
        simplest_first: the alphabet, from the character that constrains least to the one that
            constrains most.
    """

    def __init__(self, puzzle: GridPuzzle[BoardT, Any]) -> None:
        super().__init__(puzzle)
        self.square, self.boards_on = puzzle.square, puzzle.boards_on
        self.simplest_first = puzzle.simplest_first or puzzle.board_type.alphabet

    def steps(self, instance: BoardT) -> Iterator[BoardT]:
        """Rows and columns dropped, then cells simplified; see `smaller_grids`."""
        return _valid(
            instance, smaller_grids(instance.grid, self.simplest_first, square=self.square)
        )

    def weight(self, instance: BoardT) -> tuple[int, ...]:
        """Its cells; then the places of their characters in `simplest_first`, added up."""
        count = instance.grid.tobytes().count
        places = (k * count(each) for k, each in enumerate(self.simplest_first))
        return instance.cells, sum(places)

    def draw(self, like: BoardT, bases: Sequence[BoardT], most: int, rng: Random) -> BoardT:
        """A board of at most `most` rows and columns, four times in five a part of a base with a
        few cells changed.
        """
        while True:
            rows, columns = rng.randint(1, most), rng.randint(1, most)
            base = rng.choice(bases) if bases and rng.random() < 0.8 else None
            grid = _cut(rng, base, rows, rows if self.square else columns, bytes(like.alphabet))
            with suppress(ValueError):  # the puzzle allows no such board
                return type(like)(grid)

    def vary(self, instance: BoardT, rng: Random) -> BoardT | None:
        """The board with some cells changed."""
        grid = instance.grid.copy()
        for _ in range(rng.choice((1, 2, 4, 1 + instance.cells // 20))):
            grid[rng.randrange(instance.rows), rng.randrange(instance.columns)] = rng.choice(
                instance.alphabet
            )
        return next(_valid(instance, [grid]), None)

    def cut_down(self, instance: BoardT) -> Iterator[BoardT]:
        """A large board without each half, quarter, eighth and sixteenth of its rows or columns, of
        both if it is square.
        """
        return (
            _valid(instance, self._without_blocks(instance.grid))
            if instance.cells > _LARGE
            else iter(())
        )

    def _without_blocks(self, grid: Grid) -> Iterator[Grid]:
        for rows, columns in zip(*map(large_blocks, grid.shape), strict=True):
            without_rows = np.delete(grid, slice(*rows), 0)
            if self.square:
                smaller = [np.delete(without_rows, slice(*columns), 1)]
            else:
                smaller = [without_rows, np.delete(grid, slice(*columns), 1)]
            yield from (less for less in smaller if 0 < less.size < grid.size)

    def tiny_parts(self, instance: BoardT) -> Iterator[BoardT]:
        """The rectangular parts of a few cells, if the board is not large."""
        return (
            _valid(instance, windows(instance.grid, MAX_CUT, square=self.square))
            if instance.cells <= _LARGE
            else iter(())
        )

    def tiny(self, instance: BoardT, most: int) -> TinyInstances[BoardT]:
        """All boards of up to n cells, as long as their grids are at most `most`; n is below the
        cells of this board. Those of a board that its contest's format can say are all such, too.
        """
        alphabet, square = instance.alphabet, self.square
        cells, left = 0, most
        while (
            left := left - len(shapes(cells + 1, square=square)) * len(alphabet) ** (cells + 1)
        ) >= 0:
            cells += 1
        grids = tiny_grids(alphabet, min(cells + 1, instance.cells), square=square)
        boards = (
            board
            for grid in grids
            for board in self.boards_on(grid, instance)
            if board.in_contest_format or not instance.in_contest_format
        )
        return TinyInstances(boards, instance.cells <= cells + 1)

    def changes(self, instance: BoardT, count: int, rng: Random) -> Iterator[BoardT]:
        """Boards with a row or a column less, perhaps one of the others doubled, and some cells
        changed.
        """
        if instance.cells == 1:
            return iter(())
        return _valid(
            instance, sorted((self._change(instance, rng) for _ in range(count)), key=np.size)
        )

    def _change(self, board: BoardT, rng: Random) -> Grid:
        """The grid with a line less and some cells changed."""
        grid = board.grid
        if self.square:
            grid = _less(_less(grid, 0, rng), 1, rng)
        else:
            axis = rng.choice([axis for axis in (0, 1) if grid.shape[axis] > 1])
            grid = _less(grid, axis, rng)
            if rng.random() < 0.5 and grid.size + grid.shape[axis] < board.cells:
                line = rng.randrange(grid.shape[1 - axis])
                grid = np.insert(grid, line, grid.take(line, 1 - axis), 1 - axis)
        for _ in range(rng.randint(1, 3)):
            grid[rng.randrange(grid.shape[0]), rng.randrange(grid.shape[1])] = rng.choice(
                board.alphabet
            )
        return grid


def _valid(like: BoardT, grids: Iterable[Grid]) -> Iterator[BoardT]:
    """The boards over those grids that the puzzle allows; all else is as in `like`."""
    for grid in grids:
        with suppress(ValueError):
            yield replace(like, grid=grid)


def _cut(rng: Random, base: Board | None, rows: int, columns: int, alphabet: bytes) -> Grid:
    """A part of the base with a few cells changed; without a base, random cells of a few
    characters.
    """
    if base is None:
        few = rng.choices(alphabet, k=rng.randint(2, 6))
        return np.array(rng.choices(few, k=rows * columns), np.uint8).reshape(rows, columns)
    rows, columns = min(rows, base.rows), min(columns, base.columns)
    top, left = rng.randint(0, base.rows - rows), rng.randint(0, base.columns - columns)
    grid = base.grid[top : top + rows, left : left + columns].copy()
    for _ in range(rng.choice((0, 1, 1, 2, 3, rows))):
        grid[rng.randrange(rows), rng.randrange(columns)] = rng.choice(alphabet)
    return grid


def _less(grid: Grid, axis: int, rng: Random) -> Grid:
    return np.delete(grid, rng.randrange(grid.shape[axis]), axis)


def windows(grid: Grid, most: int, *, square: bool = False) -> Iterator[Grid]:
    """The different rectangular parts of at most `most` cells, the smallest first; never the whole
    grid.
    """
    for cells in range(1, min(most + 1, grid.size)):
        for shape in shapes(cells, square=square):
            if shape[0] <= grid.shape[0] and shape[1] <= grid.shape[1]:
                yield from np.unique(sliding_window_view(grid, shape).reshape(-1, *shape), axis=0)


def tiny_grids(
    alphabet: bytes, below: int, *, square: bool = False, size: int | None = None
) -> Iterator[Grid]:
    """All grids of fewer than `below` cells, the smallest first; see `shapes`."""
    for cells in range(1, below):
        for shape in shapes(cells, square=square, size=size):
            for kinds in product(alphabet, repeat=cells):
                yield np.array(kinds, np.uint8).reshape(shape)


def shapes(cells: int, *, square: bool, size: int | None = None) -> list[tuple[int, int]]:
    """The (rows, columns) of the grids with this number of cells, each at most `size`."""
    pairs = [(rows, cells // rows) for rows in range(1, cells + 1) if cells % rows == 0]
    return [
        (rows, columns)
        for rows, columns in pairs
        if (rows == columns or not square) and (size is None or max(rows, columns) <= size)
    ]


def smaller_grids(grid: Grid, simplest_first: bytes, *, square: bool = False) -> Iterator[Grid]:
    """Grids one step smaller or simpler than `grid`, the largest steps first: rows and columns
    dropped, then cells simplified.

    Args:
        grid: uint8 array of character codes.
        simplest_first: the alphabet, from the character that constrains least. A cell only changes
            to an earlier character.
        square: keep squares square: drop a row together with a column.
    """
    rows, columns = grid.shape
    for start, stop in blocks(rows):
        fewer = np.delete(grid, np.s_[start:stop], axis=0)
        yield np.delete(fewer, np.s_[start:stop], axis=1) if square else fewer
    for start, stop in () if square else blocks(columns):
        yield np.delete(grid, np.s_[start:stop], axis=1)
    for row, column in np.ndindex(rows, columns) if square and 1 < rows <= _MAX_CROSSES else ():
        if row != column:
            yield np.delete(np.delete(grid, row, axis=0), column, axis=1)
    busy = np.flatnonzero(grid.ravel() != simplest_first[0])
    for start, stop in blocks(busy.size + 1):
        if start < busy.size:
            yield _with(grid, busy[start:stop].tolist(), simplest_first[0])
    for cell in busy.tolist():
        for character in simplest_first[1:].partition(bytes([grid.flat[cell]]))[0]:
            yield _with(grid, [cell], character)


def _with(grid: Grid, cells: Sequence[int], character: int) -> Grid:
    changed = grid.copy()
    changed.ravel()[cells] = character
    return changed
