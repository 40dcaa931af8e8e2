"""The states of each component along a join tree, from which every question about its layouts is answered.

A join tree has the groups of a component as its leaves, and each other node joins two nodes. A clue
is open at a node if some of its cells are below that node and some are not. A state of a node says
for each open clue how many of its cells below are mines; given the state, the cells below and all
others are independent. A state of a join comes from pairs: a state of one child and one of the
other that agree with the clues. So states and pairs are sums and products, and a layout takes one
pair for each state, from the root down. What is asked of layouts takes one pass over the pairs, up
or down: which are possible, how many there are by their number of mines (`counts`, `probability`),
which of them shows most (`layouts`). All values are integers: nothing is rounded.

Where every join takes a leaf, this is dynamic programming along a frontier. A tree keeps far fewer
clues open where cells are opened here and there. It comes from eliminating clue after clue: first
the clue that makes the states grow least, by joining all nodes at which it is open.

Sources: S. L. Lauritzen, D. J. Spiegelhalter, "Local computations with probabilities on graphical
structures", 1988 (join trees, also called junction trees); R. Dechter, "Bucket elimination", 1999
(greedy orders); A. Darwiche, P. Marquis, "A knowledge compilation map", 2002 (what one pass over
sums and products answers).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from direct.kernel import Array, inlined_kernel, inner_kernel
from direct.minesweeper.closure import Constraints, around, longer
from direct.minesweeper.components import Partition
from puzzles.backend import Unsupported

DECIDED, INCONSISTENT, TOO_WIDE = range(3)

MAX_BITS = 62
"""Bits of a key, in which each open clue has a field for its mines, and above it a bit that no state sets."""

TRIED = 16
"""A component is too wide, too, if it makes more attempts at a pair than this for each pair that it may have."""

MAX_PAIRS = 2**24
"""Pairs kept for one component: 50 MB, and some seconds."""

PRIME = 2**31 - 19
"""A prime; keys are taken modulo it, so that a product with 21 bits more fits into an integer."""

CLOSED = 1e300
"""The growth of a clue that is not open."""


class Circuit(NamedTuple):
    """The states of all components, and the pairs that they come from.

    The nodes of a component follow one another: its leaves in the order of the groups, then its joins, each after its children. The
    last is its root, which has one state.

    Attributes:
        leaf: int32 per group, its node.
        root: int32 per component, its last node.
        state_start: int32 (nodes + 1), where each node's states begin.
        pair_start: int32 (nodes + 1), where each node's pairs begin. A leaf has none.
        left, right, whole: int32 per pair, the state of each child, and the one that they make.
        mines: int8 per state, of a leaf the mines on its group.
        alive: int8 per state, 1 if it is part of a layout.
        status: int8 per component, DECIDED, INCONSISTENT or TOO_WIDE. Only if it is DECIDED do its states mean anything.
        width: int32 per component, the most clues that are open at once.
        cells: int32 per component, its number of cells.
    """

    leaf: Array
    root: Array
    state_start: Array
    pair_start: Array
    left: Array
    right: Array
    whole: Array
    mines: Array
    alive: Array
    status: Array
    width: Array
    cells: Array


class Open(NamedTuple):
    """Which clues are open where, while the tree grows. Clues have the numbers of `Partition.clues`.

    Attributes:
        need, cells: int64 per clue, the mines that it needs, and its unknown cells.
        holders: int32 (8 per clue), the nodes at which it is open and that are not joined yet.
        held: int64 per clue, their number.
        growth: float64 per clue, how many times as many states the join of these nodes can have as the largest of them, and a
            little more if many cells are below it: polynomials of many cells are better multiplied for few pairs.
        start: int64 (nodes + 1), where each node's open clues begin in `clue`.
        clue: int32, the open clues of each node.
        below: int64, how many of the clue's cells are below the node.
        shift: int64, the lowest bit of the clue's field in the node's keys.
        states: float64 per node, the most states that its open clues allow.
        size: int64 per node, the cells below it.
        near: int32, the clues that are gathered.
        gathered: int64 per clue, its cells below the nodes from which it is gathered; else 0.
        moved: int64 per clue, the lowest bit of its field in the join under way.
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
    size: Array
    near: Array
    gathered: Array
    moved: Array


