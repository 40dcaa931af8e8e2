"""Certificates, by steps 7 and 8: a core for what is certain, and layouts that show both values for
what is not.
"""

from __future__ import annotations

import numpy as np

from direct.minesweeper.closure import HAS_MINE, NO_MINE, UNKNOWN, interior
from direct.minesweeper.cores import cores_of
from direct.minesweeper.decide import MINE_NUMBER
from direct.minesweeper.join_tree import in_full
from direct.minesweeper.layouts import show_all
from puzzles.minesweeper.board import COVERED, Certificate, Core, Minesweeper
from puzzles.minesweeper.board import MINE as FLAG
from puzzles.text import Grid

_CLUES = np.frombuffer(b".012345678", np.uint8)


def certificate(
    board: Minesweeper, shown: Grid, clash: int = 0, complete: bool = True
) -> Certificate:
    """The certificate of an answer. Where the search for small cores gives up, all clues are the
    core.

    With a number of mines, cells without a core of clues alone get one core: all clues, and that
    number.

    Args:
        shown: the board as answered.
        clash: on a board whose clues contradict one another, a clue (padded) near the
            contradiction; MINE_NUMBER if it is the number of mines; else 0.
        complete: whether the answer is complete; if it is consistent too, it gets layouts.
    """
    if clash == MINE_NUMBER:
        return _counted_contradiction(board)
    cores, without_core = _small_cores(board.grid, shown, clash)
    if without_core or (clash and not cores):
        counted = not clash and board.mines is not None
        cores.append(Core(_every_clue(board.grid), without_core, counted))
    return Certificate(tuple(cores), _layouts(board, shown) if complete and not clash else ())


def _counted_contradiction(board: Minesweeper) -> Certificate:
    """The certificate of a board whose clues have layouts, but none with its number of mines."""
    given, covered = int((board.grid == FLAG).sum()), int((board.grid == COVERED).sum())
    fits = given <= (board.mines or 0) <= given + covered
    return Certificate((Core(_every_clue(board.grid) if fits else (), (), True),))


def _small_cores(grid: Grid, shown: Grid, clash: int) -> tuple[list[Core], tuple[int, ...]]:
    """Cores for what clues alone make certain, made smaller within the limits of `thresholds`, and
    the certain cells for which none was found.
    """
    columns, stride = grid.shape[1], grid.shape[1] + 1
    goal = np.full((grid.shape[0] + 2) * stride + 1, UNKNOWN, np.int8)
    inside = interior(goal, columns)
    decided = (grid == COVERED) & (shown != COVERED)
    inside[decided] = np.where(shown[decided] == FLAG, HAS_MINE, NO_MINE)
    clues, start, of_cell = cores_of.at(grid.size)(grid, goal, clash)
    flat = (clues // stride - 1) * columns + clues % stride - 1
    cells: list[list[int]] = [[] for _ in range(start.size - 1)]
    core_of = interior(of_cell, columns).ravel()
    for cell in np.flatnonzero(core_of >= 0).tolist():
        cells[core_of[cell]].append(cell)
    cores = [
        Core(tuple(sorted(flat[begin:end].tolist())), tuple(forced))
        for begin, end, forced in zip(start[:-1], start[1:], cells, strict=True)
    ]
    return cores, tuple(np.flatnonzero(decided.ravel() & (core_of < 0)).tolist())


def _every_clue(grid: Grid) -> tuple[int, ...]:
    return tuple(np.flatnonzero(np.isin(grid, _CLUES)).tolist())


def _layouts(board: Minesweeper, shown: Grid) -> tuple[bytes, ...]:
    """Layouts that together give each undecided cell both values, one at least."""
    stride = board.columns + 1
    wanted = np.zeros((board.rows + 2) * stride + 1, np.int8)
    interior(wanted, board.columns)[shown == COVERED] = 3
    mines = -1 if board.mines is None else board.mines
    shown_all = in_full(show_all, board.cells, board.grid, wanted, mines)
    count = shown_all.number
    rows = shown_all.layouts[: count * wanted.size].view(np.uint8).reshape(count, -1)
    return tuple(interior(row, board.columns).tobytes() for row in rows)
