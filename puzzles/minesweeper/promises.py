"""What the write-up promises of its boards, and boards near others that keep it.

Amb's write-up (Amb@HDU, 2011) sets a problem whose input is "a legal board", and relies on it: it
does not look at contradictions, "since we guarantee a legal situation". It says of the clue 0 that
no covered cell is beside one in the beginning. It states no sizes: the arrays of its program hold
50 covered cells, and may be "enlarged as needed". A number of mines is beyond its format.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from random import Random

import numpy as np

from puzzles.answer import BeyondCheck
from puzzles.cardinality import find_solution
from puzzles.minesweeper.board import COVERED, MINE, NUMBER, Minesweeper, numbers_around
from puzzles.minesweeper.families import Mask, view
from puzzles.minesweeper.refuter import cardinalities, cells_of, sum_components, sums_of
from puzzles.text import Grid

_MAX_BRANCHES = 1000
"""Branches of the search for a layout, in each component."""

CLUES = np.array([ord(kind) for kind in NUMBER], np.uint8)
_ZEROS = np.array([ord(kind) for kind, mines in NUMBER.items() if not mines], np.uint8)


def broken_promise(board: Minesweeper, format: str) -> str:
    """What the board breaks of the write-up's promises, in words; empty if nothing. Linear in the
    board, but for the search for a layout.
    """
    if board.mines is not None:
        return "a number of mines, which the write-up's format cannot say"
    if (np.isin(board.grid, _ZEROS) & (numbers_around(board.grid == COVERED) > 0)).any():
        return "a covered cell beside a clue 0"
    try:
        return "clues that no layout fits" if layout(board) is None else ""
    except BeyondCheck:
        return "clues of which it is not known whether some layout fits them"


def promised_near(board: Minesweeper, format: str, rng: Random) -> Iterator[Minesweeper]:
    """The board with clues that fit a layout: its own if there is one, else a random one that has
    its given mines. Cells beside a clue 0 are opened.
    """
    grid = board.grid
    try:
        mines = layout(board)
    except BeyondCheck:
        mines = None
    if mines is None:
        mines = random_layout(board, rng, rng.uniform(0.05, 0.6))
    while True:
        grid = with_clues_of(mines, grid)
        beside = (numbers_around(np.isin(grid, _ZEROS)) > 0) & (grid == COVERED)
        if not beside.any():
            break
        grid[beside] = _ZEROS[0]
    near = Minesweeper(grid)
    if not broken_promise(near, format):
        yield near


def random_layout(board: Minesweeper, rng: Random, density: float) -> Mask:
    """The given mines, and each covered cell with this probability."""
    drawn = np.array([rng.random() < density for _ in range(board.cells)]).reshape(board.shape)
    return (board.grid == MINE) | (board.grid == COVERED) & drawn


def with_clues_of(mines: Mask, grid: Grid) -> Grid:
    """The grid with the numbers of these mines in its opened cells."""
    clues = np.isin(grid, CLUES)
    return np.where(clues, view(mines, clues), grid)


@lru_cache(maxsize=1024)
def layout(board: Minesweeper) -> Mask | None:
    """A layout that agrees with every clue and every given mine, whatever the number of mines; None
    if there is none. Clues that share no covered cell are looked at apart.

    Raises:
        BeyondCheck: the search does not find out soon.
    """
    mines = board.grid.ravel() == MINE
    for component in sum_components(sums_of(board, board.clues, False)):
        solution = find_solution(cardinalities(component), _MAX_BRANCHES)
        if solution is None:
            return None
        cells = cells_of(component)
        for cell in cells:
            mines[cell] = bool(solution >> cell - cells[0] & 1)
    return mines.reshape(board.shape)
