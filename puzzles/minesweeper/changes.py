"""Changed minesweeper boards: smaller ones for shrinking, and ones with a number of mines for fuzzing."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import numpy as np

from puzzles.cardinality import Cardinality, LimitReached, find_solution
from puzzles.minesweeper.board import COVERED, MINE, Minesweeper
from puzzles.minesweeper.families import Mask, view
from puzzles.minesweeper.framed import neighbours, number
from puzzles.space.grid_space import smaller_grids
from puzzles.text import Grid

_MOST_LAID_OUT = 64
"""Cells of a board up to which a layout is searched for, to keep smaller boards legal."""


def smaller(board: Minesweeper, simplest_first: bytes) -> Iterator[Minesweeper]:
    """Boards one step smaller or with less information, the largest steps first.

    A board with a number of mines comes first without it, then smaller with the same number and with the numbers that are left
    without the cells dropped, then whole with one mine less. A small legal board also comes with a row or column dropped and the
    clues lowered by the mines in it, so that it stays legal.
    """
    if board.mines is not None:
        yield Minesweeper(board.grid)
    for grid in smaller_grids(board.grid, simplest_first):
        for mines in _fewer_mines(board, grid):
            yield Minesweeper(grid, mines)
    if board.mines:
        yield Minesweeper(board.grid, board.mines - 1)
    mines = _layout(board) if board.cells <= _MOST_LAID_OUT else None
    if mines is None:
        return
    for axis, length in enumerate(board.grid.shape):
        for line in range(length if length > 1 else 0):
            grid, left = np.delete(board.grid, line, axis), np.delete(mines, line, axis)
            clues = np.isin(grid, np.frombuffer(b".012345678", np.uint8))
            legal = np.where(clues, view(left, clues), grid).astype(np.uint8)
            yield Minesweeper(legal, None if board.mines is None else max(board.mines - int(mines.sum() - left.sum()), 0))


def _fewer_mines(board: Minesweeper, grid: Grid) -> Iterator[int | None]:
    """The numbers of mines to try on a smaller grid: the same, without the given mines dropped, and one to three fewer."""
    if board.mines is None:
        yield None
        return
    flags = int((board.grid == MINE).sum()) - int((grid == MINE).sum()) if grid.size < board.cells else 0
    covered = int((board.grid == COVERED).sum()) - int((grid == COVERED).sum()) if grid.size < board.cells else 0
    tried = {board.mines, board.mines - flags, *(board.mines - flags - more for more in range(min(covered, 3) + 1))}
    yield from (mines for mines in sorted(tried) if mines >= 0)


def extended(board: Minesweeper, rng: Random) -> Minesweeper:
    """The board with a number of mines. A board that has one keeps it three times in four.

    Half of the time the clues are made to fit a random layout, and the number is that of its mines, or one less or more. Else it is
    any number, sometimes an impossible one.
    """
    if board.mines is not None and rng.random() < 0.75:
        return board
    flags, covered = (int((board.grid == kind).sum()) for kind in (MINE, COVERED))
    if board.mines is None and rng.random() < 0.5:
        density = rng.uniform(0, 0.7)
        layout = (board.grid == MINE) | (board.grid == COVERED) & (
            np.array([rng.random() < density for _ in range(board.cells)]).reshape(board.grid.shape)
        )
        clues = view(layout, np.ones_like(layout))
        board = Minesweeper(np.where(np.isin(board.grid, np.frombuffer(b"#XO", np.uint8)), board.grid, clues))
        mines = int(layout.sum()) + rng.choice((0, 0, 0, 1, -1))
    elif rng.random() < 0.2:
        mines = rng.choice((0, flags - 1, flags, flags + covered, flags + covered + 1))
    else:
        mines = flags + round(covered * rng.uniform(0, 0.6))
    return Minesweeper(board.grid, max(mines, 0))


def _layout(board: Minesweeper) -> Mask | None:
    """A layout that agrees with every clue, or None if there is none or the search does not find it soon."""
    constraints: list[Cardinality] = []
    for cell, kind in enumerate(board.grid.tobytes().decode("ascii")):
        clue = number(kind)
        if clue is not None:
            around = tuple(near + 1 for near in neighbours(board, cell) if board.grid.flat[near] in b"#XO")
            constraints.append(Cardinality(around, clue, clue))
        elif kind in "XO":
            constraints.append(Cardinality((cell + 1,), int(kind == "X"), int(kind == "X")))
    try:
        solution = find_solution(constraints, 1000)
    except LimitReached:
        return None
    if solution is None:
        return None
    return np.array([solution.get(cell + 1, False) for cell in range(board.cells)]).reshape(board.grid.shape)
