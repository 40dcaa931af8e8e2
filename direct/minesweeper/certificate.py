"""Certificates: a core for what is certain, and layouts that show both values for what is not."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from direct import thresholds
from direct.minesweeper.analysis import BoardParts, parts_of
from direct.minesweeper.constraints import MINE, NO_MINE, UNKNOWN, interior
from direct.minesweeper.cores import ROWS, cores_of
from direct.minesweeper.counted import layouts
from direct.minesweeper.frontier import kept_states
from direct.minesweeper.layouts import shown_layouts
from puzzles.backend import Unsupported
from puzzles.minesweeper.board import COVERED, Certificate, Core
from puzzles.minesweeper.board import MINE as FLAG
from puzzles.text import Grid

_CLUES = np.frombuffer(b".012345678", np.uint8)


def certificate(grid: Grid, shown: Grid, clash: int, complete: bool) -> Certificate:
    """The certificate of an answer. Where the search for small cores gives up, all clues are the core.

    Args:
        grid: the board.
        shown: the board as answered.
        clash: on an inconsistent board, a clue (padded) near the contradiction; else 0.
        complete: whether the answer is complete; if it is consistent too, it gets layouts.
    """
    starts = np.array([0, grid.shape[0]], np.int64)
    cores, without_core = _small_cores(grid, starts, shown, clash)
    if without_core or (clash and not cores):
        cores.append(Core(_every_clue(grid), without_core))
    if clash or not complete:
        return Certificate(tuple(cores), ())
    return Certificate(tuple(cores), _layouts(parts_of.at(grid.size)(grid, starts), shown))


def counted_certificate(grid: Grid, shown: Grid | None, mines: int) -> Certificate:
    """The certificate of an answer to a board with its number of mines; `shown` is None if no layout has that number.

    Cells without a core of clues alone get one core: all clues that bear on covered cells, and the number of mines.
    """
    every = _clues_beside_covered(grid)
    if shown is None:
        given, covered = int((grid == FLAG).sum()), int((grid == COVERED).sum())
        fits = given <= mines <= given + covered
        return Certificate((Core(every if fits else (), (), True),))
    starts = np.array([0, grid.shape[0]], np.int64)
    cores, by_count = _small_cores(grid, starts, shown, 0)
    if by_count:
        cores.append(Core(every, by_count, True))
    parts = parts_of.at(grid.size)(grid, starts)
    known, group_of = parts.closed.known, parts.partition.group_of
    cells = interior(np.arange(known.size), grid.shape[1]).ravel()
    free = cells[(known[cells] == UNKNOWN) & (group_of[cells] < 0)].tolist()
    undecided = cells[(shown == COVERED).ravel()].tolist()
    remaining = mines - int((known[cells] == MINE).sum())
    return Certificate(tuple(cores), _counted_layouts(parts, undecided, free, remaining))


def _small_cores(grid: Grid, starts: NDArray[np.int64], shown: Grid, clash: int) -> tuple[list[Core], tuple[int, ...]]:
    """Cores for what clues alone make certain, each as small as it can be, and the certain cells for which none was found."""
    columns, stride = grid.shape[1], grid.shape[1] + 1
    goal = np.full((grid.shape[0] + 2) * stride + 1, UNKNOWN, np.int8)
    inside = interior(goal, columns)
    decided = (grid == COVERED) & (shown != COVERED)
    inside[decided] = np.where(shown[decided] == FLAG, MINE, NO_MINE)
    clues, start, of_cell = cores_of.at(grid.size)(grid, starts, goal, clash, np.zeros((ROWS, goal.size), np.int32))
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
    return tuple(np.flatnonzero(np.isin(grid.ravel(), _CLUES)).tolist())


def _clues_beside_covered(grid: Grid) -> tuple[int, ...]:
    """Every clue that bears on a covered cell. If the clues alone are consistent, no other one takes part in a contradiction."""
    covered = np.pad(grid == COVERED, 1)
    three = covered[:-2] | covered[1:-1] | covered[2:]
    beside = three[:, :-2] | three[:, 1:-1] | three[:, 2:]
    return tuple(np.flatnonzero(np.isin(grid, _CLUES) & beside).tolist())


def _layouts(parts: BoardParts, shown: Grid) -> tuple[bytes, ...]:
    """Layouts that together give each undecided cell both values; one at least."""
    closed, partition, transitions = parts
    columns = shown.shape[1]
    undecided = shown == COVERED
    wanted = np.zeros(closed.known.size, np.int8)
    interior(wanted, columns)[undecided] = 3
    free = closed.known == UNKNOWN
    free[partition.cells] = False
    wanted[free] = 0
    laid_out, count = closed.known.copy(), 1
    for first, last, status, states in kept_states(transitions, thresholds.MOST_STATES, shown.size):
        if status[first:last].any():
            cells = interior(np.arange(free.size), columns)
            return _counted_layouts(parts, cells[undecided].tolist(), cells[interior(free, columns)].tolist(), None)
        args = partition, transitions, states, first, last, wanted
        laid_out, count = shown_layouts.at(shown.size)(*args, laid_out, count)
    rows = laid_out.view(np.uint8).reshape(-1, free.size)[:count]
    if count == 1 and free.any():
        rows = np.repeat(rows, 2, axis=0)
    rows[0, free], rows[1:, free] = 0, 1
    return tuple(interior(row, columns).tobytes() for row in rows)


def _counted_layouts(parts: BoardParts, undecided: list[int], free: list[int], mines: int | None) -> tuple[bytes, ...]:
    """`counted.layouts` as bytes of the board's cells; none if a component is too wide."""
    try:
        return tuple(interior(each, parts.closed.stride - 1).tobytes() for each in layouts(parts, undecided, free, mines))
    except Unsupported:
        return ()
