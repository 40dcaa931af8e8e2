"""The third step: the states of each component along a join tree, from which every question about
its layouts is answered.

A join tree is a binary tree here. Its leaves are the groups of a component. Each other node joins
two nodes, whose sets of cells are disjoint. A clue is open at a node if some of its cells are below
that node and some are not. A state of a node says for each open clue how many of its cells below
are mines. What is below and what is not meet only in the open clues. So, given the state, the cells
below and all others are independent: two ways to place mines below with the same state fit the same
layouts of the rest.

A state of a join comes from pairs: a state of one child and one of the other that agree with the
clues. So states and pairs are sums and products, and a layout takes one pair for each state, from
the root down. Here a state is only alive or not: it is part of a layout, or of none. What is asked
of layouts takes one pass over the pairs, up or down: which are possible, with how many mines
(`mine_numbers`), how many there are (`counts`), which of them shows most (`layouts`). All values
are integers: nothing is rounded.

Where every join takes a leaf, this is dynamic programming along a frontier. A tree keeps far fewer
clues open where cells are opened here and there. It comes from eliminating clue after clue: first
the clue that makes the states grow least, by joining all nodes at which it is open.

The board `###/2#1/#1.` leaves three groups a, b, c of one cell each, and two clues: a + b = 1 (clue
0) and b + c = 1 (clue 1).

| node | of | open clues | states: mines at open clues (key) | pairs |
|:---|:---|:---|:---|:---|
| 0 | a | 0 | s0: 0 (0), s1: 1 (1) | |
| 1 | b | 0, 1 | s2: 0, 0 (0), s3: 1, 1 (0101) | |
| 2 | c | 1 | s4: 0 (0), s5: 1 (1) | |
| 3 | 0 and 1 | 1 | s6: 1 (0100), s7: 0 (0) | s0 + s3 -> s6, s1 + s2 -> s7 |
| 4 | 2 and 3 | none | s8: the root | s4 + s6 -> s8, s5 + s7 -> s8 |

A field has two bits here: one for its mines, and a guard bit above. At node 3 the sum of the keys
of s1 (0001) and s3 (0101) is 0110: two mines at clue 0. `upper` is 1111, and 1111 - 0110 = 1001
lacks the guard bit of clue 0. So s1 and s3 make no pair.

Time is linear in the pairs. There can be exponentially many, in the number of clues that are open
at once: at most the product of the numbers of mines that these can have. To decide what is certain
is coNP-complete, so nothing better is expected for all boards. A component is too wide, and its
board is refused, with more than MAX_PAIRS pairs, more than TRIED times as many attempts at one, or
a sum of more than MAX_BITS bits.

Sources: S. L. Lauritzen, D. J. Spiegelhalter, "Local computations with probabilities on graphical
structures", 1988 (one pass up a tree and one down; theirs has cliques as its nodes, which may share
cells); R. Dechter, "Bucket elimination", 1999 (greedy orders); A. Darwiche, P. Marquis, "A
knowledge compilation map", 2002 (what one pass over sums and products answers).
"""

from __future__ import annotations

from typing import NamedTuple, Protocol, TypeVar

import numpy as np

from direct.kernel import SMALL, Array, Kernel, inlined_kernel, inner_kernel
from direct.minesweeper import thresholds
from direct.minesweeper.closure import Constraints, longer, offsets_around
from direct.minesweeper.components import Partition
from puzzles.backend import Unsupported

MAX_BITS = 62
"""Bits of a sum of two keys. Each clue has a field there: bits for its mines, and above them a
guard bit, which no key sets.
"""

TRIED = 16
"""Attempts at a pair, for each pair that a component may have. Of two nodes every state of the one
is tried with every state of the other, and not all agree.
"""

MAX_PAIRS = 2**24
"""Pairs of states that one component may have: 200 MB, and about a second."""

PRIME, MULTIPLIER = 2**31 - 19, 1664525
"""A key takes a place by its remainder modulo the first, times the second; that spreads keys that
differ in a few bits.
"""

