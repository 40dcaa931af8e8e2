"""Directions, mirrors and turrets of a beams board, its channels, and what the variables of all
models say.

A *channel* is a cell and the direction in which a beam enters it. `by_cnf` and `by_cpsat` share
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

SLASH_TURNS = (3, 2, 1, 0)
BACKSLASH_TURNS = (1, 0, 3, 2)
"""For each mirror, the direction in which it sends on a beam that comes in direction 0, 1, 2, 3."""

MEANING = "satisfiable if and only if the turrets can be turned so that every open cell is lit"

HORIZONTAL = "the turret at {} is horizontal"

ENTERS = tuple(
    f"a beam enters {{}} going {heading}" for heading in ("east", "south", "west", "north")
)
"""Of the channels of a cell, by direction (see `Channels`)."""


def is_turret(grid: Grid) -> NDArray[np.bool_]:
    return (grid == ord("-")) | (grid == ord("|"))


def turn_turrets(board: Beams, horizontal: NDArray[np.bool_]) -> Beams:
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
    columns = grid.shape[1] + 2
    kind = np.pad(grid, 1, constant_values=ord("#")).ravel()
    inside = np.flatnonzero(kind != ord("#"))
    first_channel, turret = np.zeros((2, kind.size), np.int64)
    first_channel[inside] = np.arange(0, 4 * inside.size, 4)
    turret[is_turret(kind)] = np.arange(np.count_nonzero(is_turret(kind)))
    # Arrays of shape (directions, cells inside): each channel, the cell before it, what is there,
    # and the direction in which light has entered that cell if it goes on to this one, else -1.
    direction = np.arange(4)[:, None]
    channel = first_channel[inside] + direction
    before = inside - np.array([[down * columns + right] for down, right in STEPS])
    kind_before = kind[before]
    comes = np.full((128, 4), -1, np.int64)
    comes[ord(".")], comes[ord("/")], comes[ord("\\")] = range(4), SLASH_TURNS, BACKSLASH_TURNS
    entered = comes[kind_before, direction]
    passes, shoots = entered >= 0, is_turret(kind_before)
    links = np.column_stack([channel[passes], (first_channel[before] + entered)[passes]])
    level = np.broadcast_to(1 - direction % 2, channel.shape)
    return Channels(
        channel.size,
        np.flatnonzero(is_turret(grid)),
        np.flatnonzero(grid == ord(".")),
        channel.T[is_turret(kind[inside])],
        channel.T[kind[inside] == ord(".")],
        channel[kind_before == ord("#")],
        links,
        np.column_stack([channel[shoots], turret[before][shoots], level[shoots]]),
        _circular(channel.size, links),
    )


def _circular(total: int, links: NDArray[np.int64]) -> NDArray[np.int64]:
    """The channels whose way back never ends, by pointer doubling in time n log n."""
    before = np.full(total + 1, total, np.int64)
    before[links[:, 0]] = links[:, 1]
    for _ in range(int(total).bit_length()):
        before = before[before]
    return np.flatnonzero(before[:total] != total)
