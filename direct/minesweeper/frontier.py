"""The exact answer: a dynamic programme over the states of the frontier, component by component.

The closure leaves components; in each, cells with the same clues are one group. The programme decides one group after the
other. A state is the number of mines that each open clue (some of its cells decided, some not) still needs; given the state,
the decided groups and the others are independent. So a group can have a number of mines exactly if some path from the first
state to the last has it. All values are integers and booleans: nothing is rounded.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from direct import thresholds
from direct.kernel import Array, kernel
from direct.minesweeper.constraints import longer
from direct.minesweeper.order import Transitions

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


def kept_states(transitions: Transitions, most_states: int, cells: int) -> Iterator[tuple[int, int, Array, States]]:
    """The states of all components of a board with this number of cells, in parts that fit into memory.

    Yields:
        first, last: the components (`last` exclusive) of this part.
        status: int8 (components); see `states_of`.
        states: the states of those that are DECIDED.
    """
    first = 0
    status = np.zeros(transitions.width.size, np.int8)
    while first < status.size:
        last, _, states = states_of.at(cells)(transitions, status, first, most_states, thresholds.KEPT_STATES)
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
        status[component] = DECIDED if width[component] <= thresholds.MOST_OPEN else TOO_WIDE
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
