"""Probabilities from counts: each component's layouts by number of mines, combined with the free cells, which touch no clue.

Without a number of mines for the board the components are independent. With one, the weight of a
component's layouts with k mines is the number of ways to place the other mines elsewhere. On most
boards `counts` has computed that. On large ones, and where a component is wide, these weights come
down a transposed product tree, which starts from the binomials of the free cells. All numbers are
integers (python-flint's polynomials), so a cell is certain exactly where its probability is 0 or 1.

A wide component is multiplied out along a join tree. A table has the layouts of the cells below a
node: key -> layouts by number of mines. How often a layout with k mines counts is known once the
rest of the board is counted. These weights then go down the tree; each node keeps only the
coefficients that the cells below it can use, since to multiply out all that is outside of each node
takes far longer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import comb
from operator import mul
from typing import Any, NamedTuple

import numpy as np

from direct import thresholds
from direct.minesweeper.analysis import ANY_NUMBER, FREE_PLACE, MINE_PLACE, count, parts_of
from direct.minesweeper.counts import BoardCounts, Tallies
from direct.minesweeper.frontier import DECIDED
from direct.minesweeper.join_tree import Component, Node, Table, cheaper, clues_of, joins
from puzzles.backend import Unsupported
from puzzles.minesweeper.board import COVERED, MINE, SAFE, Chances, Minesweeper
from puzzles.text import Grid

MAX_BYTES = 3 * 2**29
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
        """Count a table over `width` open clues; raises `Unsupported` if all take more than `MAX_BYTES`."""
        self.width = max(self.width, width)
        self.bytes += sum(map(_bytes, table.values()))
        if self.bytes > MAX_BYTES:
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
            Unsupported: the tables would take more than `MAX_BYTES`.
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
        Unsupported: the tables would take more than `MAX_BYTES`, or one may get more than 2 ** `join_tree.MAX_BITS` keys.
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


Value = tuple[int, int]


class Counts(NamedTuple):
    """A component's layouts by number of mines.

    Attributes:
        low: the fewest mines of a layout.
        weights: layouts with `low`, `low` + 1, ... mines; neither end is 0.
        groups: for each group of cells with the same clues, the layouts in which one given cell of it is a mine: by number of
            mines as in `weights`, or all together (one entry); or the contracted component that computes them.
        sizes: for each group its number of cells.
    """

    low: int
    weights: tuple[int, ...]
    groups: tuple[tuple[int, ...], ...] | Contracted
    sizes: tuple[int, ...]

    def with_mine(self, times: Sequence[int] | None) -> list[int]:
        """For each group the layouts with a mine on one given cell of it; one with `low` + k mines counts `times[k]` times.

        Without `times` each layout counts once.

        Raises:
            ArithmeticError: the cells' counts do not add up to the mines of all layouts.
        """
        if not isinstance(self.groups, Contracted):
            return [sum(group if times is None else map(mul, group, times)) for group in self.groups]
        with_mine = self.groups.with_mine(times)
        ways = self.weights if times is None else map(mul, self.weights, times)
        mines = sum(map(mul, ways, range(self.low, self.low + len(self.weights))))
        if sum(map(mul, self.sizes, with_mine)) != mines:
            raise ArithmeticError("the layouts of a component do not add up")
        return with_mine


def chances_of(board: Minesweeper, wide: bool = True) -> tuple[Chances, Grid] | None:
    """The chances on a board, and its grid with `X` or `O` on each certain cell; None if no layout has its clues and its mines.

    Args:
        wide: whether to count components that are too wide for the frontier too, which can take long.

    Raises:
        Unsupported: a component is too wide.
        ArithmeticError: the counts do not add up: this program has a fault.
    """
    mines, cells = board.mines, board.cells
    starts = np.array([0, board.rows], np.int64)
    wanted = ANY_NUMBER if mines is None else min(mines, cells + 1)  # with more mines than cells there is no layout either
    run = count.at(cells)
    most_states = thresholds.FEW_STATES if run is count.function else thresholds.COUNTED_STATES
    counted = run(board.grid, starts, most_states, wanted)
    if counted.decided.clash[0]:
        return None
    components: list[Counts] | None = []
    free = known_mines = 0
    if counted.counts.digits.size:
        combined = _divided(counted.counts)
    else:
        components = _counted(board, counted.tallies, counted.decided.status.tolist(), wide)
        if components is None:
            return None
        free, known_mines = (int((counted.place == place).sum()) for place in (FREE_PLACE, MINE_PLACE))
        combined = _independent(components, free) if mines is None else _with_total(components, free, mines - known_mines)
    if combined is None:
        return None
    layouts, values, of_step, of_free = combined
    value_of = np.array([-1, 0, 1, of_free, *of_step], np.int32).take(counted.place)  # the places before FIRST_STEP come first
    shown = counted.decided.shown
    if min(of_free, *of_step, 2) < 2:  # some cells are certain that the closure leaves open
        marks = np.array([SAFE, MINE, COVERED], np.uint8).take(np.minimum(value_of, 2), mode="clip")
        shown = np.where(value_of < 0, board.grid.ravel(), marks).reshape(board.grid.shape)
    if mines is not None:
        return Chances(layouts, (mines, mines), value_of, values, (((layouts,), 1),)), shown
    least = known_mines + sum(counts.low for counts in components)
    most = least + free + sum(len(counts.weights) - 1 for counts in components)
    kinds: dict[tuple[int, ...], int] = {(1, 1): free} if free else {}
    for counts in components:
        kinds[counts.weights] = kinds.get(counts.weights, 0) + 1
    return Chances(layouts, (least, most), value_of, values, tuple(kinds.items())), shown


def _counted(board: Minesweeper, tallies: Tallies, status: list[int], wide: bool) -> list[Counts] | None:
    """The counts of every component; None if one has no layout.

    If the board's number of mines is given, a wide component keeps its tables until its weights are known.
    """
    components: list[Counts] = []
    held = 0
    lows, sizes, bounds = tallies.low.tolist(), tallies.size.tolist(), tallies.weight_start.tolist()
    flat = tallies.numbers[: bounds[-1]].tolist()
    for component, (first, last) in enumerate(pairwise(tallies.component_start.tolist())):
        own_sizes = tuple(sizes[first:last])
        if status[component] == DECIDED:
            begin, end = bounds[component], bounds[component + 1]
            step = (end - begin) // (last - first + 1)
            rows = [tuple(flat[at : at + step]) for at in range(begin, end, step)]
            counts = Counts(lows[component], rows[0], tuple(rows[1:]), own_sizes)
            _check(lows[component], rows[0], rows[1:], own_sizes)
        else:
            contracted = _contracted(board, component, wide, held)
            if contracted is None:
                return None
            counts = Counts(contracted.low, contracted.weights, contracted, own_sizes)
            if board.mines is not None:
                held = contracted.bytes
            else:
                counts = counts._replace(groups=tuple((count,) for count in counts.with_mine(None)))
        components.append(counts)
    return components


def _contracted(board: Minesweeper, component: int, wide: bool, held: int) -> Contracted | None:
    """A component that is too wide for the frontier, counted along its join tree; None if it has no layout."""
    closed, partition, transitions = parts_of.at(board.cells)(board.grid, np.array([0, board.rows], np.int64))
    first, last = partition.component_start[component : component + 2]
    sizes = transitions.size[first:last].tolist()
    if not wide:
        width = transitions.width[component]
        raise Unsupported(f"too wide: {width} clues are open at once in a component of {sum(sizes)} cells")
    cells = partition.cells[partition.group_start[transitions.order[first:last]]]
    return contract(Component(sizes, *clues_of(cells.tolist(), closed)), held)


def _check(low: int, weights: tuple[int, ...], groups: Sequence[tuple[int, ...]], sizes: Sequence[int]) -> None:
    """Raise `ArithmeticError` unless the cells' counts add up to the mines of all layouts."""
    for k, (weight, *column) in enumerate(zip(weights, *groups, strict=True), low):
        if sum(map(mul, sizes, column)) != k * weight:
            raise ArithmeticError("the layouts of a component do not add up")


