"""The exact answer: components of what the closure leaves open, cells with the same clues merged, and a frontier programme.

The programme decides a component's groups of cells one after the other. A state is how many mines each open clue (some of
its cells decided, some not) still asks for; what lies behind and ahead of a state is independent. So the counts that a
group can take are those on some path from the first state to the last. Integers and booleans only: nothing is rounded.
"""

from __future__ import annotations

import numpy as np

from direct.kernel import Array, kernel
from direct.minesweeper.closure import MINE, NO_MINE, board_of
from direct.minesweeper.order import MOST_OPEN, prepare, split

MOST_STATES = 2**24
"""States kept for one component, all steps together: some 300 MB."""

FEW_STATES = 2000
"""States up to which a small board is not worth loading compiled kernels for."""

DECIDED, INCONSISTENT, TOO_WIDE, TOO_MANY = range(4)


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
def decide(
    know: Array, need: Array, left: Array, stride: int, starts: Array, clash: Array, most_states: int
) -> tuple[Array, Array]:
    """Settle in `know` what is certain of a closed field (`need` and `left` are not brought up to date).

    Where a component has no layout, `clash` (int32 per board) gets a clue of it, padded. Time and memory are linear in the
    boards but for the states, which grow with the width of a component.

    Returns:
        status: int8 (components), DECIDED or INCONSISTENT; TOO_WIDE or TOO_MANY where nothing is settled.
        width: int32 (components), the most clues open at once.
    """
    cells, group_start, part_start, group_of, found = split(know, left, stride)
    rest = left.copy()
    slot = np.zeros(left.size, np.int8)
    statuses = np.zeros(found.size, np.int8)
    widths = np.zeros(found.size, np.int32)
    for part in range(found.size):
        width, chosen, start, shift, room, opening, unit = prepare(
            part, cells, group_start, part_start, group_of, need, left, rest, slot, stride
        )
        widths[part] = width
        if width > MOST_OPEN:
            statuses[part] = TOO_WIDE
            continue
        sizes = np.empty(chosen.size, np.int32)
        for k in range(chosen.size):
            sizes[k] = group_start[chosen[k] + 1] - group_start[chosen[k]]
        status, _, _, _, possible = sweep(most_states, sizes, start, shift, room, opening, unit)
        statuses[part] = status
        if status == INCONSISTENT:
            clash[board_of(found[part], stride, starts)] = found[part]
        for k in range(chosen.size):
            if possible[k] == 1 or possible[k] == 1 << sizes[k]:
                for at in range(group_start[chosen[k]], group_start[chosen[k] + 1]):
                    know[cells[at]] = NO_MINE if possible[k] == 1 else MINE
    return statuses, widths
