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
from direct.kernel import Array, inlined_kernel, inner_kernel, kernel
from direct.minesweeper.closure import MINE, UNKNOWN, is_opened, longer, marked
from direct.minesweeper.components import Partition
from direct.minesweeper.join_tree import DECIDED, Circuit, parts_of

BINOMIAL = np.array([[comb(n, k) for k in range(9)] for n in range(9)], np.int64)


OPENED_PLACE, FIRST_PLACE = UNKNOWN + 1, UNKNOWN + 2


class Tallies(NamedTuple):
    """The layouts of all components, counted.

    Attributes:
        low: int32 (components), the fewest mines of a layout.
        start: int64 (components + 1), where each component's numbers begin: its layouts with `low`,
            `low` + 1, ... mines; then, group by group, those of them in which one given cell of the
            group is a mine. One that is not counted has none.
        numbers: int64, those numbers; what follows the last is undefined.
    """

    low: Array
    start: Array
    numbers: Array


class Counted(NamedTuple):
    """The layouts of one board.

    Attributes:
        shown: uint8 (rows, columns), the board with `X` or `O` on each cell that the closure
            decides.
        clash: int32 (1), as of `BoardParts`.
        place: int32 per cell: its group, from FIRST_PLACE on; without a group OPENED_PLACE, or what
            is known of it.
        free, mines: how many unknown cells touch no clue, and how many cells are known to be mines.
        size: int32 per group, its number of cells.
        component_start: int32 (components + 1), where each component's groups begin.
        tallies: the layouts of the components.
    """

    shown: Array
    clash: Array
    place: Array
    free: int
    mines: int
    size: Array
    component_start: Array
    tallies: Tallies


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
    place = np.empty(grid.size, np.int32)
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
    shown, tallies = marked(grid, starts, known), tallies_of(partition, circuit)
    size = partition.group_start[1:] - partition.group_start[:-1]
    return Counted(shown, clash, place, free, mines, size, partition.component_start, tallies)


@inner_kernel
def tallies_of(partition: Partition, circuit: Circuit) -> Tallies:
    """Count the layouts of the components that are DECIDED.

    A component is not counted if it has `thresholds.COUNTED_LAYOUTS` layouts, or if its polynomials
    need more than `thresholds.COUNTED_SIZE` coefficients. Time is linear in the pairs and quadratic
    in the range of their numbers of mines.
    """
    components = circuit.status.size
    low, start, numbers = (
        np.zeros(components, np.int32),
        np.zeros(components + 1, np.int64),
        np.empty(256, np.int64),
    )
    for component in range(components):
        end = int(start[component])
        start[component + 1] = end
        first, last = (
            int(partition.component_start[component]),
            int(partition.component_start[component + 1]),
        )
        base, root = (
            int(circuit.state_start[component]),
            int(circuit.state_start[component + 1]) - 1,
        )
        states, cells = root + 1 - base, int(circuit.cells[component])
        if circuit.status[component] != DECIDED or states * (cells + 1) > thresholds.COUNTED_SIZE:
            continue
        inside, outside = nothing_counted(states, cells), nothing_counted(states, cells)
        layouts = np.zeros(states, np.float64)
        for state in range(base, root + 1):
            group, mines = circuit.group[state], circuit.mines[state]
            if group >= 0:
                ways = BINOMIAL[
                    partition.group_start[group + 1] - partition.group_start[group], mines
                ]
                inside.numbers[state - base, mines] = layouts[state - base] = ways
                inside.least[state - base] = inside.most[state - base] = mines
        begin_pairs, end_pairs = (
            int(circuit.pair_start[component]),
            int(circuit.pair_start[component + 1]),
        )
        for pair in range(begin_pairs, end_pairs):
            one, other, whole = (
                circuit.pairs[pair, 0] - base,
                circuit.pairs[pair, 1] - base,
                circuit.pairs[pair, 2] - base,
            )
            if circuit.alive[base + whole]:
                layouts[whole] += layouts[one] * layouts[other]
                if layouts[whole] >= thresholds.COUNTED_LAYOUTS:
                    break
                add_product(inside, whole, inside, one, inside, other)
        if layouts.max() >= thresholds.COUNTED_LAYOUTS:
            continue
        outside.numbers[states - 1, 0] = 1
        outside.least[states - 1] = outside.most[states - 1] = 0
        for pair in range(end_pairs - 1, begin_pairs - 1, -1):
            one, other, whole = (
                circuit.pairs[pair, 0] - base,
                circuit.pairs[pair, 1] - base,
                circuit.pairs[pair, 2] - base,
            )
            add_product(outside, one, outside, whole, inside, other)
            add_product(outside, other, outside, whole, inside, one)
        least, terms = (
            int(inside.least[states - 1]),
            int(inside.most[states - 1] - inside.least[states - 1]) + 1,
        )
        low[component] = least
        start[component + 1] = end + terms * (1 + last - first)
        if start[component + 1] > numbers.size:
            numbers = longer(numbers, start[component + 1])
        for at in range(end, start[component + 1]):
            numbers[at] = inside.numbers[states - 1, least + at - end] if at < end + terms else 0
        for state in range(base, root + 1):
            group, mines = circuit.group[state], int(circuit.mines[state])
            if mines > 0:
                ways = BINOMIAL[
                    partition.group_start[group + 1] - partition.group_start[group] - 1, mines - 1
                ]
                for others in range(outside.least[state - base], outside.most[state - base] + 1):
                    at = end + terms * (1 + group - first) + mines + others - least
                    numbers[at] += ways * outside.numbers[state - base, others]
    return Tallies(low, start, numbers)


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
