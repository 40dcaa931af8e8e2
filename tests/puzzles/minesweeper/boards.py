"""Minesweeper for the tests: small boards, their answers, and the ways to know the truth of a small
board.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from direct import SIDE as DIRECT
from models import SIDE as MODELS
from puzzles import minesweeper
from puzzles.answer import Verdict
from puzzles.backend import Backend, Side
from puzzles.grid import grid_of
from puzzles.minesweeper.board import COVERED, MINE, Deduction, Minesweeper
from puzzles.minesweeper.lacking import closure

PUZZLE = minesweeper.PUZZLE


BACKENDS = [(DIRECT, "frontier"), (DIRECT, "two-sat"), (MODELS, "cnf"), (MODELS, "cpsat")]


def of(rows: str, mines: int | None = None) -> Minesweeper:
    """A board from its rows, `/` between them."""
    return Minesweeper(grid_of(rows.split("/")), mines)


def family(name: str, size: int, seed: int) -> Minesweeper:
    """The board of a family."""
    board = PUZZLE.family(name).board(size, seed)
    assert isinstance(board, Minesweeper)
    return board


@cache
def backend_of(side: Side, backend: str) -> Backend:
    """A minesweeper backend, looked up once."""
    return side.get("minesweeper", backend)


def solved(
    board: Minesweeper, side: Side, backend: str, *, certify: bool = True, **options: Any
) -> Deduction:
    """The answer of a backend, certified by default."""
    answer = backend_of(side, backend).solve(board, certify=certify, **options)
    assert isinstance(answer, Deduction)
    return answer


def numbers(mines: NDArray[np.bool_]) -> NDArray[np.int64]:
    """How many mines are around each cell, of one layout or of many: shape (..., rows, columns)."""
    rows, columns = mines.shape[-2:]
    padded = np.zeros((*mines.shape[:-2], rows + 2, columns + 2), np.int64)
    padded[..., 1:-1, 1:-1] = mines
    shifts = [(r, c) for r, c in product(range(3), range(3)) if (r, c) != (1, 1)]
    return sum(
        (padded[..., r : r + rows, c : c + columns] for r, c in shifts),
        np.zeros(mines.shape, np.int64),
    )


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
    """Boards up to 4x5: views, half of them with clues changed, some with given mines and safe
    cells, some with blanks.
    """
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


@lru_cache(1)
def all_layouts(board: Minesweeper) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Every layout of the mines, whatever the clues say, and how many mines are around each cell;
    kept for the next call, which often asks for the same cells with another number of mines.
    """
    kind = board.grid.ravel()
    covered = np.flatnonzero(kind == COVERED)
    every = np.zeros((2**covered.size, board.cells), np.bool_)
    every[:, kind == MINE] = True
    every[:, covered] = (np.arange(2**covered.size)[:, None] >> np.arange(covered.size)) & 1
    around = numbers(every.reshape(-1, *board.grid.shape)).reshape(-1, board.cells)
    return every, around


def layouts(
    board: Minesweeper, clues: NDArray[np.int64] | None = None, counted: bool = True
) -> NDArray[np.bool_]:
    """Every layout of the mines that agrees with the clues (all, or the cells given) and the number
    of mines.
    """
    every, around = all_layouts(Minesweeper(board.grid))
    some = np.array(board.clues, np.int64) if clues is None else clues
    asked = [int(board.kinds[clue].replace(".", "0")) for clue in some]
    fits = (around[:, some] == asked).all(axis=1)
    if counted and board.mines is not None:
        fits &= every.sum(axis=1) == board.mines
    return every[fits]


def with_counts(boards: Iterator[Minesweeper], step: int) -> Iterator[Minesweeper]:
    """Each board without a number of mines and with some numbers, also such as no layout has."""
    for index, board in enumerate(boards):
        yield board
        most = int(np.isin(board.grid, (COVERED, MINE)).sum()) + 1
        for mines in range(index % step, most + 1, step):
            yield Minesweeper(board.grid, mines)


def claimed(board: Minesweeper, side: Side, backend: str) -> NDArray[np.int64]:
    return solved(board, side, backend, certify=False).claims


def enumerated(board: Minesweeper) -> NDArray[np.int64]:
    """The claims by enumeration of every layout of the mines."""
    fitting = layouts(board)
    claims = np.full(board.cells + 1, -1, np.int64)
    claims[0] = len(fitting) > 0
    if len(fitting):
        claims[1:] = np.where(fitting.all(axis=0), 1, np.where(fitting.any(axis=0), 2, 0))
    return claims


def closed(board: Minesweeper) -> NDArray[np.int64]:
    """The claims of the closure, as the puzzle's promise states it plainly."""
    certain = closure(board)
    if certain is None:
        return np.array([0] + [-1] * board.cells)
    states = (
        certain.get(cell, -1) if kind in "#XO" else 0 for cell, kind in enumerate(board.kinds)
    )
    return np.array([-1, *states], np.int64)


def judge_claims(board: Minesweeper, answer: Deduction, truth: NDArray[np.int64]) -> None:
    """The claims agree with the truth, and the certificate proves them."""
    claims = answer.claims
    if answer.complete or claims[0] == 0:
        assert claims.tolist() == truth.tolist(), f"\n{board}"
    else:
        assert claims[0] == -1
        assert truth[0] == 0 or all(
            c in (-1, t) and c != 2 for c, t in zip(claims[1:], truth[1:], strict=True)
        ), f"\n{board}"
    check = PUZZLE.check(board, answer)
    assert check.verdict is Verdict.PROVED, f"{check.detail}\n{board}"
    assert answer.consistent or (answer.board == board and "contradict" in check.detail)


def verdict(board: Minesweeper, answer: Deduction) -> Verdict:
    return PUZZLE.check(board, answer).verdict


def proved(board: Minesweeper, answer: Deduction) -> bool:
    """Whether the check proves every claim of an answer."""
    return verdict(board, answer) is Verdict.PROVED
