"""Boards from their characters to what is certain, or to the counts of their components, each in one kernel.

A small board takes less time than the calls of several kernels from Python.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from direct import thresholds
from direct.kernel import Array, inner_kernel, kernel
from direct.minesweeper.closure import MINE, NO_MINE, UNKNOWN, Constraints, board_of, close, constraints_of, is_opened, marked
from direct.minesweeper.counts import BoardCounts, Tallies, combine, count_components
from direct.minesweeper.frontier import DECIDED, INCONSISTENT, Partition, Transitions, partition_of, states_of, transitions_of

OPENED_PLACE, SAFE_PLACE, MINE_PLACE, FREE_PLACE, FIRST_STEP = range(5)
"""Places of cells: opened, known to be safe, known to be a mine, unknown without a clue beside it; then one for each step."""

ANY_NUMBER = -1
"""In place of the number of mines: the layouts of all numbers are counted."""


class BoardParts(NamedTuple):
    """Boards after the closure: their constraints, the components of these, and the dynamic programmes over them."""

    closed: Constraints
    partition: Partition
    transitions: Transitions


class Decided(NamedTuple):
    """What is certain of boards.

    Attributes:
        shown: uint8 (rows, columns), the boards with `X` or `O` on each certain cell.
        clash: int32 (boards), a clue (padded) that cannot hold, or one of a component that has no layout; 0 if there is none.
        status: int8 (components), DECIDED or INCONSISTENT; TOO_WIDE or TOO_MANY where only the closure has decided.
    """

    shown: Array
    clash: Array
    status: Array


class Counted(NamedTuple):
    """The layouts of one board.

    Attributes:
        decided: what the closure decides, and the components that have no layout.
        place: int32 per cell, the step that decides its group, from FIRST_STEP on, or one of the places before it.
        counts: the layouts with the board's number of mines; without rows if they are not combined.
        tallies: the layouts of the components.
    """

    decided: Decided
    place: Array
    counts: BoardCounts
    tallies: Tallies


@kernel
def parts_of(grid: Array, starts: Array) -> BoardParts:
    """The parts of boards (as `constraints_of` takes them)."""
    constraints = constraints_of(grid, starts)
    close(constraints, starts)
    partition = partition_of(constraints)
    return BoardParts(constraints, partition, transitions_of(constraints, partition))


@kernel
def decide(grid: Array, starts: Array, most_states: int) -> Decided:
    """Decide boards (as `constraints_of` takes them).

    The closure alone decides if `most_states` is 0; else its states too, up to that number for each component. Time and memory
    are linear in the boards and in the states, of which a wide component has many.
    """
    constraints = constraints_of(grid, starts)
    clash = close(constraints, starts)
    known = constraints.known
    if most_states == 0:
        return Decided(marked(grid, starts, known), clash, np.empty(0, np.int8))
    partition = partition_of(constraints)
    transitions = transitions_of(constraints, partition)
    status = np.zeros(transitions.width.size, np.int8)
    none: Any = np.int64(0)  # Numba would compile another form of `states_of` for a literal
    _, possible, _ = states_of(transitions, status, none, most_states, none)
    for component in range(status.size):
        if status[component] == INCONSISTENT:
            note_clash(constraints, partition, component, starts, clash)
        for k in range(transitions.component_start[component], transitions.component_start[component + 1]):
            if possible[k] == 1 or possible[k] == 1 << transitions.size[k]:
                group = transitions.order[k]
                for at in range(partition.group_start[group], partition.group_start[group + 1]):
                    known[partition.cells[at]] = NO_MINE if possible[k] == 1 else MINE
    return Decided(marked(grid, starts, known), clash, status)


@kernel
def count(grid: Array, starts: Array, most_states: int, mines: int) -> Counted:
    """Count the layouts of one board (as `constraints_of` takes it), as far as its components have at most `most_states` states.

    Args:
        mines: the number of mines on the board, or ANY_NUMBER; then the counts of the components are not combined.
    """
    constraints = constraints_of(grid, starts)
    clash = close(constraints, starts)
    known, stride = constraints.known, constraints.stride
    columns = stride - 1
    partition = partition_of(constraints)
    transitions = transitions_of(constraints, partition)
    cells, group_start = partition.cells, partition.group_start
    place = np.zeros(grid.size, np.int32)
    free, left = -cells.size, mines
    for row in range(grid.shape[0]):
        for column in range(columns):
            if not is_opened(grid[row, column]):
                state = known[(row + 1) * stride + column + 1]
                place[row * columns + column] = SAFE_PLACE
                if state == UNKNOWN:
                    place[row * columns + column] = FREE_PLACE
                    free += 1
                elif state == MINE:
                    place[row * columns + column] = MINE_PLACE
                    left -= 1
    for k in range(transitions.order.size):
        group = transitions.order[k]
        for at in range(group_start[group], group_start[group + 1]):
            place[(cells[at] // stride - 1) * columns + cells[at] % stride - 1] = FIRST_STEP + k
    status = np.zeros(transitions.width.size, np.int8)
    low = np.zeros(status.size, np.int32)
    weight_start = np.zeros(status.size + 1, np.int64)
    numbers = np.empty(1024, np.int64)
    last: Any = np.int64(0)  # no literal: see `decide`
    while last < status.size:
        first = last
        last, _, states = states_of(transitions, status, first, most_states, thresholds.KEPT_STATES)
        numbers = count_components(transitions, states, status, first, last, low, weight_start, numbers)
    combined = mines != ANY_NUMBER
    for component in range(status.size):
        combined = combined and status[component] == DECIDED
        if status[component] == INCONSISTENT:
            note_clash(constraints, partition, component, starts, clash)
    tallies = Tallies(transitions.size, transitions.component_start, low, weight_start, numbers)
    decided = Decided(marked(grid, starts, known), clash, status)
    return Counted(decided, place, combine(tallies, free, left, combined), tallies)


@inner_kernel
def note_clash(constraints: Constraints, partition: Partition, component: int, starts: Array, clash: Array) -> None:
    """Note one clue of a component that has no layout as its board's clash."""
    clue = partition.clue_of[component]
    clash[board_of(clue, constraints.stride, starts)] = clue
