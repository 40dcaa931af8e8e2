"""Wide components decided and laid out, on the tree of joins that `contraction` counts along: keys only, no polynomials."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from numpy.typing import NDArray

from direct.kernel import Array
from direct.minesweeper.closure import MINE, NO_MINE, board_of
from direct.minesweeper.contraction import Component, Node, clues_of, tree
from direct.minesweeper.order import split

MOST_PAIRS = 2**21
"""Pairs of keys kept for one component: some 200 MB, and seconds."""

Wanted = list[set[int]]
"""The cells that still want to be shown safe, and those that still want to be shown as a mine."""


@dataclass(frozen=True)
class Joins:
    """A component as its tree: what the cells below each node can do to the clues that are open there.

    Attributes:
        groups: the cells of each group (padded); the leaves, in order.
        nodes: leaves first, the root last; a leaf's table says how many mines a key takes.
        splits: per node, per key: the pairs of its children's keys that make it; nothing for a leaf.
        parent: per node; -1 of the root.
        numbers: per node, per key: the numbers of mines that the cells below can have, as bits.
    """

    groups: list[list[int]]
    nodes: list[Node]
    splits: list[dict[int, list[tuple[int, int]]]]
    parent: list[int]
    numbers: list[dict[int, int]]
    chance: random.Random = field(default_factory=lambda: random.Random(0))

    @property
    def mines(self) -> int:
        """The numbers of mines that the component can have, as bits."""
        return self.numbers[-1][0]

    def possible(self) -> list[set[int]]:
        """For each group the numbers of mines that it has in some layout: from the root down, what is reached."""
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
        """The numbers of mines that it can have when a cell has that value, as bits."""
        found = self._with(cell, value)
        return found[len(self.nodes) - 1].get(0, 0)

    def path(self, total: int, wanted: Wanted, cell: int, value: int) -> Iterator[tuple[list[int], int]]:
        """Each group with its number of mines, in a layout with `total` of them; if `cell` is in one, it can have that value.

        Of the ways to split what is left one is drawn, so that layouts differ.
        """
        del wanted
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
        """`numbers` of the nodes above a cell when it has that value; nothing where the cell is not of this component."""
        at = next((k for k, group in enumerate(self.groups) if cell in group), -1)
        if at < 0:
            return {len(self.nodes) - 1: self.numbers[-1]}
        size, leaf = len(self.groups[at]), self.nodes[at].inner
        found = {at: {key: 1 << mines for key, mines in leaf.items() if (mines > 0 if value else mines < size)}}
        while self.parent[at] >= 0:
            below, at = at, self.parent[at]
            one, other = self.nodes[at].below
            ones = found[below] if one == below else self.numbers[one]
            others = found[below] if other == below else self.numbers[other]
            found[at] = _joined(self.splits[at], ones, others)
        return found


def joins(cells: list[list[int]], need: Array, left: Array, stride: int) -> Joins | None:
    """The tree of a connected component of a closed field, from its groups (padded cells); None where it has no layout.

    Raises:
        Unsupported: more than `MOST_PAIRS` pairs of keys.
    """
    beside, asked = clues_of([group[0] for group in cells], need, left, stride)
    component = Component([len(group) for group in cells], beside, asked)
    nodes = [component.leaf(group, lambda mines, ways: mines) for group in range(len(cells))]
    if not all(node.inner for node in nodes):
        return None
    splits: list[dict[int, list[tuple[int, int]]]] = [{} for _ in nodes]
    numbers = [{key: 1 << mines for key, mines in node.inner.items()} for node in nodes]
    parent = [-1] * len(nodes)
    kept = 0
    for one, other in tree(component, nodes):
        clues, _ = component.merged(nodes[one], nodes[other])
        whole = Node(clues, below=(one, other))
        made: dict[int, list[tuple[int, int]]] = {}
        pairs = component.pairs(nodes[one], nodes[other], whole, MOST_PAIRS - kept)
        for key, mate, both in pairs:
            made.setdefault(both, []).append((key, mate))
        if not made:
            return None
        kept += len(pairs)
        whole.inner = dict.fromkeys(made, 0)
        parent[one] = parent[other] = len(nodes)
        parent.append(-1)
        nodes.append(whole)
        splits.append(made)
        numbers.append(_joined(made, numbers[one], numbers[other]))
    return Joins(cells, nodes, splits, parent, numbers)


def settle(
    parts: NDArray[Any], know: Array, decided: Array, need: Array, left: Array, stride: int, starts: Array, clash: Array
) -> None:
    """Settle in `decided` what is certain in these components of a closed field, as `frontier.decide` does in narrow ones.

    Raises:
        Unsupported: more than `MOST_PAIRS` pairs of keys in one of them.
    """
    if not parts.size:
        return
    cells, group_start, part_start, _, found = split.at(know.size)(know, left, stride)
    for part in parts.tolist():
        bounds = group_start[part_start[part] : part_start[part + 1] + 1].tolist()
        groups = [cells[begin:end].tolist() for begin, end in pairwise(bounds)]
        made = joins(groups, need, left, stride)
        if made is None:
            clash[board_of(found[part], stride, starts)] = found[part]
            continue
        for group, mines in zip(groups, made.possible(), strict=True):
            if mines in ({0}, {len(group)}):
                decided[group] = MINE if mines != {0} else NO_MINE


def _joined(splits: dict[int, list[tuple[int, int]]], ones: dict[int, int], others: dict[int, int]) -> dict[int, int]:
    """The numbers of mines of both children together, as bits, by key."""
    found: dict[int, int] = {}
    for both, pairs in splits.items():
        bits = 0
        for sums in {(ones.get(key, 0), others.get(mate, 0)) for key, mate in pairs}:
            bits |= sums_of(*sums)
        if bits:
            found[both] = bits
    return found


def sums_of(some: int, others: int) -> int:
    """Every sum of a number of one set and one of another, as bits."""
    if some.bit_count() < others.bit_count():
        some, others = others, some
    found = 0
    while others:
        low = others & -others
        found |= some * low
        others ^= low
    return found
