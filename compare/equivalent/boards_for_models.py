"""The boards on which two models are compared: all small ones, the smallest first, then some of each family."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice, product

import numpy as np

from puzzles.grid import Board
from puzzles.instance import Instance
from puzzles.puzzle import Family, Puzzle
from puzzles.space import space_of

FAMILY_SIZES = (2, 3, 4, 5, 6)
"""The sizes of the boards of families, in turn, as far as they are asked for."""


@dataclass(frozen=True)
class SmallBoards:
    """All boards up to a number of cells; of a puzzle without boards, the shortest cases.

    Attributes:
        like: a board whose other fields than its grid all of them have; of cases, a larger one than all of them.
        size: rows and columns that none of them exceeds; None for any.
        cells: every board of up to this many cells is among them, if it fits into the square; 0 of cases.
        number: at most so many there are.
    """

    puzzle: Puzzle
    like: Instance
    size: int | None
    cells: int
    number: int

    @property
    def whole(self) -> bool:
        """Whether every board that was asked for is among them."""
        return self.size is None or self.cells >= self.size**2

    def __iter__(self) -> Iterator[Instance]:
        if isinstance(self.like, Board):
            return _boards(self.like, self)
        return islice(space_of(self.puzzle).tiny(self.like, self.number).instances, self.number)


def small_boards(puzzle: Puzzle, size: int | None, most: int) -> SmallBoards:
    """The small boards: of up to n cells each, where n is the largest number for which they are at most `most`.

    Args:
        size: only boards of at most this many rows and columns; None for any.
    """
    like = _of(next(iter(puzzle.families.values())), FAMILY_SIZES[-1], 1)
    if not isinstance(like, Board):
        return SmallBoards(puzzle, like, None, 0, most)
    cells, number = 0, 0
    while size is None or cells < size**2:
        more = len(_shapes(cells + 1, size, square=puzzle.square)) * len(like.alphabet) ** (cells + 1)
        if number + more > most:
            break
        cells, number = cells + 1, number + more
    return SmallBoards(puzzle, like, size, cells, number)


def family_boards(puzzle: Puzzle, largest: int, seed: int, count: int) -> Iterator[tuple[str, Instance]]:
    """Boards of all families in turn, those for fuzzing alone included, each with the name of its family."""
    families = {**puzzle.families, **puzzle.fuzz_families}
    named = [(name, family) for name, family in families.items() if family.least <= largest]
    sizes = [size for size in FAMILY_SIZES if size <= largest] or [largest]
    if sizes[-1] < largest:
        sizes.append(largest)
    for number in range(count if named else 0):
        name, family = named[number % len(named)]
        yield name, _of(family, sizes[number // len(named) % len(sizes)], seed + number)


def _of(family: Family, size: int, seed: int) -> Instance:
    return family.board(min(max(family.least, size), family.most), seed)


def _boards(like: Board, small: SmallBoards) -> Iterator[Board]:
    for cells in range(1, small.cells + 1):
        for shape in _shapes(cells, small.size, square=small.puzzle.square):
            for kinds in product(like.alphabet, repeat=cells):
                with suppress(ValueError):  # the puzzle allows no such board
                    yield replace(like, grid=np.array(kinds, np.uint8).reshape(shape))


def _shapes(cells: int, size: int | None, *, square: bool) -> list[tuple[int, int]]:
    shapes = [(rows, cells // rows) for rows in range(1, cells + 1) if cells % rows == 0]
    return [
        (rows, columns)
        for rows, columns in shapes
        if (rows == columns or not square) and (size is None or max(rows, columns) <= size)
    ]
