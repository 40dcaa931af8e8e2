"""Join trees for components that are too wide for one order of their groups.

An order keeps every clue open between its first group and its last. Where cells are opened here and there, a tree keeps far
fewer clues open: its leaves are the groups, each inner node joins two nodes, and a clue closes as soon as all of its cells are
below one node. A node has a table: for each way in which the cells below it fill its open clues, a value that the user of the
tree chooses (`contraction` polynomials, `wide` none).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from itertools import count
from math import comb, log2
from typing import Any

from direct.minesweeper.constraints import Constraints, around
from puzzles.backend import Unsupported

MOST_BITS = 30
"""The logarithm of the most keys that a table may be able to have. Isolated openings need less than 12 (at 100x100, 30% opened)."""

_BITS = 4
"""Bits of a key for each clue: it has at most eight cells."""

Table = dict[int, Any]
"""Key (the mines beside each open clue so far, four bits each) -> value."""


@dataclass
class Node:
    """A node of a join tree.

    Attributes:
        clues: each open clue, with the number of its cells below the node.
        below: its two children; empty for a leaf.
        inner: the table of the cells below the node.
    """

    clues: dict[int, int]
    below: tuple[int, ...] = ()
    inner: Table = field(default_factory=dict)


class Component:
    """A connected component: the sizes of its groups, for each group its clues, and for each clue the mines that it needs."""

    def __init__(self, sizes: Sequence[int], clues_of: Sequence[Sequence[int]], need: Sequence[int]) -> None:
        self.sizes, self.clues_of, self.need = sizes, clues_of, need
        self.unknown = [0] * len(need)
        for size, clues in zip(sizes, clues_of, strict=True):
            for clue in clues:
                self.unknown[clue] += size
        self.cells = sum(sizes)

    def leaf(self, group: int, weight: Callable[[int, int], Any]) -> Node:
        """A group as a leaf; `weight` makes a value of its table from (mines, ways to place them)."""
        size, clues = self.sizes[group], self.clues_of[group]
        node = Node(dict.fromkeys(clues, size))
        unit = sum(1 << _BITS * clue for clue in clues)
        for mines in range(size + 1):
            node.inner[mines * unit] = weight(mines, comb(size, mines))
        self._cut(node.inner, node.clues, [clue for clue in clues if self.unknown[clue] == size])
        node.clues = {clue: cells for clue, cells in node.clues.items() if cells < self.unknown[clue]}
        return node

    def _cut(self, table: Table, clues: dict[int, int], closing: Sequence[int]) -> None:
        """Drop the keys that break a clue, and take the closing clues out of the others."""
        bounds = [(_BITS * clue, *self.bounds(clue, cells)) for clue, cells in clues.items()]
        mask = sum(15 << _BITS * clue for clue in closing)
        for key in list(table):
            if all(least <= key >> shift & 15 <= most for shift, least, most in bounds):
                if key & mask:
                    table[key & ~mask] = table.pop(key)
            else:
                del table[key]

    def bounds(self, clue: int, cells: int) -> tuple[int, int]:
        """The least and the most mines on `cells` of a clue's cells."""
        return max(0, self.need[clue] - (self.unknown[clue] - cells)), min(self.need[clue], cells)

    def merged(self, one: Node, other: Node) -> tuple[dict[int, int], list[int]]:
        """The clues that are open at the join of two nodes, and those that close there."""
        clues = dict(one.clues)
        for clue, cells in other.clues.items():
            clues[clue] = clues.get(clue, 0) + cells
        closing = [clue for clue, cells in clues.items() if cells == self.unknown[clue]]
        for clue in closing:
            del clues[clue]
        return clues, closing

    def states(self, clues: dict[int, int]) -> float:
        """The logarithm of the most keys that a table over these clues can have."""
        total = 0.0
        for clue, cells in clues.items():
            least, most = self.bounds(clue, cells)
            total += log2(max(most - least + 1, 1))
        return total

    def pairs(self, one: Node, other: Node, whole: Node, limit: int | None = None) -> list[tuple[int, int, int]]:
        """The pairs of keys of two nodes that agree, each with its key at their join; a hash join on the clues that close.

        Raises:
            Unsupported: there are more than `limit`.
        """
        closing = [clue for clue in one.clues if one.clues[clue] + other.clues.get(clue, 0) == self.unknown[clue]]
        mask = sum(15 << _BITS * clue for clue in closing)
        full = sum(self.need[clue] << _BITS * clue for clue in closing)
        bounds = [
            (_BITS * clue, *self.bounds(clue, cells))
            for clue, cells in whole.clues.items()
            if clue in one.clues and clue in other.clues
        ]
        matching: dict[int, list[int]] = {}
        for key in other.inner:
            matching.setdefault(full - (key & mask), []).append(key)
        agreeing: list[tuple[int, int, int]] = []
        for key in one.inner:
            for mate in matching.get(key & mask, ()):
                both = (key + mate) & ~mask
                if all(least <= both >> shift & 15 <= most for shift, least, most in bounds):
                    agreeing.append((key, mate, both))
            if limit is not None and len(agreeing) > limit:
                raise Unsupported(f"too wide: {len(whole.clues)} clues are open at once in a component of {self.cells} cells")
        return agreeing


