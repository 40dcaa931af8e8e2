"""Layouts that together give each undecided cell both values: paths through the states of `frontier`."""

from __future__ import annotations

import numpy as np

from direct.kernel import Array, inner_kernel, kernel
from direct.minesweeper.constraints import MINE, NO_MINE, UNKNOWN, longer
from direct.minesweeper.frontier import States
from direct.minesweeper.order import Partition, Transitions


@kernel
def shown_layouts(
    partition: Partition, transitions: Transitions, states: States, first: int, last: int, wanted: Array, rows: Array, count: int
) -> tuple[Array, int]:
    """Lay out the components from `first` to `last` (exclusive) in layouts that together show every wanted value of their cells.

    Each path through the states of a component shows at least one value that is still wanted, and each step takes the number of
    mines that shows most. A component that has shown all of its values keeps its last layout.

    Args:
        wanted: int8 per padded cell, bit v set where the value v is wanted; the bits of these components are cleared.
        rows: int8, layouts one after the other, 1 for a mine; there is one at least.
        count: the number of layouts in `rows`.

    Returns:
        rows, count: the layouts, and as many more as are needed, which outside of these components equal the last.
    """
    cells, group_start, group_of = partition.cells, partition.group_start, partition.group_of
    size = wanted.size
    for component in range(first, last):
        begin = int(group_start[transitions.component_start[component]])
        end = int(group_start[transitions.component_start[component + 1]])
        number = 0
        target = first_wanted(cells, wanted, begin, end)
        while number == 0 or target < end:
            if number == count:
                if (count + 1) * size > rows.size:
                    rows = longer(rows, 2 * rows.size)
                for cell in range(size):
                    rows[count * size + cell] = rows[(count - 1) * size + cell]
                count += 1
            layout = rows[number * size : (number + 1) * size]
            goal = int(group_of[cells[target]]) if target < end else -1
            show_most(partition, transitions, states, component, goal, wanted, layout)
            number += 1
            target = first_wanted(cells, wanted, begin, end)
        for later in range(number, count):
            for at in range(begin, end):
                rows[later * size + cells[at]] = rows[(number - 1) * size + cells[at]]
    return rows, count


@inner_kernel
def first_wanted(cells: Array, wanted: Array, begin: int, end: int) -> int:
    """The first index below `end` of a cell of which a value is wanted, else `end`."""
    while begin < end and not wanted[cells[begin]]:
        begin += 1
    return begin


@inner_kernel
def show_most(
    partition: Partition, transitions: Transitions, states: States, component: int, goal: int, wanted: Array, layout: Array
) -> None:
    """Lay out one component so that it shows many wanted values, among them one of the group `goal` (-1: of none).

    Writes `layout` (int8 per padded cell), and clears the bits of `wanted` that it shows.
    """
    cells, group_start, order = partition.cells, partition.group_start, transitions.order
    first, last = int(transitions.component_start[component]), int(transitions.component_start[component + 1])
    mine_wanted = np.zeros(last - first, np.int64)
    safe_wanted = np.zeros(last - first, np.int64)
    middle = first
    for k in range(first, last):
        if order[k] == goal:
            middle = k
        for at in range(group_start[order[k]], group_start[order[k] + 1]):
            mine_wanted[k - first] += wanted[cells[at]] >> 1
            safe_wanted[k - first] += wanted[cells[at]] & 1
    mines = best_path(transitions, states, component, middle, mine_wanted, safe_wanted)
    for k in range(first, last):
        more = mines[k - first]
        begin, end = int(group_start[order[k]]), int(group_start[order[k] + 1])
        for at in range(begin, end):
            layout[cells[at]] = UNKNOWN
        for turn in range(4):  # the first mines where only a mine is wanted, the last where only a safe cell is
            choice = (turn + 2) & 3
            for at in range(begin, end):
                cell = cells[at]
                if wanted[cell] == choice and layout[cell] == UNKNOWN:
                    layout[cell] = MINE if more > 0 else NO_MINE
                    more -= 1
        for at in range(begin, end):
            cell = cells[at]
            wanted[cell] &= ~(1 << layout[cell]) & 3


@inner_kernel
def best_path(
    transitions: Transitions, states: States, component: int, middle: int, mine_wanted: Array, safe_wanted: Array
) -> Array:
    """The number of mines in each step of a component (int32) on a path from the first state to the last.

    `mine_wanted` and `safe_wanted` (int64 per step of the component) count the cells of the group that still want that value.
    Step `middle` is the best that is possible; from there the path goes greedily to both ends.
    """
    first, last = int(transitions.component_start[component]), int(transitions.component_start[component + 1])
    size, opening, unit = transitions.size, transitions.opening, transitions.unit
    state, fewest, fullest, layer_start = states
    chosen = np.empty(last - first, np.int32)
    best, here = -1, 0
    for i in range(layer_start[middle + component], layer_start[middle + component + 1]):
        _, shown, _ = best_count(
            transitions, states, component, middle, i, mine_wanted[middle - first], safe_wanted[middle - first]
        )
        if shown > best:
            best, here = shown, i
    to = here
    for k in range(middle - 1, first - 1, -1):
        best, before = -1, to
        for mines in range(size[k] + 1):
            earlier = state[to] + mines * unit[k] - opening[k]
            i = position(state, layer_start[k + component], layer_start[k + component + 1], earlier)
            if i >= 0 and fewest[i] <= mines <= fullest[i]:
                shown = min(mines, mine_wanted[k - first]) + min(size[k] - mines, safe_wanted[k - first])
                if shown > best:
                    best, before = shown, i
                    chosen[k - first] = mines
        to = before
    for k in range(middle, last):
        mines, _, here = best_count(transitions, states, component, k, here, mine_wanted[k - first], safe_wanted[k - first])
        chosen[k - first] = mines
    return chosen


@inner_kernel
def best_count(
    transitions: Transitions, states: States, component: int, k: int, i: int, mine_wanted: int, safe_wanted: int
) -> tuple[int, int, int]:
    """The number of mines in step k from state i that shows most wanted values, the number of these, and the state after it.

    `mine_wanted` and `safe_wanted` count the cells of the group that still want that value. Only steps count from which the end can
    be reached; if there is none, the number shown is -1.
    """
    state, fewest, fullest, layer_start = states
    size = transitions.size[k]
    begin, end = layer_start[k + component + 1], layer_start[k + component + 2]
    best, most, after = 0, -1, i
    for mines in range(fewest[i], fullest[i] + 1):
        shown = min(mines, mine_wanted) + min(size - mines, safe_wanted)
        if shown > most:
            to = position(state, begin, end, state[i] + transitions.opening[k] - mines * transitions.unit[k])
            if fullest[to] >= 0:
                best, most, after = mines, shown, to
    return best, most, after


@inner_kernel
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
