"""The fifth step: the layouts of components, counted by their number of mines.

The layouts of a state are a polynomial: the coefficient of x^v is the number of those with v mines.
For the cells below a state it is the sum, over the state's pairs, of the product of the children's
polynomials. For all other cells of the component it is the sum, over the pairs that the state is
in, of the product of what is outside the pair and of the other child's polynomial. This is the
message passing of Lauritzen and Spiegelhalter (see `join_tree`), up the tree and down again.

On the board at the top of `join_tree` the root has x + x^2: one layout with one mine (b), one with
two (a and c).

Time is linear in the pairs, and quadratic in how far the numbers of mines of a state lie apart, for
each prime anew.

Numbers are integers of 64 bits. Where a component has more layouts than these can say, those of all
components are counted modulo a prime, for one prime after the other, and `probability` puts the
remainders together (the Chinese remainder theorem).
"""

from __future__ import annotations

from math import comb
from typing import NamedTuple

import numpy as np

from direct.kernel import Array, inlined_kernel, inner_kernel, kernel
from direct.minesweeper import thresholds
from direct.minesweeper.closure import UNKNOWN, is_opened, longer, mark_certain
from direct.minesweeper.components import Partition
from direct.minesweeper.decide import parts_of
from direct.minesweeper.join_tree import Circuit
from direct.minesweeper.mine_numbers import MineNumbers, numbers_below, with_room

BINOMIAL = np.array([[comb(n, k) for k in range(9)] for n in range(9)], np.int64)

OPENED_CODE, FIRST_CODE = UNKNOWN + 1, UNKNOWN + 2

MAX_COEFFICIENTS = 2**26
"""Coefficients that the polynomials of a board may have: 512 MB."""

MAX_PRIME, SUMMANDS = 2**25, 2**12
"""Primes are below the first; so many products of two remainders can be added in 64 bits as the
second says, and a remainder.
"""


class Counted(NamedTuple):
    """The layouts of one board.

    Attributes:
        shown: uint8 (rows, columns), the board with `X` or `O` on each cell that the closure
            decides.
        clash, too_wide, width: as of `Decided`.
        code: int64 per cell: NO_MINE or HAS_MINE if it is known, UNKNOWN if it is free, OPENED_CODE
            if it is opened; else FIRST_CODE and the number of its group. `chances_of` has a list of
            probabilities in this order.
        free, mines: how many unknown cells touch no clue, and how many cells are known to be mines.
        size: int32 per group, its number of cells.
        layouts: float64 per component, about how many it has; infinite if that is beyond a float.
        components: int64 (components, 3), the fewest mines of a layout, the number of groups, and
            the length of each row of numbers. One that was put together with the next has no groups
            left.
        numbers: int64, the rows of each component: its layouts with the fewest mines, with one
            more, and so on; then, group by group, those of them in which one given cell of the
            group is a mine. None if they are not counted.

    On the board at the top of `join_tree` components is [[1, 3, 2]], and numbers has the rows 1 1
    (the layouts), 0 1 (a), 1 0 (b) and 0 1 (c): with one mine, with two.
    """

    shown: Array
    clash: int
    too_wide: int
    width: int
    code: Array
    free: int
    mines: int
    size: Array
    layouts: Array
    components: Array
    numbers: Array


@kernel
def count(grid: Array, modulus: int, most_numbers: int, most_pairs: int) -> Counted:
    """Count the layouts of one board, of components of at most so many pairs each.

    Args:
        grid: its character codes, uint8 (rows, columns).
        modulus: a prime below MAX_PRIME; or 0 to count in 64 bits, if each component has fewer than
            `thresholds.COUNTED_LAYOUTS` layouts.
        most_numbers: if the polynomials have more coefficients, nothing is counted.
    """
    (known, _, _, stride), clash, partition, circuit, free, mines = parts_of(grid, most_pairs)
    code = np.empty(grid.size, np.int64)
    for row in range(grid.shape[0]):
        for column in range(grid.shape[1]):
            cell = (row + 1) * stride + column + 1
            at = OPENED_CODE if is_opened(grid[row, column]) else int(known[cell])
            if partition.group_of[cell] >= 0:
                at = FIRST_CODE + int(partition.group_of[cell])
            code[row * grid.shape[1] + column] = at
    size = partition.group_start[1:] - partition.group_start[:-1]
    layouts = layouts_about(partition, circuit)
    components, numbers = numbers_of(partition, circuit, layouts, modulus, most_numbers)
    return Counted(
        mark_certain(grid, known),
        clash,
        circuit.too_wide,
        circuit.width,
        code,
        free.size,
        mines,
        size,
        layouts,
        components,
        numbers,
    )


