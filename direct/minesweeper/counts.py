"""The layouts of components by their number of mines, counted in 64-bit integers.

The layouts of a state are a polynomial: the coefficient of x^v is the number of those with v mines.
For the cells below a node it is the sum, over the state's pairs, of the product of the children's
polynomials. For all other cells of the component it is the sum, over the pairs that the state is
in, of the product of what is outside the pair and of the other child's polynomial. This is the
message passing of Lauritzen and Spiegelhalter, up the tree and down again.
"""

from __future__ import annotations

from math import comb
from typing import NamedTuple

import numpy as np

from direct import thresholds
from direct.kernel import Array, inlined_kernel, inner_kernel
from direct.minesweeper.closure import longer
from direct.minesweeper.components import Partition
from direct.minesweeper.join_tree import DECIDED, Circuit

BINOMIAL = np.array([[comb(n, k) for k in range(9)] for n in range(9)], np.int64)


class Tallies(NamedTuple):
    """The layouts of all components, counted.

    Attributes:
        low: int32 (components), the fewest mines of a layout.
        start: int64 (components + 1), where each component's numbers begin: its layouts with `low`, `low` + 1, ... mines; then,
            group by group, those of them in which one given cell of the group is a mine. One that is not counted has none.
        numbers: int64, those numbers; what follows the last is undefined.
    """

    low: Array
    start: Array
    numbers: Array


class Polynomials(NamedTuple):
    """A polynomial for each state of a component.

    Attributes:
        numbers: int64 (states, powers), the coefficients.
        least, most: int64 (states), the lowest and the highest power; `most` is less than `least` if the polynomial is 0.
    """

    numbers: Array
    least: Array
    most: Array


@inner_kernel
def tallies_of(partition: Partition, circuit: Circuit) -> Tallies:
    """Count the layouts of the components that are DECIDED.

    A component is not counted if it has `thresholds.COUNTED_LAYOUTS` layouts, or if its polynomials need more than
    `thresholds.COUNTED_SIZE` coefficients. Time is linear in the pairs and quadratic in the range of their numbers of mines.
    """
    group_start, component_start = partition.group_start, partition.component_start
    state_start, pair_start, leaf, mines_of = circuit.state_start, circuit.pair_start, circuit.leaf, circuit.mines
    components = circuit.status.size
    low, start, numbers = np.zeros(components, np.int32), np.zeros(components + 1, np.int64), np.empty(256, np.int64)
    for component in range(components):
        end = int(start[component])
        start[component + 1] = end
        first, last = int(component_start[component]), int(component_start[component + 1])
        base, root = int(state_start[leaf[first]]), int(state_start[circuit.root[component]] - state_start[leaf[first]])
        cells = int(group_start[last] - group_start[first])
        if circuit.status[component] != DECIDED or (root + 1) * (cells + 1) > thresholds.COUNTED_SIZE:
            continue
        inside = nothing_counted(root + 1, cells)
        layouts = np.zeros(root + 1, np.float64)
        for group in range(first, last):
            for state in range(state_start[leaf[group]], state_start[leaf[group] + 1]):
                ways = BINOMIAL[group_start[group + 1] - group_start[group], mines_of[state]]
                inside.numbers[state - base, mines_of[state]] = layouts[state - base] = ways
                inside.least[state - base] = inside.most[state - base] = mines_of[state]
        begin_pairs, end_pairs = int(pair_start[leaf[first]]), int(pair_start[circuit.root[component] + 1])
        for pair in range(begin_pairs, end_pairs):
            if circuit.alive[circuit.whole[pair]]:
                left, right, whole = circuit.left[pair] - base, circuit.right[pair] - base, circuit.whole[pair] - base
                layouts[whole] += layouts[left] * layouts[right]
                if layouts[whole] >= thresholds.COUNTED_LAYOUTS:
                    break
                add_product(inside, whole, inside, left, inside, right)
        if layouts.max() >= thresholds.COUNTED_LAYOUTS:
            continue
        outside = nothing_counted(root + 1, cells)
        outside.numbers[root, 0] = 1
        outside.least[root] = outside.most[root] = 0
        for pair in range(end_pairs - 1, begin_pairs - 1, -1):
            left, right, whole = circuit.left[pair] - base, circuit.right[pair] - base, circuit.whole[pair] - base
            add_product(outside, left, outside, whole, inside, right)
            add_product(outside, right, outside, whole, inside, left)
        least, terms = int(inside.least[root]), int(inside.most[root] - inside.least[root]) + 1
        low[component] = least
        start[component + 1] = end + terms * (1 + last - first)
        if start[component + 1] > numbers.size:
            numbers = longer(numbers, start[component + 1])
        for k in range(terms):
            numbers[end + k] = inside.numbers[root, least + k]
        for group in range(first, last):
            end += terms
            for k in range(terms):
                numbers[end + k] = 0
            for state in range(state_start[leaf[group]], state_start[leaf[group] + 1]):
                mines = int(mines_of[state])
                if mines > 0:
                    for others in range(outside.least[state - base], outside.most[state - base] + 1):
                        ways = BINOMIAL[group_start[group + 1] - group_start[group] - 1, mines - 1]
                        numbers[end + mines + others - least] += ways * outside.numbers[state - base, others]
    return Tallies(low, start, numbers)


@inner_kernel
def nothing_counted(states: int, cells: int) -> Polynomials:
    """A polynomial for each state, of at most this degree, that is 0."""
    return Polynomials(np.zeros((states, cells + 1), np.int64), np.full(states, cells + 1, np.int64), np.full(states, -1, np.int64))


@inlined_kernel
def add_product(to: Polynomials, whole: int, ones: Polynomials, one: int, others: Polynomials, other: int) -> None:
    """Add to the polynomial of state `whole` the product of that of `one` and that of `other`."""
    if ones.least[one] <= ones.most[one] and others.least[other] <= others.most[other]:
        to.least[whole] = min(to.least[whole], ones.least[one] + others.least[other])
        to.most[whole] = max(to.most[whole], ones.most[one] + others.most[other])
        for i in range(ones.least[one], ones.most[one] + 1):
            for j in range(others.least[other], others.most[other] + 1):
                to.numbers[whole, i + j] += ones.numbers[one, i] * others.numbers[other, j]
