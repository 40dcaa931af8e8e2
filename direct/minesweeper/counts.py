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

from direct.kernel import Array, inlined_kernel, inner_kernel, kernel
from direct.minesweeper import thresholds
from direct.minesweeper.closure import MINE, UNKNOWN, is_opened, longer, marked
from direct.minesweeper.components import Partition
from direct.minesweeper.join_tree import DECIDED, Circuit, parts_of

BINOMIAL = np.array([[comb(n, k) for k in range(9)] for n in range(9)], np.int64)


OPENED_PLACE, FIRST_PLACE = UNKNOWN + 1, UNKNOWN + 2


class Counted(NamedTuple):
    """The layouts of one board.

    Attributes:
        shown: uint8 (rows, columns), the board with `X` or `O` on each cell that the closure
            decides.
        clash: int32 (1), as of `BoardParts`.
        place: int64 per cell: its group, from FIRST_PLACE on; without a group OPENED_PLACE, or what
            is known of it.
        free, mines: how many unknown cells touch no clue, and how many cells are known to be mines.
        size: int32 per group, its number of cells.
        components: int64 (components, 3), the fewest mines of a layout, the number of groups, and
            the length of each row of numbers: 0 if the component is not counted. One that was put
            together with the next has no groups left.
        numbers: int64, the rows of each component: its layouts with the fewest mines, with one
            more, and so on; then, group by group, those of them in which one given cell of the
            group is a mine.
    """

    shown: Array
    clash: Array
    place: Array
    free: int
    mines: int
    size: Array
    components: Array
    numbers: Array


class Polynomials(NamedTuple):
    """A polynomial for each state of a component.

    Attributes:
        numbers: int64 (states, powers), the coefficients.
        least, most: int64 (states), the lowest and the highest power; `most` is less than `least`
            if the polynomial is 0.
    """

    numbers: Array
    least: Array
    most: Array


@kernel
def count(grid: Array, starts: Array, most_pairs: int) -> Counted:
    """Count the layouts of one board (as `constraints_of` takes it), of components of at most so
    many pairs each.
    """
    (known, _, _, stride), clash, partition, circuit = parts_of(grid, starts, most_pairs)
    place = np.empty(grid.size, np.int64)
    free, mines = 0, 0
    for row in range(grid.shape[0]):
        for column in range(grid.shape[1]):
            cell = (row + 1) * stride + column + 1
            at = OPENED_PLACE if is_opened(grid[row, column]) else int(known[cell])
            if partition.group_of[cell] >= 0:
                at = FIRST_PLACE + int(partition.group_of[cell])
            free += int(at == UNKNOWN)
            mines += int(at == MINE)
            place[row * grid.shape[1] + column] = at
    size = partition.group_start[1:] - partition.group_start[:-1]
    components, numbers = numbers_of(partition, circuit, size)
    shown = marked(grid, starts, known)
    return Counted(shown, clash, place, free, mines, size, components, numbers)