@inner_kernel
def layouts_about(partition: Partition, circuit: Circuit) -> Array:
    """About how many layouts each component has."""
    below = np.zeros(circuit.alive.size, np.float64)
    for state in range(below.size):
        if circuit.group[state] >= 0:
            size = size_of(partition, circuit.group[state])
            below[state] = BINOMIAL[size, circuit.mines[state]]
    for pair in range(circuit.pairs.shape[0]):
        one, other = circuit.pairs[pair, 0], circuit.pairs[pair, 1]
        below[circuit.pairs[pair, 2]] += below[one] * below[other]
    layouts = np.empty(circuit.root.size, np.float64)
    for component in range(layouts.size):
        layouts[component] = below[circuit.root[component]]
    return layouts


class Polynomials(NamedTuple):
    """A polynomial for each state.

    Attributes:
        least, most, start: as of `MineNumbers`: the powers of each, and the place of the
            coefficient of the lowest one.
        values: int64, the coefficients of all.
    """

    least: Array
    most: Array
    start: Array
    values: Array


@inner_kernel
def numbers_of(
    partition: Partition,
    circuit: Circuit,
    layouts: Array,
    modulus: int,
    most_numbers: int,
) -> tuple[Array, Array]:
    """Count the layouts of components: `components` and `numbers` of `Counted`.

    Components whose numbers follow each other are put together as one, as long as that takes few
    numbers and 64 bits: then Python has less to do.
    """
    components = np.zeros((layouts.size, 3), np.int64)
    numbers, end = np.empty(256, np.int64), 0
    below = numbers_below(circuit, circuit.pairs, 1)
    above = numbers_above(circuit, below)
    too_large = modulus == 0 and layouts.size > 0 and layouts.max() >= thresholds.COUNTED_LAYOUTS
    if below.room + above.room > most_numbers or too_large:
        return components, numbers[:0]
    inside = Polynomials(below.least, below.most, below.start, np.zeros(below.room, np.int64))
    outside = Polynomials(above.least, above.most, above.start, np.zeros(above.room, np.int64))
    count_both_ways(partition, circuit, inside, outside, modulus)
    # The rows of each component, put together with those of the one before while both are small.
    begin, together = 0, 0.0  # of the one before: its rows, its layouts
    for component in range(layouts.size):
        rows = component_rows(partition, circuit, component, inside, outside, modulus)
        groups = partition.component_start[component + 1] - partition.component_start[component]
        root = circuit.root[component]
        least, terms = below.least[root], below.most[root] - below.least[root] + 1
        both = groups + components[component - 1, 1] if component > 0 else 0
        length = components[component - 1, 2] + terms - 1 if component > 0 else 0
        together *= layouts[component]
        if (
            component > 0
            and modulus == 0
            and together < thresholds.COUNTED_LAYOUTS
            and length * (1 + both) <= thresholds.JOINED_NUMBERS
        ):
            rows = join_rows(numbers[begin:end], length - terms + 1, rows, terms)
            least, groups, terms = least + components[component - 1, 0], both, length
            components[component - 1, 1] = components[component - 1, 2] = 0
            end = begin
        else:
            together = layouts[component]
        components[component, 0], components[component, 1] = least, groups
        components[component, 2] = terms
        begin, end = end, end + rows.size
        if end > numbers.size:
            numbers = longer(numbers, end)
        for k in range(rows.size):
            numbers[begin + k] = rows[k]
    return components, numbers[:end]