CLOSED = 1e300
"""The growth of a clue that is not open."""


class Circuit(NamedTuple):
    """The states of all components, and the pairs that they come from.

    A component's states are those of its leaves, group by group, then those of its joins, each
    after its children. Its root has one state, the last. Where a component has no layout, or is too
    wide, there are no components here.

    Attributes:
        root: int32 per component, its last state.
        group: int32 per state, of a leaf its group, else -1.
        mines: int8 per state, of a leaf the mines on its group.
        alive: int8 per state, 1 if it is part of a layout.
        pairs: int32 (pairs, 3), those that are part of a layout: the state of one child, that of
            the other, and the one that they make. Children come first.
        clash: a component that has no layout, or -1.
        too_wide: the cells of a component that is too wide, or 0.
        width: the most clues that are open at once in it, or else in the last component.
    """

    root: Array
    group: Array
    mines: Array
    alive: Array
    pairs: Array
    clash: int
    too_wide: int
    width: int


class Open(NamedTuple):
    """Which clues are open where, while a tree grows. Clues have the numbers of `Partition.clues`;
    nodes are counted in each tree.

    Attributes:
        need, cells: int64 per clue, the mines that it needs, and its unknown cells.
        holders: int32 (8 per clue), the nodes at which it is open and that are not joined yet.
        held: int64 per clue, their number.
        growth: float64 per clue, how many times as many states the join of these nodes can have as
            the largest of them.
        start: int64 (nodes + 1), where each node's open clues begin in `clue`.
        clue: int32, the open clues of each node.
        below: int64, how many of the clue's cells are below the node.
        shift: int64, the lowest bit of the clue's field in the node's keys.
        states: float64 per node, the most states that its open clues allow.
        near: int32, the clues that are gathered.
        gathered: int64 per clue, its cells below the nodes from which it is gathered; else 0.
        moved: int64 per clue, the lowest bit of its field in the sums for the newest node.
    """

    need: Array
    cells: Array
    holders: Array
    held: Array
    growth: Array
    start: Array
    clue: Array
    below: Array
    shift: Array
    states: Array
    near: Array
    gathered: Array
    moved: Array


class Fields(NamedTuple):
    """What is allowed in the fields of a node's clues: of those that are open there, and of those
    that close. The board at the top has an example.

    A sum of keys has in each field the mines below the node. It agrees with the clues if `upper` -
    sum and `lower` + sum have all bits of `guard`: no field is more than it may be in the first,
    and none less in the second.

    Attributes:
        clues, bits: the number of the clues, and the bits of their fields.
        guard: the highest bit of each field.
        upper, lower: `guard`, and in each field the most mines added; `guard`, and the least mines
            taken off.
        keep: the fields of the open clues. What is left of a sum is a key of the node.
        unit: 1 in each field of an open clue.
        least, most: what all clues allow of the mines on a leaf.
    """

    clues: int
    bits: int
    guard: int
    upper: int
    lower: int
    keep: int
    unit: int
    least: int
    most: int


