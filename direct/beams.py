"""Beams as 2-SAT: a cell is crossed by at most two legal beams, one along each axis.

Source: write-up "2-SAT之完美塔防" (Luogu P5297), which also gives the lemma's proof: two beams never share a cell and a
direction, and two legal ones never meet head-on, since light is reversible.
"""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from direct import two_sat
from direct.kernel import Array, kernel
from puzzles.backend import backend
from puzzles.beams.board import Beams, Layout
from puzzles.puzzle import Effort

OPEN, WALL, SLASH, BACK, TURRET = range(5)
LEFT, UP, RIGHT, DOWN = range(4)
"""Directions; `/` turns d into 3 - d, `\\` into d ^ 1; d & 1 is the axis, 0 for horizontal."""

_KINDS = np.zeros(256, np.uint8)
_KINDS[[ord(c) for c in ".#/\\-|"]] = [OPEN, WALL, SLASH, BACK, TURRET, TURRET]


@backend(
    "beams",
    "two-sat",
    side="direct",
    source="write-up 000: 2-SAT by strongly connected components",
    takes_for_granted="at most two legal beams cross a cell",
)
def solve(board: Beams, *, certify: bool = False) -> Layout:
    """Turn the turrets in time linear in the board; iterative throughout."""
    started = time.perf_counter()
    stride = board.columns + 2
    field = np.full((board.rows + 2, stride), WALL, np.uint8)
    field[1:-1, 1:-1] = _KINDS[board.grid]
    cells = field.ravel()
    turrets = np.flatnonzero(cells == TURRET).astype(np.int32)
    struck, crossing = trace.at(cells.size)(cells, stride, turrets)
    clauses, origin = constraints.at(cells.size)(cells, turrets, struck, crossing)
    found = two_sat.solve(turrets.size, clauses, certify=certify)
    if found.assignment is None:
        core = None
        if found.reasons is not None:
            core = _core(cells, stride, turrets, struck, clauses[found.reasons], origin[found.reasons])
        effort = Effort(solve_s=time.perf_counter() - started)
        return Layout(False, certificate=core and tuple(_unpadded(cell, stride) for cell in core), effort=effort)
    turned = board.grid.copy()
    turned[(board.grid == ord("-")) | (board.grid == ord("|"))] = np.where(found.assignment, ord("-"), ord("|"))
    return Layout(True, Beams(turned), effort=Effort(solve_s=time.perf_counter() - started))


@kernel
def trace(cells: Array, stride: int, turrets: Array) -> tuple[Array, Array]:
    """Follow every beam of every turret.

    Args:
        cells: uint8, the padded board; the padding is wall.
        turrets: int32, the turrets' cells in ascending order; turret t is variable t + 1, true for horizontal.

    Returns:
        struck: int32 (2 * turrets), at 2t + axis a turret's cell that the beams of t along that axis strike, or 0.
        crossing: int32 (2, cells), the literal of the legal beam that crosses a cell along each axis, or 0.

    Each pair of cell and direction is entered by one beam at most, so the time is linear in the board.
    """
    struck = np.zeros(2 * turrets.size, np.int32)
    crossing = np.zeros((2, cells.size), np.int32)
    step = np.array([-1, -stride, 1, stride])
    for t in range(turrets.size):
        for axis in range(2):
            for mark in range(2):  # first whether the beams are legal, then what they cross
                if struck[2 * t + axis] != 0:
                    break
                for arm in range(axis, 4, 2):
                    direction = arm
                    cell = turrets[t] + step[direction]
                    while cells[cell] != WALL:
                        kind = cells[cell]
                        if kind == TURRET:
                            struck[2 * t + axis] = cell
                            break
                        if kind == SLASH:
                            direction = 3 - direction
                        elif kind == BACK:
                            direction = direction ^ 1
                        elif mark == 1:
                            crossing[direction & 1, cell] = t + 1 if axis == 0 else -t - 1
                        cell += step[direction]
    return struck, crossing


@kernel
def constraints(cells: Array, turrets: Array, struck: Array, crossing: Array) -> tuple[Array, Array]:
    """The 2-CNF clauses (int32, n x 2) and the cell that each comes from: an open cell, or the turret that would be struck."""
    count = 0
    for cell in range(cells.size):
        if cells[cell] == OPEN:
            count += 1
    for k in range(struck.size):
        if struck[k] != 0:
            count += 1
    clauses = np.empty((count, 2), np.int32)
    origin = np.empty(count, np.int32)
    k = 0
    for cell in range(cells.size):
        if cells[cell] == OPEN:
            a, b = crossing[0, cell], crossing[1, cell]
            clauses[k, 0] = a if a != 0 else b
            clauses[k, 1] = b if b != 0 else a
            origin[k] = cell
            k += 1
    for turret in range(turrets.size):
        for axis in range(2):
            if struck[2 * turret + axis] != 0:
                clauses[k, :] = -(turret + 1) if axis == 0 else turret + 1
                origin[k] = struck[2 * turret + axis]
                k += 1
    return clauses, origin


def _core(
    cells: NDArray[np.uint8],
    stride: int,
    turrets: NDArray[np.int32],
    struck: NDArray[np.int32],
    clauses: NDArray[np.int32],
    origin: NDArray[np.int32],
) -> list[int]:
    """The cells whose demands refute the board: those of the clauses, and whatever makes their dropped literals illegal."""
    core = set(origin.tolist())
    for cell in set(origin[cells[origin] == OPEN].tolist()):
        for direction in range(4):
            begin = _source(cells, stride, cell, direction)
            if begin is not None:
                turret, axis = int(np.searchsorted(turrets, begin[0])), begin[1]
                if struck[2 * turret + axis]:
                    core.add(int(struck[2 * turret + axis]))
    return sorted(core)


def _source(cells: NDArray[np.uint8], stride: int, cell: int, direction: int) -> tuple[int, int] | None:
    """The turret and the axis of the beam that enters `cell` in `direction`, by walking it backwards; None if there is none."""
    step = (-1, -stride, 1, stride)
    back = direction ^ 2
    at = cell + step[back]
    while cells[at] not in (WALL, TURRET):
        if at == cell and back == direction ^ 2:
            return None
        if cells[at] == SLASH:
            back = 3 - back
        elif cells[at] == BACK:
            back ^= 1
        at += step[back]
    return (at, back & 1) if cells[at] == TURRET else None


def _unpadded(cell: int, stride: int) -> int:
    return (cell // stride - 1) * (stride - 2) + cell % stride - 1
