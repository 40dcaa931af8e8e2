"""Layouts that together show every possible value of the cells, each of them as many as one layout
can.

A layout takes one pair for each state, from the roots down (`join_tree`). The most values that can
be shown below a state are the maximum over its pairs of the sum of what the two children can show:
one pass over the pairs, with maximum and plus for plus and times. Where the number of mines is
given there is such a maximum for each number, and components are added up in the same way.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from direct.kernel import Array, inner_kernel, kernel
from direct.minesweeper.closure import MINE, NO_MINE, UNKNOWN, longer
from direct.minesweeper.components import Partition
from direct.minesweeper.join_tree import Circuit


class Shown(NamedTuple):
    """How many values can be shown below each state, by the number of mines there.

    Attributes:
        least, most: int64 per state, the fewest and the most mines; `most` is the lower one where
            there is no layout.
        start: int64 per state, where the numbers for `least`, `least` + 1, ... mines begin in
            `values`.
        values: int32, the most values that one layout shows; -1 if there is no layout with so many
            mines.
    """

    least: Array
    most: Array
    start: Array
    values: Array


@kernel
def show_all(
    known: Array,
    partition: Partition,
    circuit: Circuit,
    free: Array,
    wanted: Array,
    weight: int,
    mines: int,
) -> tuple[Array, int]:
    """Layouts of closed constraints that together show all wanted values that are possible; one at
    least.

    Args:
        known: int8 per padded cell, what the closure says.
        circuit: the components, all of them DECIDED.
        free: int32, the unknown cells that touch no clue.
        wanted: int8 per padded cell, bit v set where the value v is wanted; what is shown is
            cleared.
        weight, mines: 1 and the number of mines on the unknown cells, or 0 and 0 if any number will
            do.

    Returns:
        layouts: int8, one after the other, 1 for a mine in each padded cell; what follows the last
            is undefined.
        count: their number.
    """
    cells, group_start = partition.cells, partition.group_start
    group_of, mines_of, alive = circuit.group, circuit.mines, circuit.alive
    components, none = (
        circuit.status.size,
        alive.size,
    )  # the states from `none` on are of no component, of the first, the first two ...
    every = none + components
    pairs, linked = np.empty((circuit.pairs.shape[0] + components, 3), np.int32), 0
    for pair in range(circuit.pairs.shape[0]):
        if alive[circuit.pairs[pair, 2]]:
            pairs[linked] = circuit.pairs[pair]
            linked += 1
    for component in range(components):
        pairs[linked, 0], pairs[linked, 2] = none + component, none + component + 1
        pairs[linked, 1] = circuit.state_start[component + 1] - 1
        linked += 1
    shown = room_for(group_of, mines_of, alive, pairs[:linked], every + 1, weight)
    chosen = np.full(every + 1, -1, np.int64)  # of the states of a layout, the mines below
    layouts, count = np.empty(2 * known.size, np.int8), 0
    while True:
        for k in range(shown.values.size):
            shown.values[k] = -1
        shown.values[shown.start[none]] = 0
        for state in range(none):
            group = group_of[state]
            if group >= 0 and alive[state]:
                safe_wanted, mine_wanted = wanted_among(
                    cells, group_start[group], group_start[group + 1], wanted
                )
                safe_cells = group_start[group + 1] - group_start[group] - mines_of[state]
                shown.values[shown.start[state]] = min(mines_of[state], mine_wanted) + min(
                    safe_cells, safe_wanted
                )
        for pair in range(linked):
            maximise(shown, pairs[pair, 0], pairs[pair, 1], pairs[pair, 2])
        safe_wanted, mine_wanted = wanted_among(free, 0, free.size, wanted)
        best, on_free = -1, 0
        for number in range(free.size + 1):
            values = value_of(shown, every, weight * (mines - number))
            if values >= 0:
                values += min(number, mine_wanted) + min(free.size - number, safe_wanted)
                if values > best:
                    best, on_free = values, number
        if best < 0 or (best == 0 and count > 0):
            return layouts, count
        if (count + 1) * known.size > layouts.size:
            layouts = longer(layouts, 0)
        layout = layouts[count * known.size : (count + 1) * known.size]
        for cell in range(known.size):
            layout[cell] = known[cell]
        count += 1
        place(free, 0, free.size, on_free, wanted, layout)
        chosen[every] = weight * (mines - on_free)
        for pair in range(linked - 1, -1, -1):
            one, other, whole = pairs[pair, 0], pairs[pair, 1], pairs[pair, 2]
            if chosen[whole] >= 0:
                part = part_of(shown, one, other, whole, int(chosen[whole]))
                if part >= 0:
                    chosen[one], chosen[other], chosen[whole] = part, chosen[whole] - part, -1
        chosen[none] = -1
        for state in range(none):
            if chosen[state] >= 0:
                group = group_of[state]
                place(
                    cells,
                    group_start[group],
                    group_start[group + 1],
                    mines_of[state],
                    wanted,
                    layout,
                )
                chosen[state] = -1


@inner_kernel
def room_for(
    group_of: Array, mines_of: Array, alive: Array, pairs: Array, states: int, weight: int
) -> Shown:
    """The numbers of mines that there can be below each state, and room for what can be shown with
    each.
    """
    least, most, start = (
        np.full(states, 1 << 40, np.int64),
        np.full(states, -1, np.int64),
        np.empty(states, np.int64),
    )
    least[alive.size] = most[alive.size] = 0
    for state in range(alive.size):
        if group_of[state] >= 0 and alive[state]:
            least[state] = most[state] = weight * mines_of[state]
    for pair in range(pairs.shape[0]):
        one, other, whole = pairs[pair, 0], pairs[pair, 1], pairs[pair, 2]
        least[whole] = min(least[whole], least[one] + least[other])
        most[whole] = max(most[whole], most[one] + most[other])
    room = 0
    for state in range(states):
        start[state] = room
        room += max(0, most[state] - least[state] + 1)
    return Shown(least, most, start, np.empty(room, np.int32))


@inner_kernel
def value_of(shown: Shown, state: int, mines: int) -> int:
    """How many values can be shown below a state with so many mines; -1 if there is no layout."""
    if mines < shown.least[state] or mines > shown.most[state]:
        return -1
    return int(shown.values[shown.start[state] + mines - shown.least[state]])


@inner_kernel
def maximise(shown: Shown, one: int, other: int, whole: int) -> None:
    """Let `whole` show what `one` and `other` show together, where that is more than before."""
    for i in range(shown.least[one], shown.most[one] + 1):
        first = value_of(shown, one, i)
        for j in range(shown.least[other], shown.most[other] + 1):
            second = value_of(shown, other, j)
            at = shown.start[whole] + i + j - shown.least[whole]
            if first >= 0 and second >= 0 and first + second > shown.values[at]:
                shown.values[at] = first + second


@inner_kernel
def part_of(shown: Shown, one: int, other: int, whole: int, mines: int) -> int:
    """The mines below `one`, if it and `other` together show what `whole` shows with so many mines;
    else -1.
    """
    for i in range(shown.least[one], shown.most[one] + 1):
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
def place(cells: Array, begin: int, end: int, mines: int, wanted: Array, layout: Array) -> None:
    """Place mines on cells: first where only a mine is wanted, last where only a safe cell is;
    clear the bits of what is shown.
    """
    for turn in range(4):
        choice = (turn + 2) & 3
        for at in range(begin, end):
            cell = cells[at]
            if wanted[cell] == choice and layout[cell] == UNKNOWN:
                layout[cell] = MINE if mines > 0 else NO_MINE
                mines -= 1
    for at in range(begin, end):
        wanted[cells[at]] &= ~(1 << layout[cells[at]]) & 3
