"""The layouts of each component counted by their number of mines, in 64-bit integers, along the states of `frontier`."""

from __future__ import annotations

from math import comb

import numpy as np

from direct import thresholds
from direct.kernel import Array, kernel
from direct.minesweeper.constraints import Constraints
from direct.minesweeper.frontier import DECIDED, INCONSISTENT, TOO_MANY, TOO_WIDE, States, forward_backward, mine_range
from direct.minesweeper.layouts import position
from direct.minesweeper.order import Partition, Transitions, narrowest

BINOMIAL = np.array([[comb(n, k) for k in range(9)] for n in range(9)], np.int64)


@kernel
def count_layouts(cells: int, transitions: Transitions, states: States) -> tuple[Array, Array]:
    """The layouts of one component of so many cells.

    Time is linear in the states and quadratic in the range of their numbers of mines, which is small.

    Returns:
        weights: int64 (cells + 1), layouts by number of mines.
        groups: int64 (steps, cells + 1), those in which one given cell of the step's group is a mine.
    """
    _, _, size, start, shift, undecided, opening, unit = transitions
    layers, layer_start, alive = states
    total = size.size
    number = layer_start[total + 1]
    ahead = np.zeros((number, cells + 1), np.int64)
    behind = np.zeros((number, cells + 1), np.int64)
    fewest = np.full((2, number), cells + 1, np.int32)  # per state where `behind` (0) and `ahead` (1) are not 0
    fullest = np.full((2, number), -1, np.int32)
    behind[0, 0] = 1
    fewest[0, 0] = 0
    fullest[0, 0] = 0
    for k in range(total):
        for i in range(layer_start[k], layer_start[k + 1]):
            if not alive[i]:
                continue
            opened = layers[i] + opening[k]
            least, most = mine_range(opened, size[k], start[k], start[k + 1], shift, undecided)
            for mines in range(least, most + 1):
                to = position(layers, layer_start[k + 1], layer_start[k + 2], opened - mines * unit[k])
                if to < 0 or not alive[to]:
                    continue
                ways = BINOMIAL[size[k], mines]
                for m in range(fewest[0, i], fullest[0, i] + 1):
                    behind[to, m + mines] += ways * behind[i, m]
                fewest[0, to] = min(fewest[0, to], fewest[0, i] + mines)
                fullest[0, to] = max(fullest[0, to], fullest[0, i] + mines)
    groups = np.zeros((total, cells + 1), np.int64)
    ahead[layer_start[total], 0] = 1
    fewest[1, layer_start[total]] = 0
    fullest[1, layer_start[total]] = 0
    for k in range(total - 1, -1, -1):
        for i in range(layer_start[k], layer_start[k + 1]):
            if not alive[i]:
                continue
            opened = layers[i] + opening[k]
            least, most = mine_range(opened, size[k], start[k], start[k + 1], shift, undecided)
            for mines in range(least, most + 1):
                to = position(layers, layer_start[k + 1], layer_start[k + 2], opened - mines * unit[k])
                if to < 0 or not alive[to]:
                    continue
                ways = BINOMIAL[size[k], mines]
                chosen = BINOMIAL[size[k] - 1, mines - 1] if mines > 0 else 0
                for m in range(fewest[1, to], fullest[1, to] + 1):
                    ahead[i, m + mines] += ways * ahead[to, m]
                    if chosen > 0:
                        for n in range(fewest[0, i], fullest[0, i] + 1):
                            groups[k, n + mines + m] += chosen * behind[i, n] * ahead[to, m]
                fewest[1, i] = min(fewest[1, i], fewest[1, to] + mines)
                fullest[1, i] = max(fullest[1, i], fullest[1, to] + mines)
    return ahead[0], groups


@kernel
def count_components(
    constraints: Constraints, partition: Partition, most_cells: int, most_states: int
) -> tuple[Array, Array, Array, Array, Array, Array]:
    """Count the layouts of every component of closed constraints; one above `most_cells` or `most_states` is not counted.

    Returns:
        status: int8 (components), DECIDED, INCONSISTENT, or TOO_WIDE or TOO_MANY where it was not counted.
        width: int32 (components), the most clues open at once.
        low: int32 (components), the fewest mines of a layout.
        weight_start: int64 (components + 1), where each component's layouts by number of mines, from `low` on, begin in
            `numbers`; after them, group by group, the layouts in which one given cell of the group is a mine.
        numbers: int64.
        order: int32, the groups in the order in which they were decided, component after component.
    """
    group_start, component_start = partition.group_start, partition.component_start
    components = component_start.size - 1
    rest = constraints.unknown.copy()
    slot = np.zeros(rest.size, np.int8)
    status = np.zeros(components, np.int8)
    widths = np.zeros(components, np.int32)
    low = np.zeros(components, np.int32)
    weight_start = np.zeros(components + 1, np.int64)
    numbers = np.zeros(1024, np.int64)
    order = np.zeros(group_start.size, np.int32)
    for component in range(components):
        weight_start[component + 1] = weight_start[component]
        begin = component_start[component]
        cells = group_start[component_start[component + 1]] - group_start[begin]
        transitions = narrowest(constraints, partition, component, rest, slot)
        steps = transitions.order.size
        widths[component] = transitions.width
        for k in range(steps):
            order[begin + k] = transitions.order[k]
        if transitions.width > thresholds.MOST_OPEN or cells > most_cells:
            status[component] = TOO_WIDE if transitions.width > thresholds.MOST_OPEN else TOO_MANY
            continue
        status[component], states, _ = forward_backward(transitions, most_states)
        if status[component] != DECIDED:
            if status[component] == INCONSISTENT:
                break
            continue
        weights, groups = count_layouts(cells, transitions, states)
        first, last = 0, cells
        while weights[first] == 0:
            first += 1
        while weights[last] == 0:
            last -= 1
        low[component] = first
        length = last - first + 1
        at = weight_start[component]
        weight_start[component + 1] = at + length * (steps + 1)
        while weight_start[component + 1] > numbers.size:
            wider = np.zeros(2 * numbers.size, np.int64)
            wider[: numbers.size] = numbers
            numbers = wider
        for m in range(length):
            numbers[at + m] = weights[first + m]
        for k in range(steps):
            for m in range(length):
                numbers[at + (k + 1) * length + m] = groups[k, first + m]
    return status, widths, low, weight_start, numbers[: weight_start[components]], order
