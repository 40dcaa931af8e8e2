"""Wide components counted: the layouts by number of mines, multiplied out along a join tree as polynomials (python-flint's).

A table has the layouts of the cells below a node: key -> layouts by number of mines. How often a layout with k mines counts is
known once the rest of the board is counted. These weights then go down the tree; each node keeps only the coefficients
that the cells below it can use, since to multiply out all that is outside of each node takes far longer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import comb
from typing import Any

from direct.minesweeper.join_tree import Component, Node, Table, joins
from direct.minesweeper.rotations import cheaper
from puzzles.backend import Unsupported

MOST_BYTES = 3 * 2**29
"""Memory that the tables held at one time may take."""


@dataclass
class CountingNode(Node):
    """A node whose tables hold layouts by number of mines (fmpz_poly), or all of them together (fmpz).

    Attributes:
        low: `inner` is the product of the children's tables (of a leaf: its layouts) divided by x^low.
        most: the largest degree in `inner`.
        outer: key -> the weight of the layouts below the node by their number of mines: the coefficient of x^k is that of
            `most` - k mines, reversed so that a product with the sibling's table comes out in order.
    """

    low: int = 0
    most: int = 0
    outer: Table = field(default_factory=dict)


class Memory:
    """The bytes of all tables that are held, and the widest of them."""

    def __init__(self, component: Component, held: int) -> None:
        self.component, self.bytes, self.width = component, held, 0

    def add(self, table: Table, width: int) -> None:
        """Count a table over `width` open clues; raises `Unsupported` if all take more than `MOST_BYTES`."""
        self.width = max(self.width, width)
        self.bytes += sum(map(_bytes, table.values()))
        if self.bytes > MOST_BYTES:
            raise Unsupported(f"too wide: {self.width} clues are open at once in a component of {self.component.cells} cells")

    def drop(self, table: Table) -> None:
        """Take a table off the count."""
        self.bytes -= sum(map(_bytes, table.values()))


class Contracted:
    """A component counted along its join tree: `weights` are its layouts with `low`, `low` + 1, ... mines."""

    def __init__(self, component: Component, nodes: list[CountingNode], memory: Memory) -> None:
        self._component, self._nodes, self._memory = component, nodes, memory
        self.low = sum(node.low for node in nodes)
        self.weights = tuple(map(int, nodes[-1].inner[0].coeffs()))

    @property
    def bytes(self) -> int:
        """The bytes of its tables and of those of the components counted before it."""
        return self._memory.bytes

    def with_mine(self, times: Sequence[int] | None) -> list[int]:
        """For each group the layouts with a mine on one given cell of it; one with `low` + k mines counts `times[k]` times.

        Without `times` each layout counts once; then numbers replace the polynomials, which is quicker.

        Raises:
            Unsupported: the tables would take more than `MOST_BYTES`.
        """
        from flint import fmpz, fmpz_poly

        component, nodes, memory = self._component, self._nodes, self._memory
        nodes[-1].outer = {0: fmpz(1) if times is None else fmpz_poly(list(times[::-1]))}
        inner = [{key: polynomial(1) for key, polynomial in node.inner.items()} if times is None else node.inner for node in nodes]
        for index in reversed(range(len(nodes))):
            whole = nodes[index]
            for child, sibling in zip(whole.below, whole.below[::-1], strict=True):
                own = nodes[child]
                for key, mate, both in component.pairs(own, nodes[sibling], whole):
                    weight = whole.outer.get(both)
                    if weight is not None:
                        product = inner[sibling][mate] * weight
                        if times is not None:
                            product = _downward(product, whole.most + whole.low - own.most, own.most)
                        own.outer[key] = own.outer[key] + product if key in own.outer else product
                memory.add(own.outer, len(own.clues))
            if whole.below:
                memory.drop(whole.outer)
                whole.outer = {}
        with_mine: list[int] = []
        for group, size in enumerate(component.sizes):
            leaf = nodes[group]
            layouts = 0
            for key, weight in leaf.outer.items():
                more = leaf.inner[key].degree()
                if leaf.low + more:
                    ways = weight if times is None else weight[leaf.most - more]
                    layouts += int(ways) * comb(size - 1, leaf.low + more - 1)
            with_mine.append(layouts)
            memory.drop(leaf.outer)
            leaf.outer = {}
        return with_mine


def contract(component: Component, held: int = 0) -> Contracted | None:
    """Count a connected component's layouts; None if it has none.

    `held` is the number of bytes that the tables of components counted before take.

    Raises:
        Unsupported: the tables would take more than `MOST_BYTES`, or one may get more than 2 ** `join_tree.MOST_BITS` keys.
    """
    from flint import fmpz_poly

    memory = Memory(component, held)
    leaves = [component.leaf(group, lambda mines, ways: fmpz_poly([0] * mines + [ways])) for group in range(len(component.sizes))]
    nodes = [CountingNode(leaf.clues, inner=leaf.inner) for leaf in leaves]
    if not all(node.inner for node in nodes):
        return None
    for node in nodes:
        node.inner, node.low = _stripped(node.inner)
    for one, other in cheaper(component, nodes, joins(component, nodes)):
        clues, _ = component.merged(nodes[one], nodes[other])
        whole = CountingNode(clues, below=(one, other))
        for key, mate, both in component.pairs(nodes[one], nodes[other], whole):
            product = nodes[one].inner[key] * nodes[other].inner[mate]
            whole.inner[both] = whole.inner[both] + product if both in whole.inner else product
        if not whole.inner:
            return None
        memory.add(whole.inner, len(clues))
        whole.inner, whole.low = _stripped(whole.inner)
        nodes.append(whole)
    for node in nodes:
        node.most = max(polynomial.degree() for polynomial in node.inner.values())
    return Contracted(component, nodes, memory)


def _bytes(value: Any) -> int:
    """About the bytes that a value of a table takes: a polynomial, or a number."""
    if hasattr(value, "bit_length"):
        return 120 + value.bit_length() // 8
    return 120 + value.length() * (16 + value.height_bits() // 8)


def _downward(product: Any, shift: int, most: int) -> Any:
    """The polynomial divided by x^shift without remainder (multiplied if shift < 0), up to x^most."""
    moved = product.right_shift(shift) if shift >= 0 else product.left_shift(-shift)
    return moved.truncate(most + 1)


def _stripped(table: Table) -> tuple[Table, int]:
    """A table divided by the highest power of x that divides all of it, and that power."""
    low = 0
    while not any(polynomial[low] for polynomial in table.values()):
        low += 1
    return {key: polynomial.right_shift(low) for key, polynomial in table.items()} if low else table, low
