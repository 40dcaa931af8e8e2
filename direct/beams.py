"""Beams as 2-SAT: a cell is crossed by at most two legal beams, one along each axis.

Source: write-up "2-SAT之完美塔防" (Luogu P5297), which also gives the lemma's proof: two beams never share a cell and a
direction, and two legal ones never meet head-on, since light is reversible.

Many boards are one: stacked with a row of wall between them they share nothing, so a whole input file is solved in one go.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from direct import two_sat
from direct.kernel import Array, kernel
from puzzles.backend import backend
from puzzles.beams.board import Beams, Layout
from puzzles.puzzle import Effort

OPEN, WALL, SLASH, BACK, TURRET = range(5)
"""Directions are 0 left, 1 up, 2 right, 3 down: `/` turns d into 3 - d, `\\` into d ^ 1, and d & 1 is the axis."""

_KINDS = np.zeros(256, np.uint8)
_KINDS[[ord(c) for c in ".#/\\-|"]] = [OPEN, WALL, SLASH, BACK, TURRET, TURRET]
_FLAT, _UPRIGHT = ord("-"), ord("|")


def solve_many(boards: Sequence[Beams], *, certify: bool = False) -> list[Layout]:
    """Turn the turrets of every board, in time linear in the boards; iterative throughout."""
    return [layout for group in _stacks(boards) for layout in _solve_stack(group, certify)]


@backend(
    "beams",
    "two-sat",
    side="direct",
    source="write-up 000: 2-SAT by strongly connected components",
    takes_for_granted="at most two legal beams cross a cell",
    many=solve_many,
)
def solve(board: Beams, *, certify: bool = False) -> Layout:
    """Turn the turrets of one board."""
    return _solve_stack([board], certify)[0]


def _stacks(boards: Sequence[Beams]) -> Iterator[list[Beams]]:
    """Consecutive boards that fill at least half of their stack, and are small enough to gain from it."""
    stack: list[Beams] = []
    cells = rows = columns = 0
    for board in boards:
        rows, columns, cells = rows + board.rows + 1, max(columns, board.columns), cells + board.cells + board.rows
        if stack and (rows * columns > 2 * cells or cells > 2**20):
            yield stack
            stack, rows, columns, cells = [], board.rows + 1, board.columns, board.cells + board.rows
        stack.append(board)
    if stack:
        yield stack


def _solve_stack(boards: list[Beams], certify: bool) -> list[Layout]:
    started = time.perf_counter()
    stride = max(board.columns for board in boards) + 1
    tops = np.cumsum([1] + [board.rows + 1 for board in boards]).astype(np.int32)
    cells = np.full(int(tops[-1]) * stride + 1, WALL, np.uint8)
    work = cells.size
    laid = lay.at(work)
    open_cells = sum(laid(cells, stride, top, board.grid, _KINDS) for board, top in zip(boards, tops.tolist(), strict=False))
    turrets = np.flatnonzero(cells == TURRET).astype(np.int32)
    struck, crossing, lit = trace.at(work)(cells, stride, turrets)
    value, dead = settle.at(work)(cells, stride, turrets, struck, crossing, tops)
    if lit < open_cells:
        dark = np.flatnonzero((cells == OPEN) & (crossing.view(np.int64) == 0))  # no legal beam crosses these
        dead[np.searchsorted(tops, dark // stride, side="right") - 1] = True
    if not value.all():
        clauses, number = residue.at(work)(cells, stride, turrets, struck, crossing, value)
        component = two_sat.order(number.size, clauses)
        decide.at(work)(component, number, value, turrets, stride, tops, dead)
    turned = np.concatenate([board.grid.reshape(-1) for board in boards])
    columns = np.array([board.columns for board in boards], np.int32)
    turn.at(work)(turned, stride, tops, columns, turrets, value)
    effort = Effort(solve_s=(time.perf_counter() - started) / len(boards))
    layouts: list[Layout] = []
    begin = 0
    for board, top, impossible in zip(boards, tops.tolist(), dead.tolist(), strict=False):
        if impossible:
            core = _core(cells, stride, turrets, struck, crossing, top, board) if certify else None
            layouts.append(Layout(False, certificate=core, effort=effort))
        else:
            grid = turned[begin : begin + board.cells].reshape(board.grid.shape)
            layouts.append(Layout(True, Beams.trusted(grid), effort=effort))
        begin += board.cells
    return layouts


@kernel
def lay(cells: Array, stride: int, top: int, grid: Array, kinds: Array) -> int:
    """Lay a grid of character codes into the field `cells` (uint8, flat) from row `top` on; its column 0 stays wall.

    Returns the number of open cells.
    """
    found = 0
    for row in range(grid.shape[0]):
        base = (top + row) * stride + 1
        for column in range(grid.shape[1]):
            kind = kinds[grid[row, column]]
            cells[base + column] = kind
            found += kind == OPEN
    return found


@kernel
def follow(cells: Array, step: Array, cell: int, direction: int) -> tuple[int, int]:
    """Where a beam that leaves `cell` comes to next, mirrors passed: the cell, open or a turret or a wall, and its direction."""
    while True:
        cell += step[direction]
        kind = cells[cell]
        if kind == SLASH:
            direction = 3 - direction
        elif kind == BACK:
            direction = direction ^ 1
        else:
            return cell, direction


@kernel
def trace(cells: Array, stride: int, turrets: Array) -> tuple[Array, Array, int]:
    """Follow every beam of every turret.

    Args:
        cells: uint8, the field; whatever surrounds a board in it is wall.
        turrets: int32, the turrets' cells in ascending order; turret t is variable t + 1, true for horizontal.

    Returns:
        struck: int32 (2 * turrets), at 2t + axis a turret's cell that the beams of t along that axis strike, or 0.
        crossing: int32 (2 * cells), at 2 * cell + axis the literal of the legal beam that crosses there, or 0.
        lit: the number of open cells that some legal beam crosses.

    Each pair of cell and direction is entered by one beam at most, so the time is linear in the board.
    """
    struck = np.zeros(2 * turrets.size, np.int32)
    crossing = np.zeros(2 * cells.size, np.int32)
    passed = np.empty(4 * cells.size, np.int32)
    step = np.array([-1, -stride, 1, stride], np.int64)
    lit = 0
    for t in range(turrets.size):
        for axis in range(2):
            length = 0
            for arm in range(axis, 4, 2):
                cell, direction = follow(cells, step, turrets[t], arm)
                while cells[cell] == OPEN:
                    passed[length] = 2 * cell + (direction & 1)
                    length += 1
                    cell, direction = follow(cells, step, cell, direction)
                if cells[cell] == TURRET:
                    struck[2 * t + axis] = cell
                    break
            if struck[2 * t + axis] != 0:
                continue
            literal = t + 1 if axis == 0 else -t - 1
            for k in range(length):
                lit += crossing[passed[k]] == 0 and crossing[passed[k] ^ 1] == 0
                crossing[passed[k]] = literal
    return struck, crossing, lit


@kernel
def settle(cells: Array, stride: int, turrets: Array, struck: Array, crossing: Array, tops: Array) -> tuple[Array, Array]:
    """Draw what unit clauses force, by walking the beams that are switched off.

    Returns `value` (int8 per turret: 1 horizontal, -1 vertical, 0 open) and `dead` (bool per board: found impossible). Open
    cells that no legal beam crosses are not looked for here.
    """
    value = np.zeros(turrets.size, np.int8)
    dead = np.zeros(tops.size - 1, np.bool_)
    queue = np.empty(turrets.size, np.int32)
    step = np.array([-1, -stride, 1, stride], np.int64)
    head = 0
    tail = 0
    for t in range(turrets.size):
        if struck[2 * t] != 0 and struck[2 * t + 1] != 0:
            dead[np.searchsorted(tops, turrets[t] // stride, side="right") - 1] = True
            continue
        if struck[2 * t] != 0 or struck[2 * t + 1] != 0:
            value[t] = -1 if struck[2 * t] != 0 else 1
        for arm in range(4):  # is there a cell that only this literal can light?
            if value[t] != 0:
                break
            cell, direction = follow(cells, step, turrets[t], arm)
            while cells[cell] == OPEN:
                mine = crossing[2 * cell + (direction & 1)]
                other = crossing[2 * cell + 1 - (direction & 1)]
                if other == 0 or other == mine:
                    value[t] = 1 if mine > 0 else -1
                    break
                cell, direction = follow(cells, step, cell, direction)
        if value[t] != 0:
            queue[tail] = t
            tail += 1
    while head < tail:
        off = queue[head]
        head += 1
        axis = 1 if value[off] > 0 else 0
        if struck[2 * off + axis] != 0:
            continue
        for arm in range(axis, 4, 2):
            cell, direction = follow(cells, step, turrets[off], arm)
            while cells[cell] == OPEN:
                literal = crossing[2 * cell + 1 - (direction & 1)]
                t = abs(literal) - 1
                wanted = 1 if literal > 0 else -1
                if literal == 0 or value[t] == -wanted:
                    dead[np.searchsorted(tops, cell // stride, side="right") - 1] = True
                elif value[t] == 0:
                    value[t] = wanted
                    queue[tail] = t
                    tail += 1
                cell, direction = follow(cells, step, cell, direction)
    return value, dead


@kernel
def residue(cells: Array, stride: int, turrets: Array, struck: Array, crossing: Array, value: Array) -> tuple[Array, Array]:
    """The clauses over turrets that nothing has forced, each met where a horizontal beam crosses an upright one.

    Returns `clauses` (int32, n x 2) over the variables 1.. and `number` (int32), the turret of each of these variables.
    """
    number = np.flatnonzero(value == 0).astype(np.int32)
    variable = np.zeros(value.size, np.int32)
    for k in range(number.size):
        variable[number[k]] = k + 1
    step = np.array([-1, -stride, 1, stride], np.int64)
    clauses = np.empty((0, 2), np.int32)
    for fill in range(2):
        count = 0
        for k in range(number.size):
            t = number[k]
            for arm in range(4):
                if struck[2 * t + (arm & 1)] != 0:
                    continue
                cell, direction = follow(cells, step, turrets[t], arm)
                while cells[cell] == OPEN:
                    other = crossing[2 * cell + 1]
                    s = abs(other) - 1
                    if direction & 1 == 0 and s != t and other != 0 and value[s] == 0:
                        if fill == 1:
                            clauses[count, 0] = k + 1 if arm & 1 == 0 else -k - 1
                            clauses[count, 1] = variable[s] if other > 0 else -variable[s]
                        count += 1
                    cell, direction = follow(cells, step, cell, direction)
        if fill == 0:
            clauses = np.empty((count, 2), np.int32)
    return clauses, number


@kernel
def decide(component: Array, number: Array, value: Array, turrets: Array, stride: int, tops: Array, dead: Array) -> None:
    """Set the open turrets from the order of the components; a variable in one component with its negation kills its board."""
    for k in range(number.size):
        t = number[k]
        if component[2 * k] == component[2 * k + 1]:
            dead[np.searchsorted(tops, turrets[t] // stride, side="right") - 1] = True
        value[t] = 1 if component[2 * k] < component[2 * k + 1] else -1


@kernel
def turn(turned: Array, stride: int, tops: Array, columns: Array, turrets: Array, value: Array) -> None:
    """Write the turrets as `value` says into the boards' own cells, one board after the other (uint8, flat), in place.

    One that nothing constrains is horizontal. `columns` (int32) has the width of each board.
    """
    board = 0
    shift = 0  # from a cell's place in its board to its place in `turned`
    for k in range(turrets.size):
        row = turrets[k] // stride
        while row >= tops[board + 1]:
            shift += (tops[board + 1] - tops[board] - 1) * columns[board]
            board += 1
        at = shift + (row - tops[board]) * columns[board] + turrets[k] - row * stride - 1
        turned[at] = _UPRIGHT if value[k] < 0 else _FLAT


def _core(
    cells: NDArray[np.uint8],
    stride: int,
    turrets: NDArray[np.int32],
    struck: NDArray[np.int32],
    crossing: NDArray[np.int32],
    top: int,
    board: Beams,
) -> tuple[int, ...]:
    """The cells of an impossible board whose demands refute it: from the implication cycle of all its clauses.

    Where a clause has dropped the literals of illegal beams, the turrets that those would strike belong to the core.
    """
    inside = np.arange(top * stride, (top + board.rows) * stride)
    lit = inside[cells[inside] == OPEN]
    first, last = np.searchsorted(turrets, (top * stride, (top + board.rows) * stride)).tolist()
    illegal = 2 * first + np.flatnonzero(struck[2 * first : 2 * last])
    a, b = crossing[2 * lit], crossing[2 * lit + 1]
    denied = np.where(illegal % 2 == 0, -(illegal // 2 + 1), illegal // 2 + 1)
    clauses = np.concatenate([np.column_stack([np.where(a, a, b), np.where(b, b, a)]), np.column_stack([denied, denied])])
    clauses -= np.sign(clauses) * first
    origin = np.concatenate([lit, struck[illegal]])
    reasons = two_sat.solve(last - first, clauses.astype(np.int32)).reasons
    named = origin[reasons] if reasons is not None else origin[:0]
    core = set(named.tolist())
    for cell in named[cells[named] == OPEN].tolist():
        for direction in range(4):
            begin = _source(cells, stride, cell, direction)
            if begin is not None:
                turret, axis = int(np.searchsorted(turrets, begin[0])), begin[1]
                if struck[2 * turret + axis]:
                    core.add(int(struck[2 * turret + axis]))
    return tuple((cell // stride - top) * board.columns + cell % stride - 1 for cell in sorted(core))


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