@inner_kernel
def circuit_of(constraints: Constraints, partition: Partition, most_pairs: int) -> Circuit:
    """The states of all components; one with more than `most_pairs` pairs is TOO_WIDE.

    Time is linear in the pairs that are tried, some twice as many as agree with the clues, and for each component quadratic in its
    clues, with a small factor.
    """
    component_start, clue_start = partition.component_start, partition.clue_start
    groups, components = partition.group_start.size - 1, component_start.size - 1
    nodes = 2 * groups - components
    state_start, pair_start = np.zeros(nodes + 1, np.int32), np.zeros(nodes + 1, np.int32)
    leaf, root, fewest = np.empty(groups, np.int32), np.empty(components, np.int32), np.empty(groups, np.int8)
    status, width, cells = np.zeros(components, np.int8), np.zeros(components, np.int32), np.zeros(components, np.int32)
    keys = np.empty(9 * groups + 16, np.int64)
    left, right, whole = np.empty(keys.size, np.int32), np.empty(keys.size, np.int32), np.empty(keys.size, np.int32)
    place = np.zeros(61, np.int32)  # of a key, by its remainder, its state; the states of other nodes do not count
    opened = nothing_open(constraints, partition, nodes)
    sums = np.empty(64, np.int64)
    joined = np.empty(8, np.int32)
    states, pairs = 0, 0
    for component in range(components):
        first, last = int(component_start[component]), int(component_start[component + 1])
        node, root[component] = 2 * first - component, 2 * last - component - 2
        cells[component] = partition.group_start[last] - partition.group_start[first]
        pairs_before, tried = pairs, 0
        state_start[node], pair_start[node], opened.start[node] = states, pairs, 0
        if states + 9 * (last - first) > keys.size:
            keys = longer(keys, states + 9 * (last - first))
        for group in range(first, last):
            leaf[group] = node
            fewest[group], most, unit = open_leaf(constraints, partition, opened, group, node)
            for mines in range(fewest[group], most + 1):
                keys[states] = mines * unit
                states += 1
            if most < fewest[group]:
                status[component] = INCONSISTENT
            node += 1
            state_start[node], pair_start[node] = states, pairs
        begin_clues, end_clues = int(clue_start[component]), int(clue_start[component + 1])
        for clue in range(begin_clues, end_clues):
            grow(opened, clue)
        while node <= root[component] and status[component] == DECIDED:
            clue = begin_clues + int(np.argmin(opened.growth[begin_clues:end_clues]))
            count = int(opened.held[clue])
            for k in range(count):
                holder, at = opened.holders[8 * clue + k], k
                while at > 0 and opened.states[joined[at - 1]] > opened.states[holder]:
                    joined[at] = joined[at - 1]
                    at -= 1
                joined[at] = holder
            one = int(joined[0])
            for k in range(1, count):
                other = int(joined[k])
                bits, clues, guard, upper, lower, keep = open_join(opened, one, other, node)
                width[component] = max(width[component], clues)
                ones, others = int(state_start[one + 1] - state_start[one]), int(state_start[other + 1] - state_start[other])
                tried += ones * others
                if bits > MAX_BITS or tried > TRIED * most_pairs:
                    status[component] = TOO_WIDE
                    break
                room = int(min(ones * others, opened.states[node]))
                if states + room > keys.size:
                    keys = longer(keys, states + room)
                if 2 * room > place.size:
                    place = np.zeros(2 * room + 1, np.int32)
                begin, begin_one, begin_other = states, int(state_start[one]), int(state_start[other])
                if ones + others > sums.size:
                    sums = np.empty(2 * (ones + others), np.int64)
                move_keys(opened, one, keys, begin_one, ones, sums, 0)
                move_keys(opened, other, keys, begin_other, others, sums, ones)
                for i in range(ones):
                    if pairs + others > left.size:
                        left, right, whole = (
                            longer(left, pairs + others),
                            longer(right, pairs + others),
                            longer(whole, pairs + others),
                        )
                    for j in range(others):
                        key = sums[i] + sums[ones + j]
                        if (upper - key) & (lower + key) & guard == guard:
                            key &= keep
                            at = key % PRIME * 1664525 % place.size  # spreads what are few bits in each field
                            while place[at] >= begin and keys[place[at]] != key:
                                at = at + 1 if at + 1 < place.size else 0
                            if place[at] < begin:
                                place[at] = states
                                keys[states] = key
                                states += 1
                            left[pairs] = begin_one + i
                            right[pairs] = begin_other + j
                            whole[pairs] = place[at]
                            pairs += 1
                    if pairs - pairs_before > most_pairs:
                        break
                state_start[node + 1], pair_start[node + 1] = states, pairs
                if pairs - pairs_before > most_pairs:
                    status[component] = TOO_WIDE
                elif states == begin:
                    status[component] = INCONSISTENT
                if status[component] != DECIDED:
                    break
                one = node
                node += 1
            for entry in range(opened.start[one], opened.start[one + 1]):
                grow(opened, opened.clue[entry])
    mines_of, alive = np.zeros(states, np.int8), np.zeros(states, np.int8)
    for group in range(groups):
        for state in range(state_start[leaf[group]], state_start[leaf[group] + 1]):
            mines_of[state] = int(fewest[group]) + state - state_start[leaf[group]]
    for component in range(components):
        if status[component] == DECIDED:
            alive[state_start[root[component]]] = 1
            for pair in range(pair_start[root[component] + 1] - 1, pair_start[leaf[component_start[component]]] - 1, -1):
                if alive[whole[pair]]:
                    alive[left[pair]] = alive[right[pair]] = 1
    return Circuit(
        leaf, root, state_start, pair_start, left[:pairs], right[:pairs], whole[:pairs], mines_of, alive, status, width, cells
    )


