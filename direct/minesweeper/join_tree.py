"""Join trees for components that are too wide for one order of their groups.

An order keeps every clue open between its first group and its last. Where cells are opened here and
there, a tree keeps far fewer clues open: its leaves are the groups, each inner node joins two
nodes, and a clue closes as soon as all of its cells are below one node. A node has a table: for
each way in which the cells below it fill its open clues, a value that the user of the tree chooses
(`probability` polynomials, `wide` none).

To multiply out polynomials takes far longer than to look for a better tree, so that one is made
cheaper by rotations. A rotation turns ((a, b), c) into (a, (b, c)). It changes the tables of one
node only, but it moves cells down the tree. So large polynomials end up where few pairs of keys are
multiplied, and the root moves to a place where few clues are open.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from heapq import heapify, heappop, heappush
from itertools import count
from math import comb, log2
from typing import Any

from direct import thresholds
from direct.minesweeper.closure import Constraints, around
from puzzles.backend import Unsupported

MAX_BITS = 30
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
        Unsupported: a table may get more than 2 ** `MAX_BITS` keys.
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
        if component.states(clues) > MAX_BITS:
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


SMALL_PRODUCT = 1e5
"""Two polynomials take as long to multiply as all other work on a pair of keys, some ten microseconds, if this is the number of
cells below their join, times the sum of that number and all cells of the component."""


class JoinCosts:
    """A join tree with the estimated cost of each join: the pairs of keys, each weighted by the size of its polynomials.

    A unit of cost is the time to handle a pair of small polynomials, and about the time to try the rotations at one node.

    Attributes:
        clues: per node, each open clue with the number of its cells below the node.
        cells: per node, the number of cells below it.
        below: per join, counted from 0, its two children.
        cost: per join.
    """

    def __init__(self, component: Component, leaves: Sequence[Node], pairs: Sequence[tuple[int, int]]) -> None:
        self._component = component
        self.clues = [leaf.clues for leaf in leaves]
        self.cells = list(component.sizes)
        self.below = list(pairs)
        self.cost: list[float] = []
        self._leaves = len(leaves)
        for one, other in pairs:
            clues, number = self._joined(self.clues[one], self.clues[other])
            self.clues.append(clues)
            self.cells.append(self.cells[one] + self.cells[other])
            self.cost.append(number * self._weight(self.cells[-1]))

    def _weight(self, cells: int) -> float:
        """The cost of one pair at a join of this many cells.

        Its polynomials have coefficients and digits in proportion to its cells; on the way down the digits go with all cells.
        """
        return 1 + cells * (cells + self._component.cells) / SMALL_PRODUCT

    def _joined(self, one: dict[int, int], other: dict[int, int]) -> tuple[dict[int, int], float]:
        """The open clues of a join of two nodes, and the most pairs of keys that it can have."""
        if len(one) < len(other):
            one, other = other, one
        need, unknown = self._component.need, self._component.unknown
        clues = dict(one)
        pairs = 1.0
        for clue, cells in one.items():
            more = other.get(clue, 0)
            pairs *= _ways(need[clue], unknown[clue], cells, more)
            if cells + more == unknown[clue]:
                del clues[clue]
            else:
                clues[clue] = cells + more
        for clue, cells in other.items():
            if clue not in one:
                pairs *= _ways(need[clue], unknown[clue], cells, 0)
                clues[clue] = cells
        return clues, pairs

    def rotate(self) -> None:
        """At each join, make the best rotation with one of its children if that lowers the cost of the two."""
        for top in range(len(self.below)):
            for child, sibling in (self.below[top], self.below[top][::-1]):
                at = child - self._leaves
                if at >= 0 and self._rotated(top, at, sibling):
                    break

    def _rotated(self, top: int, at: int, sibling: int) -> bool:
        """Join `sibling` to one child of the join `at` and the other child to both, if that lowers the cost; whether it did.

        `top` is the join of `at` and `sibling`.
        """
        best = self.cost[at] + self.cost[top]
        weight = self._weight(self.cells[self._leaves + top])
        chosen = None
        for stays, goes in (self.below[at], self.below[at][::-1]):
            clues, pairs = self._joined(self.clues[goes], self.clues[sibling])
            cells = self.cells[goes] + self.cells[sibling]
            lower = pairs * self._weight(cells)
            if lower < best:
                upper = self._joined(self.clues[stays], clues)[1] * weight
                if lower + upper < best:
                    best = lower + upper
                    chosen = stays, goes, clues, cells, lower, upper
        if chosen is None:
            return False
        stays, goes, clues, cells, self.cost[at], self.cost[top] = chosen
        node = self._leaves + at
        self.below[at], self.below[top] = (goes, sibling), (stays, node)
        self.clues[node], self.cells[node] = clues, cells
        return True

    def pairs(self) -> list[tuple[int, int]]:
        """The pairs of nodes to join, in an order in which each node comes after its children, numbered as in `joins`."""
        waiting = [len(self.below) - 1]
        downward: list[int] = []
        while waiting:
            at = waiting.pop()
            downward.append(at)
            waiting += [child - self._leaves for child in self.below[at] if child >= self._leaves]
        number = list(range(self._leaves + len(self.below)))
        for k, at in enumerate(reversed(downward), self._leaves):
            number[self._leaves + at] = k
        return [(number[one], number[other]) for one, other in (self.below[at] for at in reversed(downward))]


def cheaper(component: Component, leaves: Sequence[Node], pairs: Sequence[tuple[int, int]]) -> Sequence[tuple[int, int]]:
    """The pairs of nodes to join, as from `joins`, in a tree of about the least cost that rotations of the given one reach.

    Time is linear in the nodes for each round of rotations. Rounds go on as long as one saves more than it takes.
    """
    if component.cells < thresholds.ROTATED_CELLS or not pairs:
        return pairs
    tree = JoinCosts(component, leaves, pairs)
    before, cost = float("inf"), sum(tree.cost)
    while before - cost > len(pairs):
        tree.rotate()
        before, cost = cost, sum(tree.cost)
    return tree.pairs()


@cache
def _ways(need: int, unknown: int, some: int, others: int) -> int:
    """The pairs of numbers of mines that two disjoint sets of a clue's cells can have; at least 1."""

    def numbers(cells: int) -> range:
        return range(max(0, need - (unknown - cells)), min(need, cells) + 1)

    both = numbers(some + others)
    return max(1, sum(mines + more in both for mines in numbers(some) for more in numbers(others)))
