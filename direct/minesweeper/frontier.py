"""The exact answer: components of what the closure leaves open, cells with the same clues merged, and a frontier programme.

The programme decides a component's groups of cells one after the other. A state is how many mines each open clue (some of
its cells decided, some not) still asks for; what lies behind and ahead of a state is independent. So the counts that a
group can take are those on some path from the first state to the last. Integers and booleans only: nothing is rounded.
"""

from __future__ import annotations

import numpy as np

from direct.kernel import Array, kernel
from direct.minesweeper.closure import MINE, NO_MINE, UNKNOWN, around, board_of

MOST_OPEN = 21
"""Clues open at once that a state has room for: three bits each, since the closure leaves no clue asking for more than 7."""

MOST_STATES = 2**24
"""States kept for one component, all steps together: some 300 MB."""

FEW_STATES = 2000
"""States up to which a small board is not worth loading compiled kernels for."""

DECIDED, INCONSISTENT, TOO_WIDE, TOO_MANY = range(4)


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
def counts(state: int, size: int, begin: int, end: int, shift: Array, room: Array) -> tuple[int, int]:
    """The least and the most mines that a group can take in a state (its opening added); none if the most is less."""
    least, most = 0, size
    for e in range(begin, end):
        asked = (state >> shift[e]) & 7
        most = min(most, asked)
        least = max(least, asked - room[e])
    return least, most


@kernel
def position(layers: Array, begin: int, end: int, state: int) -> int:
    """Where a state stands in a layer, or -1."""
    stop = end
    while begin < stop:
        middle = (begin + stop) >> 1
        if layers[middle] < state:
            begin = middle + 1
        else:
            stop = middle
    return begin if begin < end and layers[begin] == state else -1


@kernel
def sweep(
    most_states: int, sizes: Array, start: Array, shift: Array, room: Array, opening: Array, unit: Array
) -> tuple[int, Array, Array, Array, Array]:
    """Forward through the states that can be reached, backward through those from which the end can be.

    For one count of mines the next states ascend with the states, so a layer is merged from at most nine runs. Time is
    linear in the states.

    Returns:
        status: DECIDED, INCONSISTENT or TOO_MANY.
        layers: int64, the states before each step and after the last, ascending in each layer.
        layer_start: int32 (steps + 2), where each layer begins.
        alive: uint8 per state, whether the end can be reached from it.
        possible: int32 (steps), bit j set where the group can take j mines.
    """
    total = sizes.size
    layers = np.zeros(16 * total + 16, np.int64)
    fewest = np.zeros(16 * total + 16, np.int8)  # per state the least and the most mines that its group can take
    fullest = np.zeros(16 * total + 16, np.int8)
    layer_start = np.zeros(total + 2, np.int32)
    possible = np.zeros(total, np.int32)
    alive = np.zeros(1, np.uint8)
    at = np.empty(9, np.int64)
    layer_start[1] = 1
    for k in range(total):
        begin, end = layer_start[k], layer_start[k + 1]
        for i in range(begin, end):
            least, most = counts(layers[i] + opening[k], sizes[k], start[k], start[k + 1], shift, room)
            fewest[i] = least
            fullest[i] = most
        tail = end
        for mines in range(sizes[k] + 1):
            at[mines] = begin
        while True:
            lowest, any_left = 0, False
            for mines in range(sizes[k] + 1):
                while at[mines] < end and not fewest[at[mines]] <= mines <= fullest[at[mines]]:
                    at[mines] += 1
                if at[mines] < end:
                    state = layers[at[mines]] + opening[k] - mines * unit[k]
                    if not any_left or state < lowest:
                        lowest = state
                        any_left = True
            if not any_left:
                break
            for mines in range(sizes[k] + 1):
                if at[mines] < end and layers[at[mines]] + opening[k] - mines * unit[k] == lowest:
                    at[mines] += 1
            if tail >= most_states:
                return TOO_MANY, layers, layer_start, alive, possible
            if tail == layers.size:
                layers = longer(layers, most_states)
                fewest = longer(fewest, most_states)
                fullest = longer(fullest, most_states)
            layers[tail] = lowest
            tail += 1
        if tail == end:
            return INCONSISTENT, layers, layer_start, alive, possible
        layer_start[k + 2] = tail
    alive = np.zeros(layer_start[total + 1], np.uint8)
    alive[layer_start[total]] = 1
    for k in range(total - 1, -1, -1):
        begin, end = layer_start[k], layer_start[k + 1]
        for mines in range(sizes[k] + 1):
            at[mines] = end
        for i in range(begin, end):
            for mines in range(fewest[i], fullest[i] + 1):
                state = layers[i] + opening[k] - mines * unit[k]
                while layers[at[mines]] < state:
                    at[mines] += 1
                if alive[at[mines]]:
                    alive[i] = 1
                    possible[k] |= 1 << mines
    return DECIDED, layers, layer_start, alive, possible


