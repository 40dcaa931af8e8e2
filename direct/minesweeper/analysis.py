"""Boards from their characters to what is certain, or to the counts of their components, in one kernel.

A small board takes less time than the calls of several kernels from Python.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from direct import thresholds
from direct.kernel import Array, kernel
from direct.minesweeper.board_counts import BoardCounts, combine
from direct.minesweeper.closure import close
from direct.minesweeper.component_counts import Tallies, count_components
from direct.minesweeper.constraints import MINE, NO_MINE, UNKNOWN, Constraints, board_of, constraints_of, is_opened, marked
from direct.minesweeper.frontier import DECIDED, INCONSISTENT, states_of
from direct.minesweeper.order import Partition, Transitions, partition_of, transitions_of
from puzzles.text import Grid

OPENED_PLACE, SAFE_PLACE, MINE_PLACE, FREE_PLACE, FIRST_STEP = range(5)
"""Places of cells: opened, known to be safe, known to be a mine, unknown without a clue beside it; then one for each step."""

ONLY_PARTS, COUNT_NOTHING, COUNT_ALL = -3, -2, -1
"""What to count, if not the layouts with a number of mines: nothing, or the layouts with any number. With ONLY_PARTS nothing is
decided beyond the closure, and its parts are returned."""


class BoardParts(NamedTuple):
    """Boards after the closure: their constraints, the components of these, and the dynamic programmes over them."""

    closed: Constraints
    partition: Partition
    transitions: Transitions


class Analysis(NamedTuple):
    """What is known of boards.

    Attributes:
        shown: uint8 (rows, columns), the boards with `X` or `O` on each certain cell; if the layouts are counted, of the closure.
        clash: int32 (boards), a clue (padded) that cannot hold, or one of a component that has no layout; 0 if there is none.
        status: int8 (components), DECIDED or INCONSISTENT; TOO_WIDE or TOO_MANY where only the closure has decided.
        place: int32 per cell of the only board, the step that decides its group, from FIRST_STEP on, or one of the places before
            it; empty if nothing is counted.
        counts: the layouts with the board's number of mines; without rows if they are not combined.
        tallies: the layouts of the components, if they are counted but not combined.
        parts: if they are asked for.
    """

    shown: Array
    clash: Array
    status: Array
    place: Array
    counts: BoardCounts
    tallies: Tallies | None
    parts: BoardParts | None


def parts_of(grid: Grid, starts: Array) -> BoardParts:
    """The parts of boards (as `constraints_of` takes them), by the same compiled kernel as all else.

    A kernel of their own would be the same code again, which takes Numba more than a second to compile.
    """
    parts = analyse.at(grid.size)(grid, starts, 0, ONLY_PARTS).parts
    assert parts is not None
    return parts


@kernel
def analyse(grid: Array, starts: Array, most_states: int, mines: int) -> Analysis:
    """Decide boards (as `constraints_of` takes them), or count the layouts of one board.

    The closure alone decides if `most_states` is 0; else its states too, up to that number for each component. Time and memory
    are linear in the boards and in the states, of which a wide component has many.

    Args:
        mines: the number of mines of the layouts to count, or COUNT_ALL, COUNT_NOTHING or ONLY_PARTS.
    """
    constraints = constraints_of(grid, starts)
    clash = close(constraints, starts)
    known, stride = constraints.known, constraints.stride
    counted = mines >= COUNT_ALL
    columns = stride - 1
    place = np.zeros(grid.size if counted else 0, np.int32)
    status = np.empty(0, np.int8)
    counts = BoardCounts(np.zeros((0, 1), np.int64), 0, 0, 0, 0)
    tallies = None
    parts = None
    if most_states > 0 or mines == ONLY_PARTS:
        partition = partition_of(constraints)
        transitions = transitions_of(constraints, partition)
        if mines == ONLY_PARTS:
            parts = BoardParts(constraints, partition, transitions)
        status = np.zeros(transitions.width.size, np.int8)
        low = np.zeros(status.size, np.int32)
        weight_start = np.zeros(status.size + 1, np.int64)
        numbers = np.empty(1024, np.int64)
        last, kept = 0, thresholds.KEPT_STATES if counted else 0
        free, left, combined = -partition.cells.size, mines, mines >= 0
        for row in range(grid.shape[0] if counted else 0):
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
        while most_states > 0 and last < status.size:
            first = last
            last, possible, states = states_of(transitions, status, first, most_states, kept)
            if counted:
                numbers = count_components(transitions, states, status, first, last, low, weight_start, numbers)
            for component in range(first, last):
                if status[component] == INCONSISTENT:
                    clue = partition.clue_of[component]
                    clash[board_of(clue, stride, starts)] = clue
                combined = combined and status[component] == DECIDED
                for k in range(transitions.component_start[component], transitions.component_start[component + 1]):
                    group = transitions.order[k]
                    certain = possible[k] == 1 or possible[k] == 1 << transitions.size[k]
                    if counted or certain:
                        for at in range(partition.group_start[group], partition.group_start[group + 1]):
                            cell = partition.cells[at]
                            if counted:
                                place[(cell // stride - 1) * columns + cell % stride - 1] = FIRST_STEP + k
                            else:
                                known[cell] = NO_MINE if possible[k] == 1 else MINE
        if counted:
            every = Tallies(transitions.size, transitions.component_start, low, weight_start, numbers)
            counts = combine(every, free, left, combined)
            if counts.words.size == 0:
                tallies = every
    return Analysis(marked(grid, starts, known), clash, status, place, counts, tallies, parts)
