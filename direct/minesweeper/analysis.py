"""Boards from their characters to what is certain, or to the counts of their components, each in one kernel.

A small board takes less time than the calls of several kernels from Python.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from direct.kernel import Array, inner_kernel, kernel
from direct.minesweeper.closure import MINE, NO_MINE, UNKNOWN, Constraints, board_of, close, constraints_of, is_opened, marked
from direct.minesweeper.components import Partition, partition_of
from direct.minesweeper.counts import Tallies, tallies_of
from direct.minesweeper.join_tree import DECIDED, INCONSISTENT, Circuit, circuit_of

OPENED_PLACE, SAFE_PLACE, MINE_PLACE, FREE_PLACE, FIRST_PLACE = range(5)
"""Places of cells: opened, known to be safe, known to be a mine, unknown without a clue beside it; then one for each group."""


class BoardParts(NamedTuple):
    """Boards after the closure: their constraints, the components of these, and the states of the components."""

    closed: Constraints
    partition: Partition
    circuit: Circuit


class Decided(NamedTuple):
    """What is certain of boards.

    Attributes:
        shown: uint8 (rows, columns), the boards with `X` or `O` on each certain cell.
        clash: int32 (boards), a clue (padded) that cannot hold, or one of a component that has no layout; 0 if there is none.
        status, width, cells: of each component, see `Circuit`. Where one is TOO_WIDE only the closure has decided.
    """

    shown: Array
    clash: Array
    status: Array
    width: Array
    cells: Array


class Counted(NamedTuple):
    """The layouts of one board.

    Attributes:
        shown: uint8 (rows, columns), the board with `X` or `O` on each cell that the closure decides.
        clash: int32 (1), as of `Decided`.
        place: int32 per cell, its group, from FIRST_PLACE on, or one of the places before it.
        free, mines: how many cells have FREE_PLACE, and how many MINE_PLACE.
        size: int32 per group, its number of cells.
        component_start: int32 (components + 1), where each component's groups begin.
        tallies: the layouts of the components.
    """

    shown: Array
    clash: Array
    place: Array
    free: int
    mines: int
    size: Array
    component_start: Array
    tallies: Tallies


@kernel
def parts_of(grid: Array, starts: Array, most_pairs: int) -> BoardParts:
    """The parts of boards (as `constraints_of` takes them), components of at most so many pairs each."""
    constraints = constraints_of(grid, starts)
    close(constraints, starts)
    partition = partition_of(constraints)
    return BoardParts(constraints, partition, circuit_of(constraints, partition, most_pairs))


@kernel
def close_boards(grid: Array, starts: Array) -> tuple[Array, Array]:
    """What the closure decides of boards (as `constraints_of` takes them): `shown` and `clash`, as of `Decided`."""
    constraints = constraints_of(grid, starts)
    clash = close(constraints, starts)
    return marked(grid, starts, constraints.known), clash


@kernel
def decide(grid: Array, starts: Array, most_pairs: int) -> Decided:
    """Decide boards (as `constraints_of` takes them), components of at most so many pairs each.

    Time and memory are linear in the boards and in the pairs, of which a wide component has many.
    """
    constraints = constraints_of(grid, starts)
    clash = close(constraints, starts)
    partition = partition_of(constraints)
    circuit = circuit_of(constraints, partition, most_pairs)
    note_clashes(constraints, partition, circuit, starts, clash)
    for component in range(circuit.status.size):
        if circuit.status[component] == DECIDED:
            for group in range(partition.component_start[component], partition.component_start[component + 1]):
                numbers = 0  # of mines that the group can have: bit v for v mines
                for state in range(circuit.state_start[circuit.leaf[group]], circuit.state_start[circuit.leaf[group] + 1]):
                    numbers |= int(circuit.alive[state]) << int(circuit.mines[state])
                begin, end = int(partition.group_start[group]), int(partition.group_start[group + 1])
                if numbers == 1 or numbers == 1 << end - begin:
                    for at in range(begin, end):
                        constraints.known[partition.cells[at]] = NO_MINE if numbers == 1 else MINE
    return Decided(marked(grid, starts, constraints.known), clash, circuit.status, circuit.width, circuit.cells)


@kernel
def count(grid: Array, starts: Array, most_pairs: int) -> Counted:
    """Count the layouts of one board (as `constraints_of` takes it), of components of at most so many pairs each."""
    constraints = constraints_of(grid, starts)
    clash = close(constraints, starts)
    known, stride = constraints.known, constraints.stride
    partition = partition_of(constraints)
    circuit = circuit_of(constraints, partition, most_pairs)
    note_clashes(constraints, partition, circuit, starts, clash)
    place = np.zeros(grid.size, np.int32)
    free, mines = 0, 0
    for row in range(grid.shape[0]):
        for column in range(grid.shape[1]):
            if not is_opened(grid[row, column]):
                cell = (row + 1) * stride + column + 1
                at = SAFE_PLACE
                if partition.group_of[cell] >= 0:
                    at = FIRST_PLACE + partition.group_of[cell]
                elif known[cell] == UNKNOWN:
                    at = FREE_PLACE
                    free += 1
                elif known[cell] == MINE:
                    at = MINE_PLACE
                    mines += 1
                place[row * grid.shape[1] + column] = at
    shown, tallies = marked(grid, starts, known), tallies_of(partition, circuit)
    size = partition.group_start[1:] - partition.group_start[:-1]
    return Counted(shown, clash, place, free, mines, size, partition.component_start, tallies)


@inner_kernel
def note_clashes(constraints: Constraints, partition: Partition, circuit: Circuit, starts: Array, clash: Array) -> None:
    """Note one clue of each component that has no layout as its board's clash."""
    for component in range(circuit.status.size):
        if circuit.status[component] == INCONSISTENT:
            clue = partition.clues[partition.clue_start[component]]
            clash[board_of(clue, constraints.stride, starts)] = clue
