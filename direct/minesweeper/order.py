"""The parts of a closed board that can be decided alone: components, groups of equivalent cells, and an order to decide them in.

Two unknown cells that touch the same clues are interchangeable, so a group of them counts only by its number of mines.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from direct import thresholds
from direct.kernel import Array, inner_kernel
from direct.minesweeper.constraints import UNKNOWN, Constraints, around


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
        width: int32 (components), the most clues that are open at once. Above `thresholds.MOST_OPEN` states do not fit, and only
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
    used = np.zeros(thresholds.MOST_OPEN, np.int8)
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
                        while free < thresholds.MOST_OPEN and used[free]:
                            free += 1
                        if free == thresholds.MOST_OPEN:  # too wide, so the fields do not matter
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
