"""What the variables of the beams models say. Variables of two models that say the same have the same name."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from models.beams.geometry import is_turret
from models.dimacs import cell_names
from puzzles.beams.board import Beams

MEANING = "satisfiable if and only if the turrets can be turned so that every open cell is lit"


def turret_names(board: Beams, turrets: NDArray[np.int64]) -> list[tuple[int, str]]:
    """Names for one variable for each turret, in row-major order."""
    cells = np.flatnonzero(is_turret(board.grid)).tolist()
    return cell_names(turrets, cells, board.columns, "the turret at {} is horizontal")


def names_of(board: Beams, turrets: NDArray[np.int64], channels: NDArray[np.int64]) -> list[tuple[int, str]]:
    """Names for the turrets and the channels (see `models.beams.channels`), in the order of the variables."""
    names, inside = turret_names(board, turrets), np.flatnonzero(board.grid != ord("#")).tolist()
    for direction, heading in enumerate(("east", "south", "west", "north")):
        names += cell_names(channels[direction::4], inside, board.columns, f"a beam enters {{}} going {heading}")
    return sorted(names)