@inner_kernel
def circuit_of(constraints: Constraints, partition: Partition, most_pairs: int) -> Circuit:
    """The states of all components; one with more than `most_pairs` pairs is too wide.

    Time is linear in the pairs that are tried, some twice as many as agree with the clues, and for
    each component quadratic in its clues, with a small factor.
    """
    component_start, clue_start = partition.component_start, partition.clue_start
    groups, components = partition.group_start.size - 1, component_start.size - 1
    root = np.empty(components, np.int32)
    keys, group_of = np.empty(18 * groups, np.int64), np.empty(18 * groups, np.int32)
    mines_of, pairs = np.empty(18 * groups, np.int8), np.empty(54 * groups, np.int32)
    opened = nothing_open(constraints, partition)
    begin = np.empty(opened.start.size, np.int64)  # of each node of a component, its first state
    # Of a key, by a remainder, its state. States of earlier nodes count as free places.
    place = np.zeros(61, np.int32)
    sums = np.empty(64, np.int64)  # the keys of both children, with the fields of the new node
    joined = np.empty(8, np.int64)  # the nodes that are joined
    states, count, clash, too_wide, width = 0, 0, -1, 0, 0
    for component in range(components):
        first, last = int(component_start[component]), int(component_start[component + 1])
        nodes, tried, first_pair, cells, width = 0, 0, count, 0, 0
        # The leaves: a state for each number of mines that the clues beside the group allow.
        for group in range(first, last):
            size = int(partition.group_start[group + 1] - partition.group_start[group])
            near = gather_group(constraints, partition, opened, group, size)
            fields = open_node(opened, near, size, nodes, -1, -1)
            begin[nodes] = states
            for mines in range(fields.least, fields.most + 1):
                keys[states], group_of[states], mines_of[states] = mines * fields.unit, group, mines
                states += 1
            if begin[nodes] == states:
                clash = component
            cells += size
            nodes += 1
        begin[nodes] = states
        begin_clues, end_clues = int(clue_start[component]), int(clue_start[component + 1])
        for clue in range(begin_clues, end_clues):
            grow(opened, clue)
        # Clue after clue is closed, until one node is left: of n leaves there are n - 1 joins.
        while nodes < 2 * (last - first) - 1 and clash < 0 and too_wide == 0:
            clue = begin_clues + int(np.argmin(opened.growth[begin_clues:end_clues]))
            holders = int(opened.held[clue])
            for k in range(holders):
                joined[k] = opened.holders[8 * clue + k]
            for k in range(1, holders):
                one, other = int(joined[k - 1]), int(joined[k])
                near = gather(opened, other, gather(opened, one, 0))
                fields = open_node(opened, near, 0, nodes, one, other)
                width = max(width, fields.clues)
                ones, others = (
                    int(begin[one + 1] - begin[one]),
                    int(begin[other + 1] - begin[other]),
                )
                tried += ones * others
                if fields.bits > MAX_BITS or tried > TRIED * most_pairs:
                    too_wide = cells
                    break
                # Room for all states that the pairs or the open clues allow, and for the leaves of
                # the components that follow; half of the places stay free, so that few keys meet.
                room = int(min(ones * others, opened.states[nodes]))
                if states + room + 9 * groups > keys.size:
                    keys = longer(keys, states + room + 9 * groups)
                    group_of, mines_of = longer(group_of, keys.size), longer(mines_of, keys.size)
                if 2 * room > place.size:
                    place = np.zeros(2 * room + 1, np.int32)
                if ones + others > sums.size:
                    sums = np.empty(2 * (ones + others), np.int64)
                move_keys(opened, one, keys, begin[one], ones, sums, 0)
                move_keys(opened, other, keys, begin[other], others, sums, ones)
                for i in range(ones):
                    if 3 * (count + others) > pairs.size:
                        pairs = longer(pairs, 3 * (count + others))
                    for j in range(others):
                        key = sums[i] + sums[ones + j]
                        fits = (fields.upper - key) & (fields.lower + key) & fields.guard
                        if fits == fields.guard:
                            key &= fields.keep
                            at = key_place(place, keys, key, begin[nodes])
                            if place[at] < begin[nodes]:
                                place[at] = states
                                keys[states], group_of[states], mines_of[states] = key, -1, 0
                                states += 1
                            pairs[3 * count], pairs[3 * count + 1] = (
                                begin[one] + i,
                                begin[other] + j,
                            )
                            pairs[3 * count + 2] = place[at]
                            count += 1
                    if count - first_pair > most_pairs:
                        too_wide = cells
                        break
                if begin[nodes] == states:
                    clash = component
                if clash >= 0 or too_wide > 0:
                    break
                joined[k] = nodes
                nodes += 1
                begin[nodes] = states
            for entry in range(opened.start[nodes - 1], opened.start[nodes]):
                grow(opened, opened.clue[entry])
        if clash >= 0 or too_wide > 0:
            components = states = count = 0
            break
        root[component] = states - 1
    triples, alive = pairs[: 3 * count].reshape(-1, 3), np.zeros(states, np.int8)
    for component in range(components):
        alive[root[component]] = 1
    living = keep_alive(triples, alive)
    return Circuit(
        root[:components],
        group_of[:states],
        mines_of[:states],
        alive,
        triples[:living],
        clash,
        too_wide,
        width,
    )


