"""Seeded beams boards.

`sparse`, `mirror` and `wall` are planted: turrets are placed one by one so that none is hit, and
dark cells become walls. In one board of three a few dark cells stay open, which mostly makes the
board impossible. `loops` and `cycle` defeat naive models and unit propagation.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from puzzles.beams.board import Beams
from puzzles.puzzle import Family
from puzzles.text import Grid

_OPEN, _WALL, _SLASH, _BACK, _FLAT, _UPRIGHT = (ord(c) for c in ".#/\\-|")

_SLOW = 1000
"""The largest size of a planted board.

The beams of each turret are walked cell by cell: one of size 300 takes half a second.
"""


def _lit(grid: Grid, cell: int, kind: str) -> list[int]:
    """The cells that the beams of a turret of this kind enter; the check walks beams in a way of
    its own.

    Light is reversible: a beam that went round in a circle would come back to its own turret, where
    it ends.
    """
    rows, columns = grid.shape
    cells: list[int] = []
    for step in (1, -1):
        down, right = (0, step) if kind == "-" else (step, 0)
        row, column = cell // columns + down, cell % columns + right
        while 0 <= row < rows and 0 <= column < columns and grid[row, column] != _WALL:
            cells.append(row * columns + column)
            here = grid[row, column]
            if here in (_FLAT, _UPRIGHT):
                break
            if here == _SLASH:
                down, right = -right, -down
            elif here == _BACK:
                down, right = right, down
            row, column = row + down, column + right
    return cells


def _plant(grid: Grid, turrets: int, dark: int, rng: np.random.Generator) -> Beams:
    """Place up to `turrets` turrets that hit none, wall up all but `dark` of the dark cells, then
    turn the turrets at random.
    """
    lit = np.zeros(grid.size, bool)
    flat = grid.reshape(-1)  # the same cells
    for cell in rng.integers(0, grid.size, turrets):
        if flat[cell] != _OPEN or lit[cell]:
            continue
        for kind in "-|" if rng.random() < 0.5 else "|-":
            flat[cell] = ord(kind)
            path = _lit(grid, int(cell), kind)
            entered = flat[path]
            if not ((entered == _FLAT) | (entered == _UPRIGHT)).any():
                lit[path] = True
                break
            flat[cell] = _OPEN
    hidden = np.flatnonzero((flat == _OPEN) & ~lit)
    flat[hidden] = _WALL
    if dark:
        flat[rng.choice(hidden, min(dark, hidden.size), replace=False)] = _OPEN
    placed = (flat == _FLAT) | (flat == _UPRIGHT)
    flat[placed] = rng.choice(np.array([_FLAT, _UPRIGHT], np.uint8), int(placed.sum()))
    return Beams(grid)


def _scatter(size: int, seed: int, walls: float, mirrors: float, turrets: float) -> Beams:
    """A planted board; `walls`, `mirrors` and `turrets` are shares of the cells."""
    rng = np.random.default_rng(seed)
    kinds = np.array([_OPEN, _WALL, _SLASH, _BACK], np.uint8)
    shares = [1 - walls - mirrors, walls, mirrors / 2, mirrors / 2]
    grid = rng.choice(kinds, (size, size), p=shares)
    return _plant(
        grid, int(turrets * size * size) + 1, int(rng.integers(1, 4)) if seed % 3 == 0 else 0, rng
    )


def loops(size: int, seed: int) -> Beams:
    """Rings of mirrors that only circular light could light, and crossings that one beam passes
    twice.

    Half of the boards keep such a ring open, although no turret's beam ever enters it.
    """
    rng = np.random.default_rng(seed)
    grid = np.full((size, size), _OPEN, np.uint8)
    sealed: list[np.ndarray] = []
    for _ in range(size * size // 12):
        height, width = (int(n) for n in rng.integers(2, max(3, size // 3) + 1, 2))
        top, left = (
            int(rng.integers(0, max(1, size - height))),
            int(rng.integers(0, max(1, size - width))),
        )
        place = grid[top : top + height + 1, left : left + width + 1]
        if place.shape != (height + 1, width + 1) or (place != _OPEN).any():
            continue
        place[0, 0] = place[-1, -1] = _SLASH
        place[0, -1] = place[-1, 0] = _BACK
        if (
            rng.random() < 0.5
        ):  # one corner open: a beam enters there, passes the crossing twice and leaves
            place[0, 0] = _OPEN
        else:
            around = np.zeros(grid.shape, np.bool_)
            around[top : top + height + 1, left : left + width + 1] = True
            around[top + 1 : top + height, left + 1 : left + width] = False
            sealed.append(around)
    board = _plant(grid, max(2, size * size // 6), 0, rng)
    flat = board.grid.copy()
    if seed % 2 and sealed:
        flat[sealed[int(rng.integers(len(sealed)))] & (flat == _WALL)] = _OPEN
    return Beams(flat)


def cycle(size: int, seed: int) -> Beams:
    """Implication cycles as long as the board is wide, without any unit clause.

    One turret A and two rings of turrets: the ring that begins and ends on A's horizontal beam
    forces A to be `-`, the ring on its vertical beam forces `|`. With an even seed the board is
    impossible for that reason alone. An odd seed cuts the second ring; then the board is possible,
    but only with A and both chains set right. Between two turrets of a ring there is one open cell,
    where their beams cross at right angles.
    """
    rng = np.random.default_rng(seed)
    reach = (2 * size - 6) // 3
    ring = _ring(reach)
    offset = 1 - min(row for row, _, _ in ring)
    grid = np.full((size, size), _WALL, np.uint8)
    grid[offset, offset] = _FLAT
    cut = (
        [index for index, (_, _, kind) in enumerate(ring) if kind == _OPEN][rng.integers(2, 5)]
        if seed % 2
        else -1
    )
    for index, (row, column, kind) in enumerate(ring):
        grid[offset + row, offset + column] = kind
        grid[offset + column, offset + row] = _WALL if index == cut else kind
    turrets = grid == _FLAT
    grid[turrets] = rng.choice(np.array([_FLAT, _UPRIGHT], np.uint8), int(turrets.sum()))
    if rng.random() < 0.5:
        return Beams(
            np.where(grid == _SLASH, _BACK, np.where(grid == _BACK, _SLASH, grid)).astype(np.uint8)[
                ::-1
            ]
        )
    return Beams(grid)


def _ring(reach: int, lead: int = 3) -> list[tuple[int, int, int]]:
    """The ring as cells (row, column, kind), with A at (0, 0): a diamond that begins and ends on
    A's beam to the right.

    The path turns in every cell, so a turret on it shoots along one axis to the cell before and
    along the other to the cell after. A staircase of `lead` pairs of mirrors leads to its end. The
    four cells around each corner of the diamond are mirrors, because a turret there would hit the
    other side of the corner.
    """
    down = [-1] * ((reach - lead + 1) // 2)
    ups = reach - lead - len(down)
    down += [1] * reach + [-1] * ups
    right = [1] * reach + [-1] * (reach - lead - 1)
    steps = [
        (down[i // 2], 0) if i % 2 == 0 else (0, right[i // 2])
        for i in range(len(down) + len(right))
    ]
    path = [(0, 1)]
    for step in steps:
        path.append((path[-1][0] + step[0], path[-1][1] + step[1]))
    mirrored = {
        j
        for i in range(len(steps) - 2)
        if steps[i] == (-steps[i + 2][0], -steps[i + 2][1])
        for j in range(i, i + 4)
    }
    if (
        len(path) - len(mirrored)
    ) % 2 == 0:  # open cells and turrets alternate and both ends are open
        mirrored.add(max(mirrored) + 1)
    cells = [(i, i + 1 + half, _BACK) for i in range(lead + 1) for half in (0, 1)][1:-1]
    unmirrored = 0
    for index, (row, column) in enumerate(path):
        if index in mirrored:
            (down_in, right_in), (down_out, right_out) = steps[index - 1], steps[index]
            kind = _SLASH if (down_in + down_out) * (right_in + right_out) < 0 else _BACK
        else:
            kind = _OPEN if unmirrored % 2 == 0 else _FLAT
            unmirrored += 1
        cells.append((row, column, kind))
    return cells


FAMILIES = {
    "sparse": Family(
        partial(_scatter, walls=0.03, mirrors=0.03, turrets=0.05),
        "few walls and mirrors: long straight beams",
        ((12, 1), (25, 2), (50, 3)),
        most=_SLOW,
    ),
    "mirror": Family(
        partial(_scatter, walls=0.02, mirrors=0.32, turrets=0.6),
        "a third of the cells are mirrors: long bent beams",
        ((12, 1), (25, 2), (50, 3)),
        most=_SLOW,
    ),
    "wall": Family(
        partial(_scatter, walls=0.32, mirrors=0.03, turrets=0.6),
        "a third of the cells are walls: many short beams",
        ((12, 1), (25, 2), (50, 3)),
        most=_SLOW,
    ),
    "loops": Family(
        loops,
        "mirror rings and cells crossed twice: circular light",
        ((8, 1), (16, 2), (30, 3)),
        4,
        most=_SLOW,
    ),
    "cycle": Family(
        cycle, "long implication cycles without a unit clause", ((24, 1), (24, 2), (50, 4)), 20
    ),
}
