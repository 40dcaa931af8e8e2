"""Wide components counted: a tree of joins over groups of cells with the same clues, chosen greedily so that few clues are open.

A linear order of the cells keeps every clue open between its first cell and its last; where cells are opened here and there,
a tree keeps far fewer open. A table says, for each way in which the cells below a node fill the clues that are open there,
how many layouts do so by number of mines: a polynomial (python-flint's). What a layout counts with so many mines is known once
the rest of the board is counted. It then goes down the tree, each time over as many numbers of mines only as the cells below can
have; to multiply out what stands beside each node takes far longer.
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
"""Memory that the tables held at one time may take."""

MOST_BITS = 30
"""The logarithm of the most keys that a table might have; isolated openings stay below 12, at 100x100 and 30% of the cells."""

_FIELD = 4
"""Bits of a key for each clue: it has at most eight cells."""

Table = dict[int, Any]
"""Key (the mines beside each open clue so far, four bits each) -> layouts by number of mines (fmpz_poly), or all of them (fmpz)."""


@dataclass
class Node:
    """A node of the tree.

    Attributes:
        clues: how many of its cells each open clue has.
        low: `inner` is less by this power of x than the product of its children's; a leaf's than its layouts.
        below: its two children; none of a leaf.
        inner: the layouts of its own cells, by what they do to the open clues.
        most: the largest degree in `inner`.
        outer: what those of its own cells count, by their number of mines: the coefficient of x^k is for `most` - k, so that
            a product with what stands beside it comes out in order.
    """

    clues: dict[int, int]
    low: int = 0
    below: tuple[int, ...] = ()
    inner: Table = field(default_factory=dict)
    most: int = 0
    outer: Table = field(default_factory=dict)


class Component:
    """The groups of a connected component: their sizes, for each its clues, and for each clue how many mines it asks for."""

    def __init__(self, sizes: Sequence[int], beside: Sequence[Sequence[int]], need: Sequence[int], held: int = 0) -> None:
        self.sizes, self.beside, self.need = sizes, beside, need
        self.room = [0] * len(need)
        for size, clues in zip(sizes, beside, strict=True):
            for clue in clues:
                self.room[clue] += size
        self.cells = sum(sizes)
        self.bytes, self.width = held, 0

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
        self.bytes += sign * sum(map(_bytes, table.values()))
        if self.bytes > MOST_BYTES:
            raise Unsupported(f"too wide: {self.width} clues are open at once in a component of {self.cells} cells")


class Contracted:
    """A component joined: `weights`, its layouts with `low`, `low` + 1, ... mines, and what is asked about its groups."""

    def __init__(self, component: Component, nodes: list[Node]) -> None:
        self._component, self._nodes = component, nodes
        self.low = sum(node.low for node in nodes)
        self.weights = tuple(map(int, nodes[-1].inner[0].coeffs()))

    @property
    def bytes(self) -> int:
        """What its tables hold, and those before it."""
        return self._component.bytes

    def with_mine(self, counted: Sequence[int] | None) -> list[int]:
        """For each group the layouts where a certain cell of it is a mine, one with `low` + k mines counted `counted[k]` times.

        Without `counted` each counts once, whatever its mines: then numbers do for polynomials, and are quicker.

        Raises:
            Unsupported: the tables would take more than `MOST_BYTES`.
        """
        from flint import fmpz, fmpz_poly

        component, nodes = self._component, self._nodes
        nodes[-1].outer = {0: fmpz(1) if counted is None else fmpz_poly(list(counted[::-1]))}
        inner = [
            {key: polynomial(1) for key, polynomial in node.inner.items()} if counted is None else node.inner for node in nodes
        ]
        for index in reversed(range(len(nodes))):
            whole = nodes[index]
            for child, sibling in zip(whole.below, whole.below[::-1], strict=True):
                own = nodes[child]
                for key, mate, both in component.pairs(own, nodes[sibling], whole):
                    asked = whole.outer.get(both)
                    if asked is not None:
                        product = inner[sibling][mate] * asked
                        if counted is not None:
                            product = _downward(product, whole.most + whole.low - own.most, own.most)
                        own.outer[key] = own.outer[key] + product if key in own.outer else product
                component.take(own.outer, len(own.clues))
            if whole.below:
                component.take(whole.outer, 0, -1)
                whole.outer = {}
        found: list[int] = []
        for group, size in enumerate(component.sizes):
            leaf = nodes[group]
            layouts = 0
            for key, asked in leaf.outer.items():
                more = leaf.inner[key].degree()
                if leaf.low + more:
                    ways = asked if counted is None else asked[leaf.most - more]
                    layouts += int(ways) * comb(size - 1, leaf.low + more - 1)
            found.append(layouts)
            component.take(leaf.outer, 0, -1)
            leaf.outer = {}
        return found


def contract(sizes: Sequence[int], beside: Sequence[Sequence[int]], need: Sequence[int], held: int = 0) -> Contracted | None:
    """Count a connected component's layouts; None where there is none.

    Args:
        sizes: the cells of each group.
        beside: for each group its clues.
        need: for each clue how many mines it asks for.
        held: the bytes that are held by components contracted before.

    Raises:
        Unsupported: the tables would take more than `MOST_BYTES`, or one could have more than 2 ** `MOST_BITS` keys.
    """
    from flint import fmpz_poly

    component = Component(sizes, beside, need, held)
    nodes = [component.leaf(group, lambda mines, ways: fmpz_poly([0] * mines + [ways])) for group in range(len(sizes))]
    if not all(node.inner for node in nodes):
        return None
    for node in nodes:
        node.inner, node.low = _stripped(node.inner)
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
    for node in nodes:
        node.most = max(polynomial.degree() for polynomial in node.inner.values())
    return Contracted(component, nodes)


def clues_of(cells: Sequence[int], need: Array, left: Array, stride: int) -> tuple[list[list[int]], list[int]]:
    """For each cell the numbers of its clues, and for each clue the mines that it asks for."""
    names: dict[int, int] = {}
    steps = [int(step) for step in around(stride)]
    beside = [[names.setdefault(cell + step, len(names)) for step in steps if left[cell + step] > 0] for cell in cells]
    return beside, [int(need[clue]) for clue in names]


def _bytes(value: Any) -> int:
    """About how much memory an entry of a table takes: a polynomial, or a number."""
    if hasattr(value, "bit_length"):
        return 120 + value.bit_length() // 8
    return 120 + value.length() * (16 + value.height_bits() // 8)


def _downward(product: Any, shift: int, most: int) -> Any:
    """The coefficients from that of x^shift on, up to that of x^most in what is returned."""
    moved = product.right_shift(shift) if shift >= 0 else product.left_shift(-shift)
    return moved.truncate(most + 1)


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
