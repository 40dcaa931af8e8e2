"""The exact answer: a dynamic programme over the states of the frontier, component by component.

The closure leaves components that can be decided alone. In each, unknown cells that touch the same
clues are interchangeable, so a group of them counts only by its number of mines. The programme
decides one group after the other, in an order that keeps few clues open. A state is the number of
mines that each open clue (some of its cells decided, some not) still needs; given the state, the
decided groups and the others are independent. So a group can have a number of mines exactly if some
path from the first state to the last has it. All values are integers and booleans: nothing is
rounded.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from direct import thresholds
from direct.kernel import Array, inner_kernel, kernel
from direct.minesweeper.closure import UNKNOWN, Constraints, around, longer


class Partition(NamedTuple):
    """The unknown cells that touch a clue, by component, and in each component by group.

    Attributes:
        cells: int32, those cells (padded), group by group.
        group_start: int32 (groups + 1), where each group begins in `cells`.
        component_start: int32 (components + 1), where each component's groups begin.
        group_of: int32 per padded cell, its group or -1.
        clue_of: int32 (components), one clue (padded) of each.
    """

    cells: Array
    group_start: Array
    component_start: Array
    group_of: Array
    clue_of: Array


class Transitions(NamedTuple):
    """The dynamic programmes over all components: a step decides one group, and a clue is open while some of its cells are decided.

    A component has as many steps as groups, with the same numbers. A state is an integer: for each open clue, in a field of three
    bits, the mines that it still needs.

    Attributes:
        component_start: int32 (components + 1), where each component's steps begin.
        width: int32 (components), the most clues that are open at once. Above `thresholds.MAX_OPEN` states do not fit, and only
            `order` and `size` are valid.
        order: int32 (steps), the group that each step decides.
        size: int32 (steps), that group's number of cells.
        start: int32 (steps + 1), where each step's clues begin in the next two.
        shift: int8, the lowest bit of the clue's field in the state.
        undecided: int8, the clue's cells that are undecided after the step.
        opening: int64 (steps), added to a state before the step: the fields of the clues that the step opens.
        unit: int64 (steps), taken off the state for each mine of the group.
    """

    component_start: Array
    width: Array
    order: Array
    size: Array
    start: Array
    shift: Array
    undecided: Array
    opening: Array
    unit: Array


@inner_kernel
def partition_of(constraints: Constraints) -> Partition:
    """The components of constraints that are closed, and their groups; linear in the boards."""
    known, _, unknown, stride = constraints
    size = known.size
    steps = around(stride)
    group_of = np.empty(size, np.int32)
    count = 0
    for cell in range(size):
        group_of[cell] = -1
        if known[cell] == UNKNOWN:
            count += 1
    cells = np.empty(count, np.int32)
    queue = np.empty(count, np.int32)
    group_start = np.empty(count + 1, np.int32)
    component_start = np.empty(count + 1, np.int32)
    clue_of = np.empty(count, np.int32)
    seen = np.zeros(size, np.int8)
    filled, groups, components = 0, 0, 0
    for first in range(size):
        if unknown[first] == 0 or seen[first]:
            continue
        component_start[components] = groups
        clue_of[components] = first
        components += 1
        seen[first] = 1
        head, tail = 0, 0
        clue = first
        while True:  # the clue's cells join the queue; then the clues of the queue's cells, one by one
            for i in range(8):
                cell = clue + steps[i]
                if known[cell] == UNKNOWN and not seen[cell]:
                    seen[cell] = 1
                    queue[tail] = cell
                    tail += 1
            clue = -1
            while head < tail and clue < 0:
                for i in range(8):
                    near = queue[head] + steps[i]
                    if unknown[near] > 0 and not seen[near]:
                        seen[near] = 1
                        clue = near
                        break
                if clue < 0:
                    head += 1
            if clue < 0:
                break
        for k in range(tail):
            cell = queue[k]
            if group_of[cell] >= 0:
                continue
            group_start[groups] = filled
            anchor = -1
            for i in range(8):
                if unknown[cell + steps[i]] > 0:
                    anchor = cell + steps[i]
                    break
            for i in range(8):
                twin = anchor + steps[i]
                if known[twin] == UNKNOWN and group_of[twin] < 0 and same_clues(unknown, steps, cell, twin):
                    group_of[twin] = groups
                    cells[filled] = twin
                    filled += 1
            groups += 1
    component_start[components] = groups
    group_start[groups] = filled
    return Partition(cells[:filled], group_start[: groups + 1], component_start[: components + 1], group_of, clue_of[:components])


@inner_kernel
def same_clues(unknown: Array, steps: Array, one: int, other: int) -> bool:
    """Whether two unknown cells touch the same clues."""
    shared = 0
    for i in range(8):
        clue = one + steps[i]
        if unknown[clue] > 0:
            for j in range(8):
                if other + steps[j] == clue:
                    shared += 1
                    break
    ones, others = 0, 0
    for i in range(8):
        ones += unknown[one + steps[i]] > 0
        others += unknown[other + steps[i]] > 0
    return shared == ones and shared == others


@inner_kernel
def transitions_of(constraints: Constraints, partition: Partition) -> Transitions:
    """The dynamic programme over each component, in the order with the least width of up to four."""
    need, unknown = constraints.need, constraints.unknown
    cells, group_start, component_start = partition.cells, partition.group_start, partition.component_start
    steps = around(constraints.stride)
    rest = unknown.copy()
    slot = np.empty(rest.size, np.int8)
    total = group_start.size - 1
    order = np.empty(total, np.int32)
    trial = np.empty(total, np.int32)
    size = np.empty(total, np.int32)
    start = np.empty(total + 1, np.int32)
    shift = np.empty(8 * total, np.int8)
    undecided = np.empty(8 * total, np.int8)
    opening = np.empty(total, np.int64)
    unit = np.empty(total, np.int64)
    width = np.empty(component_start.size - 1, np.int32)
    used = np.zeros(thresholds.MAX_OPEN, np.int8)
    entries = 0
    start[0] = 0
    for component in range(width.size):
        first, last = int(component_start[component]), int(component_start[component + 1])
        width[component] = unknown.size
        for mode in range(4):
            if mode == 0 or width[component] > thresholds.FEW_OPEN:
                other = ordered(constraints, partition, component, mode, rest, trial)
                if other < width[component]:
                    width[component] = other
                    for k in range(first, last):
                        order[k] = trial[k]
        for k in range(first, last):
            size[k] = group_start[order[k] + 1] - group_start[order[k]]
            opening[k] = 0
            unit[k] = 0
            cell = cells[group_start[order[k]]]
            for i in range(8):
                clue = cell + steps[i]
                if unknown[clue] > 0:
                    if rest[clue] == unknown[clue]:
                        free = 0
                        while free < thresholds.MAX_OPEN and used[free]:
                            free += 1
                        if free == thresholds.MAX_OPEN:  # too wide, so the fields do not matter
                            free = 0
                        used[free] = 1
                        slot[clue] = free
                        opening[k] += int(need[clue]) << (3 * free)
                    rest[clue] -= size[k]
                    shift[entries] = 3 * slot[clue]
                    undecided[entries] = rest[clue]
                    unit[k] += 1 << (3 * int(slot[clue]))
                    entries += 1
            for i in range(8):
                clue = cell + steps[i]
                if unknown[clue] > 0 and rest[clue] == 0:
                    used[slot[clue]] = 0
            start[k + 1] = entries
    return Transitions(component_start, width, order, size, start, shift[:entries], undecided[:entries], opening, unit)


@inner_kernel
def ordered(constraints: Constraints, partition: Partition, component: int, mode: int, rest: Array, order: Array) -> int:
    """Put an order in which to decide the groups of a component into `order` (its entries only); returns the width.

    Mode 0 always turns to the clue that is open longest, and there to the group that opens fewest clues; mode 1 to the
    group that opens fewest and closes most, of all that touch an open clue. Modes 2 and 3 go by rows and by columns.
    `rest` (int8) equals `constraints.unknown` before and after.
    """
    cells, group_start, group_of = partition.cells, partition.group_start, partition.group_of
    unknown, stride = constraints.unknown, constraints.stride
    first, last = int(partition.component_start[component]), int(partition.component_start[component + 1])
    steps = around(stride)
    done = np.zeros(last - first, np.int8)
    opened = np.empty(8 * (last - first), np.int32)
    if mode >= 2:
        sort_groups(partition, component, 1 if mode == 2 else stride, order)
    head, tail, width, now = 0, 0, 0, 0
    for k in range(first, last):
        best, least = first, 1 << 30
        while head < tail and rest[opened[head]] == 0:
            head += 1
        for at in range(head, tail if mode < 2 else head):
            clue = opened[at]
            if rest[clue] == 0:
                continue
            for i in range(8):
                cell = clue + steps[i]
                group = group_of[cell]
                if group < 0 or done[group - first]:
                    continue
                size = group_start[group + 1] - group_start[group]
                cost = 0
                for j in range(8):
                    near = cell + steps[j]
                    if unknown[near] > 0:
                        if rest[near] == unknown[near]:
                            cost += 2
                        if rest[near] == size:
                            cost -= 2 if mode == 1 else 1
                if cost < least:
                    best, least = group, cost
            if mode == 0:
                break
        if mode < 2:
            order[k] = best
            done[best - first] = 1
        group = order[k]
        size = group_start[group + 1] - group_start[group]
        cell = cells[group_start[group]]
        closed = 0
        for j in range(8):
            near = cell + steps[j]
            if unknown[near] > 0:
                if rest[near] == unknown[near]:
                    opened[tail] = near
                    tail += 1
                    now += 1
                rest[near] -= size
                closed += rest[near] == 0
        if now > width:
            width = now
        now -= closed
    for at in range(tail):
        rest[opened[at]] = unknown[opened[at]]
    return width


@inner_kernel
def sort_groups(partition: Partition, component: int, stride: int, order: Array) -> None:
    """Sort the groups of a component by their first cells: by rows, or by columns if `stride` is that of the board and not 1.

    This is Shell's method; to compile NumPy's sort takes more than a second.
    """
    cells, group_start = partition.cells, partition.group_start
    first, last = int(partition.component_start[component]), int(partition.component_start[component + 1])
    keys = np.empty(last - first, np.int64)
    for k in range(first, last):
        cell = cells[group_start[k]]
        keys[k - first] = cell % stride * partition.group_of.size + cell // stride
        order[k] = k
    gap = 1
    while gap < last - first:
        gap = 3 * gap + 1
    while gap > 0:
        for k in range(first + gap, last):
            group = order[k]
            at = k
            while at >= first + gap and keys[order[at - gap] - first] > keys[group - first]:
                order[at] = order[at - gap]
                at -= gap
            order[at] = group
        gap //= 3


DECIDED, INCONSISTENT, TOO_WIDE, TOO_MANY = range(4)


class States(NamedTuple):
    """The states of components, one component after the other.

    Attributes:
        state: int64, the states before each step and after the last, ascending in each layer.
        fewest: int8 per state, the least number of mines that the group of its step can have.
        fullest: int8 per state, the most; -1 where the last state cannot be reached.
        layer_start: int32, where each layer begins. The layer before step k of component c has the number k + c; the layer after
            the last step, which has one state, has the next number.
    """

    state: Array
    fewest: Array
    fullest: Array
    layer_start: Array


def kept_states(transitions: Transitions, cells: int) -> Iterator[tuple[int, int, Array, States]]:
    """The states of all components of a board with this number of cells, in parts that fit into memory.

    Yields:
        first, last: the components (`last` exclusive) of this part.
        status: int8 (components); see `states_of`.
        states: the states of those that are DECIDED.
    """
    first = 0
    status = np.zeros(transitions.width.size, np.int8)
    while first < status.size:
        last, _, states = states_of.at(cells)(transitions, status, first, thresholds.MAX_STATES, thresholds.KEPT_STATES)
        yield first, last, status, states
        first = last


@kernel
def states_of(transitions: Transitions, status: Array, first: int, most_states: int, most_kept: int) -> tuple[int, Array, States]:
    """Forward through the states that can be reached, backward through those from which the end can be reached.

    For a fixed number of mines, the order of the states is the order of their successors; so a layer is a merge of at most
    nine ascending runs. Time is linear in the states.

    Args:
        status: int8 (components), gets DECIDED, INCONSISTENT, TOO_WIDE or TOO_MANY for each component that is taken.
        first: the first component to take.
        most_states: a component with more states is TOO_MANY.
        most_kept: the states after which no further component is taken. With 0 all components are taken and no state is kept.

    Returns:
        last: the next component to take.
        possible: int32 (steps), bit j set where the step's group can have j mines; 0 if its component is not DECIDED.
        states: the states of the components that are DECIDED.
    """
    component_start, width, _, size, start, shift, undecided, opening, unit = transitions
    room = thresholds.STATES_A_STEP * (size.size + 1)
    layers = np.empty(room, np.int64)
    fewest = np.empty(room, np.int8)
    fullest = np.empty(room, np.int8)
    layer_start = np.empty(size.size + component_start.size, np.int32)
    possible = np.zeros(size.size, np.int32)
    at = np.empty(9, np.int64)
    base = 0
    component = first
    while component < width.size and (base == 0 or base < most_kept):
        status[component] = DECIDED if width[component] <= thresholds.MAX_OPEN else TOO_WIDE
        k, last = int(component_start[component]), int(component_start[component + 1])
        if base == layers.size:
            layers, fewest, fullest = longer(layers, 2 * base), longer(fewest, 2 * base), longer(fullest, 2 * base)
        layers[base] = 0
        tail = base + 1
        layer_start[k + component] = base
        layer_start[k + component + 1] = tail
        while k < last and status[component] == DECIDED:
            begin, end = int(layer_start[k + component]), tail
            most = int(size[k])
            for i in range(begin, end):
                state = layers[i] + opening[k]
                low, high = 0, most
                for e in range(start[k], start[k + 1]):
                    needed = (state >> shift[e]) & 7
                    if needed < high:
                        high = needed
                    if needed - undecided[e] > low:
                        low = needed - undecided[e]
                fewest[i] = low
                fullest[i] = high
            for mines in range(most + 1):
                at[mines] = begin
            while True:
                lowest, any_left = 0, False
                for mines in range(most + 1):
                    while at[mines] < end and not fewest[at[mines]] <= mines <= fullest[at[mines]]:
                        at[mines] += 1
                    if at[mines] < end:
                        state = layers[at[mines]] + opening[k] - mines * unit[k]
                        if not any_left or state < lowest:
                            lowest = state
                            any_left = True
                if not any_left:
                    break
                for mines in range(most + 1):
                    if at[mines] < end and layers[at[mines]] + opening[k] - mines * unit[k] == lowest:
                        at[mines] += 1
                if tail - base >= most_states:
                    status[component] = TOO_MANY
                    break
                if tail == layers.size:
                    room = base + most_states
                    layers, fewest, fullest = longer(layers, room), longer(fewest, room), longer(fullest, room)
                layers[tail] = lowest
                tail += 1
            if tail == end and status[component] == DECIDED:
                status[component] = INCONSISTENT
            k += 1
            layer_start[k + component + 1] = tail
        if status[component] == DECIDED:
            fewest[tail - 1] = 0
            fullest[tail - 1] = 0
            while k > component_start[component]:
                k -= 1
                begin, end = int(layer_start[k + component]), int(layer_start[k + component + 1])
                for mines in range(size[k] + 1):
                    at[mines] = end
                for i in range(begin, end):
                    alive = False
                    for mines in range(fewest[i], fullest[i] + 1):
                        state = layers[i] + opening[k] - mines * unit[k]
                        while layers[at[mines]] < state:
                            at[mines] += 1
                        if fullest[at[mines]] >= 0:
                            alive = True
                            possible[k] |= 1 << mines
                    if not alive:
                        fullest[i] = -1
            if most_kept > 0:
                base = tail
        component += 1
        layer_start[last + component] = base
    return component, possible, States(layers, fewest, fullest, layer_start)


@inner_kernel
def position(layers: Array, begin: int, end: int, state: int) -> int:
    """The index of a state in the layer from `begin` to `end`, by binary search; -1 if it is not there."""
    stop = end
    while begin < stop:
        middle = (begin + stop) >> 1
        if layers[middle] < state:
            begin = middle + 1
        else:
            stop = middle
    return begin if begin < end and layers[begin] == state else -1
