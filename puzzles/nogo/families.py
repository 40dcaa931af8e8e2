"""Seeded nogo boards on which every chain has a liberty."""

from __future__ import annotations

import numpy as np

from puzzles.nogo.board import BLACK, EMPTY, WHITE, NoGo, without_liberty
from puzzles.puzzle import Family
from puzzles.text import Grid


def empty(size: int, seed: int) -> NoGo:
    """The empty board for every seed: the longest game, with all chains built by the players."""
    return NoGo(np.full((size, size), EMPTY, np.uint8))


def random(size: int, seed: int) -> NoGo:
    """Random stones on a fifth to four fifths of the points, without the chains that have no
    liberty.
    """
    rng = np.random.default_rng(seed)
    share = rng.uniform(0.2, 0.8)
    return _legal(
        rng.choice(
            np.array([BLACK, WHITE, EMPTY], np.uint8),
            (size, size),
            p=[share / 2, share / 2, 1 - share],
        )
    )


def eyes(size: int, seed: int) -> NoGo:
    """Blocks of 3x3 stones around an empty point, coloured at random: only one-point eyes are
    empty.

    Nobody may play in the only eye of a chain. In a chain of several blocks its owner may fill all
    eyes but one.
    """
    rng = np.random.default_rng(seed)
    blocks = size // 3
    colour = rng.choice(np.array([BLACK, WHITE], np.uint8), (blocks, blocks))
    of = np.minimum(np.arange(size) // 3, blocks - 1)
    grid = colour[np.ix_(of, of)]
    grid[1 : 3 * blocks : 3, 1 : 3 * blocks : 3] = EMPTY
    return NoGo(_turn_at_random(grid, rng))


def chains(size: int, seed: int) -> NoGo:
    """Two interlocked combs, black and white, with teeth two rows thick: few chains, as long as the
    board allows.

    In the second row of each tooth one point in six is open. Two open points cut one tooth in four
    off its comb. A comb is connected, so each part that the open points leave is beside an open
    point.
    """
    rng = np.random.default_rng(seed)
    tooth = np.arange(size) // 2
    black = tooth % 2 == 0
    grid = np.repeat(np.where(black, BLACK, WHITE).astype(np.uint8)[:, None], size, axis=1)
    grid[:, 0], grid[:, -1] = BLACK, WHITE
    grid[1::2, 1:-1][rng.random((size // 2, size - 2)) < 1 / 6] = EMPTY
    grid[[1, 3], rng.integers(1, size - 1, 2)] = EMPTY  # each comb has a liberty
    cut = (rng.random(size) < 1 / 4)[tooth]
    grid[cut & black, 1] = EMPTY
    grid[cut & ~black, -2] = EMPTY
    return NoGo(_turn_at_random(grid, rng))


def checkerboard(size: int, seed: int) -> NoGo:
    """Black and white points in turn, a quarter of them open, and stones without liberty removed:
    chains of one stone.
    """
    rng = np.random.default_rng(seed)
    row, column = np.indices((size, size))
    grid = np.where((row + column + rng.integers(2)) % 2 == 0, BLACK, WHITE).astype(np.uint8)
    grid[rng.random((size, size)) < 0.25] = EMPTY
    return _legal(grid)


def _legal(grid: Grid) -> NoGo:
    """The board without its chains that have no liberty."""
    grid.ravel()[without_liberty(grid)] = EMPTY
    return NoGo(grid)


def _turn_at_random(grid: Grid, rng: np.random.Generator) -> Grid:
    """The board turned and mirrored at random; half of the time the colours are exchanged."""
    grid = np.rot90(grid, int(rng.integers(4)))
    if rng.random() < 0.5:
        grid = np.where(grid == BLACK, WHITE, np.where(grid == WHITE, BLACK, grid)).astype(np.uint8)
    return np.ascontiguousarray(grid[::-1] if rng.random() < 0.5 else grid)


FAMILIES = {
    "empty": Family(empty, "empty boards: the longest games", ((5, 1), (13, 1))),
    "random": Family(random, "random legal starts", ((6, 1), (13, 3))),
    "eyes": Family(eyes, "nothing empty but one-point eyes", ((9, 1), (19, 3)), 3),
    "chains": Family(chains, "two interlocked combs: few, long chains", ((6, 1), (19, 3)), 4),
    "checkerboard": Family(checkerboard, "chains of one stone", ((6, 1), (13, 3))),
}
