"""Layouts of each component counted by their number of mines, in 64-bit integers: the frontier programme with weights."""

from __future__ import annotations

from math import comb

import numpy as np

from direct.kernel import Array, kernel
from direct.minesweeper.frontier import DECIDED, INCONSISTENT, TOO_MANY, TOO_WIDE, counts, sweep
from direct.minesweeper.layouts import position
from direct.minesweeper.order import MOST_OPEN, prepare

MOST_CELLS = 62
"""Cells of a component up to which no count can overflow: it has at most 2**62 layouts."""

MOST_STATES = 2000
"""States, all steps together, above which a component is left to `contraction`, which will need fewer."""

BINOMIAL = np.array([[comb(n, k) for k in range(9)] for n in range(9)], np.int64)


@kernel
def weigh(
    cells: int,
    sizes: Array,
    start: Array,
    shift: Array,
    room: Array,
    opening: Array,
    unit: Array,
    layers: Array,
    layer_start: Array,
    alive: Array,
) -> tuple[Array, Array]:
    """The layouts of one component, from the states of `sweep`.

    Time is linear in the states and quadratic in the spread of their numbers of mines, which is small.

    Returns:
        weights: int64 (cells + 1), layouts by number of mines.
        groups: int64 (groups, cells + 1), of those the ones in which a certain cell of the group is a mine.
    """
    total = sizes.size
    states = layer_start[total + 1]
    ahead = np.zeros((states, cells + 1), np.int64)
    behind = np.zeros((states, cells + 1), np.int64)
    fewest = np.full((2, states), cells + 1, np.int32)  # the range of `behind` (0) and `ahead` (1) that is not all 0
    fullest = np.full((2, states), -1, np.int32)
    behind[0, 0] = 1
    fewest[0, 0] = 0
    fullest[0, 0] = 0
    for k in range(total):
        for i in range(layer_start[k], layer_start[k + 1]):
            if not alive[i]:
                continue
            opened = layers[i] + opening[k]
            least, most = counts(opened, sizes[k], start[k], start[k + 1], shift, room)
            for mines in range(least, most + 1):
                to = position(layers, layer_start[k + 1], layer_start[k + 2], opened - mines * unit[k])
                if to < 0 or not alive[to]:
                    continue
                ways = BINOMIAL[sizes[k], mines]
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
            least, most = counts(opened, sizes[k], start[k], start[k + 1], shift, room)
            for mines in range(least, most + 1):
                to = position(layers, layer_start[k + 1], layer_start[k + 2], opened - mines * unit[k])
                if to < 0 or not alive[to]:
                    continue
                ways = BINOMIAL[sizes[k], mines]
                chosen = BINOMIAL[sizes[k] - 1, mines - 1] if mines > 0 else 0
                for m in range(fewest[1, to], fullest[1, to] + 1):
                    ahead[i, m + mines] += ways * ahead[to, m]
                    if chosen > 0:
                        for n in range(fewest[0, i], fullest[0, i] + 1):
                            groups[k, n + mines + m] += chosen * behind[i, n] * ahead[to, m]
                fewest[1, i] = min(fewest[1, i], fewest[1, to] + mines)
                fullest[1, i] = max(fullest[1, i], fullest[1, to] + mines)
    return ahead[0], groups


@kernel
def tally(
    cells: Array,
    group_start: Array,
    part_start: Array,
    group_of: Array,
    need: Array,
    left: Array,
    stride: int,
    most_cells: int,
    most_states: int,
) -> tuple[Array, Array, Array, Array, Array, Array]:
    """Every component of a closed field counted.

    Args:
        cells, group_start, part_start, group_of: what `split` returns.
        most_cells, most_states: components above either are not counted.

    Returns:
        status: int8 (components), DECIDED, INCONSISTENT, or TOO_WIDE or TOO_MANY where it was not counted.
        width: int32 (components), the most clues open at once.
        low: int32 (components), the fewest mines of a layout.
        weight_start: int64 (components + 1), where each component's layouts by number of mines, from `low` on, begin in
            `numbers`; after them, group by group, those of the layouts in which one given cell of the group is a mine.
        numbers: int64.
        order: int32, the groups in the order in which they were decided, component after component.
    """
    parts = part_start.size - 1
    rest = left.copy()
    slot = np.zeros(left.size, np.int8)
    status = np.zeros(parts, np.int8)
    widths = np.zeros(parts, np.int32)
    low = np.zeros(parts, np.int32)
    weight_start = np.zeros(parts + 1, np.int64)
    numbers = np.zeros(1024, np.int64)
    order = np.zeros(group_start.size, np.int32)
    for part in range(parts):
        weight_start[part + 1] = weight_start[part]
        count = group_start[part_start[part + 1]] - group_start[part_start[part]]
        width, chosen, start, shift, room, opening, unit = prepare(
            part, cells, group_start, part_start, group_of, need, left, rest, slot, stride
        )
        widths[part] = width
        for k in range(chosen.size):
            order[part_start[part] + k] = chosen[k]
        if width > MOST_OPEN or count > most_cells:
            status[part] = TOO_WIDE if width > MOST_OPEN else TOO_MANY
            continue
        sizes = np.empty(chosen.size, np.int32)
        for k in range(chosen.size):
            sizes[k] = group_start[chosen[k] + 1] - group_start[chosen[k]]
        status[part], layers, layer_start, alive, _ = sweep(most_states, sizes, start, shift, room, opening, unit)
        if status[part] != DECIDED:
            if status[part] == INCONSISTENT:
                break
            continue
        weights, groups = weigh(count, sizes, start, shift, room, opening, unit, layers, layer_start, alive)
        first, last = 0, count
        while weights[first] == 0:
            first += 1
        while weights[last] == 0:
            last -= 1
        low[part] = first
        length = last - first + 1
        at = weight_start[part]
        weight_start[part + 1] = at + length * (chosen.size + 1)
        while weight_start[part + 1] > numbers.size:
            wider = np.zeros(2 * numbers.size, np.int64)
            wider[: numbers.size] = numbers
            numbers = wider
        for m in range(length):
            numbers[at + m] = weights[first + m]
        for k in range(chosen.size):
            for m in range(length):
                numbers[at + (k + 1) * length + m] = groups[k, first + m]
    return status, widths, low, weight_start, numbers[: weight_start[parts]], order
