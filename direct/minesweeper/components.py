"""The second step: what the closure leaves falls into components that share no clue, and each
component into groups of cells that no clue tells apart.

Components are independent: a layout of each, put together, is a layout of all. A group counts only
by its number of mines: v mines on n cells stand for "n over v" layouts. Time is linear in the
boards.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from direct.kernel import Array, inner_kernel
from direct.minesweeper.closure import UNKNOWN, Constraints, offsets_around


class Partition(NamedTuple):
    """The unknown cells that touch a clue, and these clues, by component.

    Attributes:
        cells: int32, those cells (padded), group by group.
        group_start: int32 (groups + 1), where each group begins in `cells`.
        component_start: int32 (components + 1), where each component's groups begin.
        group_of: int32 per padded cell, its group or -1.
        clues: int32, those clues (padded), component by component, and each component's in the
            order of their rows.
        clue_start: int32 (components + 1), where each component's clues begin in `clues`.
        number_of: int32 per padded cell, the place of the clue there in `clues`; -1 if there is
            none.
    """

    cells: Array
    group_start: Array
    component_start: Array
    group_of: Array
    clues: Array
    clue_start: Array
    number_of: Array


@inner_kernel
def partition_of(constraints: Constraints) -> Partition:
    """The components of constraints, and their groups."""
    known, _, unknown_beside, stride = constraints
    steps = offsets_around(stride)
    group_of = np.empty(known.size, np.int32)
    number_of = np.empty(known.size, np.int32)  # until all are found, the clue's component
    count, clue_count = 0, 0
    for cell in range(known.size):
        group_of[cell] = number_of[cell] = -1
        count += known[cell] == UNKNOWN
        clue_count += unknown_beside[cell] > 0
    cells, queue = np.empty(count, np.int32), np.empty(count, np.int32)
    group_start, component_start = np.empty(count + 1, np.int32), np.empty(count + 1, np.int32)
    clues, clue_start = np.empty(clue_count, np.int32), np.empty(count + 1, np.int32)
    filled, groups, components, head, reached = 0, 0, 0, 0, 0
    for first in range(known.size):
        if unknown_beside[first] == 0 or number_of[first] >= 0:
            continue
        # Breadth-first from clue to cell to clue: all that the first clue is connected with.
        component_start[components] = groups
        clue_start[components] = reached
        clues[reached] = first
        number_of[first] = components
        reached += 1
        tail = 0
        while head < reached:
            for i in range(8):
                cell = clues[head] + steps[i]
                if known[cell] == UNKNOWN and group_of[cell] == -1:
                    group_of[cell] = -2  # in the queue
                    queue[tail] = cell
                    tail += 1
                    for j in range(8):
                        near = cell + steps[j]
                        if unknown_beside[near] > 0 and number_of[near] < 0:
                            number_of[near] = components
                            clues[reached] = near
                            reached += 1
            head += 1
        components += 1
        # The cells of a group share their first clue, so its others are around that.
        for k in range(tail):
            cell = queue[k]
            if group_of[cell] >= 0:
                continue
            group_start[groups] = filled
            anchor = -1
            for i in range(8):
                if unknown_beside[cell + steps[i]] > 0:
                    anchor = cell + steps[i]
                    break
            for i in range(8):
                member = anchor + steps[i]
                if group_of[member] == -2 and same_clues(unknown_beside, steps, cell, member):
                    group_of[member] = groups
                    cells[filled] = member
                    filled += 1
            groups += 1
    group_start[groups], component_start[components], clue_start[components] = (
        filled,
        groups,
        reached,
    )
    following = clue_start[:components].copy()
    for cell in range(known.size):  # in the order of their rows
        if number_of[cell] >= 0:
            component = number_of[cell]
            number_of[cell] = following[component]
            clues[following[component]] = cell
            following[component] += 1
    return Partition(
        cells[:filled],
        group_start[: groups + 1],
        component_start[: components + 1],
        group_of,
        clues,
        clue_start[: components + 1],
        number_of,
    )


@inner_kernel
def same_clues(unknown_beside: Array, steps: Array, one: int, other: int) -> bool:
    """Whether two unknown cells touch the same clues."""
    shared, ones, others = 0, 0, 0
    for i in range(8):
        clue = one + steps[i]
        ones += unknown_beside[clue] > 0
        others += unknown_beside[other + steps[i]] > 0
        if unknown_beside[clue] > 0:
            for j in range(8):
                if other + steps[j] == clue:
                    shared += 1
                    break
    return shared == ones and shared == others
