"""Wide components counted: a tree of joins over groups of cells with the same clues, chosen greedily so that few clues are open.

A linear order of the cells keeps every clue open between its first cell and its last; where cells are opened here and there,
a tree keeps far fewer open. A table says, for each way in which the cells below a node fill the clues that are open there,
how many layouts do so by number of mines: a polynomial (python-flint's).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from itertools import count
from math import comb, log2
from typing import Any

from direct.kernel import Array
from direct.minesweeper.closure import around
from puzzles.backend import Unsupported

MOST_BYTES = 3 * 2**29
"""Memory that the tables of one component may take."""

MOST_BITS = 30
"""The logarithm of the most keys that a table might have; isolated openings stay below 12, at 100x100 and 30% of the cells."""

_FIELD = 4
"""Bits of a key for each clue: it has at most eight cells."""

Table = dict[int, Any]
"""Key (the mines beside each open clue so far, four bits each) -> layouts by number of mines (fmpz_poly)."""


@dataclass
class Node:
    """A node of the tree.

    Attributes:
        clues: how many of its cells each open clue has.
        low: `inner` is less than the product of its children's by this power of x.
        excess: `inner` and `outer` together are more than the root's `inner` by this power of x.
        below: its two children; none of a leaf.
        inner, outer: the layouts of its own cells, and of all others, by what they do to the open clues.
    """

    clues: dict[int, int]
    low: int = 0
    excess: int = 0
    below: tuple[int, ...] = ()
    inner: Table = field(default_factory=dict)
    outer: Table = field(default_factory=dict)


class Component:
    """The groups of a connected component: their sizes, for each its clues, and for each clue how many mines it asks for."""

    def __init__(self, sizes: Sequence[int], beside: Sequence[Sequence[int]], need: Sequence[int]) -> None:
        self.sizes, self.beside, self.need = sizes, beside, need
        self.room = [0] * len(need)
        for size, clues in zip(sizes, beside, strict=True):
            for clue in clues:
                self.room[clue] += size
        self.cells = sum(sizes)
        self.bytes, self.width = 0, 0

    def leaf(self, group: int, weight: Callable[[int, int], Any]) -> Node:
        """A group as a node; `weight`: (mines, ways to place them) -> what its table holds."""
        size, clues = self.sizes[group], self.beside[group]
        node = Node(dict.fromkeys(clues, size))
        unit = sum(1 << _FIELD * clue for clue in clues)
        for mines in range(size + 1):
            node.inner[mines * unit] = weight(mines, comb(size, mines))
        self._cut(node.inner, node.clues, [clue for clue in clues if self.room[clue] == size])
        node.clues = {clue: cells for clue, cells in node.clues.items() if cells < self.room[clue]}
        return node

    def _cut(self, table: Table, clues: dict[int, int], closing: Sequence[int]) -> None:
        """Drop what a clue cannot bear, and take the closing clues out of the keys."""
        bounds = [(_FIELD * clue, *self.bounds(clue, cells)) for clue, cells in clues.items()]
        mask = sum(15 << _FIELD * clue for clue in closing)
        for key in list(table):
            if all(least <= key >> shift & 15 <= most for shift, least, most in bounds):
                if key & mask:
                    table[key & ~mask] = table.pop(key)
            else:
                del table[key]

    def bounds(self, clue: int, cells: int) -> tuple[int, int]:
        """The mines that some of a clue's cells can hold."""
        return max(0, self.need[clue] - (self.room[clue] - cells)), min(self.need[clue], cells)

    def merged(self, one: Node, other: Node) -> tuple[dict[int, int], list[int]]:
        """The open clues of two nodes together, and those that close."""
        clues = dict(one.clues)
        for clue, cells in other.clues.items():
            clues[clue] = clues.get(clue, 0) + cells
        closing = [clue for clue, cells in clues.items() if cells == self.room[clue]]
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

    def pairs(self, one: Node, other: Node, whole: Node, most: int | None = None) -> list[tuple[int, int, int]]:
        """The keys of two nodes that go together, with the key of both, found by hashing on the clues that close.

        Raises:
            Unsupported: there are more than `most`.
        """
        closing = [clue for clue in one.clues if one.clues[clue] + other.clues.get(clue, 0) == self.room[clue]]
        mask = sum(15 << _FIELD * clue for clue in closing)
        full = sum(self.need[clue] << _FIELD * clue for clue in closing)
        bounds = [
            (_FIELD * clue, *self.bounds(clue, cells))
            for clue, cells in whole.clues.items()
            if clue in one.clues and clue in other.clues
        ]
        matching: dict[int, list[int]] = {}
        for key in other.inner:
            matching.setdefault(full - (key & mask), []).append(key)
        found: list[tuple[int, int, int]] = []
        for key in one.inner:
            for mate in matching.get(key & mask, ()):
                both = (key + mate) & ~mask
                if all(least <= both >> shift & 15 <= most for shift, least, most in bounds):
                    found.append((key, mate, both))
            if most is not None and len(found) > most:
                raise Unsupported(f"too wide: {len(whole.clues)} clues are open at once in a component of {self.cells} cells")
        return found

    def take(self, table: Table, width: int, sign: int = 1) -> None:
        """Account for a table; raises `Unsupported` where that is too much."""
        self.width = max(self.width, width)
        self.bytes += sign * sum(120 + value.length() * (16 + value.height_bits() // 8) for value in table.values())
        if self.bytes > MOST_BYTES:
            raise Unsupported(f"too wide: {self.width} clues are open at once in a component of {self.cells} cells")


def contract(
    sizes: Sequence[int], beside: Sequence[Sequence[int]], need: Sequence[int]
) -> tuple[list[int], list[list[int]]] | None:
    """A connected component's layouts by number of mines; None where there is none.

    Args:
        sizes: the cells of each group.
        beside: for each group its clues.
        need: for each clue how many mines it asks for.

    Returns:
        weights: layouts with 0, 1, ... mines.
        groups: for each group, the same of the layouts where a certain cell of it is a mine.

    Raises:
        Unsupported: the tables would take more than `MOST_BYTES`, or one could have more than 2 ** `MOST_BITS` keys.
    """
    from flint import fmpz_poly

    component = Component(sizes, beside, need)
    nodes = [component.leaf(group, lambda mines, ways: fmpz_poly([0] * mines + [ways])) for group in range(len(sizes))]
    if not all(node.inner for node in nodes):
        return None
    for one, other in tree(component, nodes):
        clues, _ = component.merged(nodes[one], nodes[other])
        whole = Node(clues, below=(one, other))
        for key, mate, both in component.pairs(nodes[one], nodes[other], whole):
            product = nodes[one].inner[key] * nodes[other].inner[mate]
            whole.inner[both] = whole.inner[both] + product if both in whole.inner else product
        if not whole.inner:
            return None
        component.take(whole.inner, len(clues))
        whole.inner, whole.low = _stripped(whole.inner)
        nodes.append(whole)
    return _read(component, nodes)


def clues_of(cells: Sequence[int], need: Array, left: Array, stride: int) -> tuple[list[list[int]], list[int]]:
    """For each cell the numbers of its clues, and for each clue the mines that it asks for."""
    names: dict[int, int] = {}
    steps = [int(step) for step in around(stride)]
    beside = [[names.setdefault(cell + step, len(names)) for step in steps if left[cell + step] > 0] for cell in cells]
    return beside, [int(need[clue]) for clue in names]


def _read(component: Component, nodes: list[Node]) -> tuple[list[int], list[list[int]]]:
    """From the root down: what the rest of the component does, for each node's keys; then the groups' counts."""
    from flint import fmpz_poly

    nodes[-1].outer = {0: fmpz_poly([1])}
    for whole in reversed(nodes):
        if whole.below:
            one, other = (nodes[child] for child in whole.below)
            for key, mate, both in component.pairs(one, other, whole):
                rest = whole.outer.get(both)
                if rest is not None:
                    for own, sibling, at, with_at in ((one, other, key, mate), (other, one, mate, key)):
                        product = sibling.inner[with_at] * rest
                        own.outer[at] = own.outer[at] + product if at in own.outer else product
            for child in (one, other):
                child.outer, stripped = _stripped(child.outer)
                child.excess = whole.excess + whole.low - stripped
                component.take(child.outer, len(child.clues))
                if child.below:  # what stands above it is done, and the leaves below bring their own
                    component.take(child.inner, 0, -1)
                    child.inner = {}
            component.take(whole.outer, 0, -1)
            whole.outer = {}
    low = sum(node.low for node in nodes)
    weights = [0] * low + list(map(int, nodes[-1].inner[0].coeffs()))
    groups: list[list[int]] = []
    for group, size in enumerate(component.sizes):
        with_mine = fmpz_poly([0])
        for key, rest in nodes[group].outer.items():
            mines = nodes[group].inner[key].degree()
            if mines:
                with_mine += (rest * comb(size - 1, mines - 1)).left_shift(mines)
        counts = [0] * (low - nodes[group].excess) + list(map(int, with_mine.coeffs()))
        groups.append(counts + [0] * (len(weights) - len(counts)))
    return weights, groups


def _stripped(table: Table) -> tuple[Table, int]:
    """A table divided by the highest power of x that divides it, and that power."""
    low = 0
    while not any(polynomial[low] for polynomial in table.values()):
        low += 1
    return {key: polynomial.right_shift(low) for key, polynomial in table.items()} if low else table, low


def tree(component: Component, leaves: list[Node]) -> list[tuple[int, int]]:
    """Which two nodes to join, one after the other: those that share a clue and leave the smallest table.

    Raises:
        Unsupported: a table could have more than 2 ** `MOST_BITS` keys; of those that could, none would fit.
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
    joined: list[tuple[int, int]] = []
    while heap:
        _, _, one, other = heappop(heap)
        if not (alive[one] and alive[other]):
            continue
        clues, _ = component.merged(Node(open_at[one]), Node(open_at[other]))
        if component.states(clues) > MOST_BITS:
            raise Unsupported(f"too wide: {len(clues)} clues are open at once in a component of {component.cells} cells")
        new = len(open_at)
        joined.append((one, other))
        alive[one] = alive[other] = False
        for index in (one, other):
            for clue in open_at[index]:
                holders[clue].discard(index)
        open_at.append(clues)
        alive.append(True)
        for clue in clues:
            holders[clue].add(new)
        for mate in sorted(mates(new)):
            heappush(heap, (cost(mate, new), next(ticket), mate, new))
    return joined
