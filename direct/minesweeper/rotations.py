"""A join tree made cheaper by rotations, where to multiply out its polynomials takes far longer than to look for a better tree.

A rotation turns ((a, b), c) into (a, (b, c)). It changes the tables of one node only, but it moves cells down the tree. So large
polynomials end up where few pairs of keys are multiplied, and the root moves to a place where few clues are open.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from direct import thresholds
from direct.minesweeper.join_tree import Component, Node

SMALL = 1e5
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
        return 1 + cells * (cells + self._component.cells) / SMALL

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
