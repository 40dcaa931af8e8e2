"""Steps 1 to 4, one after the other, in one kernel: what is certain of a board.

A small board takes less time in one kernel than in several that Python calls. `parts_of` takes
steps 1 to 3, which `counts` and `layouts` begin with, too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from direct.kernel import Array, inner_kernel, kernel
from direct.minesweeper.closure import (
    HAS_MINE,
    NO_MINE,
    UNKNOWN,
    Constraints,
    close,
    constraints_of,
    mark_certain,
)
from direct.minesweeper.components import Partition, partition_of
from direct.minesweeper.join_tree import Circuit, circuit_of
from direct.minesweeper.mine_numbers import keep_number

MINE_NUMBER = -1
"""In place of a clue that cannot hold: the number of mines."""


class BoardParts(NamedTuple):
    """A board after the closure.

    Attributes:
        closed: what is known, and what the clues say of the other cells.
        clash: a clue (padded) that cannot hold, or one of a component that has no layout; 0 if
            there is none.
        partition: the components and their groups.
        circuit: the states of the components.
        free: int32, the unknown cells that touch no clue.
        mines: how many cells are known to be mines.
    """

    closed: Constraints
    clash: int
    partition: Partition
    circuit: Circuit
    free: Array
    mines: int


@inner_kernel
def parts_of(grid: Array, most_pairs: int) -> BoardParts:
    """Steps 1 to 3: the parts of a board, components of at most so many pairs each; `grid`: its
    character codes, uint8 (rows, columns).
    """
    constraints = constraints_of(grid)
    clash = close(constraints)
    partition = partition_of(constraints)
    circuit = circuit_of(constraints, partition, most_pairs)
    if circuit.clash >= 0:
        clash = int(partition.clues[partition.clue_start[circuit.clash]])
    known = constraints.known
    free, count, mines = np.empty(known.size, np.int32), 0, 0
    for cell in range(known.size):
        mines += int(known[cell] == HAS_MINE)
        if known[cell] == UNKNOWN and partition.group_of[cell] < 0:
            free[count] = cell
            count += 1
    return BoardParts(constraints, clash, partition, circuit, free[:count], mines)


class Decided(NamedTuple):
    """What is certain of a board.

    Attributes:
        shown: uint8 (rows, columns), the board with `X` or `O` on each certain cell.
        clash: as of `BoardParts`; MINE_NUMBER if only the number of mines cannot be.
        too_wide, width: as of `Circuit`. If a component is too wide, only the closure has decided.
    """

    shown: Array
    clash: int
    too_wide: int
    width: int


@kernel
def decide(grid: Array, mines: int, most_pairs: int) -> Decided:
    """Decide a board, components of at most so many pairs each. Nothing is counted here but mines:
    a state is alive or not.

    Time after the closure is linear in the board and in the pairs, of which a wide component has
    many, and quadratic in the clues of a component. With a number of mines it is also quadratic in
    how far the numbers of mines below a state lie apart. The closure has its own bound (`closure`).

    Args:
        grid: as `parts_of` takes it.
        mines: the number on the board, if it states it; else -1.
    """
    (known, _, _, _), clash, partition, circuit, free, known_mines = parts_of(grid, most_pairs)
    if mines >= 0 and clash == 0 and circuit.too_wide == 0:
        fewest, most = keep_number(circuit, free.size, mines - known_mines)
        if most < 0:
            clash = MINE_NUMBER
        elif most == 0 or fewest == free.size:
            for cell in free:
                known[cell] = NO_MINE if most == 0 else HAS_MINE
    mark_groups(known, partition, circuit)
    return Decided(mark_certain(grid, known), clash, circuit.too_wide, circuit.width)


@inner_kernel
def mark_groups(known: Array, partition: Partition, circuit: Circuit) -> None:
    """Make known the cells of each group that has the same number of mines in all layouts: none, or
    one on each cell.
    """
    numbers = np.zeros(partition.group_start.size - 1, np.int32)  # bit v: v mines are possible
    for state in range(circuit.alive.size):
        if circuit.group[state] >= 0 and circuit.alive[state]:
            numbers[circuit.group[state]] |= 1 << circuit.mines[state]
    for group in range(numbers.size):
        begin, end = partition.group_start[group], partition.group_start[group + 1]
        if numbers[group] == 1 or numbers[group] == 1 << end - begin:
            for at in range(begin, end):
                known[partition.cells[at]] = NO_MINE if numbers[group] == 1 else HAS_MINE
