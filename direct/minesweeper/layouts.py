"""Layouts of the mines that between them give each undecided cell both values: paths through the states of `frontier`."""

from __future__ import annotations

import numpy as np

from direct.kernel import Array, kernel
from direct.minesweeper.closure import MINE, NO_MINE, UNKNOWN
from direct.minesweeper.frontier import DECIDED, MOST_STATES, counts, sweep
from direct.minesweeper.order import MOST_OPEN, prepare


@kernel
def serve(
    k: int,
    state: int,
    sizes: Array,
    start: Array,
    shift: Array,
    room: Array,
    opening: Array,
    unit: Array,
    layers: Array,
    layer_start: Array,
    alive: Array,
    ones: Array,
    noughts: Array,
) -> tuple[int, int]:
    """The count from which the end can be reached that serves most wanted values in step k, and how many those are."""
    opened = state + opening[k]
    least, most = counts(opened, sizes[k], start[k], start[k + 1], shift, room)
    best, found = -1, 0
    for count in range(least, most + 1):
        value = min(count, ones[k]) + min(sizes[k] - count, noughts[k])
        if value > best and alive[position(layers, layer_start[k + 1], layer_start[k + 2], opened - count * unit[k])]:
            best, found = value, count
    return found, best


@kernel
def lay_out(
    know: Array,
    need: Array,
    left: Array,
    stride: int,
    cells: Array,
    group_start: Array,
    part_start: Array,
    group_of: Array,
    layout: Array,
    wanted: Array,
) -> int:
    """Change a layout of a closed, consistent field so that it gives many cells a value that they still want.

    A component of which no cell wants anything keeps its layout, if it has one. Of any other, the path through the
    states goes through a wanted value at least, and at each step takes the count that serves most.

    Args:
        cells, group_start, part_start, group_of: what `split` returns.
        layout: uint8 per padded cell, 1 for a mine, 2 where nothing is laid out yet; changed.
        wanted: uint8 per padded cell, bit v set where the value v is wanted; bits are taken off as they are served.

    Returns:
        How many cells still want a value; -1 where a component is too wide.
    """
    rest = left.copy()
    slot = np.zeros(left.size, np.int8)
    for part in range(part_start.size - 1):
        target = -1
        for at in range(group_start[part_start[part]], group_start[part_start[part + 1]]):
            if wanted[cells[at]]:
                target = group_of[cells[at]]
                break
        if target < 0 and layout[cells[group_start[part_start[part]]]] != UNKNOWN:
            continue
        width, chosen, start, shift, room, opening, unit = prepare(
            part, cells, group_start, part_start, group_of, need, left, rest, slot, stride
        )
        if width > MOST_OPEN:
            return -1
        total = chosen.size
        sizes = np.empty(total, np.int32)
        ones = np.zeros(total, np.int32)
        noughts = np.zeros(total, np.int32)
        middle = 0
        for k in range(total):
            sizes[k] = group_start[chosen[k] + 1] - group_start[chosen[k]]
            if chosen[k] == target:
                middle = k
            for at in range(group_start[chosen[k]], group_start[chosen[k] + 1]):
                ones[k] += wanted[cells[at]] >> 1
                noughts[k] += wanted[cells[at]] & 1
        status, layers, layer_start, alive, _ = sweep(MOST_STATES, sizes, start, shift, room, opening, unit)
        if status != DECIDED:
            return -1
        mines = np.zeros(total, np.int32)
        best, state = -1, 0
        for at in range(layer_start[middle], layer_start[middle + 1]):
            if alive[at]:
                count, value = serve(
                    middle, layers[at], sizes, start, shift, room, opening, unit, layers, layer_start, alive, ones, noughts
                )
                if value > best:
                    best, state, mines[middle] = value, layers[at], count
        here = state
        for k in range(middle - 1, -1, -1):
            best, before = -1, here
            for count in range(sizes[k] + 1):
                earlier = here + count * unit[k] - opening[k]
                if position(layers, layer_start[k], layer_start[k + 1], earlier) >= 0:
                    least, most = counts(earlier + opening[k], sizes[k], start[k], start[k + 1], shift, room)
                    value = min(count, ones[k]) + min(sizes[k] - count, noughts[k])
                    if least <= count <= most and value > best:
                        best, before, mines[k] = value, earlier, count
            here = before
        here = state
        for k in range(middle, total):
            if k > middle:
                mines[k], _ = serve(k, here, sizes, start, shift, room, opening, unit, layers, layer_start, alive, ones, noughts)
            here = here + opening[k] - mines[k] * unit[k]
        for k in range(total):
            asked = mines[k]
            for at in range(group_start[chosen[k]], group_start[chosen[k] + 1]):
                layout[cells[at]] = UNKNOWN
            for choice in (2, 3, 0, 1):  # mines first where only a mine is wanted, last where only none is
                for at in range(group_start[chosen[k]], group_start[chosen[k] + 1]):
                    cell = cells[at]
                    if wanted[cell] == choice and layout[cell] == UNKNOWN:
                        layout[cell] = MINE if asked > 0 else NO_MINE
                        asked -= 1
            for at in range(group_start[chosen[k]], group_start[chosen[k] + 1]):
                cell = cells[at]
                wanted[cell] &= ~(1 << layout[cell]) & 3
    lacking = 0
    for at in range(cells.size):
        lacking += wanted[cells[at]] != 0
    return lacking


@kernel
def position(layers: Array, begin: int, end: int, state: int) -> int:
    """Where a state stands in a layer, or -1."""
    stop = end
    while begin < stop:
        middle = (begin + stop) >> 1
        if layers[middle] < state:
            begin = middle + 1
        else:
            stop = middle
    return begin if begin < end and layers[begin] == state else -1
