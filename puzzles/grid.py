"""Boards: instances over a grid of characters."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any, ClassVar, Self

import numpy as np

from puzzles.text import Grid
from puzzles.value import Value

_AT_ONCE = 32


@dataclass(frozen=True, eq=False)
class Board(Value, ABC):
    """An instance of a puzzle: a frozen value over a read-only grid.

    Attributes:
        grid: uint8 array of shape (rows, columns) that holds the contest's own character codes.
    """

    puzzle: ClassVar[str]
    alphabet: ClassVar[bytes]

    grid: Grid

    def __post_init__(self) -> None:
        grid = np.ascontiguousarray(self.grid, np.uint8)
        if grid.ndim != 2 or 0 in grid.shape:
            raise ValueError(f"a board has at least one row and one column, not the shape {grid.shape}")
        if grid.tobytes().translate(None, self.alphabet):
            raise ValueError(f"a {self.puzzle} board holds only {' '.join(self.alphabet.decode())}")
        if grid.flags.writeable:
            grid = grid.copy()
            grid.flags.writeable = False
        object.__setattr__(self, "grid", grid)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Unpickle; the grid is read-only again, which for a compiled kernel is another type than an array that is not."""
        for name, value in state.items():
            object.__setattr__(self, name, value)
        self.grid.flags.writeable = False

    @classmethod
    def from_valid_grid(cls, grid: Grid, **rest: Any) -> Self:
        """A board over a contiguous uint8 grid that is known to be valid, such as the reader's: nothing is checked again."""
        grid.setflags(write=False)
        return cls.unchecked(grid=grid, **rest)

    @property
    def rows(self) -> int:
        return self.grid.shape[0]

    @property
    def columns(self) -> int:
        return self.grid.shape[1]

    @property
    def cells(self) -> int:
        return self.grid.size

    @property
    def size(self) -> int:
        """How large the instance is, as one number: its cells."""
        return self.grid.size

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.rows, self.columns

    def lines(self) -> list[str]:
        """The rows as strings."""
        return grid_lines(self.grid)

    def body(self) -> str:
        """The rows as one text, each ended by LF."""
        ended = np.empty((self.rows, self.columns + 1), np.uint8)
        ended.fill(10)
        ended[:, :-1] = self.grid
        return str(ended.data, "ascii")

    @property
    def in_contest_format(self) -> bool:
        """Whether the contest's own format can say all that the board tells; programs of the contest read only such boards."""
        return True

    def place(self, cell: int) -> str:
        """How a message names a flat cell index: `row,column`, counted from 1."""
        return f"{cell // self.columns + 1},{cell % self.columns + 1}"

    @abstractmethod
    def text(self) -> str:
        """The canonical text of this one board: its header and its rows, each ended by LF."""

    @cached_property
    def digest(self) -> str:
        """16 hexadecimal digits of the SHA-256 of the canonical text."""
        return hashlib.sha256(self.text().encode()).hexdigest()[:16]

    def __str__(self) -> str:
        return self.body()[:-1]


def bodies(boards: Sequence[Board]) -> list[str]:
    """The `body` of each board; some of one width are written at one stroke, not so many that they would leave the cache."""
    if len(boards) == 1:
        return [boards[0].body()]
    texts: list[str] = []
    for first in range(0, len(boards), _AT_ONCE):
        for columns, alike in groupby(boards[first : first + _AT_ONCE], lambda board: board.grid.shape[1]):
            grids = [board.grid for board in alike]
            ended = np.empty((sum(map(len, grids)), columns + 1), np.uint8)
            ended.fill(10)
            np.concatenate(grids, out=ended[:, :-1])
            text = str(ended.data, "ascii")
            stop = 0
            for grid in grids:
                start, stop = stop, stop + len(grid) * (columns + 1)
                texts.append(text[start:stop])
    return texts


def grid_lines(grid: Grid) -> list[str]:
    """The rows of an array of character codes as strings."""
    return [row.tobytes().decode("ascii") for row in grid]


def grid_of(rows: Sequence[str]) -> Grid:
    """Rows of equal length as an array of character codes."""
    if len({len(row) for row in rows}) > 1:
        raise ValueError("rows of unequal length")
    return np.frombuffer("".join(rows).encode("ascii"), np.uint8).reshape(len(rows), -1)
