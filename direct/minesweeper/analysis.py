"""Boards from their characters to what is certain, or to the counts of their components, in one kernel.

A small board takes less time than the calls of several kernels from Python.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from direct import thresholds
from direct.kernel import Array, kernel
from direct.minesweeper.closure import close
from direct.minesweeper.component_counts import count_components
from direct.minesweeper.constraints import MINE, NO_MINE, UNKNOWN, board_of, constraints_of, marked
from direct.minesweeper.frontier import INCONSISTENT, states_of
from direct.minesweeper.order import partition_of, transitions_of

SAFE_PLACE, MINE_PLACE, FREE_PLACE = -1, -2, -3
"""Places of cells that no step decides: those known to be safe or a mine, and unknown ones that touch no clue."""


class Tallies(NamedTuple):
    """The layouts of all components, counted.

    Attributes:
        place: int32 per padded cell, the step that decides its group, or one of the places above.
        size: int32 (steps), the number of cells of the step's group.
        component_start: int32 (components + 1), where each component's steps begin.
        low, weight_start, numbers: the counts of the components that are DECIDED; see `count_components`.
    """

    place: Array
    size: Array
    component_start: Array
    low: Array
    weight_start: Array
    numbers: Array


class Analysis(NamedTuple):
    """What is known of boards.

    Attributes:
        shown: uint8 (rows, columns), the boards with `X` or `O` on each certain cell; if the layouts are counted, of the closure.
        clash: int32 (boards), a clue (padded) that cannot hold, or one of a component that has no layout; 0 if there is none.
        status: int8 (components), DECIDED or INCONSISTENT; TOO_WIDE or TOO_MANY where only the closure has decided.
        tallies: the layouts, if they are counted.
    """

    shown: Array
    clash: Array
    status: Array
    tallies: Tallies | None


@kernel
def analyse(grid: Array, starts: Array, most_states: int, counted: bool) -> Analysis:
    """Decide boards (as `constraints_of` takes them), or count their layouts.

    The closure alone decides if `most_states` is 0; else its states too, up to that number for each component. Time and memory
    are linear in the boards and in the states, of which a wide component has many.
    """
    constraints = constraints_of(grid, starts)
    clash = close(constraints, starts)
    known = constraints.known
    status = np.empty(0, np.int8)
    tallies = None
    if most_states > 0:
        partition = partition_of(constraints)
        transitions = transitions_of(constraints, partition)
        status = np.zeros(transitions.width.size, np.int8)
        place = np.empty(known.size if counted else 0, np.int32)
        low = np.zeros(status.size, np.int32)
        weight_start = np.zeros(status.size + 1, np.int64)
        numbers = np.empty(1024, np.int64)
        last, kept = 0, thresholds.KEPT_STATES if counted else 0
        if counted:
            for cell in range(known.size):
                place[cell] = FREE_PLACE if known[cell] == UNKNOWN else MINE_PLACE if known[cell] == MINE else SAFE_PLACE
        while last < status.size:
            first = last
            last, possible, states = states_of(transitions, status, first, most_states, kept)
            if counted:
                numbers = count_components(transitions, states, status, first, last, low, weight_start, numbers)
            for component in range(first, last):
                if status[component] == INCONSISTENT:
                    clue = partition.clue_of[component]
                    clash[board_of(clue, constraints.stride, starts)] = clue
                for k in range(transitions.component_start[component], transitions.component_start[component + 1]):
                    group = transitions.order[k]
                    certain = possible[k] == 1 or possible[k] == 1 << transitions.size[k]
                    if counted or certain:
                        for at in range(partition.group_start[group], partition.group_start[group + 1]):
                            if counted:
                                place[partition.cells[at]] = k
                            else:
                                known[partition.cells[at]] = NO_MINE if possible[k] == 1 else MINE
        if counted:
            tallies = Tallies(place, transitions.size, transitions.component_start, low, weight_start, numbers)
    return Analysis(marked(grid, starts, known), clash, status, tallies)
