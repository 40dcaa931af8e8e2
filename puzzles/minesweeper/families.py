"""Seeded minesweeper boards; only `counted` and `expert` give their number of mines.

`d12`, `d16`, `d20`, `flags`, `broken`, `counted`, `expert` and `isolated` are games under way. The
others are made of patterns, with given safe cells (`O`) between them: these are no clues, so they
keep the patterns apart.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from puzzles.grid import grid_of
from puzzles.minesweeper.board import COVERED, MINE, SAFE, Minesweeper, numbers_around
from puzzles.puzzle import Family
from puzzles.text import Grid

Mask = NDArray[np.bool_]

_SHOWN = np.frombuffer(b".12345678", np.uint8)
"""What an opened cell shows, by the number of mines around it."""

_SHORT = (
    "####/2#21",
    "###4#/12###",
    "#####/#32#2",
    "1###2/1#2##",
    "#21#/####/#12#",
    "####/#2#3/#2##",
    "2#2#/####/###2",
    "#2###/#3##3/#3#3#",
    "1###/###2/24##/##2#",
    "####/33##/####/##4#",
    "#2#22##/1###2#2",
    "2####3#/##4#2##",
)
"""Boards on which the closure finds nothing although some cells are certain; the first is the
smallest.
"""

_LATE = (
    "###O/#2#O/###2",
    "####/1#22",
    "######/22#22O",
    "###/#0#/###",
    "#2#2#2#O#/2##5#3###/#2###12#3",
    "#3##22#2###2##/O#2#####2#2###",
)
"""Boards that take several rounds. With the rules that Amb's write-up states in words the last one
takes 8; with its program `###/#0#/###` takes 9.
"""


def view(mines: Mask, opened: Mask) -> Grid:
    """What a player sees: clues in opened cells (`.` for no mine around), the rest covered."""
    count = numbers_around(mines)
    return np.where(opened, _SHOWN[count], np.uint8(COVERED))


def _game(size: int, density: float, rng: np.random.Generator) -> tuple[Mask, Mask]:
    """The mines, and the opened cells: all around every cell with no mine beside it, and half of
    the safe cells beside those.
    """
    mines = rng.random((size, size)) < density
    blank = ~mines & (numbers_around(mines) == 0)
    opened = blank | (numbers_around(blank) > 0)
    return mines, opened | (
        ~mines & (numbers_around(opened) > 0) & (rng.random((size, size)) < 0.5)
    )


def under_way(size: int, seed: int, density: float) -> Minesweeper:
    """A game under way with this density of mines."""
    return Minesweeper(view(*_game(size, density, np.random.default_rng(seed))))


def flags(size: int, seed: int) -> Minesweeper:
    """A game under way of density 16% with a third of its mines given, and a tenth of the covered
    safe cells.
    """
    rng = np.random.default_rng(seed)
    mines, opened = _game(size, 0.16, rng)
    grid, drawn = view(mines, opened), rng.random((size, size))
    grid[mines & (drawn < 0.33)] = MINE
    grid[~mines & ~opened & (drawn < 0.1)] = SAFE
    return Minesweeper(grid)


def _with_wrong_clues(size: int, seed: int) -> Minesweeper:
    """A game under way of density 16% with a few clues changed by one, which mostly makes it
    inconsistent.
    """
    rng = np.random.default_rng(seed)
    mines, opened = _game(size, 0.16, rng)
    grid = view(mines, opened)
    at = np.flatnonzero(opened & (numbers_around(~opened) > 1) & (numbers_around(mines) > 0))
    for cell in rng.choice(at, min(at.size, 1 + size // 20), replace=False) if at.size else ():
        clue = int(grid.flat[cell])
        up = clue == ord("1") or (clue < ord("8") and rng.random() < 0.5)
        grid.flat[cell] = clue + (1 if up else -1)
    return Minesweeper(grid)


def _with_mine_number(size: int, seed: int) -> Minesweeper:
    """A game under way of density 16% with its number of mines, half of the safe cells that touch
    no clue opened.

    Few cells that touch no clue are left, so the number of mines often decides some of them.
    """
    rng = np.random.default_rng(seed)
    mines, opened = _game(size, 0.16, rng)
    opened |= ~mines & (numbers_around(opened) == 0) & (rng.random((size, size)) < 0.5)
    return Minesweeper(view(mines, opened), int(mines.sum()))


def expert(size: int, seed: int) -> Minesweeper:
    """A game under way with its number of mines, as on the board of 16x30 with 99 mines, which is
    size 16.

    The seed chooses the share of safe cells to open. The first one has no mine around it. Nine in
    ten of the others are beside an opened cell. Each opens everything around it that a game would
    open.
    """
    rng = np.random.default_rng(seed)
    shape = size, round(size * 30 / 16)
    mines = np.zeros(shape, np.bool_)
    mines.flat[rng.permutation(mines.size)[: round(mines.size * 99 / 480)]] = True
    blank = ~mines & (numbers_around(mines) == 0)
    opened = np.zeros(shape, np.bool_)
    wanted = rng.random() * int((~mines).sum())
    while opened.sum() < wanted:
        near = (numbers_around(opened) > 0) if rng.random() < 0.9 else ~opened
        cells = np.flatnonzero(
            (near if opened.any() else blank if blank.any() else ~mines) & ~mines & ~opened
        )
        if not cells.size:
            cells = np.flatnonzero(~mines & ~opened)
        opened.flat[rng.choice(cells)] = True
        before = 0
        while before != (before := int(opened.sum())):
            opened |= numbers_around(opened & blank) > 0
    return Minesweeper(view(mines, opened), int(mines.sum()))


def _single_cells(size: int, seed: int) -> Minesweeper:
    """Single cells opened here and there, a fifth of the cells mines: wide components in which
    little is certain.
    """
    rng = np.random.default_rng(seed)
    mines = rng.random((size, size)) < 0.2
    return Minesweeper(
        view(mines, ~mines & (numbers_around(mines) > 0) & (rng.random((size, size)) < 0.12))
    )


def _tile(field: Grid, tiles: tuple[str, ...], rng: np.random.Generator) -> None:
    """Fill a field of `O` with random tiles in rows, turned at random; the one in the corner is the
    first tile, not turned.
    """
    rows, columns = field.shape
    top = 0
    while top < rows:
        left, height = 0, 1
        while left < columns:
            tile = grid_of(tiles[int(rng.integers(len(tiles))) if top or left else 0].split("/"))
            if top or left:
                tile = np.rot90(tile, int(rng.integers(4)) if max(tile.shape) <= rows - top else 0)
                tile = tile[:: int(rng.choice((-1, 1)))]
            if top + tile.shape[0] <= rows and left + tile.shape[1] <= columns:
                field[top : top + tile.shape[0], left : left + tile.shape[1]] = tile
                height = max(height, tile.shape[0])
            left += tile.shape[1] + 1
        top += height + 1


def short(size: int, seed: int) -> Minesweeper:
    """Tiles on which the closure falls short, the smallest one in the corner."""
    grid = np.full((size, size), SAFE, np.uint8)
    _tile(grid, _SHORT, np.random.default_rng(seed))
    return Minesweeper(grid)


def rounds(size: int, seed: int) -> Minesweeper:
    """Chains that take a round for every second column, and between them tiles that take several
    rounds.

    In a chain each clue is 2 and has two covered cells on its left and two on its right. It says
    nothing until the pair on one side is known; then it decides the other pair.
    """
    rng = np.random.default_rng(seed)
    grid = np.full((size, size), SAFE, np.uint8)
    for top in range(0, size - 2, 12):
        length = size - int(rng.integers(2))
        grid[top : top + 3 : 2, 0:length:2] = COVERED
        grid[top + 1, 1 : length - 1 : 2] = ord("2")
        grid[top + 1, 0] = ord("2") if rng.random() < 0.5 else ord("0")
        _tile(grid[top + 4 : top + 11], _LATE, rng)
    return Minesweeper(grid)


def _walls_of_clues(size: int, seed: int) -> Minesweeper:
    """Long straight walls of clues along one row of covered cells: 1-2-2-1 again and again, and
    other periods.
    """
    rng = np.random.default_rng(seed)
    grid = np.full((size, size), SAFE, np.uint8)
    for index, top in enumerate(range(0, size - 1, 3)):
        period = ("OXXO", "OXXO", "XOO", "OXO", "XXO", "OXXXO")[
            0 if index == 0 else int(rng.integers(6))
        ]
        start = int(rng.integers(len(period)))
        mines = np.zeros((2, size), np.bool_)
        mines[0] = (grid_of([period * (size // len(period) + 2)])[0] == MINE)[start : start + size]
        opened = np.zeros((2, size), np.bool_)
        opened[1] = rng.random(size) < 0.98
        wall = view(mines, opened)
        wall[1, ~opened[1]] = SAFE
        grid[top : top + 2] = wall if rng.random() < 0.5 else wall[::-1]
    return Minesweeper(grid)


FAMILIES = {
    "d12": Family(
        partial(under_way, density=0.12), "games under way, 12% mines", ((9, 1), (24, 3))
    ),
    "d16": Family(
        partial(under_way, density=0.16), "games under way, 16% mines", ((9, 1), (30, 4))
    ),
    "d20": Family(
        partial(under_way, density=0.20), "games under way, 20% mines", ((12, 1), (36, 3))
    ),
    "flags": Family(flags, "games under way with mines and safe cells given", ((9, 1), (24, 3))),
    "broken": Family(
        _with_wrong_clues, "games with clues changed, mostly inconsistent", ((9, 1), (24, 3))
    ),
    "counted": Family(
        _with_mine_number,
        "games under way with their number of mines",
        ((9, 6),),
        2,
        in_contest_format=False,
    ),
    "expert": Family(
        expert,
        "games of 99 mines on 16x30, at any stage, and other sizes like it",
        ((8, 1),),
        2,
        in_contest_format=False,
        most=1000,  # each click looks at the whole board
    ),
    "isolated": Family(
        _single_cells, "single cells opened here and there: wide components", ((8, 1), (16, 3)), 3
    ),
    "short": Family(short, "tiles on which the closure falls short", ((5, 1), (24, 3)), 5),
    "rounds": Family(rounds, "boards that take the closure many rounds", ((8, 1), (24, 3)), 3),
    "wall": Family(_walls_of_clues, "long 1-2-2-1 walls and the like", ((8, 1), (30, 3)), 3),
}
