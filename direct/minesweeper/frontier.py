"""The exact answer: a dynamic programme over the states of the frontier, component by component.

The closure leaves components; in each, cells with the same clues are one group. The programme decides one group after the
other. A state is the number of mines that each open clue (some of its cells decided, some not) still needs; given the state,
the decided groups and the others are independent. So a group can have a number of mines exactly if some path from the first
state to the last has it. All values are integers and booleans: nothing is rounded.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from direct import thresholds
from direct.kernel import Array, kernel
from direct.minesweeper.closure import close
from direct.minesweeper.constraints import MINE, NO_MINE, Constraints, board_of, constraints_of
from direct.minesweeper.order import Transitions, narrowest, partition_of

DECIDED, INCONSISTENT, TOO_WIDE, TOO_MANY = range(4)


class States(NamedTuple):
    """The states of one component.

    Attributes:
        state: int64, the states before each step and after the last, ascending in each layer.
        layer_start: int32 (steps + 2), where each layer begins.
        alive: uint8 per state, whether the end can be reached from it.
    """

    state: Array
    layer_start: Array
    alive: Array


@kernel
def mine_range(opened: int, size: int, begin: int, end: int, shift: Array, undecided: Array) -> tuple[int, int]:
    """The least and the most mines that a group can have in a state (the step's `opening` added); none if least > most.

    `size`, `begin` and `end` (two entries of `start`), `shift` and `undecided` are the step's in `Transitions`. They are passed one
    by one, because this function is called for each state: passing the named tuple makes it a quarter slower.
    """
    least, most = 0, size
    for e in range(begin, end):
        needed = (opened >> shift[e]) & 7
        most = min(most, needed)
        least = max(least, needed - undecided[e])
    return least, most


@kernel
def forward_backward(transitions: Transitions, most_states: int) -> tuple[int, States, Array]:
    """Forward through the states that can be reached, backward through those from which the end can be reached.

    For a fixed number of mines, the order of the states is the order of their successors; so a layer is a merge of at most
    nine ascending runs. Time is linear in the states.

    Returns:
        status: DECIDED, INCONSISTENT or TOO_MANY.
        states: the states; complete if the status is DECIDED.
        possible: int32 (steps), bit j set where the step's group can have j mines.
    """
    _, _, size, start, shift, undecided, opening, unit = transitions
    total = size.size
    room = thresholds.STATES_A_STEP * (total + 1)
    layers = np.zeros(room, np.int64)
    fewest = np.zeros(room, np.int8)  # of a state, the least and the most mines that its group can have
    fullest = np.zeros(room, np.int8)
    layer_start = np.zeros(total + 2, np.int32)
    possible = np.zeros(total, np.int32)
    alive = np.zeros(1, np.uint8)
    at = np.empty(9, np.int64)
    layer_start[1] = 1
    for k in range(total):
        begin, end = layer_start[k], layer_start[k + 1]
        for i in range(begin, end):
            least, most = mine_range(layers[i] + opening[k], size[k], start[k], start[k + 1], shift, undecided)
            fewest[i] = least
            fullest[i] = most
        tail = end
        for mines in range(size[k] + 1):
            at[mines] = begin
        while True:
            lowest, any_left = 0, False
            for mines in range(size[k] + 1):
                while at[mines] < end and not fewest[at[mines]] <= mines <= fullest[at[mines]]:
                    at[mines] += 1
                if at[mines] < end:
                    state = layers[at[mines]] + opening[k] - mines * unit[k]
                    if not any_left or state < lowest:
                        lowest = state
                        any_left = True
            if not any_left:
                break
            for mines in range(size[k] + 1):
                if at[mines] < end and layers[at[mines]] + opening[k] - mines * unit[k] == lowest:
                    at[mines] += 1
            if tail >= most_states:
                return TOO_MANY, States(layers, layer_start, alive), possible
            if tail == layers.size:
                layers = longer(layers, most_states)
                fewest = longer(fewest, most_states)
                fullest = longer(fullest, most_states)
            layers[tail] = lowest
            tail += 1
        if tail == end:
            return INCONSISTENT, States(layers, layer_start, alive), possible
        layer_start[k + 2] = tail
    alive = np.zeros(layer_start[total + 1], np.uint8)
    alive[layer_start[total]] = 1
    for k in range(total - 1, -1, -1):
        begin, end = layer_start[k], layer_start[k + 1]
        for mines in range(size[k] + 1):
            at[mines] = end
        for i in range(begin, end):
            for mines in range(fewest[i], fullest[i] + 1):
                state = layers[i] + opening[k] - mines * unit[k]
                while layers[at[mines]] < state:
                    at[mines] += 1
                if alive[at[mines]]:
                    alive[i] = 1
                    possible[k] |= 1 << mines
    return DECIDED, States(layers, layer_start, alive), possible


@kernel
def longer(array: Array, most: int) -> Array:
    """A copy of twice the length, but of at most `most` entries; the new ones are 0."""
    wider = np.zeros(min(2 * array.size, most), array.dtype)
    wider[: array.size] = array
    return wider


@kernel
def decide_all(grid: Array, starts: Array, most_states: int) -> tuple[Constraints, Array, Array, Array]:
    """The closure of boards (as `constraints_of` takes them), and what `decide` adds.

    Returns the constraints after the closure, a copy of `known` with each certain cell, `clash`, and the status per component.
    """
    constraints = constraints_of(grid, starts)
    clash = close(constraints, starts)
    known = constraints.known.copy()
    status, _ = decide(Constraints(known, constraints.need, constraints.unknown, constraints.stride), starts, clash, most_states)
    return constraints, known, clash, status


@kernel
def decide(constraints: Constraints, starts: Array, clash: Array, most_states: int) -> tuple[Array, Array]:
    """Put into `known` each cell that is certain; `need` and `unknown` stay as the closure left them.

    For a component without a layout, `clash` (int32 per board) gets one of its clues (padded). Time and memory are linear in
    the boards and in the states, of which a wide component has many.

    Returns:
        status: int8 (components), DECIDED or INCONSISTENT; TOO_WIDE or TOO_MANY where nothing is decided.
        width: int32 (components), the most clues open at once.
    """
    partition = partition_of(constraints)
    cells, group_start, clue_of = partition.cells, partition.group_start, partition.clue_of
    known = constraints.known
    rest = constraints.unknown.copy()
    slot = np.zeros(rest.size, np.int8)
    statuses = np.zeros(clue_of.size, np.int8)
    widths = np.zeros(clue_of.size, np.int32)
    for component in range(clue_of.size):
        transitions = narrowest(constraints, partition, component, rest, slot)
        widths[component] = transitions.width
        if transitions.width > thresholds.MOST_OPEN:
            statuses[component] = TOO_WIDE
            continue
        status, _, possible = forward_backward(transitions, most_states)
        statuses[component] = status
        if status == INCONSISTENT:
            clash[board_of(clue_of[component], constraints.stride, starts)] = clue_of[component]
        for k in range(transitions.order.size):
            if possible[k] == 1 or possible[k] == 1 << transitions.size[k]:
                group = transitions.order[k]
                for at in range(group_start[group], group_start[group + 1]):
                    known[cells[at]] = NO_MINE if possible[k] == 1 else MINE
    return statuses, widths