@inlined_kernel
def key_place(place: Array, keys: Array, key: int, first: int) -> int:
    """Where a key has its place among those of the states from `first` on, or a free one for it."""
    at = key % PRIME * MULTIPLIER % place.size
    while place[at] >= first and keys[place[at]] != key:
        at = at + 1 if at + 1 < place.size else 0
    return at


@inlined_kernel
def keep_alive(pairs: Array, alive: Array) -> int:
    """Note which states are part of a layout: the children of those that are. Move the pairs that
    make such states to the front; returns their number.
    """
    for pair in range(pairs.shape[0] - 1, -1, -1):
        if alive[pairs[pair, 2]]:
            alive[pairs[pair, 0]] = alive[pairs[pair, 1]] = 1
    living = 0
    for pair in range(pairs.shape[0]):
        if alive[pairs[pair, 2]]:
            for k in range(3):
                pairs[living, k] = pairs[pair, k]
            living += 1
    return living


@inner_kernel
def nothing_open(constraints: Constraints, partition: Partition) -> Open:
    """The clues before there is any node, with room for the largest component."""
    clues, nodes = partition.clues.size, 0
    need, cells = np.empty(clues, np.int64), np.empty(clues, np.int64)
    for clue in range(clues):
        need[clue] = constraints.need[partition.clues[clue]]
        cells[clue] = constraints.unknown_beside[partition.clues[clue]]
    for component in range(partition.component_start.size - 1):
        nodes = max(
            nodes,
            2
            * int(partition.component_start[component + 1] - partition.component_start[component]),
        )
    room = MAX_BITS // 2 * nodes + MAX_BITS
    return Open(
        need,
        cells,
        np.empty(8 * clues, np.int32),
        np.zeros(clues, np.int64),
        np.empty(clues, np.float64),
        np.zeros(nodes + 1, np.int64),
        np.empty(room, np.int32),
        np.empty(room, np.int64),
        np.empty(room, np.int64),
        np.empty(nodes, np.float64),
        np.empty(8 * MAX_BITS, np.int32),
        np.zeros(clues, np.int64),
        np.empty(clues, np.int64),
    )


@inlined_kernel
def gather_group(
    constraints: Constraints, partition: Partition, opened: Open, group: int, size: int
) -> int:
    """Gather the clues of a group of so many cells; returns their number."""
    steps = offsets_around(constraints.stride)
    count = 0
    for i in range(8):
        clue = partition.number_of[partition.cells[partition.group_start[group]] + steps[i]]
        if clue >= 0:
            opened.near[count] = clue
            opened.gathered[clue] = size
            count += 1
    return count


@inlined_kernel
def gather(opened: Open, node: int, count: int) -> int:
    """Gather the clues that are open at a node, after `count` others; returns how many clues there
    are now.
    """
    for entry in range(opened.start[node], opened.start[node + 1]):
        clue = opened.clue[entry]
        if opened.gathered[clue] == 0:
            opened.near[count] = clue
            count += 1
        opened.gathered[clue] += opened.below[entry]
    return count


@inlined_kernel
def grow(opened: Open, clue: int) -> None:
    """Compute the growth of a clue from the nodes at which it is open."""
    count, largest, states = 0, 1.0, 1.0
    for k in range(opened.held[clue]):
        node = opened.holders[8 * clue + k]
        largest = max(largest, opened.states[node])
        count = gather(opened, node, count)
    for k in range(count):
        other = opened.near[k]
        states *= values(opened.need[other], opened.cells[other], opened.gathered[other])
        opened.gathered[other] = 0
    opened.growth[clue] = states / largest if count > 0 else CLOSED