@kernel
def longer(array: Array, most: int) -> Array:
    """A copy with room for twice as many, but no more than `most`."""
    wider = np.zeros(min(2 * array.size, most), array.dtype)
    wider[: array.size] = array
    return wider


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


@kernel
def decide(know: Array, need: Array, left: Array, stride: int, starts: Array, clash: Array, most_states: int) -> tuple[int, int]:
    """Settle in `know` what is certain of a closed field (`need` and `left` are not brought up to date).

    Where a component has no layout, `clash` (int32 per board) gets a clue of it, padded. Time and memory are linear in the
    boards but for the states, which grow with the width of a component.

    Returns:
        status: DECIDED; or TOO_WIDE or TOO_MANY, at the first component that is.
        width: the most clues open at once in that component, or the most of all.
    """
    cells, group_start, part_start, group_of, found = split(know, left, stride)
    rest = left.copy()
    slot = np.zeros(left.size, np.int8)
    widest = 0
    for part in range(found.size):
        width, chosen, start, shift, room, opening, unit = prepare(
            part, cells, group_start, part_start, group_of, need, left, rest, slot, stride
        )
        if width > MOST_OPEN:
            return TOO_WIDE, width
        widest = max(widest, width)
        sizes = np.empty(chosen.size, np.int32)
        for k in range(chosen.size):
            sizes[k] = group_start[chosen[k] + 1] - group_start[chosen[k]]
        status, _, _, _, possible = sweep(most_states, sizes, start, shift, room, opening, unit)
        if status == TOO_MANY:
            return TOO_MANY, width
        if status == INCONSISTENT:
            clash[board_of(found[part], stride, starts)] = found[part]
        for k in range(chosen.size):
            if possible[k] == 1 or possible[k] == 1 << sizes[k]:
                for at in range(group_start[chosen[k]], group_start[chosen[k] + 1]):
                    know[cells[at]] = NO_MINE if possible[k] == 1 else MINE
    return DECIDED, widest


@kernel
def serve(
    k: int,
    state: int,
    sizes: Array,
    start: Array,
    shift: Array,
    room: Array,
    opening: Array,
    unit: Array,
    layers: Array,
    layer_start: Array,
    alive: Array,
    ones: Array,
    noughts: Array,
) -> tuple[int, int]:
    """The count from which the end can be reached that serves most wanted values in step k, and how many those are."""
    opened = state + opening[k]
    least, most = counts(opened, sizes[k], start[k], start[k + 1], shift, room)
    best, found = -1, 0
    for count in range(least, most + 1):
        value = min(count, ones[k]) + min(sizes[k] - count, noughts[k])
        if value > best and alive[position(layers, layer_start[k + 1], layer_start[k + 2], opened - count * unit[k])]:
            best, found = value, count
    return found, best


