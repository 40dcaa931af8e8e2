"""Components of a closed field, cells with the same clues merged, and a narrow order in which to decide them."""

from __future__ import annotations

import numpy as np

from direct.kernel import Array, kernel
from direct.minesweeper.closure import UNKNOWN, around

MOST_OPEN = 21
"""Clues open at once that a state has room for: three bits each, since the closure leaves no clue asking for more than 7."""


@kernel
def split(know: Array, left: Array, stride: int) -> tuple[Array, Array, Array, Array, Array]:
    """Components, and in each the cells with the same clues as groups.

    Returns:
        cells: int32, the unknown cells beside a clue (padded), group by group.
        group_start: int32 (groups + 1), where each group begins in `cells`.
        part_start: int32 (components + 1), where each component's groups begin.
        group_of: int32 per padded cell, its group or -1.
        found: int32 (components), a clue of each.
    """
    size = know.size
    steps = around(stride)
    count = 0
    for cell in range(size):
        if know[cell] == UNKNOWN:
            count += 1
    cells = np.empty(count, np.int32)
    queue = np.empty(count, np.int32)
    group_start = np.empty(count + 1, np.int32)
    part_start = np.empty(count + 1, np.int32)
    found = np.empty(count, np.int32)
    group_of = np.full(size, -1, np.int32)
    seen = np.zeros(size, np.uint8)
    filled, groups, parts = 0, 0, 0
    for first in range(size):
        if left[first] == 0 or seen[first]:
            continue
        part_start[parts] = groups
        found[parts] = first
        parts += 1
        seen[first] = 1
        head, tail = 0, 0
        clue = first
        while True:  # the clue's cells join the queue; then the clues of the queue's cells, one by one
            for i in range(8):
                cell = clue + steps[i]
                if know[cell] == UNKNOWN and not seen[cell]:
                    seen[cell] = 1
                    queue[tail] = cell
                    tail += 1
            clue = -1
            while head < tail and clue < 0:
                for i in range(8):
                    near = queue[head] + steps[i]
                    if left[near] > 0 and not seen[near]:
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
                if left[cell + steps[i]] > 0:
                    anchor = cell + steps[i]
                    break
            for i in range(8):
                twin = anchor + steps[i]
                if know[twin] == UNKNOWN and group_of[twin] < 0 and alike(left, steps, cell, twin):
                    group_of[twin] = groups
                    cells[filled] = twin
                    filled += 1
            groups += 1
    part_start[parts] = groups
    group_start[groups] = filled
    return cells[:filled], group_start[: groups + 1], part_start[: parts + 1], group_of, found[:parts]


@kernel
def alike(left: Array, steps: Array, one: int, other: int) -> bool:
    """Whether two cells are beside the same clues."""
    shared = 0
    for i in range(8):
        clue = one + steps[i]
        if left[clue] > 0:
            for j in range(8):
                if other + steps[j] == clue:
                    shared += 1
                    break
    ones, others = 0, 0
    for i in range(8):
        ones += left[one + steps[i]] > 0
        others += left[other + steps[i]] > 0
    return shared == ones and shared == others


@kernel
def order(
    mode: int, cells: Array, group_start: Array, first: int, last: int, group_of: Array, left: Array, rest: Array, stride: int
) -> Array:
    """An order in which to decide the groups first..last-1 of a component (int32).

    Mode 0 always turns to the clue that is open longest, and there to the group that opens fewest clues; mode 1 to the
    group that opens fewest and closes most, of all that touch an open clue. Modes 2 and 3 sweep by rows and by columns.
    `rest` is equal to `left` before and after.
    """
    steps = around(stride)
    total = last - first
    chosen = np.empty(total, np.int32)
    if mode >= 2:
        keys = np.empty(total, np.int64)
        for k in range(total):
            cell = int(cells[group_start[first + k]])
            keys[k] = cell if mode == 2 else (cell % stride) * left.size + cell // stride
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
                    if left[near] > 0:
                        if rest[near] == left[near]:
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
            if left[near] > 0:
                if rest[near] == left[near]:
                    opened[tail] = near
                    tail += 1
                rest[near] -= size
    for at in range(tail):
        rest[opened[at]] = left[opened[at]]
    return chosen


@kernel
def plan(
    chosen: Array, cells: Array, group_start: Array, need: Array, left: Array, rest: Array, slot: Array, stride: int
) -> tuple[int, Array, Array, Array, Array, Array]:
    """What deciding the groups in this order does to a state.

    `rest` is equal to `left` before and after; `slot` (int8 per padded cell) is scratch.

    Returns:
        width: the most clues that are open at once; above MOST_OPEN the rest is of no use.
        start: int32 (steps + 1), where each step's clues begin in the next two.
        shift: int8, the lowest bit of the clue's field in the state.
        room: int8, the clue's cells that are undecided after the step.
        opening: int64 (steps), to be added to a state before the step.
        unit: int64 (steps), to be taken off for each mine of the group.
    """
    steps = around(stride)
    total = chosen.size
    start = np.zeros(total + 1, np.int32)
    shift = np.empty(8 * total, np.int8)
    room = np.empty(8 * total, np.int8)
    opening = np.zeros(total, np.int64)
    unit = np.zeros(total, np.int64)
    used = np.zeros(MOST_OPEN, np.uint8)
    width, now, entries = 0, 0, 0
    for k in range(total):
        size = group_start[chosen[k] + 1] - group_start[chosen[k]]
        cell = cells[group_start[chosen[k]]]
        for i in range(8):
            clue = cell + steps[i]
            if left[clue] > 0 and rest[clue] == left[clue]:
                now += 1
                slot[clue] = 0
                for free in range(MOST_OPEN):
                    if not used[free]:
                        used[free] = 1
                        slot[clue] = free
                        break
                opening[k] += int(need[clue]) << (3 * int(slot[clue]))
        width = max(width, now)
        for i in range(8):
            clue = cell + steps[i]
            if left[clue] > 0:
                rest[clue] -= size
                shift[entries] = 3 * slot[clue]
                room[entries] = rest[clue]
                unit[k] += 1 << (3 * int(slot[clue]))
                entries += 1
        for i in range(8):
            clue = cell + steps[i]
            if left[clue] > 0 and rest[clue] == 0:
                now -= 1
                used[slot[clue]] = 0
        start[k + 1] = entries
    for k in range(total):
        cell = cells[group_start[chosen[k]]]
        for i in range(8):
            rest[cell + steps[i]] = left[cell + steps[i]]
    return width, start, shift, room, opening, unit


@kernel
def prepare(
    part: int,
    cells: Array,
    group_start: Array,
    part_start: Array,
    group_of: Array,
    need: Array,
    left: Array,
    rest: Array,
    slot: Array,
    stride: int,
) -> tuple[int, Array, Array, Array, Array, Array, Array]:
    """The narrowest of a few orders for a component: the width, the order, and the rest of `plan`."""
    first, last = part_start[part], part_start[part + 1]
    chosen = order(0, cells, group_start, first, last, group_of, left, rest, stride)
    width, start, shift, room, opening, unit = plan(chosen, cells, group_start, need, left, rest, slot, stride)
    if width > 6:
        for mode in range(1, 4):
            other = order(mode, cells, group_start, first, last, group_of, left, rest, stride)
            found = plan(other, cells, group_start, need, left, rest, slot, stride)
            if found[0] < width:
                chosen = other
                width, start, shift, room, opening, unit = found
    return width, chosen, start, shift, room, opening, unit
