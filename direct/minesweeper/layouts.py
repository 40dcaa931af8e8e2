"""Layouts that together give each undecided cell both values: paths through the states of `frontier`."""

from __future__ import annotations

import numpy as np

from direct import thresholds
from direct.kernel import Array, kernel
from direct.minesweeper.constraints import MINE, NO_MINE, UNKNOWN, Constraints
from direct.minesweeper.frontier import DECIDED, States, forward_backward, mine_range
from direct.minesweeper.order import Partition, Transitions, narrowest


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
def shown_layouts(constraints: Constraints, partition: Partition, wanted: Array) -> Array:
    """Layouts of closed, consistent constraints that together show every wanted value.

    The states of a component are computed once. Each path through them shows at least one value that is still wanted, and each step
    takes the number of mines that shows most. A component that has shown all of its values keeps its last layout.

    Args:
        wanted: uint8 per padded cell, bit v set where the value v is wanted; all bits are cleared.

    Returns:
        uint8 (layouts, padded cells), 1 for a mine. Cells outside of every component are as in `constraints.known`. There is no
        layout if a component is too wide, else there is one at least.
    """
    cells, group_start, component_start, group_of, _ = partition
    rest = constraints.unknown.copy()
    slot = np.zeros(rest.size, np.int8)
    rows = np.empty((1, rest.size), np.uint8)
    rows[0] = constraints.known
    count = 1
    for component in range(component_start.size - 1):
        first, last = group_start[component_start[component]], group_start[component_start[component + 1]]
        transitions = narrowest(constraints, partition, component, rest, slot)
        if transitions.width > thresholds.MOST_OPEN:
            return rows[:0]
        status, states, _ = forward_backward(transitions, thresholds.MOST_STATES)
        if status != DECIDED:
            return rows[:0]
        number = 0
        target = first_wanted(cells, wanted, first, last)
        while number == 0 or target < last:
            if number == count:
                if count == rows.shape[0]:
                    longer = np.empty((2 * count, rest.size), np.uint8)
                    longer[:count] = rows
                    rows = longer
                rows[count] = rows[count - 1]
                count += 1
            show_most(transitions, states, partition, group_of[cells[target]] if target < last else -1, wanted, rows[number])
            number += 1
            target = first_wanted(cells, wanted, first, last)
        for later in range(number, count):
            for at in range(first, last):
                rows[later, cells[at]] = rows[number - 1, cells[at]]
    return rows[:count]


@kernel
def first_wanted(cells: Array, wanted: Array, first: int, last: int) -> int:
    """The first index below `last` of a cell of which a value is wanted, else `last`."""
    for at in range(first, last):
        if wanted[cells[at]]:
            return at
    return last


@kernel
def show_most(transitions: Transitions, states: States, partition: Partition, target: int, wanted: Array, layout: Array) -> None:
    """Lay out one component so that it shows many wanted values, among them one of the group `target` (-1: of none).

    Writes `layout` (uint8 per padded cell), and clears the bits of `wanted` that it shows.
    """
    cells, group_start, _, _, _ = partition
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