@inner_kernel
def values(need: int, cells: int, below: int) -> int:
    """How many numbers of mines a clue can have on so many of its cells."""
    return min(need, below) - max(0, need - cells + below) + 1


@inner_kernel
def field(need: int) -> int:
    """The bits of a clue's field: room for `need` mines, and above them a bit that only a sum sets,
    if it is too large.
    """
    return 2 + int(need > 1) + int(need > 3) + int(need > 7)


@inlined_kernel
def open_node(opened: Open, count: int, size: int, node: int, one: int, other: int) -> Fields:
    """Note which of the gathered clues, `count` of them, are open at a new node: a leaf of `size`
    cells, or a join.

    The children of a join, `one` and `other`, hold no clue any more. Their keys are to be moved to
    the new fields (`move_keys`).
    """
    bits, guard, upper, lower, keep, unit, states = 0, 0, 0, 0, 0, 0, 1.0
    least, most = 0, size
    end = opened.start[node] if node > 0 else 0
    opened.start[node] = end
    for k in range(count):
        clue = opened.near[k]
        need, cells, below = (
            int(opened.need[clue]),
            int(opened.cells[clue]),
            int(opened.gathered[clue]),
        )
        opened.gathered[clue] = 0
        opened.moved[clue] = bits
        low, high, top = max(0, need - cells + below), min(need, below), 1 << bits + field(need) - 1
        guard += top
        upper += top + (high << bits)
        lower += top - (low << bits)
        least, most = max(least, low), min(most, high)
        held = 0
        for h in range(opened.held[clue]):
            holder = opened.holders[8 * clue + h]
            if holder != one and holder != other:
                opened.holders[8 * clue + held] = holder
                held += 1
        if below < cells:
            opened.holders[8 * clue + held] = node
            held += 1
            opened.clue[end], opened.below[end], opened.shift[end] = clue, below, bits
            end += 1
            keep += top - (1 << bits)
            unit += 1 << bits
            states *= high - low + 1
        else:
            opened.growth[clue] = CLOSED
        opened.held[clue] = held
        bits += field(need)
    opened.start[node + 1] = end
    opened.states[node] = states
    return Fields(count, bits, guard, upper, lower, keep, unit, least, most)


@inlined_kernel
def move_keys(
    opened: Open, node: int, keys: Array, begin: int, count: int, moved: Array, at: int
) -> None:
    """Put a node's keys, `count` from `begin` on, into `moved` from `at` on, with their fields
    where the newest node has them.
    """
    for k in range(count):
        moved[at + k] = 0
    for entry in range(opened.start[node], opened.start[node + 1]):
        clue = opened.clue[entry]
        least, most, to = (
            opened.shift[entry],
            (1 << field(opened.need[clue])) - 1,
            opened.moved[clue],
        )
        for k in range(count):
            moved[at + k] += (keys[begin + k] >> least & most) << to


class HasWidth(Protocol):
    """What a kernel returns that computes a circuit: at least these fields of `Circuit`."""

    @property
    def too_wide(self) -> int: ...

    @property
    def width(self) -> int: ...


R = TypeVar("R", bound=HasWidth)


def in_full(kernel: Kernel[..., R], cells: int, *arguments: object) -> R:
    """What a kernel returns that takes the most pairs of a component last.

    Plain Python stops early. Then the kernel runs compiled.

    Raises:
        Unsupported: a component is too wide.
    """
    run = kernel.at(cells)
    if run is kernel.function:
        result = run(*arguments, thresholds.FEW_PAIRS)
        if not result.too_wide:
            return result
        run = kernel.at(SMALL)
    result = run(*arguments, MAX_PAIRS)
    if result.too_wide:
        raise Unsupported(
            f"too wide: {result.width} clues are open at once in a component of "
            f"{result.too_wide} cells"
        )
    return result