def clues_of(cells: Sequence[int], constraints: Constraints) -> tuple[list[list[int]], list[int]]:
    """For each cell (padded) the numbers of its clues, counted from 0, and for each clue the mines that it needs."""
    names: dict[int, int] = {}
    steps = [int(step) for step in around(constraints.stride)]
    clues = [
        [names.setdefault(cell + step, len(names)) for step in steps if constraints.unknown[cell + step] > 0] for cell in cells
    ]
    return clues, [int(constraints.need[clue]) for clue in names]


def joins(component: Component, leaves: Sequence[Node]) -> list[tuple[int, int]]:
    """The pairs of nodes to join, in order, chosen greedily: two that share a clue, so that their join has the smallest table.

    Leaves have the first numbers, and each join has the next one.

    Raises:
        Unsupported: a table may get more than 2 ** `MOST_BITS` keys.
    """
    open_at = [dict(node.clues) for node in leaves]
    alive = [True] * len(leaves)
    holders: dict[int, set[int]] = {}
    for index, clues in enumerate(open_at):
        for clue in clues:
            holders.setdefault(clue, set()).add(index)
    ticket = count()
    heap: list[tuple[float, int, int, int]] = []

    def cost(one: int, other: int) -> float:
        clues, _ = component.merged(Node(open_at[one]), Node(open_at[other]))
        return component.states(clues) - 0.5 * (component.states(open_at[one]) + component.states(open_at[other]))

    def mates(index: int) -> set[int]:
        return {mate for clue in open_at[index] for mate in holders[clue]} - {index}

    for index in range(len(leaves)):
        heap += [(cost(index, mate), next(ticket), index, mate) for mate in sorted(mates(index)) if mate > index]
    heapify(heap)
    pairs: list[tuple[int, int]] = []
    while heap:
        _, _, one, other = heappop(heap)
        if not (alive[one] and alive[other]):
            continue
        clues, _ = component.merged(Node(open_at[one]), Node(open_at[other]))
        if component.states(clues) > MOST_BITS:
            raise Unsupported(f"too wide: {len(clues)} clues are open at once in a component of {component.cells} cells")
        join = len(open_at)
        pairs.append((one, other))
        alive[one] = alive[other] = False
        for index in (one, other):
            for clue in open_at[index]:
                holders[clue].discard(index)
        open_at.append(clues)
        alive.append(True)
        for clue in clues:
            holders[clue].add(join)
        for mate in sorted(mates(join)):
            heappush(heap, (cost(mate, join), next(ticket), mate, join))
    return pairs
