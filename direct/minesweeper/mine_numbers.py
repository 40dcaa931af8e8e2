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


@inner_kernel
def living_pairs(circuit: Circuit, wanted: Array, more: int) -> Array:
    """The pairs of the wanted components (bool each) that layouts take; children come first. After
    them there is room for so many `more`.
    """
    pairs = np.empty((circuit.pairs.shape[0] + more, 3), np.int32)
    count = 0
    for component in range(wanted.size):
        for pair in range(circuit.pair_start[component], circuit.pair_start[component + 1]):
            if wanted[component] and circuit.alive[circuit.pairs[pair, 2]]:
                for k in range(3):
                    pairs[count, k] = circuit.pairs[pair, k]
                count += 1
    return pairs[: count + more]


@inner_kernel
def chained_pairs(circuit: Circuit) -> Array:
    """The living pairs of all components, and then one for each link of their chain.

    The chain begins with a state of no component, whose number is that of all states. The state k
    after it stands for the first k components. Its pair joins the state before it and a root.
    """
    components, states = circuit.status.size, circuit.alive.size
    pairs = living_pairs(circuit, np.ones(components, np.bool_), components)
    living = pairs.shape[0] - components
    for component in range(components):
        link = living + component
        pairs[link, 0] = states + component
        pairs[link, 1] = circuit.state_start[component + 1] - 1
        pairs[link, 2] = states + component + 1
    return pairs


@inner_kernel
def numbers_below(circuit: Circuit, pairs: Array, counting: int) -> MineNumbers:
    """The least and the most mines below each state of the circuit and of its chain.

    `counting`: 1, or 0 if mines are not to be counted. Then each state has the one number 0.
    """
    none, states = circuit.alive.size, circuit.alive.size + circuit.status.size + 1
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
    below, fits = np.zeros(numbers.room, np.bool_), np.zeros(numbers.room, np.bool_)
    every = circuit.alive.size + circuit.status.size
    below[numbers.start[circuit.alive.size]] = True
    for state in range(circuit.alive.size):
        if circuit.group[state] >= 0 and circuit.alive[state]:
            below[numbers.start[state]] = True
    for pair in range(pairs.shape[0]):
        add_up(numbers, pairs[pair, 0], pairs[pair, 1], pairs[pair, 2], below)
    fewest, most = free, -1
    for number in range(numbers.least[every], numbers.most[every] + 1):
        at = numbers.start[every] + number - numbers.least[every]
        if below[at] and 0 <= mines - number <= free:
            fits[at] = True
            fewest, most = min(fewest, mines - number), max(most, mines - number)
    for pair in range(pairs.shape[0] - 1, -1, -1):
        split_up(numbers, pairs[pair, 0], pairs[pair, 1], pairs[pair, 2], below, fits)
    for state in range(circuit.alive.size):
        if circuit.group[state] >= 0 and circuit.alive[state]:
            circuit.alive[state] = int(fits[numbers.start[state]])
    return fewest, most


@inlined_kernel
def add_up(numbers: MineNumbers, one: int, other: int, whole: int, below: Array) -> None:
    """Note which numbers `whole` can have by this pair: the sums of one of each child."""
    least, most, start, _ = numbers
    for i in range(most[one] - least[one] + 1):
        for j in range(most[other] - least[other] + 1):
            if below[start[one] + i] and below[start[other] + j]:
                below[start[whole] + i + j + least[one] + least[other] - least[whole]] = True


@inlined_kernel
def split_up(
    numbers: MineNumbers, one: int, other: int, whole: int, below: Array, fits: Array
) -> None:
    """Note which numbers the children have where `whole` has one that fits the whole board."""
    least, most, start, _ = numbers
    for i in range(most[one] - least[one] + 1):
        for j in range(most[other] - least[other] + 1):
            at = start[whole] + i + j + least[one] + least[other] - least[whole]
            if below[start[one] + i] and below[start[other] + j] and fits[at]:
                fits[start[one] + i] = fits[start[other] + j] = True