class _Values:
    """The distinct probabilities in the order in which they first occur; the first two are 0 and 1."""

    def __init__(self) -> None:
        self.places: dict[Value, int] = {(0, 1): 0, (1, 1): 1}

    def place(self, numerator: int, denominator: int) -> int:
        value = (0, 1) if numerator == 0 else (1, 1) if numerator == denominator else (numerator, denominator)
        return self.places.setdefault(value, len(self.places))


_Combined = tuple[int, tuple[Value, ...], list[int], int]
"""The number of layouts, the distinct probabilities, and the index in these of each group's and of a free cell's."""


def _divided(counts: BoardCounts) -> _Combined | None:
    """The board with its number of mines, counted by the kernel; None if it has no layout."""
    layouts, on_free, _, *with_mine = counts.rows()
    if layouts == 0:
        return None
    places = {0: 0, layouts: 1}
    of_step = [places.setdefault(number, len(places)) for number in with_mine]
    values: list[Value] = [(number, layouts) for number in places]
    values[:2] = (0, 1), (1, 1)
    of_free = 0 if on_free == 0 else 1 if on_free == layouts * counts.free else len(values)
    if of_free > 1:
        values.append((on_free, layouts * counts.free))
    return counts.all_layouts(layouts), tuple(values), of_step, of_free


