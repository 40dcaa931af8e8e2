"""Beams as 2-SAT: at most two legal beams cross a cell, one along each axis.

Source: write-up "2-SAT之完美塔防" (Luogu P5297), which also proves this: two beams never share a
cell and a direction, and two legal beams never meet head-on, since light is reversible.

All boards of a file are solved in one call. Each has arrays of its own, so that those of a small
board stay in the cache.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from direct import two_sat
from direct.kernel import NATURAL, Array, inner_kernel, kernel
from direct.two_sat import components, implications
from puzzles.answer import Effort
from puzzles.backend import backend
from puzzles.beams.board import Beams, Layout

_OPEN, _BACK, _SLASH, _WALL, _TURRET = 0, 1, 3, 4, 5
"""Kinds of cells. A direction d is 0 left, 1 up, 2 right or 3 down; d & 1 is its axis.

A kind below WALL turns d into d ^ kind.
"""

_HASH, _RISING, _FALLING, _FLAT, _UPRIGHT = (ord(character) for character in "#/\\-|")


def solve_many(boards: Sequence[Beams], *, certify: bool = False) -> list[Layout]:
    """Turn the turrets of every board, in time linear in the boards, without recursion."""
    started = time.perf_counter()
    shapes = np.array([board.grid.shape for board in boards], np.int32)
    grids = np.concatenate([board.grid.reshape(-1) for board in boards])
    crossing, passed = _scratch(max((board.rows + 2) * (board.columns + 1) for board in boards) + 1)
    possible = np.zeros(len(boards), np.bool_)
    arrange.at(grids.size)(grids, shapes, crossing, passed, possible)
    effort = Effort(solve_s=(time.perf_counter() - started) / len(boards))
    layouts: list[Layout] = []
    begin = 0
    for board, solved in zip(boards, possible.tolist(), strict=True):
        if solved:
            turned = Beams.from_valid_grid(
                grids[begin : begin + board.cells].reshape(board.grid.shape)
            )
            layouts.append(Layout.unchecked(possible=True, board=turned, effort=effort))
        else:
            layouts.append(
                Layout(False, certificate=_core(board) if certify else None, effort=effort)
            )
        begin += board.cells
    return layouts


@backend(
    "beams",
    "two-sat",
    side="direct",
    default=True,
    source="the P5297 write-up: 2-SAT by strongly connected components",
    assumes="at most two legal beams cross a cell",
    many=solve_many,
)
def solve(board: Beams, *, certify: bool = False) -> Layout:
    """It follows the beams of each turret, both ways that it can stand. That gives clauses of at
    most two literals: no beam hits a turret, and each open cell is lit. Strongly connected
    components of their implication graph give the answer in linear time.
    """
    return solve_many([board], certify=certify)[0]


def _scratch(cells: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Uninitialised `crossing` and `passed` (see `_trace`) for a board of `cells` cells, its walls
    included.

    Two legal beams pass a cell, and the beam that is being followed may pass it in four directions.
    NumPy gives large arrays huge pages.
    """
    return np.empty(2 * cells, np.int32), np.empty(6 * cells, np.int32)


@kernel
def arrange(grids: Array, shapes: Array, crossing: Array, passed: Array, possible: Array) -> None:
    """Turn the turrets of boards in place, if that is possible.

    Args:
        grids: uint8, the boards' character codes, one board after the other.
        shapes: int32 (boards, 2), their rows and columns.
        crossing, passed: int32, long enough for what `_trace` writes for the largest board.
        possible: bool per board, all False before; set where it is possible. A turret without
            constraint is horizontal.
    """
    begin = 0
    for board in range(shapes.shape[0]):
        end = begin + shapes[board, 0] * shapes[board, 1]
        grid = grids[begin:end]
        stride = np.uint32(shapes[board, 1] + 1)
        cells, turrets, dark = with_walls(grid, shapes[board, 0], shapes[board, 1])
        struck, row, lit = _trace(cells, shapes[board, 1] + 1, turrets, crossing, passed)
        if lit == dark:
            value = np.empty(turrets.size, np.int8)
            possible[board] = _propagate(struck, crossing, row, passed, value) and _decide(
                crossing, row, passed, value
            )
            if possible[board]:
                for t in range(turrets.size):
                    line = np.int64(
                        np.uint32(turrets[t]) // stride
                    )  # quicker than a 64-bit division
                    grid[turrets[t] - shapes[board, 1] - line - 1] = (
                        _UPRIGHT if value[t] < 0 else _FLAT
                    )
        begin = end


