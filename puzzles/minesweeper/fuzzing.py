"""What fuzzing asks of minesweeper: smaller boards, boards with a number of mines, and legal boards
of many kinds.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from random import Random

import numpy as np

from puzzles.answer import BeyondCheck
from puzzles.grid import grid_of
from puzzles.minesweeper.board import COVERED, MINE, SAFE, SIMPLEST_FIRST, Minesweeper
from puzzles.minesweeper.families import Mask, view
from puzzles.minesweeper.promises import CLUES, layout, random_layout, with_clues_of
from puzzles.puzzle import Family
from puzzles.space.grid_space import smaller_grids
from puzzles.text import Grid

_MAX_LAID_OUT = 64
"""Cells of a board up to which a layout is searched for, to keep smaller boards legal."""


def smaller(board: Minesweeper) -> Iterator[Minesweeper]:
    """Boards one step smaller or with less information, the largest steps first.

    A board with a number of mines comes first without it, then smaller with the same number and
    with the numbers that are left without the cells dropped, then whole with one mine less. A small
    legal board also comes with a row or column dropped and the clues lowered by the mines in it, so
    that it stays legal.
    """
    if board.mines is not None:
        yield Minesweeper(board.grid)
    for grid in smaller_grids(board.grid, SIMPLEST_FIRST):
        for mines in _fewer_mines(board, grid):
            yield Minesweeper(grid, mines)
    if board.mines:
        yield Minesweeper(board.grid, board.mines - 1)
    mines = None
    with suppress(BeyondCheck):
        mines = layout(board) if board.cells <= _MAX_LAID_OUT else None
    if mines is None:
        return
    for axis, length in enumerate(board.grid.shape):
        for line in range(length if length > 1 else 0):
            grid, left = np.delete(board.grid, line, axis), np.delete(mines, line, axis)
            yield Minesweeper(
                with_clues_of(left, grid),
                None
                if board.mines is None
                else max(board.mines - int(mines.sum() - left.sum()), 0),
            )


def _fewer_mines(board: Minesweeper, grid: Grid) -> Iterator[int | None]:
    """The numbers of mines to try on a smaller grid: the same, without the given mines dropped, and
    one to three fewer.
    """
    if board.mines is None:
        yield None
        return
    given, covered = (
        board.kinds.count(kind) - grid.tobytes().count(kind.encode()) for kind in "X#"
    )
    if grid.size == board.cells:
        given, covered = 0, 0
    fewer = {board.mines - given - more for more in range(min(covered, 3) + 1)}
    yield from (mines for mines in sorted({board.mines, *fewer}) if mines >= 0)


def extended(board: Minesweeper, rng: Random) -> Minesweeper:
    """The board with a number of mines. A board that has one keeps it three times in four.

    Half of the time the clues are made to fit a random layout, and the number is that of its mines,
    or one less or more. Else it is any number, sometimes an impossible one.
    """
    if board.mines is not None and rng.random() < 0.75:
        return board
    flags, covered = (board.kinds.count(kind) for kind in "X#")
    if board.mines is None and rng.random() < 0.5:
        marked = random_layout(board, rng, rng.uniform(0, 0.7))
        board = Minesweeper(with_clues_of(marked, board.grid))
        mines = int(marked.sum()) + rng.choice((0, 0, 0, 1, -1))
    elif rng.random() < 0.2:
        mines = rng.choice((0, flags - 1, flags, flags + covered, flags + covered + 1))
    else:
        mines = flags + round(covered * rng.uniform(0, 0.6))
    return Minesweeper(board.grid, max(mines, 0))


_UNDECIDED = (
    ("#1#1#", 1),
    ("##1/1##", 1),
    ("2#/##/#2", 2),
    ("##/#3/3#/##", 4),
    ("##/11/##/1#", 1),
    ("##/3#/##/1#", 3),
    ("##2#/#2##", 3),
    ("#1/##/#1/##", 1),
    ("#####/#2#2#", 4),
    ("#2#2#/##1##", 3),
    ("#1###/###2#", 2),
    ("#2#3#/#####", 4),
)
"""Small boards whose layouts differ in their number of mines, each with a number that it can
have.
"""

_HARD = (
    "##/21/##/1#",
    "##/12/##/1#",
    "####/#1#3/#2##",
    "####/#2#3/#3##",
    "####/32##/####/##4#",
    "#3###/#3##3/#3#3#",
    "#2###/#2##3/#3#3#",
    "1###/###2/14##/##2#",
    "####/2#21",
    "#####/#32#2",
    "###4#/12###",
    "2#2#/####/###2",
    "####/#2#3/#2##",
    "###2/12##/1#2#",
    "#2#21/#23##/O###2",
    "2#2O1/##O##/#3OOO/1#OOO",
    "##O#2/1#2##/12#OO/#OOOO",
    "#2#OO/13#OO/O2###/OO#21/#1#OO",
    "##4#1/3###O/2#OOO/2#OOO/1#OOO",
    "###OO/#45#O/O2##O/2#6#O/####1",
    "O#5#O/#####/#4553/2####/1#OOO",
)
"""Small boards on which the closure misses a contradiction or certain cells, or finds them late."""

_PATTERNS = (
    "##/12",
    "###/11O",
    "####/O12O",
    "#####/O121O",
    "######/O1221O",
    *_HARD,
)
"""The patterns that players know by name, after the smallest contradiction of two clues; then the
hard boards.
"""

_HARD_SHARE, _CHANGED_SHARE = 1 / 20, 1 / 12
"""Of the boards made legal: the share that is one of `_HARD`, and of the others the share in which
a clue is one off.
"""


def edge_cases() -> list[Minesweeper]:
    """Small boards, each with a pattern that a solver may miss."""
    return [Minesweeper(grid_of(lines.split("/"))) for lines in _PATTERNS]


def with_fitting_clues(board: Minesweeper, rng: Random, extended: bool) -> Minesweeper:
    """A board of the same shape whose clues fit a random layout; `extended`: half of the time with
    the number of its mines.

    Half of the time the clues stand where the board has them. Else 10 to 60% of the safe cells are
    opened. In one board of four given mines and given safe cells stay. A few boards are nearly
    legal: one clue is changed by one. A few others are one of `_HARD`, which has a shape of its
    own, turned and mirrored.
    """
    kind = rng.random()
    if kind < _HARD_SHARE:
        hard = np.rot90(grid_of(rng.choice(_HARD).split("/")), rng.randrange(4))[
            :: rng.choice((1, -1))
        ]
        return Minesweeper(np.ascontiguousarray(hard))
    grid = board.grid
    mines = _random_mask(rng, grid.shape, rng.uniform(0.05, 0.6))
    marked = np.zeros(grid.shape, np.bool_)
    if rng.random() < 0.25:
        mines = (mines | (grid == MINE)) & (grid != SAFE)
        marked = (grid == MINE) | (grid == SAFE)
    chosen = (
        np.isin(grid, CLUES)
        if rng.random() < 0.5
        else _random_mask(rng, grid.shape, rng.uniform(0.1, 0.6))
    )
    shown = np.where(marked, grid, view(mines, chosen & ~mines))
    if kind > 1 - _CHANGED_SHARE:
        _change_a_clue(rng, shown)
    return Minesweeper(shown, int(mines.sum()) if extended and rng.random() < 0.5 else None)


def _change_a_clue(rng: Random, grid: Grid) -> None:
    """Make one of the clues from 1 to 8 one more or less, if there is any."""
    clues = np.flatnonzero((grid >= ord("1")) & (grid <= ord("8")))
    if clues.size:
        cell = rng.choice(clues.tolist())
        clue = int(grid.flat[cell])
        less = clue == ord("8") or (clue > ord("1") and rng.random() < 0.5)
        grid.flat[cell] = clue - 1 if less else clue + 1


def _random_mask(rng: Random, shape: tuple[int, ...], share: float) -> Mask:
    """Each cell with this probability, in steps of 1/256."""
    return np.frombuffer(rng.randbytes(shape[0] * shape[1]), np.uint8).reshape(shape) < int(
        256 * share
    )


def _tiles(size: int, seed: int) -> Minesweeper:
    """Two to six small boards beside and below one another, some of them alike, with the number of
    their mines.

    Each is at most 5 x 5. Lines of given safe cells keep them apart, so each keeps its own clues.
    Half of the boards have covered cells that touch no clue. `size` bounds the number of tiles.
    """
    rng = Random(f"tiled {size} {seed}")
    tiles: list[tuple[Grid, int]] = []
    for _ in range(rng.randint(2, min(6, size + 1))):
        tiles.append(rng.choice(tiles) if tiles and rng.random() < 0.4 else _tile(rng))
    if rng.random() < 0.5:
        free = rng.randint(1, 4)
        tiles.append((np.full((1, free), COVERED, np.uint8), rng.randint(0, free)))
    bands = [tiles] if rng.random() < 0.5 else [tiles[::2], tiles[1::2]]
    rows = [_beside([grid for grid, _ in band]) for band in bands]
    grid = rows[0] if len(rows) == 1 else _beside([row.T for row in rows]).T
    turned = np.rot90(grid, rng.randrange(4))
    return Minesweeper(np.ascontiguousarray(turned), sum(mines for _, mines in tiles))


def _tile(rng: Random) -> tuple[Grid, int]:
    """A small board whose clues fit a layout, and the number of the layout's mines; half of the
    time one of `_UNDECIDED`.
    """
    if rng.random() < 0.5:
        lines, number = rng.choice(_UNDECIDED)
        return np.rot90(grid_of(lines.split("/")), rng.randrange(4)), number
    shape = rng.randint(1, 4), rng.randint(2, 5)
    mines = _random_mask(rng, shape, rng.uniform(0.2, 0.6))
    return view(mines, ~mines & _random_mask(rng, shape, rng.uniform(0.2, 0.6))), int(mines.sum())


def _beside(grids: list[Grid]) -> Grid:
    """Grids in a row with a line of given safe cells between them."""
    field = np.full(
        (max(len(grid) for grid in grids), sum(grid.shape[1] + 1 for grid in grids) - 1),
        SAFE,
        np.uint8,
    )
    left = 0
    for grid in grids:
        field[: len(grid), left : left + grid.shape[1]] = grid
        left += grid.shape[1] + 1
    return field


def spread(size: int, seed: int, counted: bool) -> Minesweeper:
    """Single cells opened here and there, 30 to 40% of the safe ones: components that are wide for
    the frontier, or too wide.

    `counted`: with the number of mines.
    """
    rng = np.random.default_rng(seed)
    density, share = rng.uniform(0.2, 0.4), rng.uniform(0.3, 0.4)
    mines = rng.random((size, size)) < density
    return Minesweeper(
        view(mines, ~mines & (rng.random((size, size)) < share)),
        int(mines.sum()) if counted else None,
    )


FAMILIES = {
    "tiled": Family(
        _tiles,
        "small components, some alike, with the number of mines",
        ((5, 1),),
        in_contest_format=False,
    ),
    "spread": Family(
        partial(spread, counted=False),
        "single cells opened densely: joined in a tree",
        ((32, 1),),
        24,
    ),
    "spread-counted": Family(
        partial(spread, counted=True),
        "the same with the number of mines",
        ((32, 1),),
        24,
        in_contest_format=False,
    ),
}
"""Families for fuzzing alone."""
