"""Layouts with a given number of mines that between them give each undecided cell both values.

For certificates, so simple rather than fast: paths through the states of `frontier`, with the numbers of mines that are still
possible ahead and behind as the bits of integers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from direct.minesweeper.frontier import FEW_STATES, TOO_MANY, counts, sweep
from direct.minesweeper.layouts import position
from direct.minesweeper.order import MOST_OPEN, prepare, split
from direct.minesweeper.wide import Joins, Wanted, joins, sums_of


@dataclass(frozen=True)
class Paths:
    """A component's states with the steps between them.

    Attributes:
        groups: the cells of each group, in the order in which they are decided.
        steps: per step, per state before it: (mines of the group, state after it) for each way to the end.
        ahead, behind: per layer, per state: the numbers of mines between it and the end, and the start, as bits.
    """

    groups: list[list[int]]
    steps: list[list[list[tuple[int, int]]]]
    ahead: list[list[int]]
    behind: list[list[int]]

    @property
    def mines(self) -> int:
        """The numbers of mines that the component can have, as bits."""
        return self.ahead[0][0]

    def through(self, cell: int, value: int) -> int:
        """The numbers of mines that it can have when a cell has that value, as bits."""
        k = next(k for k, group in enumerate(self.groups) if cell in group)
        found = 0
        for i, ways in enumerate(self.steps[k]):
            for mines, to in ways:
                if mines > 0 if value else mines < len(self.groups[k]):
                    found |= sums_of(self.behind[k][i], self.ahead[k + 1][to]) << mines
        return found

    def path(self, total: int, wanted: Wanted, cell: int, value: int) -> Iterator[tuple[list[int], int]]:
        """Each group with its number of mines, in a path with `total` of them; if `cell` is in one, it can have that value.

        Of the ways to go on the one is taken that serves most of what is wanted.
        """
        layer = [{0: 1}]
        for k, group in enumerate(self.groups):  # as `behind`, but only through the cell's value
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
                    served = min(mines, len(wanted[1].intersection(group)))
                    served += min(len(group) - mines, len(wanted[0].intersection(group)))
                    if served > best:
                        best, before, taken = served, i, mines
            yield group, taken
            here, left = before, left - taken


def layouts(
    know: NDArray[Any],
    need: NDArray[Any],
    left: NDArray[Any],
    stride: int,
    undecided: Sequence[int],
    free: Sequence[int],
    mines: int | None,
) -> Iterator[NDArray[np.uint8]]:
    """Layouts of a closed field (uint8 per padded cell); one at least.

    Args:
        mines: how many there are among the unknown cells; None where any number will do: then the cells beside no clue are safe
            in the first layout, and mines in the others.
        undecided: the cells (padded) that can have both values.
        free: the unknown cells beside no clue (padded).

    Raises:
        Unsupported: a component is too wide.
    """
    parts = list(_paths(know, need, left, stride))
    part_of = {cell: part for part, paths in enumerate(parts) for group in paths.groups for cell in group}
    wanted: Wanted = [set(undecided), set(undecided)]
    first = True
    while first or wanted[0] or wanted[1]:
        value = 1 if wanted[1] else 0
        cell = min(wanted[value], default=-1)
        possible = [paths.mines for paths in parts]
        if cell in part_of:
            possible[part_of[cell]] = parts[part_of[cell]].through(cell, value)
        spare = (1 << len(free) + 1) - 1
        if cell in free:
            spare &= ~1 if value else ~(1 << len(free))
        after = [spare]
        for bits in reversed(possible):
            after.append(sums_of(after[-1], bits))
        after.pop()

        def rank(each: int, cell: int = cell, value: int = value) -> int:
            return (-1 if value else 4) if each == cell else 2 * (each not in wanted[1]) + (each in wanted[0])

        layout = know.astype(np.uint8)
        asked = mines or 0
        for paths, bits in zip(parts, possible, strict=True):
            rest = after.pop()
            numbers = [
                k for k in range(bits.bit_length()) if bits >> k & 1 and (mines is None or (k <= asked and rest >> (asked - k) & 1))
            ]
            number = numbers[len(numbers) // 2]
            asked -= number
            for group, count in paths.path(number, wanted, cell, value):
                for place, each in enumerate(sorted(group, key=rank)):
                    layout[each] = place < count
        for place, each in enumerate(sorted(free, key=rank)):
            layout[each] = not first if mines is None else place < asked
        first = False
        for each in undecided:
            wanted[int(layout[each])].discard(each)
        yield layout


def _paths(know: NDArray[Any], need: NDArray[Any], left: NDArray[Any], stride: int) -> Iterator[Paths | Joins]:
    cells, group_start, part_start, group_of, _ = split.at(know.size)(know, left, stride)
    rest, slot = left.copy(), np.zeros(left.size, np.int8)
    for part in range(part_start.size - 1):
        width, chosen, start, shift, room, opening, unit = prepare.at(know.size)(
            part, cells, group_start, part_start, group_of, need, left, rest, slot, stride
        )
        groups = [cells[group_start[k] : group_start[k + 1]].tolist() for k in chosen]
        sizes = np.array([len(group) for group in groups], np.int32)
        swept = None
        if width <= MOST_OPEN:
            swept = sweep.at(know.size)(FEW_STATES, sizes, start, shift, room, opening, unit)
        if swept is None or swept[0] == TOO_MANY:
            tree = joins(groups, need, left, stride)  # fewer, as a rule: states here are lists of Python's
            assert tree is not None
            yield tree
            continue
        _, layers, layer_start, alive, _ = swept
        bounds = layer_start.tolist()
        steps: list[list[list[tuple[int, int]]]] = []
        for k, size in enumerate(sizes.tolist()):
            ways: list[list[tuple[int, int]]] = []
            for i in range(bounds[k], bounds[k + 1]):
                state = layers[i] + opening[k]
                least, most = counts(state, size, start[k], start[k + 1], shift, room) if alive[i] else (1, 0)
                found: list[tuple[int, int]] = []
                for mines in range(int(least), int(most) + 1):
                    to = position(layers, bounds[k + 1], bounds[k + 2], state - mines * unit[k])
                    if to >= 0 and alive[to]:
                        found.append((mines, to - bounds[k + 1]))
                ways.append(found)
            steps.append(ways)
        yield Paths(groups, steps, *_numbers(steps))


def _numbers(steps: list[list[list[tuple[int, int]]]]) -> tuple[list[list[int]], list[list[int]]]:
    """`Paths.ahead` and `Paths.behind`."""
    ahead = [[1]]
    for ways in reversed(steps):
        ahead.append([_either(ahead[-1][to] << mines for mines, to in each) for each in ways])
    ahead.reverse()
    behind = [[1]]
    for ways, after in zip(steps, ahead[1:], strict=True):
        now = [0] * len(after)
        for bits, each in zip(behind[-1], ways, strict=True):
            for mines, to in each:
                now[to] |= bits << mines
        behind.append(now)
    return ahead, behind


def _either(all_bits: Iterator[int]) -> int:
    found = 0
    for bits in all_bits:
        found |= bits
    return found
