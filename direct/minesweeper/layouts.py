"""Layouts that together show every possible value of the cells, each of them as many as one layout can.

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
    """How many values can be shown with each number of mines: below each state, or in the first components together.

    Attributes:
        least, most: int64, the fewest and the most mines; `most` is the lower one where there is no layout.
        start: int64, where the numbers for `least`, `least` + 1, ... mines begin in `values`.
        values: int32, the most values that one layout shows; -1 if there is no layout with so many mines.
    """

    least: Array
    most: Array
    start: Array
    values: Array


@kernel
def show_all(
    known: Array, partition: Partition, circuit: Circuit, free: Array, wanted: Array, weight: int, mines: int
) -> tuple[Array, int]:
    """Layouts of closed constraints that together show all wanted values that are possible; one at least.

    Args:
        known: int8 per padded cell, what the closure says.
        circuit: the components, all of them DECIDED.
        free: int32, the unknown cells that touch no clue.
        wanted: int8 per padded cell, bit v set where the value v is wanted; what is shown is cleared.
        weight, mines: 1 and the number of mines on the unknown cells, or 0 and 0 if any number will do.

    Returns:
        layouts: int8, one after the other, 1 for a mine in each padded cell; what follows the last is undefined.
        count: their number.
    """
    cells, group_start, state_start = partition.cells, partition.group_start, circuit.state_start
    left, right, whole, alive = circuit.left, circuit.right, circuit.whole, circuit.alive
    groups, components = group_start.size - 1, circuit.root.size
    states, sums = no_layouts(alive.size), no_layouts(components + 1)
    for group in range(groups):
        for state in range(state_start[circuit.leaf[group]], state_start[circuit.leaf[group] + 1]):
            if alive[state]:
                states.least[state] = states.most[state] = weight * circuit.mines[state]
    for pair in range(whole.size):
        if alive[whole[pair]]:
            widen(states, whole[pair], states, left[pair], states, right[pair])
    sums.least[0] = sums.most[0] = 0
    for k in range(components):
        widen(sums, k + 1, sums, k, states, state_start[circuit.root[k]])
    states, sums = with_room(states), with_room(sums)
    chosen = np.full(alive.size, -1, np.int64)  # of the states of a layout, the mines below
    layouts, count = np.empty(2 * known.size, np.int8), 0
    while True:
        forget(states)
        forget(sums)
        for group in range(groups):
            safe_wanted, mine_wanted = wanted_among(cells, group_start[group], group_start[group + 1], wanted)
            for state in range(state_start[circuit.leaf[group]], state_start[circuit.leaf[group] + 1]):
                if alive[state]:
                    mines_here = int(circuit.mines[state])
                    safe_here = group_start[group + 1] - group_start[group] - mines_here
                    states.values[states.start[state]] = min(mines_here, mine_wanted) + min(safe_here, safe_wanted)
        for pair in range(whole.size):
            if alive[whole[pair]]:
                maximise(states, whole[pair], states, left[pair], states, right[pair])
        sums.values[sums.start[0]] = 0
        for k in range(components):
            maximise(sums, k + 1, sums, k, states, state_start[circuit.root[k]])
        safe_wanted, mine_wanted = wanted_among(free, 0, free.size, wanted)
        best, on_free, rest = -1, 0, weight * mines
        for number in range(free.size + 1):
            others = weight * (mines - number)
            if sums.least[components] <= others <= sums.most[components]:
                values = sums.values[sums.start[components] + others - sums.least[components]]
                values += min(number, mine_wanted) + min(free.size - number, safe_wanted) if values >= 0 else 0
                if values > best:
                    best, on_free, rest = values, number, others
        if best < 0 or (best == 0 and count > 0):
            return layouts, count
        if (count + 1) * known.size > layouts.size:
            layouts = longer(layouts, 0)
        layout = layouts[count * known.size : (count + 1) * known.size]
        for cell in range(known.size):
            layout[cell] = known[cell]
        count += 1
        place(free, 0, free.size, on_free, wanted, layout)
        for k in range(components - 1, -1, -1):
            root = state_start[circuit.root[k]]
            before = first_part(sums, k + 1, rest, sums, k, states, root)
            chosen[root] = rest - before
            rest = before
        for pair in range(whole.size - 1, -1, -1):
            total = int(chosen[whole[pair]])
            if total >= 0:
                part = first_part(states, whole[pair], total, states, left[pair], states, right[pair])
                if part >= 0:
                    chosen[left[pair]], chosen[right[pair]], chosen[whole[pair]] = part, total - part, -1
        for group in range(groups):
            for state in range(state_start[circuit.leaf[group]], state_start[circuit.leaf[group] + 1]):
                if chosen[state] >= 0:
                    place(cells, group_start[group], group_start[group + 1], int(circuit.mines[state]), wanted, layout)
                    chosen[state] = -1


@inner_kernel
def no_layouts(count: int) -> Shown:
    """No layout for so many things, and no room for any."""
    least, start = np.full(count, 1 << 40, np.int64), np.zeros(count, np.int64)
    return Shown(least, np.full(count, -1, np.int64), start, np.empty(0, np.int32))


@inner_kernel
def widen(to: Shown, whole: int, ones: Shown, one: int, others: Shown, other: int) -> None:
    """Let `whole` have each sum of a number of mines of `one` and one of `other`."""
    if ones.least[one] <= ones.most[one] and others.least[other] <= others.most[other]:
        to.least[whole] = min(to.least[whole], ones.least[one] + others.least[other])
        to.most[whole] = max(to.most[whole], ones.most[one] + others.most[other])


@inner_kernel
def with_room(shown: Shown) -> Shown:
    """The same numbers of mines, with room for the values that can be shown with each."""
    room = 0
    for k in range(shown.start.size):
        shown.start[k] = room
        room += max(0, shown.most[k] - shown.least[k] + 1)
    return Shown(shown.least, shown.most, shown.start, np.empty(room, np.int32))


@inner_kernel
def forget(shown: Shown) -> None:
    """Note that there is no layout with any number of mines."""
    for k in range(shown.values.size):
        shown.values[k] = -1


@inner_kernel
def maximise(to: Shown, whole: int, ones: Shown, one: int, others: Shown, other: int) -> None:
    """Let `whole` show what `one` and `other` show together, where that is more than before."""
    for i in range(ones.least[one], ones.most[one] + 1):
        first = ones.values[ones.start[one] + i - ones.least[one]]
        for j in range(others.least[other], others.most[other] + 1):
            second = others.values[others.start[other] + j - others.least[other]]
            at = to.start[whole] + i + j - to.least[whole]
            if first >= 0 and second >= 0 and first + second > to.values[at]:
                to.values[at] = first + second


@inner_kernel
def first_part(to: Shown, whole: int, total: int, ones: Shown, one: int, others: Shown, other: int) -> int:
    """The mines of `one`, if `whole` shows the most with `total` mines by means of `one` and `other`; else -1."""
    best = to.values[to.start[whole] + total - to.least[whole]]
    for i in range(ones.least[one], ones.most[one] + 1):
        if others.least[other] <= total - i <= others.most[other]:
            first = ones.values[ones.start[one] + i - ones.least[one]]
            second = others.values[others.start[other] + total - i - others.least[other]]
            if first >= 0 and second >= 0 and first + second == best:
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
    """Place mines on cells: first where only a mine is wanted, last where only a safe cell is; clear the bits of what is shown."""
    for turn in range(4):
        choice = (turn + 2) & 3
        for at in range(begin, end):
            cell = cells[at]
            if wanted[cell] == choice and layout[cell] == UNKNOWN:
                layout[cell] = MINE if mines > 0 else NO_MINE
                mines -= 1
    for at in range(begin, end):
        wanted[cells[at]] &= ~(1 << layout[cells[at]]) & 3
