"""Directions, mirrors and turrets of a beams board, its channels, and what the variables of all
models say.

A *channel* is a cell and the direction in which a beam enters it. `by_rules` and `by_cpsat` share
them: where the light in each channel comes from.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzles.beams.board import Beams
from puzzles.text import Grid

STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))
"""The step (down, right) of each direction: 0 east, 1 south, 2 west, 3 north.

Even directions are horizontal.
"""

SLASH = (3, 2, 1, 0)
BACKSLASH = (1, 0, 3, 2)
"""For each mirror, the direction in which it sends on a beam that comes in direction 0, 1, 2, 3."""

MEANING = "satisfiable if and only if the turrets can be turned so that every open cell is lit"

HORIZONTAL = "the turret at {} is horizontal"

ENTERS = tuple(
    f"a beam enters {{}} going {heading}" for heading in ("east", "south", "west", "north")
)
"""Of the channels of a cell, by direction (see `Channels`)."""


def is_turret(grid: Grid) -> NDArray[np.bool_]:
    return (grid == ord("-")) | (grid == ord("|"))


def turned(board: Beams, horizontal: NDArray[np.bool_]) -> Beams:
    """The board with its turrets turned: one entry for each turret in row-major order, True if it
    is horizontal.
    """
    grid = board.grid.copy()
    grid.flat[np.flatnonzero(is_turret(grid))] = np.where(horizontal, ord("-"), ord("|"))
    return Beams.from_valid_grid(grid)


class Channels(NamedTuple):
    """The channels 0..total-1 of a board. Cells are flat indices, arrays are int64.

    Attributes:
        total: the number of channels: four for each cell that is not a wall.
        turrets, open: the cells of each kind in ascending order.
        into_turret, into_open: shape (cells, 4), the channels that enter each of those cells.
        dark: the channels whose cell before is a wall or beyond the edge, so that no light enters
            them.
        passed: shape (n, 2). The light of the first channel has just passed the second one.
        shot: shape (n, 3). The light of the channel comes straight from a turret: the channel, the
            index of the turret, and 1 if the channel is horizontal, else 0.
        circular: the channels whose light could only come from themselves.
    """

    total: int
    turrets: NDArray[np.int64]
    open: NDArray[np.int64]
    into_turret: NDArray[np.int64]
    into_open: NDArray[np.int64]
    dark: NDArray[np.int64]
    passed: NDArray[np.int64]
    shot: NDArray[np.int64]
    circular: NDArray[np.int64]


def channels_of(grid: Grid) -> Channels:
    """Number the channels, four for each cell that is not a wall, and link each to what comes
    before it. Time: n log n.
    """
    rows, columns = grid.shape
    kind = np.full((rows + 2, columns + 2), ord("#"), np.uint8)
    kind[1:-1, 1:-1] = grid
    inside, turret_here, open_here = grid != ord("#"), is_turret(grid), grid == ord(".")
    number = np.full(kind.shape, -1, np.int64)
    number[1:-1, 1:-1][inside] = np.arange(int(inside.sum())) * 4
    turret_number = np.full(kind.shape, -1, np.int64)
    turret_number[1:-1, 1:-1][turret_here] = np.arange(int(turret_here.sum()))
    dark, passed, shot = [], [], []
    for direction, (down, right) in enumerate(STEPS):
        before = (slice(1 - down, 1 - down + rows), slice(1 - right, 1 - right + columns))
        channel = number[1:-1, 1:-1][inside] + direction
        kind_before, number_before, turret = (
            kind[before][inside],
            number[before][inside],
            turret_number[before][inside],
        )
        dark.append(channel[kind_before == ord("#")])
        for code, entered in (
            (".", direction),
            ("/", SLASH[direction]),
            ("\\", BACKSLASH[direction]),
        ):
            here = kind_before == ord(code)
            passed.append(np.column_stack([channel[here], number_before[here] + entered]))
        here = turret >= 0
        shot.append(
            np.column_stack(
                [channel[here], turret[here], np.full(int(here.sum()), 1 - direction % 2)]
            )
        )
    total = 4 * int(inside.sum())
    links = np.concatenate(passed)
    directions = np.arange(4)
    return Channels(
        total,
        np.flatnonzero(turret_here),
        np.flatnonzero(open_here),
        number[1:-1, 1:-1][turret_here][:, None] + directions,
        number[1:-1, 1:-1][open_here][:, None] + directions,
        np.concatenate(dark),
        links,
        np.concatenate(shot),
        _circular(total, links),
    )


def _circular(total: int, links: NDArray[np.int64]) -> NDArray[np.int64]:
    """The channels whose way back never ends, by pointer doubling in time n log n."""
    before = np.full(total + 1, total, np.int64)
    before[links[:, 0]] = links[:, 1]
    for _ in range(int(total).bit_length()):
        before = before[before]
    return np.flatnonzero(before[:total] != total)
