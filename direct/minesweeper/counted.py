"""Layouts with a given number of mines that together give each undecided cell both values.

They are paths through the states of `frontier` or down a join tree. A set of numbers of mines is an integer: bit k stands for
k mines. Only certificates need these layouts, so the code is simple rather than fast.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from direct import thresholds
from direct.minesweeper.analysis import BoardParts
from direct.minesweeper.frontier import DECIDED, States, kept_states
from direct.minesweeper.order import Transitions
from direct.minesweeper.wide import JoinTree, Wanted, join_tree_of, sums_of


@dataclass(frozen=True)
class StateGraph:
    """The states of a component with the steps between them, by layer.

    Attributes:
        groups: the cells of each group (padded), in the order in which they are decided.
        steps: per step, per state before it: (mines of the group, state after it), if the end can be reached from there.
        ahead, behind: per layer, per state: the numbers of mines between the state and the end, and the start.
    """

    groups: list[list[int]]
    steps: list[list[list[tuple[int, int]]]]
    ahead: list[list[int]]
    behind: list[list[int]]

    @property
    def mines(self) -> int:
        """The numbers of mines that the component can have."""
        return self.ahead[0][0]

    def through(self, cell: int, value: int) -> int:
        """The numbers of mines that the component can have if `cell` has this value."""
        k = next(k for k, group in enumerate(self.groups) if cell in group)
        numbers = 0
        for i, ways in enumerate(self.steps[k]):
            for mines, to in ways:
                if mines > 0 if value else mines < len(self.groups[k]):
                    numbers |= sums_of(self.behind[k][i], self.ahead[k + 1][to]) << mines
        return numbers

    def path(self, total: int, wanted: Wanted, cell: int, value: int) -> Iterator[tuple[list[int], int]]:
        """Each group with its number of mines in a path with `total` mines; the group of `cell` leaves room for the value.

        The path goes greedily by the number of wanted values that a step shows.
        """
        layer = [{0: 1}]
        for k, group in enumerate(self.groups):  # as `behind`, but only with the cell's value
            after: dict[int, int] = {}
            for i, bits in layer[-1].items():
                for mines, to in self.steps[k][i]:
                    if cell not in group or (mines > 0 if value else mines < len(group)):
                        after[to] = after.get(to, 0) | bits << mines
            layer.append(after)
        here, left = 0, total
        for k in range(len(self.groups) - 1, -1, -1):
            group = self.groups[k]
            best, before, taken = -1, -1, 0
            for i, bits in layer[k].items():
                for mines, to in self.steps[k][i]:
                    if to != here or mines > left or not bits >> (left - mines) & 1:
                        continue
                    if cell in group and not (mines > 0 if value else mines < len(group)):
                        continue
                    shown = min(mines, len(wanted[1].intersection(group)))
                    shown += min(len(group) - mines, len(wanted[0].intersection(group)))
                    if shown > best:
                        best, before, taken = shown, i, mines
            yield group, taken
            here, left = before, left - taken


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
    components = list(_components(parts))
    component_of = {cell: k for k, component in enumerate(components) for group in component.groups for cell in group}
    wanted: Wanted = [set(undecided), set(undecided)]
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
            for group, count in component.path(number, wanted, cell, value):
                for place, each in enumerate(sorted(group, key=rank)):
                    layout[each] = place < count
        for place, each in enumerate(sorted(free, key=rank)):
            layout[each] = not first if mines is None else place < remaining
        first = False
        for each in undecided:
            wanted[int(layout[each])].discard(each)
        yield layout


def _components(parts: BoardParts) -> Iterator[StateGraph | JoinTree]:
    closed, partition, transitions = parts
    cells = closed.known.size
    groups = [partition.cells[partition.group_start[k] : partition.group_start[k + 1]].tolist() for k in transitions.order]
    for first, last, status, states in kept_states(transitions, thresholds.FEW_STATES, cells):
        for component in range(first, last):
            begin, end = partition.component_start[component : component + 2].tolist()
            if status[component] == DECIDED:
                steps = [_step(transitions, states, component, k) for k in range(begin, end)]
                yield StateGraph(groups[begin:end], steps, *_numbers(steps))
            else:
                tree = join_tree_of(groups[begin:end], closed)  # has fewer keys as a rule, and states here are lists of Python's
                assert tree is not None
                yield tree


def _step(transitions: Transitions, states: States, component: int, k: int) -> list[list[tuple[int, int]]]:
    """One of `StateGraph.steps`: step k of a component."""
    begin, after, end = states.layer_start[k + component : k + component + 3].tolist()
    layer = {state: to for to, state in enumerate(states.state[after:end].tolist())}
    opening, unit = int(transitions.opening[k]), int(transitions.unit[k])
    alive = states.fullest[after:end] >= 0
    ways: list[list[tuple[int, int]]] = []
    for i in range(begin, after):
        opened = int(states.state[i]) + opening
        numbers = range(int(states.fewest[i]), int(states.fullest[i]) + 1)
        ways.append([(mines, layer[opened - mines * unit]) for mines in numbers if alive[layer[opened - mines * unit]]])
    return ways


def _numbers(steps: list[list[list[tuple[int, int]]]]) -> tuple[list[list[int]], list[list[int]]]:
    """`StateGraph.ahead` and `StateGraph.behind`."""
    ahead = [[1]]
    for ways in reversed(steps):
        ahead.append([_union(ahead[-1][to] << mines for mines, to in each) for each in ways])
    ahead.reverse()
    behind = [[1]]
    for ways, after in zip(steps, ahead[1:], strict=True):
        now = [0] * len(after)
        for bits, each in zip(behind[-1], ways, strict=True):
            for mines, to in each:
                now[to] |= bits << mines
        behind.append(now)
    return ahead, behind


def _union(sets: Iterator[int]) -> int:
    bits = 0
    for each in sets:
        bits |= each
    return bits
