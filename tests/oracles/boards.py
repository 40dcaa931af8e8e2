"""Boards as rows of characters, and as characters by cell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

Cell = tuple[int, int]
Characters = dict[Cell, str]

BESIDE = ((0, 1), (1, 0), (0, -1), (-1, 0))
AROUND = (*BESIDE, (-1, -1), (-1, 1), (1, -1), (1, 1))


def characters_of(rows: Sequence[str]) -> Characters:
    """The cells of a board in row-major order, each with its character."""
    return {(r, c): kind for r, row in enumerate(rows) for c, kind in enumerate(row)}


def near(cell: Cell, steps: Sequence[Cell] = BESIDE) -> list[Cell]:
    """The cells that these steps lead to, also those beyond the edge."""
    return [(cell[0] + down, cell[1] + right) for down, right in steps]


def place(cell: Cell) -> str:
    """A cell as people name it, counted from 1."""
    return f"{cell[0] + 1},{cell[1] + 1}"


def all_boards(rows: int, columns: int, kinds: str) -> Iterator[tuple[str, ...]]:
    """Every board of a shape whose cells are of these kinds."""
    for characters in product(kinds, repeat=rows * columns):
        text = "".join(characters)
        yield tuple(text[start : start + columns] for start in range(0, len(text), columns))