@kernel
def lay_out(
    know: Array,
    need: Array,
    left: Array,
    stride: int,
    cells: Array,
    group_start: Array,
    part_start: Array,
    group_of: Array,
    layout: Array,
    wanted: Array,
) -> int:
    """Change a layout of a closed, consistent field so that it gives many cells a value that they still want.

    A component of which no cell wants anything keeps its layout, if it has one. Of any other, the path through the
    states goes through a wanted value at least, and at each step takes the count that serves most.

    Args:
        cells, group_start, part_start, group_of: what `split` returns.
        layout: uint8 per padded cell, 1 for a mine, 2 where nothing is laid out yet; changed.
        wanted: uint8 per padded cell, bit v set where the value v is wanted; bits are taken off as they are served.

    Returns:
        How many cells still want a value.
    """
    rest = left.copy()
    slot = np.zeros(left.size, np.int8)
    for part in range(part_start.size - 1):
        target = -1
        for at in range(group_start[part_start[part]], group_start[part_start[part + 1]]):
            if wanted[cells[at]]:
                target = group_of[cells[at]]
                break
        if target < 0 and layout[cells[group_start[part_start[part]]]] != UNKNOWN:
            continue
        _, chosen, start, shift, room, opening, unit = prepare(
            part, cells, group_start, part_start, group_of, need, left, rest, slot, stride
        )
        total = chosen.size
        sizes = np.empty(total, np.int32)
        ones = np.zeros(total, np.int32)
        noughts = np.zeros(total, np.int32)
        middle = 0
        for k in range(total):
            sizes[k] = group_start[chosen[k] + 1] - group_start[chosen[k]]
            if chosen[k] == target:
                middle = k
            for at in range(group_start[chosen[k]], group_start[chosen[k] + 1]):
                ones[k] += wanted[cells[at]] >> 1
                noughts[k] += wanted[cells[at]] & 1
        _, layers, layer_start, alive, _ = sweep(MOST_STATES, sizes, start, shift, room, opening, unit)
        mines = np.zeros(total, np.int32)
        best, state = -1, 0
        for at in range(layer_start[middle], layer_start[middle + 1]):
            if alive[at]:
                count, value = serve(
                    middle, layers[at], sizes, start, shift, room, opening, unit, layers, layer_start, alive, ones, noughts
                )
                if value > best:
                    best, state, mines[middle] = value, layers[at], count
        here = state
        for k in range(middle - 1, -1, -1):
            best, before = -1, here
            for count in range(sizes[k] + 1):
                earlier = here + count * unit[k] - opening[k]
                if position(layers, layer_start[k], layer_start[k + 1], earlier) >= 0:
                    least, most = counts(earlier + opening[k], sizes[k], start[k], start[k + 1], shift, room)
                    value = min(count, ones[k]) + min(sizes[k] - count, noughts[k])
                    if least <= count <= most and value > best:
                        best, before, mines[k] = value, earlier, count
            here = before
        here = state
        for k in range(middle, total):
            if k > middle:
                mines[k], _ = serve(k, here, sizes, start, shift, room, opening, unit, layers, layer_start, alive, ones, noughts)
            here = here + opening[k] - mines[k] * unit[k]
        for k in range(total):
            asked = mines[k]
            for at in range(group_start[chosen[k]], group_start[chosen[k] + 1]):
                layout[cells[at]] = UNKNOWN
            for choice in (2, 3, 0, 1):  # mines first where only a mine is wanted, last where only none is
                for at in range(group_start[chosen[k]], group_start[chosen[k] + 1]):
                    cell = cells[at]
                    if wanted[cell] == choice and layout[cell] == UNKNOWN:
                        layout[cell] = MINE if asked > 0 else NO_MINE
                        asked -= 1
            for at in range(group_start[chosen[k]], group_start[chosen[k] + 1]):
                cell = cells[at]
                wanted[cell] &= ~(1 << layout[cell]) & 3
    lacking = 0
    for at in range(cells.size):
        lacking += wanted[cells[at]] != 0
    return lacking
