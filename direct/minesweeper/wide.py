"""Wide components decided, and their layouts drawn, along a join tree whose tables hold keys only."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from numpy.typing import NDArray

from direct.kernel import Array
from direct.minesweeper.analysis import parts_of
from direct.minesweeper.closure import Constraints, board_of
from direct.minesweeper.frontier import Partition
from direct.minesweeper.join_tree import Component, Node, clues_of, joins
from puzzles.minesweeper.board import MINE, SAFE
from puzzles.text import Grid

MAX_PAIRS = 2**21
"""Pairs of keys kept for one component: some 200 MB, and a few seconds."""


@dataclass(frozen=True)
class JoinTree:
    """The join tree of a component, with the keys that each node can have.

    Sets of numbers of mines are integers: bit k stands for k mines.

    Attributes:
        groups: the cells of each group (padded), in the order of the leaves.
        nodes: leaves first, the root last; a leaf's table maps a key to its number of mines.
        splits: per node, per key: the pairs of its children's keys that join to it; empty for a leaf.
        parent: per node; -1 of the root.
        numbers: per node, per key: the numbers of mines that the cells below the node can have.
    """

    groups: list[list[int]]
    nodes: list[Node]
    splits: list[dict[int, list[tuple[int, int]]]]
    parent: list[int]
    numbers: list[dict[int, int]]
    chance: random.Random = field(default_factory=lambda: random.Random(0))

    @property
    def mines(self) -> int:
        """The numbers of mines that the component can have."""
        return self.numbers[-1][0]

    def possible(self) -> list[set[int]]:
        """For each group the numbers of mines that it has in some layout, from the keys that can be reached from the root."""
        reached: list[set[int]] = [set() for _ in self.nodes]
        reached[-1].add(0)
        for at in range(len(self.nodes) - 1, len(self.groups) - 1, -1):
            one, other = self.nodes[at].below
            for key in reached[at]:
                for left, right in self.splits[at][key]:
                    reached[one].add(left)
                    reached[other].add(right)
        return [{self.nodes[k].inner[key] for key in reached[k]} for k in range(len(self.groups))]

    def through(self, cell: int, value: int) -> int:
        """The numbers of mines that the component can have if `cell` has this value."""
        return self._with(cell, value)[len(self.nodes) - 1].get(0, 0)

    def path(self, total: int, cell: int, value: int) -> Iterator[tuple[list[int], int]]:
        """Each group with its number of mines in a layout with `total` mines; the group of `cell` leaves room for the value.

        Splits are drawn at random, so that layouts differ.
        """
        numbers = self._with(cell, value)
        waiting = [(len(self.nodes) - 1, 0, total)]
        while waiting:
            at, key, left = waiting.pop()
            if at < len(self.groups):
                yield self.groups[at], self.nodes[at].inner[key]
                continue
            one, other = self.nodes[at].below
            ones, others = numbers.get(one, self.numbers[one]), numbers.get(other, self.numbers[other])
            pairs = self.splits[at][key]
            start = self.chance.randrange(len(pairs))
            for k in range(len(pairs)):
                mine, rest = pairs[(start + k) % len(pairs)]
                ways = [
                    number
                    for number in range(min(left, ones.get(mine, 0).bit_length() - 1) + 1)
                    if ones[mine] >> number & 1 and others.get(rest, 0) >> (left - number) & 1
                ]
                if ways:
                    number = self.chance.choice(ways)
                    waiting += [(one, mine, number), (other, rest, left - number)]
                    break

    def _with(self, cell: int, value: int) -> dict[int, dict[int, int]]:
        """`numbers` of the nodes above `cell` if it has this value; of the root alone if the cell is in another component."""
        at = next((k for k, group in enumerate(self.groups) if cell in group), -1)
        if at < 0:
            return {len(self.nodes) - 1: self.numbers[-1]}
        size, leaf = len(self.groups[at]), self.nodes[at].inner
        above = {at: {key: 1 << mines for key, mines in leaf.items() if (mines > 0 if value else mines < size)}}
        while self.parent[at] >= 0:
            below, at = at, self.parent[at]
            one, other = self.nodes[at].below
            ones = above[below] if one == below else self.numbers[one]
            others = above[below] if other == below else self.numbers[other]
            above[at] = _numbers_of(self.splits[at], ones, others)
        return above


def join_tree_of(groups: list[list[int]], closed: Constraints) -> JoinTree | None:
    """The join tree of a component from its groups (padded cells); None if the component has no layout.

    Raises:
        Unsupported: the tree has more than `MAX_PAIRS` pairs of keys.
    """
    component = Component([len(group) for group in groups], *clues_of([group[0] for group in groups], closed))
    nodes = [component.leaf(group, lambda mines, ways: mines) for group in range(len(groups))]
    if not all(node.inner for node in nodes):
        return None
    splits: list[dict[int, list[tuple[int, int]]]] = [{} for _ in nodes]
    numbers = [{key: 1 << mines for key, mines in node.inner.items()} for node in nodes]
    parent = [-1] * len(nodes)
    kept = 0
    for one, other in joins(component, nodes):
        clues, _ = component.merged(nodes[one], nodes[other])
        whole = Node(clues, below=(one, other))
        split: dict[int, list[tuple[int, int]]] = {}
        pairs = component.pairs(nodes[one], nodes[other], whole, MAX_PAIRS - kept)
        for key, mate, both in pairs:
            split.setdefault(both, []).append((key, mate))
        if not split:
            return None
        kept += len(pairs)
        whole.inner = dict.fromkeys(split, 0)
        parent[one] = parent[other] = len(nodes)
        parent.append(-1)
        nodes.append(whole)
        splits.append(split)
        numbers.append(_numbers_of(split, numbers[one], numbers[other]))
    return JoinTree(groups, nodes, splits, parent, numbers)


def groups_of(partition: Partition, component: int) -> list[list[int]]:
    """The cells (padded) of each group of a component."""
    first, last = partition.component_start[component : component + 2]
    bounds = partition.group_start[first : last + 1].tolist()
    return [partition.cells[begin:end].tolist() for begin, end in pairwise(bounds)]


def decide_wide(components: NDArray[Any], grid: Grid, starts: Array, shown: Grid, clash: Array) -> None:
    """Mark in `shown` each cell that is certain in these components of boards, as `analysis.decide` does in narrow ones.

    Raises:
        Unsupported: a component has more than `MAX_PAIRS` pairs of keys.
    """
    closed, partition, _ = parts_of.at(grid.size)(grid, starts)
    for component in components.tolist():
        groups = groups_of(partition, component)
        tree = join_tree_of(groups, closed)
        clue = int(partition.clue_of[component])
        board = board_of(clue, closed.stride, starts)
        if tree is None:
            clash[board] = clue
            continue
        for group, mines in zip(groups, tree.possible(), strict=True):
            if mines in ({0}, {len(group)}):
                for cell in group:
                    shown[cell // closed.stride - board - 1, cell % closed.stride - 1] = MINE if mines != {0} else SAFE


def _numbers_of(splits: dict[int, list[tuple[int, int]]], ones: dict[int, int], others: dict[int, int]) -> dict[int, int]:
    """Per key the numbers of mines below a join, from those below its two children."""
    numbers: dict[int, int] = {}
    for both, pairs in splits.items():
        bits = 0
        for sums in {(ones.get(key, 0), others.get(mate, 0)) for key, mate in pairs}:
            bits |= sums_of(*sums)
        if bits:
            numbers[both] = bits
    return numbers


def sums_of(some: int, others: int) -> int:
    """Every sum of a number of one set and a number of the other; sets are bits of integers."""
    if some.bit_count() < others.bit_count():
        some, others = others, some
    sums = 0
    while others:
        low = others & -others
        sums |= some * low
        others ^= low
    return sums