@inner_kernel
def nothing_open(constraints: Constraints, partition: Partition, nodes: int) -> Open:
    """The clues before there is any node."""
    clues = partition.clues.size
    need, cells = np.empty(clues, np.int64), np.empty(clues, np.int64)
    for clue in range(clues):
        need[clue] = constraints.need[partition.clues[clue]]
        cells[clue] = constraints.unknown[partition.clues[clue]]
    largest = 0
    for component in range(partition.component_start.size - 1):
        largest = max(largest, int(partition.component_start[component + 1] - partition.component_start[component]))
    entries = (8 + MAX_BITS // 2) * largest + MAX_BITS
    return Open(
        need,
        cells,
        np.empty(8 * clues, np.int32),
        np.zeros(clues, np.int64),
        np.empty(clues, np.float64),
        np.zeros(nodes + 1, np.int64),
        np.empty(entries, np.int32),
        np.empty(entries, np.int64),
        np.empty(entries, np.int64),
        np.empty(nodes, np.float64),
        np.empty(nodes, np.int64),
        np.empty(8 * MAX_BITS, np.int32),
        np.zeros(clues, np.int64),
        np.empty(clues, np.int64),
    )


@inlined_kernel
def open_leaf(constraints: Constraints, partition: Partition, opened: Open, group: int, leaf: int) -> tuple[int, int, int]:
    """Note the clues that are open at a leaf; returns the fewest and the most mines of its group, and what each adds to a key."""
    steps = around(constraints.stride)
    size = int(partition.group_start[group + 1] - partition.group_start[group])
    fewest, most, unit, bits, states = 0, size, 0, 0, 1.0
    end = opened.start[leaf]
    for i in range(8):
        clue = partition.number_of[partition.cells[partition.group_start[group]] + steps[i]]
        if clue >= 0:
            need, others = opened.need[clue], opened.cells[clue] - size
            fewest, most = max(fewest, need - others), min(most, need)
            if others > 0:
                opened.clue[end], opened.below[end], opened.shift[end] = clue, size, bits
                end += 1
                opened.holders[8 * clue + opened.held[clue]] = leaf
                opened.held[clue] += 1
                unit += 1 << bits
                bits += field(need)
                states *= values(need, opened.cells[clue], size)
    opened.start[leaf + 1] = end
    opened.states[leaf] = states
    opened.size[leaf] = size
    return fewest, most, unit


@inner_kernel
def field(need: int) -> int:
    """The bits of a clue's field in a key: a sum of two numbers of mines, each at most `need` and that below 16, fits in."""
    return 2 + int(need > 1) + int(need > 3) + int(need > 7)


@inner_kernel
def values(need: int, cells: int, below: int) -> int:
    """How many numbers of mines a clue can have on so many of its cells."""
    return min(need, below) - max(0, need - cells + below) + 1


@inlined_kernel
def gather(opened: Open, node: int, count: int) -> int:
    """Gather the clues that are open at a node, after `count` others; returns how many clues there are now."""
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
    count, largest, states, size = 0, 1.0, 1.0, 0
    for k in range(opened.held[clue]):
        node = opened.holders[8 * clue + k]
        largest = max(largest, opened.states[node])
        size += opened.size[node]
        count = gather(opened, node, count)
    for k in range(count):
        other = opened.near[k]
        states *= values(opened.need[other], opened.cells[other], opened.gathered[other])
        opened.gathered[other] = 0
    opened.growth[clue] = states / largest * size**0.15 if count > 0 else CLOSED


@inlined_kernel
def open_join(opened: Open, one: int, other: int, join: int) -> tuple[int, int, int, int, int, int]:
    """Note the clues that are open at a join of two nodes, which hold their clues no longer.

    The keys of the nodes are to be moved (`move_keys`) to fields for all clues that are open at either. A sum of two keys has in
    each field the mines below the join. It agrees with the clues if `upper` - sum and `lower` + sum have all bits of `guard`:
    no field is more than it may be in the first, and none less in the second.

    Returns: the bits of the fields, the number of the clues, `guard`, `upper`, `lower`, and the bits of the clues that are open.
    """
    count = gather(opened, other, gather(opened, one, 0))
    bits, guard, upper, lower, keep, states = 0, 0, 0, 0, 0, 1.0
    end = opened.start[join]
    for k in range(count):
        clue = opened.near[k]
        need, cells, below = int(opened.need[clue]), int(opened.cells[clue]), int(opened.gathered[clue])
        opened.gathered[clue] = 0
        opened.moved[clue] = bits
        top = 1 << bits + field(need) - 1
        guard += top
        upper += top + (min(need, below) << bits)
        lower += top - (max(0, need - cells + below) << bits)
        held = 0
        for h in range(opened.held[clue]):
            node = opened.holders[8 * clue + h]
            if node != one and node != other:
                opened.holders[8 * clue + held] = node
                held += 1
        if below < cells:
            opened.holders[8 * clue + held] = join
            held += 1
            opened.clue[end], opened.below[end], opened.shift[end] = clue, below, bits
            end += 1
            keep += top - (1 << bits)
            states *= values(need, cells, below)
        else:
            opened.growth[clue] = CLOSED
        opened.held[clue] = held
        bits += field(need)
    opened.start[join + 1] = end
    opened.states[join] = states
    opened.size[join] = opened.size[one] + opened.size[other]
    return bits, count, guard, upper, lower, keep


@inlined_kernel
def move_keys(opened: Open, node: int, keys: Array, begin: int, count: int, moved: Array, at: int) -> None:
    """Put the keys of a node, `count` from `begin` on, into `moved` from `at` on, with their fields where the join has them."""
    for k in range(count):
        moved[at + k] = 0
    for entry in range(opened.start[node], opened.start[node + 1]):
        clue = opened.clue[entry]
        least, most, to = opened.shift[entry], (1 << field(opened.need[clue])) - 1, opened.moved[clue]
        for k in range(count):
            moved[at + k] += (keys[begin + k] >> least & most) << to


def too_wide(width: int, cells: int) -> Unsupported:
    """The refusal of a component; see `Circuit`."""
    return Unsupported(f"too wide: {width} clues are open at once in a component of {cells} cells")
