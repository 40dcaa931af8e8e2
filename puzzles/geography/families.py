"""Seeded geography boards: open ones, ones with random walls, and corridors, in which augmenting
paths are long.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from puzzles.geography.board import Geography
from puzzles.puzzle import Family

_CODES = np.frombuffer(b"#.", np.uint8)


def _board(free: NDArray[np.bool_]) -> Geography:
    return Geography(_CODES[free.astype(np.intp)])


def _open(size: int, seed: int, odd: bool) -> Geography:
    """A board without walls with an odd or even number of cells; its sides are up to an eighth
    longer or shorter than `size`.
    """
    rng = np.random.default_rng(seed)
    rows, columns = (
        max(1, size + int(rng.integers(-(size // 8), size // 8 + 1))) for _ in range(2)
    )
    if odd:
        rows, columns = rows | 1, columns | 1
    elif rows % 2 and columns % 2:
        columns += 1
    return _board(np.ones((rows, columns), np.bool_))


def walls(size: int, seed: int, share: float) -> Geography:
    """Each cell is a wall with probability `share`."""
    return _board(np.random.default_rng(seed).random((size, size)) >= share)


def _snake(size: int, pitch: int) -> NDArray[np.bool_]:
    """One corridor along rows `pitch` apart, joined at their right and left ends in turn."""
    free = np.zeros((size, size), np.bool_)
    free[::pitch] = True
    for turn, row in enumerate(range(0, size - pitch, pitch)):
        free[row : row + pitch, 0 if turn % 2 else size - 1] = True
    return free


def corridors(size: int, seed: int) -> Geography:
    """A corridor that fills the board, with walls at a few places."""
    rng = np.random.default_rng(seed)
    free = _snake(size, 2)
    free[0, : int(rng.integers(0, size))] = False
    for _ in range(int(rng.integers(0, 4))):
        free[int(rng.integers(0, size)), int(rng.integers(0, size))] = False
    return _board(free)


def comb(size: int, seed: int) -> Geography:
    """A corridor along the upper edge with teeth of random lengths at every second cell."""
    lengths = np.random.default_rng(seed).integers(1, size + 1, size)
    lengths[1::2] = 1
    return _board(np.arange(size)[:, None] < lengths)


def spiral(size: int, seed: int) -> Geography:
    """A corridor from a corner to the middle, with some single cells of its walls opened; turned at
    random.
    """
    rng = np.random.default_rng(seed)
    free = np.zeros((size, size), np.bool_)
    for ring in range(0, (size + 1) // 2, 2):
        far = size - 1 - ring
        free[ring, ring : far + 1] = free[far, ring : far + 1] = True
        free[ring : far + 1, ring] = free[ring : far + 1, far] = True
    for ring in range(0, (size + 1) // 2 - 2, 2):  # cut each ring and lead its end to the next one
        free[ring + 1, ring] = False
        free[ring + 2, ring + 1] = True
    free[rng.integers(0, size, size // 8), rng.integers(0, size, size // 8)] = True
    return _board(np.rot90(free, int(rng.integers(4))))


def kuhn(size: int, seed: int) -> Geography:
    """The worst case of Kuhn's algorithm: a winding corridor with a dead end of one cell beside
    every second cell.

    The corridor is matched early. A dead end comes late, and its search follows the rest of the
    corridor to the end in vain. One dead end in ten is missing.
    """
    free = _snake(size - size % 2, 3)
    teeth = np.zeros_like(free)
    teeth[1::6, 0:-2:2] = teeth[4::6, 1::2] = True
    teeth[4::6, 0] = teeth[4::6, 1] = False
    free |= teeth & (np.random.default_rng(seed).random(free.shape) < 0.9)
    return _board(free)


def _walls(share: float, about: str, *bundled: tuple[int, int]) -> Family:
    return Family(partial(walls, share=share), f"{share:.0%} walls: {about}", bundled)


FAMILIES = {
    "open-even": Family(
        partial(_open, odd=False),
        "no walls, an even number of cells: nothing loses",
        ((8, 1), (40, 3)),
    ),
    "open-odd": Family(
        partial(_open, odd=True),
        "no walls, an odd number of cells: one colour loses",
        ((5, 1), (9, 3)),
    ),
    "walls-02": _walls(0.02, "the hard band begins: few exposed cells, far apart", (20, 3)),
    "walls-05": _walls(0.05, "the hard band: long augmenting paths", (20, 3)),
    "walls-10": _walls(0.10, "pockets that must stay exposed", (8, 1), (20, 3)),
    "walls-20": _walls(0.20, "a third of the cells lose", (8, 1), (30, 3)),
    "walls-30": _walls(0.30, "just below the threshold where the board falls apart", (30, 3)),
    "walls-40": _walls(0.40, "many small components", (8, 1), (40, 3)),
    "corridors": Family(
        corridors, "one corridor fills the board: paths as long as it", ((31, 3),), 2
    ),
    "comb": Family(comb, "a corridor with long teeth", ((30, 3),), 2),
    "spiral": Family(spiral, "a corridor to the middle, with short cuts", ((31, 3),), 4),
    "kuhn": Family(
        kuhn, "searches that fail late: quadratic for one augmenting path at a time", ((32, 3),), 4
    ),
}
