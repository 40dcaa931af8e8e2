"""Directions, mirrors and turrets of a beams board, and what the variables of all models say."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from puzzles.beams.board import Beams
from puzzles.text import Grid

STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))
"""The step (down, right) of each direction: 0 east, 1 south, 2 west, 3 north. Even directions are horizontal."""

SLASH = (3, 2, 1, 0)
BACKSLASH = (1, 0, 3, 2)
"""For each mirror, the direction in which it sends on a beam that comes in direction 0, 1, 2, 3."""

MEANING = "satisfiable if and only if the turrets can be turned so that every open cell is lit"

HORIZONTAL = "the turret at {} is horizontal"

ENTERS = tuple(f"a beam enters {{}} going {heading}" for heading in ("east", "south", "west", "north"))
"""Of the channels of a cell, by direction (see `models.beams.channels`)."""


def is_turret(grid: Grid) -> NDArray[np.bool_]:
    return (grid == ord("-")) | (grid == ord("|"))


def turned(board: Beams, horizontal: NDArray[np.bool_]) -> Beams:
    """The board with its turrets turned: one entry for each turret in row-major order, True if it is horizontal."""
    grid = board.grid.copy()
    grid.flat[np.flatnonzero(is_turret(grid))] = np.where(horizontal, ord("-"), ord("|"))
    return Beams.from_valid_grid(grid)
