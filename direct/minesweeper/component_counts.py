"""The layouts of each component counted by their number of mines, in 64-bit integers, along the states of `frontier`."""

from __future__ import annotations

from math import comb
from typing import NamedTuple

import numpy as np

from direct import thresholds
from direct.kernel import Array, inner_kernel
from direct.minesweeper.constraints import longer
from direct.minesweeper.frontier import DECIDED, TOO_MANY, States
from direct.minesweeper.layouts import position
from direct.minesweeper.order import Transitions

BINOMIAL = np.array([[comb(n, k) for k in range(9)] for n in range(9)], np.int64)


class Tallies(NamedTuple):
    """The layouts of all components, counted.

    Attributes:
        size: int32 (steps), the number of cells of the step's group.
        component_start: int32 (components + 1), where each component's steps begin.
        low, weight_start, numbers: the counts of the components that are DECIDED; see `count_components`.
    """

    size: Array
    component_start: Array
    low: Array
    weight_start: Array
    numbers: Array


@inner_kernel
def weights_of(tallies: Tallies, component: int) -> tuple[int, int]:
    """Where the layouts of a component by number of mines begin in `numbers`, and how many entries they have."""
    begin, end = int(tallies.weight_start[component]), int(tallies.weight_start[component + 1])
    steps = int(tallies.component_start[component + 1]) - int(tallies.component_start[component])
    return begin, (end - begin) // (steps + 1)


@inner_kernel
def count_components(
    transitions: Transitions,
    states: States,
    status: Array,
    first: int,
    last: int,
    low: Array,
    weight_start: Array,
    numbers: Array,
) -> Array:
    """Count the layouts of the components from `first` to `last` (exclusive) that are DECIDED.

    A component of at least `thresholds.COUNTED_LAYOUTS` layouts is not counted: its status becomes TOO_MANY. Time is linear in the
    states and quadratic in the range of their numbers of mines, which is small.

    Args:
        low: int32 (components), gets the fewest mines of a layout.
        weight_start: int64 (components + 1), gets the place where each component's layouts by number of mines, from `low` on, begin
            in `numbers`; after them, step by step, the layouts in which one given cell of the step's group is a mine.
        numbers: int64, those of the components before `first`.

    Returns:
        numbers: those of all components up to `last`; what follows them is undefined.
    """
    component_start, size, opening, unit = transitions.component_start, transitions.size, transitions.opening, transitions.unit
    state, fewest, fullest, layer_start = states
    for component in range(first, last):
        weight_start[component + 1] = weight_start[component]
        begin, end = int(component_start[component]), int(component_start[component + 1])
        cells = 0
        for k in range(begin, end):
            cells += size[k]
        if status[component] != DECIDED:
            continue
        row = cells + 1
        base = int(layer_start[begin + component])
        final = int(layer_start[end + component])
        after = np.empty(9 * (final - base), np.int64)  # per state, by mines of its step: the next state, -1 if it leads nowhere
        paths = np.zeros(final + 1 - base, np.int64)  # per state, the ways from the beginning, as far as they matter
        paths[0] = 1
        for k in range(begin, end):
            layer = k + component
            for i in range(layer_start[layer], layer_start[layer + 1]):
                for mines in range(fewest[i], fullest[i] + 1):
                    earlier = state[i] + opening[k] - mines * unit[k]
                    to = position(state, layer_start[layer + 1], layer_start[layer + 2], earlier)
                    after[9 * (i - base) + mines] = -1
                    if fullest[to] >= 0:
                        to -= base
                        after[9 * (i - base) + mines] = to
                        more = paths[to] + BINOMIAL[size[k], mines] * paths[i - base]
                        paths[to] = min(more, thresholds.COUNTED_LAYOUTS)
        if paths[final - base] >= thresholds.COUNTED_LAYOUTS:
            status[component] = TOO_MANY
            continue
        ahead = np.zeros((final + 1 - base) * row, np.int64)  # per state, by number of mines: the ways to the end
        behind = np.zeros((final + 1 - base) * row, np.int64)  # and those from the beginning
        span = np.empty(4 * (final + 1 - base), np.int64)  # per state, the least and the most mines of either
        groups = np.zeros((end - begin) * row, np.int64)
        for i in range(final + 1 - base):
            span[4 * i] = row
            span[4 * i + 1] = -1
            span[4 * i + 2] = row
            span[4 * i + 3] = -1
        behind[0] = 1
        span[0] = 0
        span[1] = 0
        for k in range(begin, end):
            for i in range(layer_start[k + component], layer_start[k + component + 1]):
                here = i - base
                for mines in range(fewest[i], fullest[i] + 1):
                    to = after[9 * here + mines]
                    if to >= 0:
                        ways = BINOMIAL[size[k], mines]
                        for m in range(span[4 * here], span[4 * here + 1] + 1):
                            behind[to * row + m + mines] += ways * behind[here * row + m]
                        span[4 * to] = min(span[4 * to], span[4 * here] + mines)
                        span[4 * to + 1] = max(span[4 * to + 1], span[4 * here + 1] + mines)
        ahead[(final - base) * row] = 1
        span[4 * (final - base) + 2] = 0
        span[4 * (final - base) + 3] = 0
        for k in range(end - 1, begin - 1, -1):
            for i in range(layer_start[k + component], layer_start[k + component + 1]):
                here = i - base
                for mines in range(fewest[i], fullest[i] + 1):
                    to = after[9 * here + mines]
                    if to >= 0:
                        ways = BINOMIAL[size[k], mines]
                        chosen = BINOMIAL[size[k] - 1, mines - 1] if mines > 0 else 0
                        for m in range(span[4 * to + 2], span[4 * to + 3] + 1):
                            ahead[here * row + m + mines] += ways * ahead[to * row + m]
                            if chosen > 0:
                                for n in range(span[4 * here], span[4 * here + 1] + 1):
                                    at = (k - begin) * row + n + mines + m
                                    groups[at] += chosen * behind[here * row + n] * ahead[to * row + m]
                        span[4 * here + 2] = min(span[4 * here + 2], span[4 * to + 2] + mines)
                        span[4 * here + 3] = max(span[4 * here + 3], span[4 * to + 3] + mines)
        fewest_mines, most_mines = int(span[2]), int(span[3])
        low[component] = fewest_mines
        length = most_mines - fewest_mines + 1
        at = weight_start[component]
        stop = at + length * (end - begin + 1)
        while stop > numbers.size:
            numbers = longer(numbers, 2 * numbers.size)
        for m in range(length):
            numbers[at + m] = ahead[fewest_mines + m]
        at += length
        for k in range(end - begin):
            for m in range(length):
                numbers[at + m] = groups[k * row + fewest_mines + m]
            at += length
        weight_start[component + 1] = at
    return numbers
