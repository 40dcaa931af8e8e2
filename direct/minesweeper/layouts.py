"""The seventh step: layouts that together show every possible value of the cells, each of them as
many as one layout can.

A layout takes one pair for each state, from the roots down (`join_tree`). The most values that can
be shown below a state are the maximum over its pairs of the sum of what the two children can show:
one pass over the pairs, with maximum and plus for plus and times. Where the number of mines is
given there is such a maximum for each number, and components are added up along their chain
(`mine_numbers`). What one layout has shown the next need not show. Fewest layouts are not promised:
to take each time the one that shows most is the greedy rule for covering a set.

Time, for each layout, is linear in the pairs; with a number of mines also quadratic in how far the
numbers of a state lie apart.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from direct.kernel import Array, inner_kernel, kernel
from direct.minesweeper.closure import HAS_MINE, NO_MINE, UNKNOWN, longer
from direct.minesweeper.components import Partition
from direct.minesweeper.decide import parts_of
from direct.minesweeper.join_tree import Circuit
from direct.minesweeper.mine_numbers import (
    NumberValues,
    chained_pairs,
    maximise,
    numbers_below,
    value_of,
)


class Layouts(NamedTuple):
    """Layouts of one board.

    Attributes:
        layouts: int8, one after the other, 1 for a mine in each padded cell; what follows the last
            is undefined.
        number: how many.
        too_wide, width: as of `Circuit`. There are layouts only if no component is too wide.
    """

    layouts: Array
    number: int
    too_wide: int
    width: int


@kernel
def show_all(grid: Array, wanted: Array, mines: int, most_pairs: int) -> Layouts:
    """Layouts of one board that together show all wanted values that are possible; one at least.

    Args:
        grid: its character codes, uint8 (rows, columns).
        wanted: int8 per padded cell, bit v set where the value v is wanted; what is shown is
            cleared.
        mines: the number of mines, or -1 if any will do.
    """
    (known, _, _, _), _, partition, circuit, free, known_mines = parts_of(grid, most_pairs)
    if circuit.too_wide > 0:
        return Layouts(known, 0, circuit.too_wide, circuit.width)
    counting = int(mines >= 0)
    layouts, count = layouts_of(
        known, partition, circuit, free, wanted, counting, mines - known_mines
    )
    return Layouts(layouts, count, circuit.too_wide, circuit.width)


@inner_kernel
def layouts_of(
    known: Array,
    partition: Partition,
    circuit: Circuit,
    free: Array,
    wanted: Array,
    counting: int,
    mines: int,
) -> tuple[Array, int]:
    """The layouts of `show_all`, and their number.

    Args:
        free: int32, the unknown cells that touch no clue.
        counting, mines: 1 and the number of mines on the unknown cells, or 0 if any number will do.
    """
    cells, group_start = partition.cells, partition.group_start
    group_of, mines_of, alive = circuit.group, circuit.mines, circuit.alive
    none, every = alive.size, alive.size + circuit.root.size  # the ends of the chain
    pairs = chained_pairs(circuit)
    numbers = numbers_below(circuit, pairs, counting)
    shown = NumberValues(numbers, np.empty(numbers.room, np.int32))
    linked = pairs.shape[0]
    chosen = np.full(every + 1, -1, np.int64)  # of the states of a layout, the mines below
    layouts, count = np.empty(2 * known.size, np.int8), 0
    while True:
        # Up: how many of the wanted values can be shown below each state.
        for k in range(shown.values.size):
            shown.values[k] = -1
        shown.values[numbers.start[none]] = 0
        for state in range(none):
            group = group_of[state]
            if group >= 0 and alive[state]:
                safe_wanted, mine_wanted = wanted_among(
                    cells, group_start[group], group_start[group + 1], wanted
                )
                safe_cells = group_start[group + 1] - group_start[group] - mines_of[state]
                shown.values[numbers.start[state]] = min(mines_of[state], mine_wanted) + min(
                    safe_cells, safe_wanted
                )
        for pair in range(linked):
            maximise(shown, pairs[pair, 0], pairs[pair, 1], pairs[pair, 2])
        # The free cells take the mines that are left; the best number for all together.
        safe_wanted, mine_wanted = wanted_among(free, 0, free.size, wanted)
        best, on_free = -1, 0
        for number in range(free.size + 1):
            values = value_of(shown, every, counting * (mines - number))
            if values >= 0:
                values += min(number, mine_wanted) + min(free.size - number, safe_wanted)
                if values > best:
                    best, on_free = values, number
        if best < 0 or (best == 0 and count > 0):
            return layouts, count
        if (count + 1) * known.size > layouts.size:
            layouts = longer(layouts, 0)
        # Down: a layout that shows as many. Each chosen state takes a pair that does.
        layout = layouts[count * known.size : (count + 1) * known.size]
        for cell in range(known.size):
            layout[cell] = known[cell]
        count += 1
        place_mines(free, 0, free.size, on_free, wanted, layout)
        chosen[every] = counting * (mines - on_free)
        for pair in range(linked - 1, -1, -1):
            one, other, whole = pairs[pair, 0], pairs[pair, 1], pairs[pair, 2]
            if chosen[whole] >= 0:
                part = mines_of_part(shown, one, other, whole, int(chosen[whole]))
                if part >= 0:
                    chosen[one], chosen[other], chosen[whole] = part, chosen[whole] - part, -1
        chosen[none] = -1
        for state in range(none):
            if chosen[state] >= 0:
                group = group_of[state]
                place_mines(
                    cells,
                    group_start[group],
                    group_start[group + 1],
                    mines_of[state],
                    wanted,
                    layout,
                )
                chosen[state] = -1


@inner_kernel
def mines_of_part(shown: NumberValues, one: int, other: int, whole: int, mines: int) -> int:
    """The mines below `one`, if it and `other` together show what `whole` shows with so many mines;
    else -1.
    """
    for i in range(shown.numbers.least[one], shown.numbers.most[one] + 1):
        first, second = value_of(shown, one, i), value_of(shown, other, mines - i)
        if first >= 0 and second >= 0 and first + second == value_of(shown, whole, mines):
            return i
    return -1


@inner_kernel
def wanted_among(cells: Array, begin: int, end: int, wanted: Array) -> tuple[int, int]:
    """How many of the cells are wanted safe, and how many as a mine."""
    safe, mine = 0, 0
    for at in range(begin, end):
        safe += int(wanted[cells[at]]) & 1
        mine += int(wanted[cells[at]]) >> 1
    return safe, mine


@inner_kernel
def place_mines(
    cells: Array, begin: int, end: int, mines: int, wanted: Array, layout: Array
) -> None:
    """Place mines on cells: first where only a mine is wanted, last where only a safe cell is;
    clear the bits of what is shown.
    """
    for turn in range(4):
        choice = (turn + 2) & 3
        for at in range(begin, end):
            cell = cells[at]
            if wanted[cell] == choice and layout[cell] == UNKNOWN:
                layout[cell] = HAS_MINE if mines > 0 else NO_MINE
                mines -= 1
    for at in range(begin, end):
        wanted[cells[at]] &= ~(1 << layout[cells[at]]) & 3