def _independent(components: Sequence[Counts], free: int) -> _Combined:
    """The board without a number of mines: the components are independent."""
    from flint import fmpz

    values = _Values()
    of_group: list[int] = []
    layouts = fmpz(2) ** free
    indices: dict[Counts, list[int]] = {}
    for counts in components:
        total = sum(counts.weights)
        if counts not in indices:
            indices[counts] = [values.place(count, total) for count in counts.with_mine(None)]
        layouts *= total
        of_group += indices[counts]
    of_free = values.place(1, 2)
    return int(layouts), tuple(values.places), of_group, of_free


def _with_total(components: Sequence[Counts], free: int, mines: int) -> _Combined | None:
    """The board with `mines` mines on its components and free cells together; None if that is impossible.

    Components with equal weights are multiplied as one power. A component whose layouts all have the same number of mines is
    a constant factor.
    """
    from flint import fmpz, fmpz_poly

    spare = mines - sum(counts.low for counts in components)
    kinds: dict[tuple[int, ...], int] = {}
    scale = fmpz(1)
    for counts in components:
        if len(counts.weights) > 1:
            kinds[counts.weights] = kinds.get(counts.weights, 0) + 1
        else:
            scale *= sum(counts.weights)
    nodes: list[list[Any]] = [[fmpz_poly(list(weights)) ** power for weights, power in kinds.items()] or [fmpz_poly([1])]]
    while len(nodes[-1]) > 1:
        below = nodes[-1]
        nodes.append([below[k] * below[k + 1] if k + 1 < len(below) else below[k] for k in range(0, len(below), 2)])
    whole = nodes[-1][0]
    rest = list(_binomials(free, spare, whole.degree()))
    spread = list(map(mul, rest, whole.coeffs()))
    total = sum(spread, fmpz(0))
    if total == 0:
        return None
    weights_of = [fmpz_poly(rest)]
    for level in range(len(nodes) - 2, -1, -1):
        below = nodes[level]
        weights_of = [
            _correlated(weights_of[k // 2], below[k ^ 1], below[k].degree()) if k ^ 1 < len(below) else weights_of[k // 2]
            for k in range(len(below))
        ]
    times_of: dict[tuple[int, ...], list[int]] = {}
    drawn = 0
    for (weights, power), product, ways in zip(kinds.items(), nodes[0], weights_of, strict=False):
        left = _correlated(ways, product // fmpz_poly(list(weights)), len(weights) - 1) if power > 1 else ways
        times_of[weights] = [int(left[k]) for k in range(len(weights))]
        drawn += power * sum(map(mul, map(mul, weights, times_of[weights]), range(len(weights))))
    aof_free = sum(map(mul, spread, range(spare, spare - len(spread), -1)), fmpz(0))
    if drawn + aof_free != spare * total:
        raise ArithmeticError("the layouts of the board do not add up")
    whole_count, aof_free = int(total), int(aof_free)
    values = _Values()
    of_group: list[int] = []
    indices: dict[Counts, list[int]] = {}
    for counts in components:
        if counts not in indices:
            varies = counts.weights in times_of
            times, among = (times_of[counts.weights], whole_count) if varies else ([1], sum(counts.weights))
            indices[counts] = [values.place(count, among) for count in counts.with_mine(times)]
        of_group += indices[counts]
    of_free = values.place(aof_free, whole_count * free) if free else 0
    return int(total * scale), tuple(values.places), of_group, of_free


def _binomials(free: int, spare: int, degree: int) -> Iterator[Any]:
    """`free` over `spare` - k for k = 0, ..., `degree`, where 0 <= spare - k <= free; elsewhere 0."""
    from flint import fmpz

    ways = fmpz(0)
    for k in range(degree + 1):
        drawn = spare - k
        if not 0 <= drawn <= free:
            ways = fmpz(0)
        elif ways == 0:
            ways = fmpz.bin_uiui(free, drawn)
        else:
            ways = ways * (drawn + 1) // (free - drawn)
        yield ways


def _correlated(ways: Any, other: Any, degree: int) -> Any:
    """The polynomial whose coefficient i is the sum over j of other[j] * ways[i + j], for i = 0, ..., `degree`."""
    from flint import fmpz_poly

    if other.degree() == 0:
        return (ways * other[0]).truncate(degree + 1)
    back = fmpz_poly(other.coeffs()[::-1])
    return (ways * back).right_shift(other.degree()).truncate(degree + 1)
