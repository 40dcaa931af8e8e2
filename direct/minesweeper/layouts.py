"""Layouts that together give each undecided cell both values: paths through the states of `frontier`."""

from __future__ import annotations

import numpy as np

from direct import thresholds
from direct.kernel import Array, kernel
from direct.minesweeper.constraints import MINE, NO_MINE, UNKNOWN, Constraints
from direct.minesweeper.frontier import DECIDED, States, forward_backward, mine_range
from direct.minesweeper.order import MOST_OPEN, Partition, Transitions, narrowest


@kernel
def best_count(
    transitions: Transitions, states: States, k: int, state: int, mine_wanted: Array, safe_wanted: Array
) -> tuple[int, int]:
    """The number of mines in step k from which the end can be reached and that shows most wanted values, and how many it shows.

    `mine_wanted` and `safe_wanted` (int32 per step) count the cells of the group that still want that value.
    """
    _, _, size, start, shift, undecided, opening, unit = transitions
    layers, layer_start, alive = states
    opened = state + opening[k]
    least, most = mine_range(opened, size[k], start[k], start[k + 1], shift, undecided)
    shown, best = -1, 0
    for mines in range(least, most + 1):
        value = min(mines, mine_wanted[k]) + min(size[k] - mines, safe_wanted[k])
        if value > shown and alive[position(layers, layer_start[k + 1], layer_start[k + 2], opened - mines * unit[k])]:
            shown, best = value, mines
    return best, shown


@kernel
def next_layout(constraints: Constraints, partition: Partition, layout: Array, wanted: Array) -> int:
    """Change a layout of closed, consistent constraints so that it shows many values that are still wanted.

    A component in which no value is wanted keeps its layout, if it has one. In any other, the path through the states shows
    at least one wanted value, and each step takes the number of mines that shows most.

    Args:
        layout: uint8 per padded cell, 1 for a mine, UNKNOWN where there is no layout yet; changed in place.
        wanted: uint8 per padded cell, bit v set where the value v is wanted; bits are cleared as values are shown.

    Returns:
        The number of cells that still want a value; -1 if a component is too wide.
    """
    cells, group_start, component_start, group_of, _ = partition
    rest = constraints.unknown.copy()
    slot = np.zeros(rest.size, np.int8)
    for component in range(component_start.size - 1):
        target = -1
        for at in range(group_start[component_start[component]], group_start[component_start[component + 1]]):
            if wanted[cells[at]]:
                target = group_of[cells[at]]
                break
        if target < 0 and layout[cells[group_start[component_start[component]]]] != UNKNOWN:
            continue
        transitions = narrowest(constraints, partition, component, rest, slot)
        if transitions.width > MOST_OPEN:
            return -1
        order = transitions.order
        mine_wanted = np.zeros(order.size, np.int32)
        safe_wanted = np.zeros(order.size, np.int32)
        middle = 0
        for k in range(order.size):
            if order[k] == target:
                middle = k
            for at in range(group_start[order[k]], group_start[order[k] + 1]):
                mine_wanted[k] += wanted[cells[at]] >> 1
                safe_wanted[k] += wanted[cells[at]] & 1
        status, states, _ = forward_backward(transitions, thresholds.MOST_STATES)
        if status != DECIDED:
            return -1
        mines = best_path(transitions, states, middle, mine_wanted, safe_wanted)
        for k in range(order.size):
            more = mines[k]
            for at in range(group_start[order[k]], group_start[order[k] + 1]):
                layout[cells[at]] = UNKNOWN
            for choice in (2, 3, 0, 1):  # the first mines where only a mine is wanted, the last where only a safe cell is
                for at in range(group_start[order[k]], group_start[order[k] + 1]):
                    cell = cells[at]
                    if wanted[cell] == choice and layout[cell] == UNKNOWN:
                        layout[cell] = MINE if more > 0 else NO_MINE
                        more -= 1
            for at in range(group_start[order[k]], group_start[order[k] + 1]):
                cell = cells[at]
                wanted[cell] &= ~(1 << layout[cell]) & 3
    lacking = 0
    for at in range(cells.size):
        lacking += wanted[cells[at]] != 0
    return lacking


@kernel
def best_path(transitions: Transitions, states: States, middle: int, mine_wanted: Array, safe_wanted: Array) -> Array:
    """The number of mines in each step (int32) of a path from the first state to the last.

    Step `middle` is the best that is possible; from there the path goes greedily to both ends. See `best_count`.
    """
    _, _, size, start, shift, undecided, opening, unit = transitions
    layers, layer_start, alive = states
    mines = np.zeros(size.size, np.int32)
    best, state = -1, 0
    for at in range(layer_start[middle], layer_start[middle + 1]):
        if alive[at]:
            count, value = best_count(transitions, states, middle, layers[at], mine_wanted, safe_wanted)
            if value > best:
                best, state, mines[middle] = value, layers[at], count
    here = state
    for k in range(middle - 1, -1, -1):
        best, before = -1, here
        for count in range(size[k] + 1):
            earlier = here + count * unit[k] - opening[k]
            if position(layers, layer_start[k], layer_start[k + 1], earlier) >= 0:
                least, most = mine_range(earlier + opening[k], size[k], start[k], start[k + 1], shift, undecided)
                value = min(count, mine_wanted[k]) + min(size[k] - count, safe_wanted[k])
                if least <= count <= most and value > best:
                    best, before, mines[k] = value, earlier, count
        here = before
    here = state
    for k in range(middle, size.size):
        if k > middle:
            mines[k], _ = best_count(transitions, states, k, here, mine_wanted, safe_wanted)
        here = here + opening[k] - mines[k] * unit[k]
    return mines


@kernel
def position(layers: Array, begin: int, end: int, state: int) -> int:
    """The index of a state in the layer from `begin` to `end`, by binary search; -1 if it is not there."""
    stop = end
    while begin < stop:
        middle = (begin + stop) >> 1
        if layers[middle] < state:
            begin = middle + 1
        else:
            stop = middle
    return begin if begin < end and layers[begin] == state else -1
