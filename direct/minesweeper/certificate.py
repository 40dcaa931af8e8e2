"""Certificates: a core for what is certain, and layouts that show both values for what is not.

Layouts are paths through the states of `frontier`, found by a kernel. With a given number of mines,
or where a component is wide, they are drawn down join trees with sets of numbers of mines: a set is
an integer, and bit k stands for k mines. That code is simple rather than fast.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from direct.kernel import Array, inner_kernel, kernel
from direct.minesweeper.analysis import BoardParts, parts_of
from direct.minesweeper.closure import MINE, NO_MINE, UNKNOWN, interior, longer
from direct.minesweeper.cores import cores_of
from direct.minesweeper.frontier import Partition, States, Transitions, kept_states, position
from direct.minesweeper.wide import JoinTree, groups_of, join_tree_of, sums_of
from puzzles.backend import Unsupported
from puzzles.minesweeper.board import COVERED, Certificate, Core
from puzzles.minesweeper.board import MINE as FLAG
from puzzles.text import Grid


@kernel
def shown_layouts(
    partition: Partition, transitions: Transitions, states: States, first: int, last: int, wanted: Array, rows: Array, count: int
) -> tuple[Array, int]:
    """Lay out the components from `first` to `last` (exclusive) in layouts that together show every wanted value of their cells.

    Each path through the states of a component shows at least one value that is still wanted, and each step takes the number of
    mines that shows most. A component that has shown all of its values keeps its last layout.

    Args:
        wanted: int8 per padded cell, bit v set where the value v is wanted; the bits of these components are cleared.
        rows: int8, layouts one after the other, 1 for a mine; there is one at least.
        count: the number of layouts in `rows`.

    Returns:
        rows, count: the layouts, and as many more as are needed, which outside of these components equal the last.
    """
    cells, group_start, group_of = partition.cells, partition.group_start, partition.group_of
    size = wanted.size
    for component in range(first, last):
        begin = int(group_start[transitions.component_start[component]])
        end = int(group_start[transitions.component_start[component + 1]])
        number = 0
        target = first_wanted(cells, wanted, begin, end)
        while number == 0 or target < end:
            if number == count:
                if (count + 1) * size > rows.size:
                    rows = longer(rows, 2 * rows.size)
                for cell in range(size):
                    rows[count * size + cell] = rows[(count - 1) * size + cell]
                count += 1
            layout = rows[number * size : (number + 1) * size]
            goal = int(group_of[cells[target]]) if target < end else -1
            show_most(partition, transitions, states, component, goal, wanted, layout)
            number += 1
            target = first_wanted(cells, wanted, begin, end)
        for later in range(number, count):
            for at in range(begin, end):
                rows[later * size + cells[at]] = rows[(number - 1) * size + cells[at]]
    return rows, count


@inner_kernel
def first_wanted(cells: Array, wanted: Array, begin: int, end: int) -> int:
    """The first index below `end` of a cell of which a value is wanted, else `end`."""
    while begin < end and not wanted[cells[begin]]:
        begin += 1
    return begin


@inner_kernel
def show_most(
    partition: Partition, transitions: Transitions, states: States, component: int, goal: int, wanted: Array, layout: Array
) -> None:
    """Lay out one component so that it shows many wanted values, among them one of the group `goal` (-1: of none).

    Writes `layout` (int8 per padded cell), and clears the bits of `wanted` that it shows.
    """
    cells, group_start, order = partition.cells, partition.group_start, transitions.order
    first, last = int(transitions.component_start[component]), int(transitions.component_start[component + 1])
    mine_wanted = np.zeros(last - first, np.int64)
    safe_wanted = np.zeros(last - first, np.int64)
    middle = first
    for k in range(first, last):
        if order[k] == goal:
            middle = k
        for at in range(group_start[order[k]], group_start[order[k] + 1]):
            mine_wanted[k - first] += wanted[cells[at]] >> 1
            safe_wanted[k - first] += wanted[cells[at]] & 1
    mines = best_path(transitions, states, component, middle, mine_wanted, safe_wanted)
    for k in range(first, last):
        more = mines[k - first]
        begin, end = int(group_start[order[k]]), int(group_start[order[k] + 1])
        for at in range(begin, end):
            layout[cells[at]] = UNKNOWN
        for turn in range(4):  # the first mines where only a mine is wanted, the last where only a safe cell is
            choice = (turn + 2) & 3
            for at in range(begin, end):
                cell = cells[at]
                if wanted[cell] == choice and layout[cell] == UNKNOWN:
                    layout[cell] = MINE if more > 0 else NO_MINE
                    more -= 1
        for at in range(begin, end):
            cell = cells[at]
            wanted[cell] &= ~(1 << layout[cell]) & 3


@inner_kernel
def best_path(
    transitions: Transitions, states: States, component: int, middle: int, mine_wanted: Array, safe_wanted: Array
) -> Array:
    """The number of mines in each step of a component (int32) on a path from the first state to the last.

    `mine_wanted` and `safe_wanted` (int64 per step of the component) count the cells of the group that still want that value.
    Step `middle` is the best that is possible; from there the path goes greedily to both ends.
    """
    first, last = int(transitions.component_start[component]), int(transitions.component_start[component + 1])
    size, opening, unit = transitions.size, transitions.opening, transitions.unit
    state, fewest, fullest, layer_start = states
    chosen = np.empty(last - first, np.int32)
    best, here = -1, 0
    for i in range(layer_start[middle + component], layer_start[middle + component + 1]):
        _, shown, _ = best_count(
            transitions, states, component, middle, i, mine_wanted[middle - first], safe_wanted[middle - first]
        )
        if shown > best:
            best, here = shown, i
    to = here
    for k in range(middle - 1, first - 1, -1):
        best, before = -1, to
        for mines in range(size[k] + 1):
            earlier = state[to] + mines * unit[k] - opening[k]
            i = position(state, layer_start[k + component], layer_start[k + component + 1], earlier)
            if i >= 0 and fewest[i] <= mines <= fullest[i]:
                shown = min(mines, mine_wanted[k - first]) + min(size[k] - mines, safe_wanted[k - first])
                if shown > best:
                    best, before = shown, i
                    chosen[k - first] = mines
        to = before
    for k in range(middle, last):
        mines, _, here = best_count(transitions, states, component, k, here, mine_wanted[k - first], safe_wanted[k - first])
        chosen[k - first] = mines
    return chosen


@inner_kernel
def best_count(
    transitions: Transitions, states: States, component: int, k: int, i: int, mine_wanted: int, safe_wanted: int
) -> tuple[int, int, int]:
    """The number of mines in step k from state i that shows most wanted values, the number of these, and the state after it.

    `mine_wanted` and `safe_wanted` count the cells of the group that still want that value. Only steps count from which the end can
    be reached; if there is none, the number shown is -1.
    """
    state, fewest, fullest, layer_start = states
    size = transitions.size[k]
    begin, end = layer_start[k + component + 1], layer_start[k + component + 2]
    best, most, after = 0, -1, i
    for mines in range(fewest[i], fullest[i] + 1):
        shown = min(mines, mine_wanted) + min(size - mines, safe_wanted)
        if shown > most:
            to = position(state, begin, end, state[i] + transitions.opening[k] - mines * transitions.unit[k])
            if fullest[to] >= 0:
                best, most, after = mines, shown, to
    return best, most, after


def layouts(parts: BoardParts, undecided: Sequence[int], free: Sequence[int], mines: int | None) -> Iterator[NDArray[np.uint8]]:
    """Layouts of closed constraints (uint8 per padded cell); one at least.

    Args:
        undecided: the cells (padded) that can have both values.
        free: the unknown cells (padded) that touch no clue.
        mines: the number of mines among the unknown cells. None if any number will do; then the free cells are safe in the
            first layout, and mines in the others.

    Raises:
        Unsupported: a component is too wide.
    """
    closed = parts.closed
    components: list[JoinTree] = []
    for component in range(parts.partition.clue_of.size):
        tree = join_tree_of(groups_of(parts.partition, component), closed)
        assert tree is not None
        components.append(tree)
    component_of = {cell: k for k, component in enumerate(components) for group in component.groups for cell in group}
    wanted = [set(undecided), set(undecided)]  # the cells that no layout has shown safe yet, and those that none has as a mine
    first = True
    while first or wanted[0] or wanted[1]:
        value = 1 if wanted[1] else 0
        cell = min(wanted[value], default=-1)
        possible = [component.mines for component in components]
        if cell in component_of:
            possible[component_of[cell]] = components[component_of[cell]].through(cell, value)
        spare = (1 << len(free) + 1) - 1
        if cell in free:
            spare &= ~1 if value else ~(1 << len(free))
        after = [spare]
        for bits in reversed(possible):
            after.append(sums_of(after[-1], bits))
        after.pop()

        def rank(each: int, cell: int = cell, value: int = value) -> int:
            return (-1 if value else 4) if each == cell else 2 * (each not in wanted[1]) + (each in wanted[0])

        layout = closed.known.astype(np.uint8)
        remaining = mines or 0
        for component, bits in zip(components, possible, strict=True):
            rest = after.pop()
            numbers = [
                k
                for k in range(bits.bit_length())
                if bits >> k & 1 and (mines is None or (k <= remaining and rest >> (remaining - k) & 1))
            ]
            number = numbers[len(numbers) // 2]
            remaining -= number
            for group, count in component.path(number, cell, value):
                for place, each in enumerate(sorted(group, key=rank)):
                    layout[each] = place < count
        for place, each in enumerate(sorted(free, key=rank)):
            layout[each] = not first if mines is None else place < remaining
        first = False
        for each in undecided:
            wanted[int(layout[each])].discard(each)
        yield layout


_CLUES = np.frombuffer(b".012345678", np.uint8)


def certificate(grid: Grid, shown: Grid, clash: int, complete: bool) -> Certificate:
    """The certificate of an answer. Where the search for small cores gives up, all clues are the core.

    Args:
        grid: the board.
        shown: the board as answered.
        clash: on an inconsistent board, a clue (padded) near the contradiction; else 0.
        complete: whether the answer is complete; if it is consistent too, it gets layouts.
    """
    starts = np.array([0, grid.shape[0]], np.int64)
    cores, without_core = _small_cores(grid, starts, shown, clash)
    if without_core or (clash and not cores):
        every_clue = np.flatnonzero(np.isin(grid, _CLUES))
        cores.append(Core(tuple(every_clue.tolist()), without_core))
    if clash or not complete:
        return Certificate(tuple(cores), ())
    return Certificate(tuple(cores), _layouts(parts_of.at(grid.size)(grid, starts), shown))


def counted_certificate(grid: Grid, shown: Grid | None, mines: int) -> Certificate:
    """The certificate of an answer to a board with its number of mines; `shown` is None if no layout has that number.

    Cells without a core of clues alone get one core: all clues that bear on covered cells, and the number of mines.
    """
    every = _clues_beside_covered(grid)
    if shown is None:
        given, covered = int((grid == FLAG).sum()), int((grid == COVERED).sum())
        fits = given <= mines <= given + covered
        return Certificate((Core(every if fits else (), (), True),))
    starts = np.array([0, grid.shape[0]], np.int64)
    cores, by_count = _small_cores(grid, starts, shown, 0)
    if by_count:
        cores.append(Core(every, by_count, True))
    parts = parts_of.at(grid.size)(grid, starts)
    known, group_of = parts.closed.known, parts.partition.group_of
    cells = interior(np.arange(known.size), grid.shape[1]).ravel()
    free = cells[(known[cells] == UNKNOWN) & (group_of[cells] < 0)].tolist()
    undecided = cells[(shown == COVERED).ravel()].tolist()
    remaining = mines - int((known[cells] == MINE).sum())
    return Certificate(tuple(cores), _counted_layouts(parts, undecided, free, remaining))


def _small_cores(grid: Grid, starts: NDArray[np.int64], shown: Grid, clash: int) -> tuple[list[Core], tuple[int, ...]]:
    """Cores for what clues alone make certain, each as small as it can be, and the certain cells for which none was found."""
    columns, stride = grid.shape[1], grid.shape[1] + 1
    goal = np.full((grid.shape[0] + 2) * stride + 1, UNKNOWN, np.int8)
    inside = interior(goal, columns)
    decided = (grid == COVERED) & (shown != COVERED)
    inside[decided] = np.where(shown[decided] == FLAG, MINE, NO_MINE)
    clues, start, of_cell = cores_of.at(grid.size)(grid, starts, goal, clash)
    flat = (clues // stride - 1) * columns + clues % stride - 1
    cells: list[list[int]] = [[] for _ in range(start.size - 1)]
    core_of = interior(of_cell, columns).ravel()
    for cell in np.flatnonzero(core_of >= 0).tolist():
        cells[core_of[cell]].append(cell)
    cores = [
        Core(tuple(sorted(flat[begin:end].tolist())), tuple(forced))
        for begin, end, forced in zip(start[:-1], start[1:], cells, strict=True)
    ]
    return cores, tuple(np.flatnonzero(decided.ravel() & (core_of < 0)).tolist())


def _clues_beside_covered(grid: Grid) -> tuple[int, ...]:
    """Every clue that bears on a covered cell. If the clues alone are consistent, no other one takes part in a contradiction."""
    covered = np.pad(grid == COVERED, 1)
    three = covered[:-2] | covered[1:-1] | covered[2:]
    beside = three[:, :-2] | three[:, 1:-1] | three[:, 2:]
    return tuple(np.flatnonzero(np.isin(grid, _CLUES) & beside).tolist())


def _layouts(parts: BoardParts, shown: Grid) -> tuple[bytes, ...]:
    """Layouts that together give each undecided cell both values; one at least."""
    closed, partition, transitions = parts
    columns = shown.shape[1]
    undecided = shown == COVERED
    wanted = np.zeros(closed.known.size, np.int8)
    interior(wanted, columns)[undecided] = 3
    free = closed.known == UNKNOWN
    free[partition.cells] = False
    wanted[free] = 0
    laid_out, count = closed.known.copy(), 1
    for first, last, status, states in kept_states(transitions, shown.size):
        if status[first:last].any():
            cells = interior(np.arange(free.size), columns)
            return _counted_layouts(parts, cells[undecided].tolist(), cells[interior(free, columns)].tolist(), None)
        args = partition, transitions, states, first, last, wanted
        laid_out, count = shown_layouts.at(shown.size)(*args, laid_out, count)
    rows = laid_out.view(np.uint8).reshape(-1, free.size)[:count]
    if count == 1 and free.any():
        rows = np.repeat(rows, 2, axis=0)
    rows[0, free], rows[1:, free] = 0, 1
    return tuple(interior(row, columns).tobytes() for row in rows)


def _counted_layouts(parts: BoardParts, undecided: list[int], free: list[int], mines: int | None) -> tuple[bytes, ...]:
    """`layouts` as bytes of the board's cells; none if a component is too wide."""
    try:
        return tuple(interior(each, parts.closed.stride - 1).tobytes() for each in layouts(parts, undecided, free, mines))
    except Unsupported:
        return ()
