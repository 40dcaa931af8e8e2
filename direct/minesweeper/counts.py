"""Layouts counted in kernels: of each component by number of mines, along the states of `frontier`; then of the board.

A component is counted in 64-bit integers. A layout of the components that leaves j mines to the f
free cells stands for "f over j" layouts of the board. These binomials have a common factor that no
probability needs. The numbers that are left have some 100 bits on an expert board. Each is a row of
digits of 24 bits, the lowest first, in 64-bit integers: thousands of products of two digits can be
added up before a carry must go on.
"""

from __future__ import annotations

from math import comb, perm
from typing import NamedTuple

import numpy as np

from direct import thresholds
from direct.kernel import Array, inner_kernel
from direct.minesweeper.closure import longer
from direct.minesweeper.frontier import DECIDED, TOO_MANY, States, Transitions, position

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


BITS = 24
"""Bits of a digit, whole bytes."""


class BoardCounts(NamedTuple):
    """The layouts of a board with its number of mines; all numbers have lost a common factor.

    Attributes:
        digits: int64 (3 + steps, width), a number in each row: the layouts; the mines on free cells in all of them; those in
            components; then for each step the layouts in which one given cell of its group is a mine. Without rows nothing is
            combined.
        left: the mines on free cells and in components.
        free: the number of free cells.
        fewest, most: the mines on free cells that the components leave.
    """

    digits: Array
    left: int
    free: int
    fewest: int
    most: int

    def rows(self) -> list[int]:
        """The number in each row of `digits`.

        Raises:
            ArithmeticError: the mines do not add up: this program has a fault.
        """
        data = self.digits.astype("<i8", copy=False).view(np.uint8).reshape(-1, 8)[:, : BITS // 8].tobytes()
        length = BITS // 8 * self.digits.shape[1]
        numbers = [int.from_bytes(data[at : at + length], "little") for at in range(0, len(data), length)]
        if numbers[1] + numbers[2] != self.left * numbers[0]:
            raise ArithmeticError("the layouts of the board do not add up")
        return numbers

    def all_layouts(self, layouts: int) -> int:
        """The number of layouts, from what is left of it in `digits`."""
        return layouts * comb(self.free, self.most) // perm(self.free - self.fewest, self.most - self.fewest)


@inner_kernel
def combine(tallies: Tallies, free: int, left: int, possible: bool) -> BoardCounts:
    """Combine the counts of all components with `left` mines on them and on `free` free cells.

    Nothing is combined if it is not `possible`, since a component is not counted, or if the components together can have more than
    `thresholds.COMBINED_RANGE` numbers of mines.

    How often a component's layouts with k mines count comes from the binomials, by a correlation with the counts of each other
    component. A binary tree over the components shares these: on each of its levels there is one correlation for each component.
    """
    components = tallies.low.size
    spare, length, bits, levels = left, 1, bit_length(left), 0
    for component in range(components):
        begin, terms = weights_of(tallies, component)
        layouts = 0
        for k in range(terms):
            layouts += tallies.numbers[begin + k]
        bits += bit_length(layouts)
        spare -= int(tallies.low[component])
        length += terms - 1
        if 1 << levels <= component:
            levels += 1
    start, end = max(spare - free, 0), min(spare, length - 1)  # the components' mines beyond `low`, so that the others fit
    width = (bits + max(end - start, 0) * bit_length(free)) // BITS + 1
    if length > thresholds.COMBINED_RANGE:
        possible = False
    digits = np.zeros((3 + tallies.size.size if possible else 0, width), np.int64)
    if start > end or not possible:
        return BoardCounts(digits, left, free, 0, 0)
    ways = np.zeros(((levels + 2) * length + 1, width), np.int64)  # level by level, how often each number of mines counts
    on_free = (levels + 1) * length  # there, each counts as often as all free cells have mines then
    for k in range(start, end + 1):
        ways[k, 0] = 1
        for i in range(start, end):
            scale(ways, k, spare - i if i < k else free - spare + i + 1)
        add_product(ways, on_free + k, ways, k, spare - k)
    lengths = np.empty(levels + 1, np.int64)
    lengths[0] = length
    rest = length
    for component in range(components):
        rest = correlate(ways, on_free, rest, tallies, component)
    for i in range(width):
        digits[1, i] = ways[on_free, i]
        if components == 0:
            digits[0, i] = ways[0, i]
    for component in range(components):
        level = 0  # to begin with, that where the path down the tree leaves the path to the component before
        while component > 0 and (component ^ (component - 1)) >> (levels - 1 - level) == 0:
            level += 1
        while level < levels:
            half = 1 << (levels - 1 - level)
            rest = int(lengths[level])
            level += 1
            base = level * length
            for k in range(base, base + rest):
                for i in range(width):
                    ways[k, i] = ways[k - length, i]
            sibling = (component // half ^ 1) * half
            for other in range(sibling, min(sibling + half, components)):
                rest = correlate(ways, base, rest, tallies, other)
            lengths[level] = rest
        begin, terms = weights_of(tallies, component)
        if component == 0:
            add_products(digits, 0, ways, levels * length, tallies.numbers, begin, terms)
        for step in range(tallies.component_start[component], tallies.component_start[component + 1]):
            begin += terms
            add_products(digits, 3 + step, ways, levels * length, tallies.numbers, begin, terms)
            add_product(digits, 2, digits, 3 + step, int(tallies.size[step]))
    carry(digits, 2)
    return BoardCounts(digits, left, free, spare - end, spare - start)


@inner_kernel
def correlate(ways: Array, base: int, length: int, tallies: Tallies, component: int) -> int:
    """Take a component in: each of the `length` rows from `base` on becomes a sum over its layouts by their mines beyond `low`.

    A layout with so many mines counts as often as the row says that stands that far behind. Returns how many rows remain. Uses the
    last row of `ways` for itself.
    """
    begin, terms = weights_of(tallies, component)
    last = ways.shape[0] - 1
    for k in range(base, base + length - terms + 1):
        for i in range(ways.shape[1]):
            ways[last, i] = 0
        add_products(ways, last, ways, k, tallies.numbers, begin, terms)
        for i in range(ways.shape[1]):
            ways[k, i] = ways[last, i]
    return length - terms + 1


@inner_kernel
def add_products(to: Array, row: int, ways: Array, base: int, numbers: Array, begin: int, terms: int) -> None:
    """Add to a row the sum of `terms` rows of `ways` from `base` on, each times its number from `begin` on."""
    for term in range(terms):
        add_product(to, row, ways, base + term, numbers[begin + term])
    carry(to, row)


@inner_kernel
def add_product(to: Array, row: int, numbers: Array, other: int, factor: int) -> None:
    """Add `factor` times the number in row `other` to another row, which it leaves with digits that are too large."""
    least = 0
    while factor > 0:
        digit = factor & ((1 << BITS) - 1)
        for i in range(to.shape[1] - least):
            to[row, least + i] += digit * numbers[other, i]
        factor >>= BITS
        least += 1


@inner_kernel
def scale(numbers: Array, row: int, factor: int) -> None:
    """Multiply a row by a factor of at most 32 bits."""
    for i in range(numbers.shape[1]):
        numbers[row, i] *= factor
    carry(numbers, row)


@inner_kernel
def carry(numbers: Array, row: int) -> None:
    """Bring the digits of a row below 2 ** `BITS`."""
    over = 0
    for i in range(numbers.shape[1]):
        over += numbers[row, i]
        numbers[row, i] = over & ((1 << BITS) - 1)
        over >>= BITS


@inner_kernel
def bit_length(number: int) -> int:
    """The bits of a number that is not negative."""
    bits = 0
    while number >> bits > 0:
        bits += 1
    return bits