@kernel
def with_walls(grid: Array, rows: int, columns: int) -> tuple[Array, Array, int]:
    """One board with walls around it.

    Returns:
        cells: uint8, flat; the cell (row, column) is at (row + 1) * (columns + 1) + column + 1.
        turrets: int32, the turrets' cells in ascending order; turret t is variable t + 1, true for
            horizontal.
        dark: the number of open cells.
    """
    stride = columns + 1
    cells = np.empty((rows + 2) * stride + 1, np.uint8)
    for cell in range(cells.size):
        cells[cell] = _WALL
    for row in range(rows):
        base = (row + 1) * stride + 1
        for column in range(columns):
            code = grid[row * columns + column]
            turret = (code == _FLAT) | (code == _UPRIGHT)
            cells[base + column] = (
                (code == _HASH) * _WALL
                + (code == _RISING) * _SLASH
                + (code == _FALLING) * _BACK
                + turret * _TURRET
            )
    dark = 0
    for cell in range(cells.size):
        dark += cells[cell] == _OPEN
    turrets = np.empty(cells.size, np.int32)
    number = 0
    for cell in range(cells.size):
        turrets[number] = cell
        number += cells[cell] == _TURRET
    return cells, turrets[:number], dark


@kernel
def _trace(
    cells: Array, stride: int, turrets: Array, crossing: Array, passed: Array
) -> tuple[Array, Array, int]:
    """Follow every beam of every turret.

    Fills `crossing` (int32): at 2 * cell + axis, the literal of the legal beam that crosses the
    cell along that axis, or 0. Fills `passed` (int32): for each legal pair of beams, in rows, the
    indices in `crossing` that it takes.

    Returns:
        struck: int32 (2 * turrets), at 2t + axis the cell of a turret that the beams of t along
            that axis strike, or 0.
        row: int32 (2 * turrets + 1), at 2t + axis the start of that pair's row in `passed`; it ends
            where the next row starts.
        lit: the number of open cells that some legal beam crosses.

    At most one beam enters each pair of cell and direction, so the time is linear in the board.
    """
    struck = np.empty(2 * turrets.size, np.int32)
    for t in range(struck.size):
        struck[t] = 0
    for at in range(2 * cells.size):
        crossing[at] = 0
    row = np.empty(2 * turrets.size + 1, np.int32)
    lit = 0
    end = 0
    for t in range(turrets.size):
        for axis in range(2):
            literal = t + 1 if axis == 0 else -t - 1
            start = row[2 * t + axis] = end
            fresh = 0
            for arm in range(axis, 4, 2):
                cell, direction, move = np.int64(turrets[t]), arm, step(arm, stride)
                while True:
                    cell = (cell + move) & NATURAL
                    kind = cells[cell]
                    if kind == _OPEN:
                        at = 2 * cell + (direction & 1)
                        fresh += crossing[at ^ 1] == 0
                        crossing[at] = literal
                        passed[end] = at
                        end += 1
                    elif kind < _WALL:
                        direction ^= kind
                        move = step(direction, stride)
                    else:
                        break
                if (
                    kind == _TURRET
                ):  # undo the marks: no legal beam crosses one of these cells along the same axis
                    struck[2 * t + axis] = cell
                    for k in range(start, end):
                        crossing[passed[k]] = 0
                    end = start
                    fresh = 0
                    break
            lit += fresh
    row[2 * turrets.size] = end
    return struck, row, lit


@inner_kernel
def step(direction: int, stride: int) -> int:
    """The offset of the next cell in a direction."""
    along = stride if direction & 1 else 1
    return along if direction & 2 else -along


@inner_kernel
def unit_clause(struck: Array, crossing: Array, row: Array, passed: Array, t: int) -> int:
    """How a struck turret, or a cell that only t can light, forces turret t to stand: 1 horizontal,
    -1 vertical, 0 if none does.
    """
    for axis in range(2):
        side = 1 - 2 * axis
        if struck[2 * t + axis] != 0:
            return -side
        for k in range(row[2 * t + axis], row[2 * t + axis + 1]):
            other = crossing[passed[k] ^ 1]
            if other == 0 or other == side * (t + 1):
                return side
    return 0


