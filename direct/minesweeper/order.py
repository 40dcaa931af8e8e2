"""The parts of a closed board that can be decided alone: components, groups of equivalent cells, and an order to decide them in.

Two unknown cells that touch the same clues are interchangeable, so a group of them counts only by its number of mines.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from direct import thresholds
from direct.kernel import Array, kernel
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
    """The dynamic programme over one component: a step decides one group, and a clue is open while some of its cells are decided.

    A state is an integer: for each open clue, in a field of three bits, the mines that it still needs.

    Attributes:
        width: the most clues that are open at once. Above `thresholds.MOST_OPEN` states do not fit, and only `order` and `size`
            are valid.
        order: int32 (steps), the group that each step decides.
        size: int32 (steps), that group's number of cells.
        start: int32 (steps + 1), where each step's clues begin in the next two.
        shift: int8, the lowest bit of the clue's field in the state.
        undecided: int8, the clue's cells that are undecided after the step.
        opening: int64 (steps), added to a state before the step: the fields of the clues that the step opens.
        unit: int64 (steps), taken off the state for each mine of the group.
    """

    width: int
    order: Array
    size: Array
    start: Array
    shift: Array
    undecided: Array
    opening: Array
    unit: Array


@kernel
def partition_of(constraints: Constraints) -> Partition:
    """The components of constraints that are closed, and their groups; linear in the boards."""
    known, _, unknown, stride = constraints
    size = known.size
    steps = around(stride)
    count = 0
    for cell in range(size):
        if known[cell] == UNKNOWN:
            count += 1
    cells = np.empty(count, np.int32)
    queue = np.empty(count, np.int32)
    group_start = np.empty(count + 1, np.int32)
    component_start = np.empty(count + 1, np.int32)
    clue_of = np.empty(count, np.int32)
    group_of = np.full(size, -1, np.int32)
    seen = np.zeros(size, np.uint8)
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


@kernel
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


@kernel
def ordered(constraints: Constraints, partition: Partition, component: int, mode: int, rest: Array) -> Array:
    """An order in which to decide the groups of a component (int32).

    Mode 0 always turns to the clue that is open longest, and there to the group that opens fewest clues; mode 1 to the
    group that opens fewest and closes most, of all that touch an open clue. Modes 2 and 3 go by rows and by columns.
    `rest` (int8) equals `constraints.unknown` before and after.
    """
    cells, group_start, component_start, group_of, _ = partition
    unknown, stride = constraints.unknown, constraints.stride
    first, last = component_start[component], component_start[component + 1]
    steps = around(stride)
    total = last - first
    chosen = np.empty(total, np.int32)
    if mode >= 2:
        keys = np.empty(total, np.int64)
        for k in range(total):
            cell = int(cells[group_start[first + k]])
            keys[k] = cell if mode == 2 else (cell % stride) * unknown.size + cell // stride
        ranks = np.argsort(keys)
        for k in range(total):
            chosen[k] = first + ranks[k]
        return chosen
    done = np.zeros(total, np.uint8)
    opened = np.empty(8 * total, np.int32)
    head, tail = 0, 0
    for k in range(total):
        best, least = first, 1 << 30
        while head < tail and rest[opened[head]] == 0:
            head += 1
        for at in range(head, tail):
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
        chosen[k] = best
        done[best - first] = 1
        size = group_start[best + 1] - group_start[best]
        cell = cells[group_start[best]]
        for j in range(8):
            near = cell + steps[j]
            if unknown[near] > 0:
                if rest[near] == unknown[near]:
                    opened[tail] = near
                    tail += 1
                rest[near] -= size
    for at in range(tail):
        rest[opened[at]] = unknown[opened[at]]
    return chosen


@kernel
def transitions_of(constraints: Constraints, partition: Partition, order: Array, rest: Array, slot: Array) -> Transitions:
    """The dynamic programme that decides the groups of a component in this order.

    `rest` (int8) equals `constraints.unknown` before and after; `slot` (int8 per padded cell) is scratch.
    """
    cells, group_start = partition.cells, partition.group_start
    _, need, unknown, stride = constraints
    steps = around(stride)
    total = order.size
    size = np.empty(total, np.int32)
    start = np.zeros(total + 1, np.int32)
    shift = np.empty(8 * total, np.int8)
    undecided = np.empty(8 * total, np.int8)
    opening = np.zeros(total, np.int64)
    unit = np.zeros(total, np.int64)
    used = np.zeros(thresholds.MOST_OPEN, np.uint8)
    width, now, entries = 0, 0, 0
    for k in range(total):
        size[k] = group_start[order[k] + 1] - group_start[order[k]]
        cell = cells[group_start[order[k]]]
        for i in range(8):
            clue = cell + steps[i]
            if unknown[clue] > 0 and rest[clue] == unknown[clue]:
                now += 1
                slot[clue] = 0
                for free in range(thresholds.MOST_OPEN):
                    if not used[free]:
                        used[free] = 1
                        slot[clue] = free
                        break
                opening[k] += int(need[clue]) << (3 * int(slot[clue]))
        width = max(width, now)
        for i in range(8):
            clue = cell + steps[i]
            if unknown[clue] > 0:
                rest[clue] -= size[k]
                shift[entries] = 3 * slot[clue]
                undecided[entries] = rest[clue]
                unit[k] += 1 << (3 * int(slot[clue]))
                entries += 1
        for i in range(8):
            clue = cell + steps[i]
            if unknown[clue] > 0 and rest[clue] == 0:
                now -= 1
                used[slot[clue]] = 0
        start[k + 1] = entries
    for k in range(total):
        cell = cells[group_start[order[k]]]
        for i in range(8):
            rest[cell + steps[i]] = unknown[cell + steps[i]]
    return Transitions(width, order, size, start, shift, undecided, opening, unit)


@kernel
def narrowest(constraints: Constraints, partition: Partition, component: int, rest: Array, slot: Array) -> Transitions:
    """The dynamic programme over a component, in the order with the least width of up to four; arguments as above."""
    order = ordered(constraints, partition, component, 0, rest)
    best = transitions_of(constraints, partition, order, rest, slot)
    if best.width > thresholds.FEW_OPEN:
        for mode in range(1, 4):
            order = ordered(constraints, partition, component, mode, rest)
            other = transitions_of(constraints, partition, order, rest, slot)
            if other.width < best.width:
                best = other
    return best