@inner_kernel
def numbers_of(partition: Partition, circuit: Circuit, size: Array) -> tuple[Array, Array]:
    """Count the layouts of the components that are DECIDED: `components` and `numbers` of
    `Counted`.

    A component is not counted if it has `thresholds.COUNTED_LAYOUTS` layouts, or if its polynomials
    need more than `thresholds.COUNTED_SIZE` coefficients. Time is linear in the pairs and quadratic
    in the range of their numbers of mines.

    Neighbours are put together as one as long as both are counted and have few numbers: then Python
    has less to do.
    """
    components = np.zeros((circuit.status.size, 3), np.int64)
    numbers = np.empty(256, np.int64)
    begin, end, together = 0, 0, 0.0  # the rows of the last component, and its layouts
    for component in range(circuit.status.size):
        first = partition.component_start[component]
        groups = partition.component_start[component + 1] - first
        components[component, 1] = groups
        base = int(circuit.state_start[component])
        states = int(circuit.state_start[component + 1]) - base
        root, cells = states - 1, int(circuit.cells[component])
        earlier, together = together, 0.0
        if circuit.status[component] != DECIDED or states * (cells + 1) > thresholds.COUNTED_SIZE:
            continue
        inside, outside = nothing_counted(states, cells), nothing_counted(states, cells)
        layouts = np.zeros(states, np.float64)
        for state in range(states):
            group, mines = circuit.group[base + state], circuit.mines[base + state]
            if group >= 0:
                inside.numbers[state, mines] = layouts[state] = BINOMIAL[size[group], mines]
                inside.least[state] = inside.most[state] = mines
        pairs = circuit.pairs[circuit.pair_start[component] : circuit.pair_start[component + 1]]
        for pair in range(len(pairs)):
            one, other, whole = pairs[pair, 0] - base, pairs[pair, 1] - base, pairs[pair, 2] - base
            if circuit.alive[base + whole]:
                layouts[whole] += layouts[one] * layouts[other]
                if layouts[whole] >= thresholds.COUNTED_LAYOUTS:
                    break
                add_product(inside, whole, inside, one, inside, other)
        if layouts.max() >= thresholds.COUNTED_LAYOUTS:
            continue
        outside.numbers[root, 0] = 1
        outside.least[root] = outside.most[root] = 0
        for pair in range(len(pairs) - 1, -1, -1):
            one, other, whole = pairs[pair, 0] - base, pairs[pair, 1] - base, pairs[pair, 2] - base
            add_product(outside, one, outside, whole, inside, other)
            add_product(outside, other, outside, whole, inside, one)
        least = int(inside.least[root])
        terms = int(inside.most[root]) - least + 1
        rows = np.zeros((1 + groups) * terms, np.int64)
        for k in range(terms):
            rows[k] = inside.numbers[root, least + k]
        for state in range(states):
            group, mines = circuit.group[base + state], int(circuit.mines[base + state])
            if mines > 0:
                ways = BINOMIAL[size[group] - 1, mines - 1]
                for others in range(outside.least[state], outside.most[state] + 1):
                    at = terms * (1 + group - first) + mines + others - least
                    rows[at] += ways * outside.numbers[state, others]
        together = layouts[root]
        if 0 < earlier < thresholds.COUNTED_LAYOUTS / together:
            length = int(components[component - 1, 2])
            both = groups + components[component - 1, 1]
            if (length + terms - 1) * (1 + both) <= thresholds.JOINED_NUMBERS:
                rows = joined(numbers[begin:end], length, rows, terms)
                least += components[component - 1, 0]
                groups, terms, together = both, length + terms - 1, earlier * together
                components[component - 1, 1] = components[component - 1, 2] = 0
                end = begin
        components[component, 0], components[component, 1] = least, groups
        components[component, 2] = terms
        begin, end = end, end + rows.size
        if end > numbers.size:
            numbers = longer(numbers, end)
        for k in range(rows.size):
            numbers[begin + k] = rows[k]
    return components, numbers[:end]


@inner_kernel
def joined(ones: Array, length: int, others: Array, terms: int) -> Array:
    """The rows of two components, of this length each, as those of one component: its layouts, the
    groups of the one, those of the other.
    """
    count, wide = ones.size // length, length + terms - 1
    rows = np.zeros((count + others.size // terms - 1) * wide, np.int64)
    for row in range(rows.size // wide):
        one, other = row if row < count else 0, max(0, row - count + 1)
        for i in range(length):
            for j in range(terms):
                rows[row * wide + i + j] += ones[one * length + i] * others[other * terms + j]
    return rows


@inner_kernel
def nothing_counted(states: int, cells: int) -> Polynomials:
    """A polynomial for each state, of at most this degree, that is 0."""
    return Polynomials(
        np.zeros((states, cells + 1), np.int64),
        np.full(states, cells + 1, np.int64),
        np.full(states, -1, np.int64),
    )


@inlined_kernel
def add_product(
    to: Polynomials, whole: int, ones: Polynomials, one: int, others: Polynomials, other: int
) -> None:
    """Add to the polynomial of state `whole` the product of that of `one` and that of `other`."""
    if ones.least[one] <= ones.most[one] and others.least[other] <= others.most[other]:
        to.least[whole] = min(to.least[whole], ones.least[one] + others.least[other])
        to.most[whole] = max(to.most[whole], ones.most[one] + others.most[other])
        for i in range(ones.least[one], ones.most[one] + 1):
            for j in range(others.least[other], others.most[other] + 1):
                to.numbers[whole, i + j] += ones.numbers[one, i] * others.numbers[other, j]
