"""Small minesweeper boards, and their answers, for several test modules."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzles import minesweeper
from puzzles.backend import Backend, Side
from puzzles.grid import grid_of
from puzzles.minesweeper.board import COVERED, Deduction, Minesweeper


def of(rows: str) -> Minesweeper:
    """A board from its rows, `/` between them."""
    return Minesweeper(grid_of(rows.split("/")))


def family(name: str, size: int, seed: int) -> Minesweeper:
    """The board of a family."""
    board = minesweeper.PUZZLE.family(name).board(size, seed)
    assert isinstance(board, Minesweeper)
    return board


@cache
def backend_of(side: Side, backend: str) -> Backend:
    """A minesweeper backend, looked up once."""
    return side.get("minesweeper", backend)


def solved(board: Minesweeper, side: Side, backend: str, *, certify: bool = True, **options: Any) -> Deduction:
    """The answer of a backend, certified by default."""
    answer = backend_of(side, backend).solve(board, certify=certify, **options)
    assert isinstance(answer, Deduction)
    return answer


def numbers(mines: NDArray[np.bool_]) -> NDArray[np.int64]:
    """How many mines are around each cell, of one layout or of many: shape (..., rows, columns)."""
    rows, columns = mines.shape[-2:]
    padded = np.pad(mines.astype(np.int64), [(0, 0)] * (mines.ndim - 2) + [(1, 1), (1, 1)])
    shifts = [(r, c) for r, c in product(range(3), range(3)) if (r, c) != (1, 1)]
    return sum((padded[..., r : r + rows, c : c + columns] for r, c in shifts), np.zeros(mines.shape, np.int64))


def views(rows: int, columns: int) -> Iterator[Minesweeper]:
    """Every view of every mine field of that size, each once."""
    seen: set[bytes] = set()
    for cells in product((0, 1, 2), repeat=rows * columns):  # a mine, covered, opened
        kinds = np.array(cells).reshape(rows, columns)
        grid = np.where(kinds == 2, ord("0") + numbers(kinds == 0), ord("#")).astype(np.uint8)
        if grid.tobytes() not in seen:
            seen.add(grid.tobytes())
            yield Minesweeper(grid)


def seeded(count: int, seed: int, most: int = 20) -> Iterator[Minesweeper]:
    """Boards up to 4x5: views, half of them with clues changed, some with given mines and safe cells, some with blanks."""
    rng = np.random.default_rng(seed)
    while count:
        rows, columns = int(rng.integers(1, 5)), int(rng.integers(1, 6))
        mines = rng.random((rows, columns)) < rng.choice([0.15, 0.3, 0.5])
        opened = ~mines & (rng.random((rows, columns)) < rng.choice([0.2, 0.4, 0.7]))
        grid = np.where(opened, ord("0") + numbers(mines), ord("#")).astype(np.uint8)
        if rng.random() < 0.5:
            changed = opened & (rng.random((rows, columns)) < 0.3)
            grid[changed] = rng.integers(ord("0"), ord("9"), int(changed.sum()))
        if rng.random() < 0.4:
            revealed = ~opened & (rng.random((rows, columns)) < 0.25)
            grid[revealed] = np.where(mines[revealed], ord("X"), ord("O"))
        if rng.random() < 0.1:
            grid[rng.random((rows, columns)) < 0.15] = ord("X")
        grid[(grid == ord("0")) & (rng.random((rows, columns)) < 0.5)] = ord(".")
        if (grid == ord("#")).sum() <= most:
            count -= 1
            yield Minesweeper(grid)


def expert(seed: int) -> Minesweeper:
    """A game under way on 16 x 30 with 99 mines."""
    rng = np.random.default_rng(seed)
    mines = np.zeros(480, np.bool_)
    mines[rng.choice(480, 99, replace=False)] = True
    mines = mines.reshape(16, 30)
    around = numbers(mines)
    blank = ~mines & (around == 0)
    opened = blank | (numbers(blank) > 0) | (~mines & (rng.random((16, 30)) < 0.3))
    return Minesweeper(np.where(opened & ~mines, ord("0") + around, COVERED).astype(np.uint8), 99)
