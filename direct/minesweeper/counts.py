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

Numbers are integers of 64 bits. Where a component has more layouts than these can say, they are
counted modulo a prime, for one prime after the other, and `probability` puts the remainders
together (the Chinese remainder theorem).
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
from direct.minesweeper.join_tree import DECIDED, Circuit
from direct.minesweeper.mine_numbers import (
    MineNumbers,
    living_pairs,
    numbers_below,
    with_room,
)

BINOMIAL = np.array([[comb(n, k) for k in range(9)] for n in range(9)], np.int64)

OPENED_CODE, FIRST_CODE = UNKNOWN + 1, UNKNOWN + 2

MAX_PRIME, MAX_COUNTED_CELLS = 2**25, 2**13
"""Primes are below the first, and the cells of a component that is counted modulo a prime below the
second: so many products of two remainders can be added in 64 bits.
"""


class Counted(NamedTuple):
    """The layouts of one board.

    Attributes:
        shown: uint8 (rows, columns), the board with `X` or `O` on each cell that the closure
            decides.
        clash, status, width, cells: as of `Decided`.
        code: int64 per cell: NO_MINE or HAS_MINE if it is known, UNKNOWN if it is free, OPENED_CODE
            if it is opened; else FIRST_CODE and the number of its group. `chances_of` has a list of
            probabilities in this order.
        free, mines: how many unknown cells touch no clue, and how many cells are known to be mines.
        size: int32 per group, its number of cells.
        layouts: float64 per component, about how many it has; infinite if that is beyond a float.
        components: int64 (components, 3), the fewest mines of a layout, the number of groups, and
            the length of each row of numbers: 0 if the component is not counted. One that was put
            together with the next has no groups left.
        numbers: int64, the rows of each component: its layouts with the fewest mines, with one
            more, and so on; then, group by group, those of them in which one given cell of the
            group is a mine.

    On the board at the top of `join_tree` components is [[1, 3, 2]], and numbers has the rows 1 1
    (the layouts), 0 1 (a), 1 0 (b) and 0 1 (c): with one mine, with two.
    """

    shown: Array
    clash: int
    status: Array
    width: Array
    cells: Array
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
        modulus: 0 to count the components of fewer than `thresholds.COUNTED_LAYOUTS` layouts, or a
            prime below MAX_PRIME to count the others modulo it.
        most_numbers: if the polynomials have more coefficients, no component is counted.
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
        circuit.status,
        circuit.width,
        circuit.cells,
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
    """About how many layouts each component has; 0 if it is not DECIDED."""
    below = np.zeros(circuit.alive.size, np.float64)
    for state in range(below.size):
        if circuit.group[state] >= 0:
            size = size_of(partition, circuit.group[state])
            below[state] = BINOMIAL[size, circuit.mines[state]]
    layouts = np.zeros(circuit.status.size, np.float64)
    for component in range(layouts.size):
        for pair in range(circuit.pair_start[component], circuit.pair_start[component + 1]):
            one, other, whole = (
                circuit.pairs[pair, 0],
                circuit.pairs[pair, 1],
                circuit.pairs[pair, 2],
            )
            if circuit.alive[whole]:
                below[whole] += below[one] * below[other]
        if circuit.status[component] == DECIDED:
            layouts[component] = below[circuit.state_start[component + 1] - 1]
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
    wanted = np.zeros(layouts.size, np.bool_)
    for component in range(layouts.size):
        first, last = partition.component_start[component], partition.component_start[component + 1]
        components[component, 1] = last - first
        is_large = layouts[component] >= thresholds.COUNTED_LAYOUTS
        if layouts[component] > 0 and is_large == (modulus > 0):
            wanted[component] = modulus == 0 or circuit.cells[component] < MAX_COUNTED_CELLS
    numbers, end = np.empty(256, np.int64), 0
    pairs = living_pairs(circuit, wanted, 0)
    below = numbers_below(circuit, pairs, 1)
    above = numbers_above(circuit, pairs, below)
    if below.room + above.room > most_numbers:
        return components, numbers[:0]
    inside = Polynomials(below.least, below.most, below.start, np.zeros(below.room, np.int64))
    outside = Polynomials(above.least, above.most, above.start, np.zeros(above.room, np.int64))
    count_both_ways(partition, circuit, pairs, inside, outside, modulus)
    # The rows of each component, put together with those of the one before while both are small.
    begin, last, together = 0, -1, 0.0  # of the one before: its rows, its number, its layouts
    for component in range(layouts.size):
        if not wanted[component]:
            last = -1
            continue
        rows = component_rows(partition, circuit, component, inside, outside, modulus)
        groups, root = components[component, 1], circuit.state_start[component + 1] - 1
        least, terms = below.least[root], below.most[root] - below.least[root] + 1
        if last < 0 or modulus > 0 or together * layouts[component] >= thresholds.COUNTED_LAYOUTS:
            together = layouts[component]
        else:
            both, length = groups + components[last, 1], components[last, 2]
            if (length + terms - 1) * (1 + both) <= thresholds.JOINED_NUMBERS:
                rows = join_rows(numbers[begin:end], length, rows, terms)
                least, groups, terms = least + components[last, 0], both, length + terms - 1
                components[last, 1] = components[last, 2] = 0
                together, end = together * layouts[component], begin
            else:
                together = layouts[component]
        components[component, 0], components[component, 1] = least, groups
        components[component, 2] = terms
        begin, end, last = end, end + rows.size, component
        if end > numbers.size:
            numbers = longer(numbers, end)
        for k in range(rows.size):
            numbers[begin + k] = rows[k]
    return components, numbers[:end]