@inner_kernel
def _propagate(struck: Array, crossing: Array, row: Array, passed: Array, value: Array) -> bool:
    """Unit propagation; False if it meets a contradiction.

    `value` (int8 per turret) becomes 1 for a turret that must be horizontal, -1 for one that must
    be vertical, 0 for any other. Some legal beam crosses every open cell.
    """
    queue = np.empty(value.size, np.int32)
    for t in range(value.size):
        value[t] = 0
    for first in range(value.size):
        if value[first] != 0:
            continue
        if struck[2 * first] != 0 and struck[2 * first + 1] != 0:
            return False
        value[first] = unit_clause(struck, crossing, row, passed, first)
        queue[0] = first
        head = 0
        tail = int(value[first] != 0)
        while head < tail:
            t = queue[head]
            head += 1
            axis = 1 if value[t] > 0 else 0  # of the beams that are off
            for k in range(row[2 * t + axis], row[2 * t + axis + 1]):
                literal = crossing[passed[k] ^ 1]
                other = abs(literal) - 1
                wanted = 1 if literal > 0 else -1
                if literal == 0 or value[other] == -wanted:
                    return False
                if value[other] == 0:
                    value[other] = wanted
                    queue[tail] = other
                    tail += 1
    return True


@inner_kernel
def _decide(crossing: Array, row: Array, passed: Array, value: Array) -> bool:
    """Decide the turrets that unit propagation left open, by 2-SAT; False if that is impossible.

    Each clause of two such turrets belongs to a cell where a horizontal beam crosses a vertical
    one.
    """
    undecided = np.empty(value.size, np.int32)
    variable = np.empty(value.size, np.int32)
    variables = 0
    most = 0
    for t in range(value.size):
        if value[t] == 0:
            undecided[variables] = t
            variables += 1
            variable[t] = variables
            most += row[2 * t + 2] - row[2 * t]
    if variables == 0:
        return True
    clauses = np.empty((most, 2), np.int32)
    count = 0
    for t in undecided[:variables]:
        for axis in range(2):
            for k in range(row[2 * t + axis], row[2 * t + axis + 1]):
                if passed[k] & 1 == 0:
                    other = crossing[passed[k] + 1]
                    s = abs(other) - 1
                    if s != t and value[s] == 0:
                        clauses[count, 0] = variable[t] if axis == 0 else -variable[t]
                        clauses[count, 1] = variable[s] if other > 0 else -variable[s]
                        count += 1
    start, target, _ = implications(variables, clauses[:count])
    component = components(start, target)
    for k in range(variables):
        if component[2 * k] == component[2 * k + 1]:
            return False
        value[undecided[k]] = 1 if component[2 * k] < component[2 * k + 1] else -1
    return True


def _core(board: Beams) -> tuple[int, ...]:
    """The core of an impossible board: the cells whose clauses are on an implication cycle.

    If a clause has dropped the literal of an illegal beam, the turret that this beam strikes
    belongs to the core too.
    """
    work, stride = board.cells, board.columns + 1
    cells, turrets, _ = with_walls.at(work)(board.grid.flatten(), board.rows, board.columns)
    crossing, passed = _scratch(cells.size)
    struck, _, _ = _trace.at(work)(cells, stride, turrets, crossing, passed)
    lit = np.flatnonzero(cells == _OPEN)
    illegal = np.flatnonzero(struck)
    a, b = crossing[2 * lit], crossing[2 * lit + 1]
    denied = np.where(illegal % 2 == 0, -(illegal // 2 + 1), illegal // 2 + 1)
    clauses = np.concatenate(
        [np.column_stack([np.where(a, a, b), np.where(b, b, a)]), np.column_stack([denied, denied])]
    )
    origin = np.concatenate([lit, struck[illegal]])
    reasons = two_sat.solve(turrets.size, clauses.astype(np.int32)).reasons
    cited = origin[reasons] if reasons is not None else origin[:0]
    core = set(cited.tolist())
    for cell in cited[cells[cited] == _OPEN].tolist():
        for direction in range(4):
            begin = _source(cells, stride, cell, direction)
            if begin is not None:
                turret, axis = int(np.searchsorted(turrets, begin[0])), begin[1]
                if struck[2 * turret + axis]:
                    core.add(int(struck[2 * turret + axis]))
    return tuple((cell // stride - 1) * board.columns + cell % stride - 1 for cell in sorted(core))


def _source(
    cells: NDArray[np.uint8], stride: int, cell: int, direction: int
) -> tuple[int, int] | None:
    """The turret (its cell) and the axis of the beam that enters `cell` in `direction`, traced
    backwards; None if there is none.
    """
    step = (-1, -stride, 1, stride)
    back = direction ^ 2
    at = cell + step[back]
    while cells[at] not in (_WALL, _TURRET):
        if at == cell and back == direction ^ 2:
            return None
        back ^= int(cells[at])
        at += step[back]
    return (at, back & 1) if cells[at] == _TURRET else None
