"""Probabilities: the layouts of all components and of the free cells, which touch no clue, put
together.

Without a number of mines for the board the components are independent. With one, the weight of a
component's layouts with k mines is the number of ways to place the other mines elsewhere. These
weights come down a transposed product tree over the components' polynomials, which starts from the
binomials of the free cells. All numbers are integers (python-flint's polynomials), so a cell is
certain exactly where its probability is 0 or 1.

A component that is too large for the 64 bits of `counts` is counted here in the same way:
polynomials go up its join tree, and once the rest of the board is counted, weights come down.

Sources: the message passing of Lauritzen and Spiegelhalter, see `join_tree`; for the weights, A.
Bostan, G. Lecerf, E. Schost, "Tellegen's principle into practice", 2003.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import comb, prod
from operator import mul
from typing import Any, NamedTuple

import numpy as np

from direct.kernel import SMALL
from direct.minesweeper import thresholds
from direct.minesweeper.counts import Counted, count
from direct.minesweeper.join_tree import (
    DECIDED,
    INCONSISTENT,
    MAX_PAIRS,
    BoardParts,
    parts_of,
    too_wide,
)
from puzzles.minesweeper.board import COVERED, MINE, SAFE, Chances, Minesweeper
from puzzles.text import Grid

MAX_BYTES = 3 * 2**28
"""Memory that the polynomials of large components may take; weights take about as much again."""

Times = list[int] | None
"""How often each of a component's layouts counts, with the fewest mines, with one more, and so on;
None if each counts once.
"""


class Counts(NamedTuple):
    """A component's layouts by number of mines.

    Attributes:
        low: the fewest mines of a layout.
        weights: its layouts with the fewest mines, with one more, and so on; neither end is 0.
        sizes: for each group its number of cells.
        groups: group by group the layouts in which one given cell of it is a mine, by number of
            mines as in `weights`.
    """

    low: int
    weights: list[int]
    sizes: list[int]
    groups: list[int]

    def with_mine(self, times: Times) -> list[int]:
        """For each group the layouts with a mine on one given cell of it, each counted as often as
        `times` says.
        """
        terms = len(self.weights)
        rows = [self.groups[at : at + terms] for at in range(0, len(self.groups), terms)]
        return [sum(row if times is None else map(mul, row, times)) for row in rows]


class LargeComponent:
    """A component counted in polynomials of python-flint.

    Attributes:
        low, weights, sizes: as of `Counts`.
        bytes: about the memory that its polynomials take.
    """

    def __init__(self, parts: BoardParts, component: int, room: int) -> None:
        """Count the layouts; raises `Unsupported` if that takes more memory than `room`."""
        from flint import fmpz_poly

        partition, circuit = parts.partition, parts.circuit
        first, last = partition.component_start[component : component + 2]
        states, pairs = (
            slice(*start[component : component + 2])
            for start in (circuit.state_start, circuit.pair_start)
        )
        groups = circuit.group[states]
        self.sizes = np.diff(partition.group_start[first : last + 1]).tolist()
        self._leaves = list(enumerate((groups[groups >= 0] - first).tolist()))
        self._pairs = (
            circuit.pairs[pairs][circuit.alive[circuit.pairs[pairs, 2]] == 1] - states.start
        ).T.copy()
        self._low = np.where(groups >= 0, circuit.mines[states], np.int64(1 << 30)).tolist()
        for left, right, whole in zip(*map(memoryview, self._pairs), strict=True):
            self._low[whole] = min(self._low[whole], self._low[left] + self._low[right])
        self._inside: list[Any] = [fmpz_poly()] * len(groups)
        self.bytes = 0
        for state, group in self._leaves:
            self._inside[state] = fmpz_poly([comb(self.sizes[group], self._low[state])])
        for left, right, whole in zip(*map(memoryview, self._pairs), strict=True):
            product = self._inside[left] * self._inside[right]
            if not self._inside[whole]:
                self.bytes += 120 + product.length() * (16 + product.height_bits() // 8)
                if self.bytes > room:
                    raise too_wide(circuit.width[component], circuit.cells[component])
            self._inside[whole] += product.left_shift(
                self._low[left] + self._low[right] - self._low[whole]
            )
        self.low = self._low[-1]
        self.weights = list(map(int, self._inside[-1].coeffs()))

    def with_mine(self, times: Times) -> list[int]:
        """For each group the layouts with a mine on one given cell of it, each counted as often as
        `times` says.
        """
        from flint import fmpz_poly

        inside, low, outside = self._inside, self._low, [fmpz_poly()] * len(self._inside)
        outside[-1] = fmpz_poly([1] if times is None else times[::-1])
        if times is None:  # numbers in place of polynomials
            inside, low = [fmpz_poly([polynomial(1)]) for polynomial in inside], [0] * len(low)
        span = [polynomial.degree() for polynomial in inside]
        for left, right, whole in zip(*map(memoryview, self._pairs[:, ::-1]), strict=True):
            shift = low[whole] + span[whole] - low[left] - low[right]
            outside[left] += _weight(outside[whole], inside[right], shift - span[left], span[left])
            outside[right] += _weight(
                outside[whole], inside[left], shift - span[right], span[right]
            )
        with_mine = [0] * len(self.sizes)
        for state, group in self._leaves:
            if self._low[state]:
                with_mine[group] += int(outside[state][0]) * comb(
                    self.sizes[group] - 1, self._low[state] - 1
                )
        return with_mine


Component = Counts | LargeComponent


def chances_of(board: Minesweeper, large: bool = True) -> tuple[Chances, Grid] | None:
    """The chances on a board, and its grid with `X` or `O` on each certain cell; None if no layout
    has its clues and its mines.

    Args:
        large: whether to count components that are too large for 64 bits too, which can take long.

    Raises:
        Unsupported: a component is too wide, or too large.
        ArithmeticError: the counts do not add up: this program has a fault.
    """
    mines = board.mines
    starts = np.array([0, board.rows], np.int64)
    run = count.at(board.cells)
    counted = run(board.grid, starts, thresholds.FEW_PAIRS if run is count.function else MAX_PAIRS)
    components = None if counted.clash[0] else _components(board, counted, large)
    if components is None:
        return None
    least = counted.mines + sum([component.low for component in components])
    weights = [component.weights for component in components]
    if mines is None:
        layouts = prod(map(sum, weights)) << counted.free
        all_times: Sequence[Times] = [None] * len(weights)
        drawn, on_free = 0, (1, 2)
        numbers = least, least + counted.free + sum(map(len, weights)) - len(weights)
        factors = [((1, 1), counted.free), *Counter(map(tuple, weights)).items()]
    else:
        all_times, layouts, drawn = _shares(weights, counted.free, mines - least)
        if layouts == 0:
            return None
        on_free = drawn, layouts * counted.free
        numbers, factors = (mines, mines), [((layouts,), 1)]
    places: dict[tuple[int, int], int] = {(0, 1): 0, (1, 1): 1}
    of_group: list[int] = []
    for component, times in zip(components, all_times, strict=True):
        ways = component.weights if times is None else list(map(mul, component.weights, times))
        total, more = sum(ways), sum(map(mul, ways, range(len(ways))))
        with_mine = component.with_mine(times)
        if sum(map(mul, component.sizes, with_mine)) != component.low * total + more:
            raise ArithmeticError("the layouts of a component do not add up")
        drawn += more
        of_group += [_place(places, number, total) for number in with_mine]
    if mines is not None and drawn != (mines - least) * layouts:
        raise ArithmeticError("the layouts of the board do not add up")
    of_free = _place(places, *on_free)
    value_of = np.array([0, 1, of_free, -1, *of_group], np.int32).take(counted.place)
    shown = counted.shown
    if min(of_free, *of_group, 2) < 2:  # some cells are certain that the closure leaves open
        marks = np.array([SAFE, MINE, COVERED], np.uint8).take(np.minimum(value_of, 2), mode="clip")
        shown = np.where(value_of < 0, shown.ravel(), marks).reshape(shown.shape)
    return Chances(layouts, numbers, value_of, tuple(places), tuple(factors)), shown


def _place(places: dict[tuple[int, int], int], numerator: int, denominator: int) -> int:
    """The number of a probability; distinct ones get numbers in turn, after 0 and 1."""
    if numerator == 0 or numerator == denominator:
        return int(numerator > 0)
    return places.setdefault((numerator, denominator), len(places))


def _components(board: Minesweeper, counted: Counted, large: bool) -> list[Component] | None:
    """The counts of every component; None if one has no layout."""
    components: list[Component] = []
    parts: BoardParts | None = None
    room = MAX_BYTES
    numbers, sizes = counted.numbers.tolist(), counted.size.tolist()
    at = group = 0
    for k, (low, groups, terms) in enumerate(counted.components.tolist()):
        own_sizes = sizes[group : group + groups]
        group += groups
        if groups == 0:  # put together with the next
            continue
        if terms:
            weights, begin = numbers[at : at + terms], at + terms
            at = begin + terms * groups
            components.append(Counts(low, weights, own_sizes, numbers[begin:at]))
            continue
        if parts is None:
            parts = parts_of.at(SMALL)(board.grid, np.array([0, board.rows], np.int64), MAX_PAIRS)
        if parts.circuit.status[k] == INCONSISTENT:
            return None
        if parts.circuit.status[k] != DECIDED or not large:
            raise too_wide(parts.circuit.width[k], parts.circuit.cells[k])
        component = LargeComponent(parts, k, room)
        room -= component.bytes
        components.append(component)
    return components


def _shares(
    all_weights: Sequence[Sequence[int]], free: int, spare: int
) -> tuple[list[list[int]], int, int]:
    """How often each component's layouts count, how many layouts the board has, and in all of these
    the mines on free cells, if these and the components beyond the fewest mines of each have
    `spare` mines.
    """
    from flint import fmpz, fmpz_poly

    nodes = [fmpz_poly(weights) for weights in all_weights] or [fmpz_poly([1])]
    leaves = len(nodes)
    for k in range(leaves - 1):  # a balanced tree: node `leaves` + k joins the nodes 2k and 2k + 1
        nodes.append(nodes[2 * k] * nodes[2 * k + 1])
    whole = nodes[-1].coeffs()[::-1]
    numbers = range(spare + 1 - len(whole), spare + 1)  # of mines that the free cells can have
    ways: list[Any] = []  # to place each of them
    for drawn in numbers:
        if drawn < 0 or drawn > free:
            ways.append(fmpz(0))
        elif ways and drawn:
            ways.append(ways[-1] * (free - drawn + 1) // drawn)
        else:
            ways.append(fmpz.bin_uiui(free, drawn))
    spread = list(map(mul, ways, whole))
    weight_of = [fmpz_poly(ways)] * len(nodes)
    for k in range(leaves - 2, -1, -1):
        for own, other in ((2 * k, 2 * k + 1), (2 * k + 1, 2 * k)):
            weight_of[own] = _weight(
                weight_of[leaves + k], nodes[other], nodes[other].degree(), nodes[own].degree()
            )
    times = [
        [int(weight[k]) for k in range(len(weights) - 1, -1, -1)]
        for weight, weights in zip(weight_of, all_weights, strict=False)
    ]
    return times, int(sum(spread)), int(sum(map(mul, spread, numbers)))


def _weight(above: Any, other: Any, shift: int, degree: int) -> Any:
    """The weight of a polynomial of this degree, in a product with `other` that has the weight
    `above`.

    The weight of a polynomial of degree d has at x^(d - k) how often x^k counts. `shift` is by how
    much the degree of the product is larger.
    """
    return above.mul_low(other, shift + degree + 1).right_shift(shift)
