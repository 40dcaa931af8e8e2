"""The fourth step: how many mines there can be below each state, and what a given number of mines
for the whole board leaves possible.

The mines below a state are those of its two children added up, for one of its pairs. So the numbers
that are possible there are all sums of one number of each child: one pass over the pairs, upwards.
Components are joined in a chain in the same way: a further state stands for the first component,
the first two, and so on. The last state of the chain stands for all of them. Cells that touch no
clue take the mines that are left. A second pass, downwards, keeps for each state the numbers that
some layout of the whole board has there.

`counts` and `layouts` go over the same numbers: they say how many layouts there are with each, and
what a layout with each can show.

Time is linear in the pairs, and quadratic in how far the numbers of a state lie apart.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from direct.kernel import Array, inlined_kernel, inner_kernel
from direct.minesweeper.join_tree import Circuit


class MineNumbers(NamedTuple):
    """The numbers of mines below each state, in one row for all states.

    Attributes:
        least, most: int64 per state, the fewest and the most mines; `most` is the lower one where
            no layout reaches the state.
        start: int64 per state, the place of `least` mines in the row; more mines follow it.
        room: the length of the row.
    """

    least: Array
    most: Array
    start: Array
    room: int


class NumberValues(NamedTuple):
    """A value for each number of mines below each state.

    Attributes:
        numbers: the numbers of mines.
        values: int32, -1 if there is no layout with so many mines.
    """

    numbers: MineNumbers
    values: Array


@inner_kernel
def chained_pairs(circuit: Circuit) -> Array:
    """The pairs of all components, and then one for each link of their chain.

    The chain begins with a state of no component, whose number is that of all states. The state k
    after it stands for the first k components. Its pair joins the state before it and a root.
    """
    count, states = circuit.pairs.shape[0], circuit.alive.size
    pairs = np.empty((count + circuit.root.size, 3), np.int32)
    for pair in range(count):
        for k in range(3):
            pairs[pair, k] = circuit.pairs[pair, k]
    for component in range(circuit.root.size):
        pairs[count + component, 0] = states + component
        pairs[count + component, 1] = circuit.root[component]
        pairs[count + component, 2] = states + component + 1
    return pairs


@inner_kernel
def numbers_below(circuit: Circuit, pairs: Array, counting: int) -> MineNumbers:
    """The least and the most mines below each state of the circuit and of its chain.

    `counting`: 1, or 0 if mines are not to be counted. Then each state has the one number 0.
    """
    none, states = circuit.alive.size, circuit.alive.size + circuit.root.size + 1
    least, most = np.full(states, 1 << 40, np.int64), np.full(states, -1, np.int64)
    least[none] = most[none] = 0
    for state in range(none):
        if circuit.group[state] >= 0 and circuit.alive[state]:
            least[state] = most[state] = counting * circuit.mines[state]
    for pair in range(pairs.shape[0]):
        one, other, whole = pairs[pair, 0], pairs[pair, 1], pairs[pair, 2]
        least[whole] = min(least[whole], least[one] + least[other])
        most[whole] = max(most[whole], most[one] + most[other])
    return with_room(least, most)


@inner_kernel
def with_room(least: Array, most: Array) -> MineNumbers:
    """Give each state its place in the row."""
    start, room = np.empty(least.size, np.int64), 0
    for state in range(least.size):
        start[state] = room
        room += max(0, most[state] - least[state] + 1)
    return MineNumbers(least, most, start, room)


@inner_kernel
def keep_number(circuit: Circuit, free: int, mines: int) -> tuple[int, int]:
    """Leave alive only the leaves of layouts with so many mines on the unknown cells.

    Returns the fewest and the most of them on the `free` cells, which touch no clue. The most are
    -1 if there is no layout.
    """
    pairs = chained_pairs(circuit)
    numbers = numbers_below(circuit, pairs, 1)
    below = NumberValues(numbers, np.full(numbers.room, -1, np.int32))
    fits = np.zeros(numbers.room, np.bool_)
    every = circuit.alive.size + circuit.root.size
    below.values[numbers.start[circuit.alive.size]] = 0
    for state in range(circuit.alive.size):
        if circuit.group[state] >= 0 and circuit.alive[state]:
            below.values[numbers.start[state]] = 0
    for pair in range(pairs.shape[0]):
        maximise(below, pairs[pair, 0], pairs[pair, 1], pairs[pair, 2])
    fewest, most = free, -1
    for number in range(numbers.least[every], numbers.most[every] + 1):
        if value_of(below, every, number) >= 0 and 0 <= mines - number <= free:
            fits[numbers.start[every] + number - numbers.least[every]] = True
            fewest, most = min(fewest, mines - number), max(most, mines - number)
    for pair in range(pairs.shape[0] - 1, -1, -1):
        split_up(below, pairs[pair, 0], pairs[pair, 1], pairs[pair, 2], fits)
    for state in range(circuit.alive.size):
        if circuit.group[state] >= 0 and circuit.alive[state]:
            circuit.alive[state] = int(fits[numbers.start[state]])
    return fewest, most


@inner_kernel
def value_of(below: NumberValues, state: int, mines: int) -> int:
    """The value of a state with so many mines below it; -1 if there is no layout."""
    if mines < below.numbers.least[state] or mines > below.numbers.most[state]:
        return -1
    return int(below.values[below.numbers.start[state] + mines - below.numbers.least[state]])


@inner_kernel
def maximise(below: NumberValues, one: int, other: int, whole: int) -> None:
    """Let `whole` have the sums of the values of `one` and `other`, where these are more than
    before.
    """
    numbers = below.numbers
    for i in range(numbers.least[one], numbers.most[one] + 1):
        first = value_of(below, one, i)
        for j in range(numbers.least[other], numbers.most[other] + 1):
            second = value_of(below, other, j)
            at = numbers.start[whole] + i + j - numbers.least[whole]
            if first >= 0 and second >= 0 and first + second > below.values[at]:
                below.values[at] = first + second


@inlined_kernel
def split_up(below: NumberValues, one: int, other: int, whole: int, fits: Array) -> None:
    """Note which numbers the children have where `whole` has one that fits the whole board."""
    least, most, start, _ = below.numbers
    for i in range(most[one] - least[one] + 1):
        for j in range(most[other] - least[other] + 1):
            at = start[whole] + i + j + least[one] + least[other] - least[whole]
            both = min(below.values[start[one] + i], below.values[start[other] + j])
            if both >= 0 and fits[at]:
                fits[start[one] + i] = fits[start[other] + j] = True