@inner_kernel
def numbers_above(circuit: Circuit, pairs: Array, below: MineNumbers) -> MineNumbers:
    """The least and the most mines outside of each state: in the part of a layout that is not below
    it, among the layouts of its component that have this state.
    """
    states = below.least.size
    least, most = np.full(states, 1 << 40, np.int64), np.full(states, -1, np.int64)
    for component in range(circuit.status.size):
        root = circuit.state_start[component + 1] - 1
        if below.least[root] <= below.most[root]:
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
    pairs: Array,
    inside: Polynomials,
    outside: Polynomials,
    modulus: int,
) -> None:
    """Count the layouts below each state, from the leaves up, and then outside of each state, from
    the roots down.
    """
    for state in range(circuit.alive.size):
        if circuit.group[state] >= 0 and circuit.alive[state]:
            size = size_of(partition, circuit.group[state])
            inside.values[inside.start[state]] = BINOMIAL[size, circuit.mines[state]]
    for pair in range(pairs.shape[0]):
        one, other, whole = pairs[pair, 0], pairs[pair, 1], pairs[pair, 2]
        add_product(inside, whole, inside, one, inside, other, modulus)
    for component in range(circuit.status.size):
        root = circuit.state_start[component + 1] - 1
        if outside.most[root] == 0:
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
    """Add to the polynomial of `whole` the product of that of `one` and that of `other`.

    Remainders are taken once for all terms: fewer than MAX_COUNTED_CELLS products have been added
    then.
    """
    terms = ones.most[one] - ones.least[one] + 1
    more = others.most[other] - others.least[other] + 1
    at, by = ones.start[one], others.start[other]
    put = to.start[whole] - to.least[whole]
    put += ones.least[one] + others.least[other]
    for i in range(terms):
        for j in range(more):
            to.values[put + i + j] += ones.values[at + i] * others.values[by + j]
    if modulus > 0:
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
    states, root = circuit.state_start[component], circuit.state_start[component + 1] - 1
    least = inside.least[root]
    terms = inside.most[root] - least + 1
    rows = np.zeros((1 + end - first) * terms, np.int64)
    for k in range(terms):
        rows[k] = inside.values[inside.start[root] + k]
    for state in range(states, root + 1):
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