@inner_kernel
def numbers_above(circuit: Circuit, below: MineNumbers) -> MineNumbers:
    """The least and the most mines outside of each state: in the part of a layout that is not below
    it, among the layouts of its component that have this state.
    """
    states, pairs = below.least.size, circuit.pairs
    least, most = np.full(states, 1 << 40, np.int64), np.full(states, -1, np.int64)
    for root in circuit.root:
        least[root] = most[root] = 0
    for pair in range(pairs.shape[0] - 1, -1, -1):
        one, other, whole = pairs[pair, 0], pairs[pair, 1], pairs[pair, 2]
        least[one] = min(least[one], least[whole] + below.least[other])
        most[one] = max(most[one], most[whole] + below.most[other])
        least[other] = min(least[other], least[whole] + below.least[one])
        most[other] = max(most[other], most[whole] + below.most[one])
    return with_room(least, most)


@inner_kernel
def count_both_ways(
    partition: Partition,
    circuit: Circuit,
    inside: Polynomials,
    outside: Polynomials,
    modulus: int,
) -> None:
    """Count the layouts below each state, from the leaves up, and then outside of each state, from
    the roots down.
    """
    pairs = circuit.pairs
    for state in range(circuit.alive.size):
        if circuit.group[state] >= 0 and circuit.alive[state]:
            size = size_of(partition, circuit.group[state])
            inside.values[inside.start[state]] = BINOMIAL[size, circuit.mines[state]]
    for pair in range(pairs.shape[0]):
        one, other, whole = pairs[pair, 0], pairs[pair, 1], pairs[pair, 2]
        add_product(inside, whole, inside, one, inside, other, modulus)
    for root in circuit.root:
        outside.values[outside.start[root]] = 1
    for pair in range(pairs.shape[0] - 1, -1, -1):
        one, other, whole = pairs[pair, 0], pairs[pair, 1], pairs[pair, 2]
        add_product(outside, one, outside, whole, inside, other, modulus)
        add_product(outside, other, outside, whole, inside, one, modulus)


@inner_kernel
def size_of(partition: Partition, group: int) -> int:
    """The number of cells of a group."""
    return int(partition.group_start[group + 1] - partition.group_start[group])


@inlined_kernel
def add_product(
    to: Polynomials,
    whole: int,
    ones: Polynomials,
    one: int,
    others: Polynomials,
    other: int,
    modulus: int,
) -> None:
    """Add to the polynomial of `whole` the product of that of `one` and that of `other`."""
    terms = ones.most[one] - ones.least[one] + 1
    more = others.most[other] - others.least[other] + 1
    at, by = ones.start[one], others.start[other]
    put = to.start[whole] - to.least[whole]
    put += ones.least[one] + others.least[other]
    for i in range(terms):
        for j in range(more):
            to.values[put + i + j] += ones.values[at + i] * others.values[by + j]
        if modulus > 0 and (i == terms - 1 or i % SUMMANDS == SUMMANDS - 1):
            for k in range(terms + more - 1):
                to.values[put + k] %= modulus


@inner_kernel
def component_rows(
    partition: Partition,
    circuit: Circuit,
    component: int,
    inside: Polynomials,
    outside: Polynomials,
    modulus: int,
) -> Array:
    """The layouts of a component by their number of mines, and for each group those with a mine on
    one given cell of it.

    Of the layouts with v mines on the n cells of a group, v of n have one on a given cell: "n - 1
    over v - 1" of "n over v".
    """
    first, end = partition.component_start[component], partition.component_start[component + 1]
    root = circuit.root[component]
    least = inside.least[root]
    terms = inside.most[root] - least + 1
    rows = np.zeros((1 + end - first) * terms, np.int64)
    for k in range(terms):
        rows[k] = inside.values[inside.start[root] + k]
    for state in range(circuit.root[component - 1] + 1 if component > 0 else 0, root + 1):
        group, mines = circuit.group[state], int(circuit.mines[state])
        if mines > 0 and circuit.alive[state]:
            ways = BINOMIAL[size_of(partition, group) - 1, mines - 1]
            others = outside.least[state]
            at = terms * (1 + group - first) + mines + others - least
            for k in range(outside.most[state] - others + 1):
                more = rows[at + k] + ways * outside.values[outside.start[state] + k]
                rows[at + k] = more % modulus if modulus > 0 else more
    return rows


@inner_kernel
def join_rows(ones: Array, length: int, others: Array, terms: int) -> Array:
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
