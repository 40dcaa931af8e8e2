"""The sixth step, probabilities: the layouts of all components and of the free cells, which touch
no clue, are put together. Every layout weighs the same.

P_c is the polynomial of component c: [x^k]P_c, its coefficient of x^k, is the number of its layouts
with k mines (`Counts.weights`). R_g is that of group g: its component's layouts in which one given
cell of the group is a mine (`Counts.groups`). There are f free cells and m0 known mines.

Without a number of mines for the board the components are independent:

- layouts = product of all P_c(1), times 2^f
- a cell of g is a mine with R_g(1) / P_c(1), a free cell with 1/2

With the number of mines M, the free cells take the mines that are left. W is the product of all
P_c, and C(n, k) is "n over k", 0 if k < 0 or k > n:

- layouts = N = sum over k of [x^k]W * C(f, M - m0 - k)
- T_c(k) = sum over j of [x^j](W / P_c) * C(f, M - m0 - k - j): how often a layout of c with k mines
  counts, that is, how many ways there are to place the other mines elsewhere (`Times`)
- a cell of g is a mine with (sum over k of [x^k]R_g * T_c(k)) / N
- a free cell is one with (sum over k of (M - m0 - k) * [x^k]W * C(f, M - m0 - k)) / (N * f)

`_shares` computes W and all T_c. W comes up a balanced product tree over the P_c; the T_c come down
the same tree, transposed, which starts from the binomials. Of n components with d coefficients in
all, that takes products of O(d log n) coefficients in all, each up to as long as N in bits.

All numbers are integers (python-flint's), so a cell is certain exactly where its probability is 0
or 1. A board is refused if its polynomials have more than MAX_COEFFICIENTS coefficients.

Sources: the counts of `counts`; for T_c, A. Bostan, G. Lecerf, E. Schost, "Tellegen's principle
into practice", 2003; for remainders that are put together, D. E. Knuth, "The Art of Computer
Programming", volume 2, 4.3.2.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from math import ceil, log2, prod
from operator import mul
from typing import Any, NamedTuple

import numpy as np

from direct.minesweeper import thresholds
from direct.minesweeper.counts import MAX_COEFFICIENTS, MAX_PRIME, Counted, count
from direct.minesweeper.join_tree import in_full
from puzzles.backend import Unsupported
from puzzles.minesweeper.board import COVERED, MINE, SAFE, Chances, Minesweeper
from puzzles.text import Grid

Times = list[int] | None
"""T_c of a component: how often each of its layouts counts, with the fewest mines, with one more,
and so on; None if each counts once.
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


def chances_of(board: Minesweeper) -> tuple[Chances, Grid] | None:
    """The chances on a board, and its grid with `X` or `O` on each certain cell; None if no layout
    has its clues and its mines.

    Raises:
        Unsupported: a component is too wide (`join_tree`), or there are too many layouts to count.
        ArithmeticError: the counts do not add up: this program has a fault.
    """
    mines, counted = board.mines, _count(board, 0)
    if counted.clash:
        return None
    components = list(_components(board, counted))
    least = counted.mines + sum([component.low for component in components])
    weights = [component.weights for component in components]
    if mines is None:
        layouts = prod(map(sum, weights)) << counted.free
        all_times: Sequence[Times] = [None] * len(weights)
        beyond_least, on_free = 0, (1, 2)
        numbers = least, least + counted.free + sum(map(len, weights)) - len(weights)
        factors = [((1, 1), counted.free), *Counter(map(tuple, weights)).items()]
    else:
        all_times, layouts, beyond_least = _shares(weights, counted.free, mines - least)
        if layouts == 0:
            return None
        on_free = beyond_least, layouts * counted.free
        numbers, factors = (mines, mines), [((layouts,), 1)]
    values: dict[tuple[int, int], int] = {(0, 1): 0, (1, 1): 1}
    of_group: list[int] = []
    for component, times in zip(components, all_times, strict=True):
        ways = component.weights if times is None else list(map(mul, component.weights, times))
        total, more = sum(ways), sum(map(mul, ways, range(len(ways))))
        with_mine = component.with_mine(times)
        if sum(map(mul, component.sizes, with_mine)) != component.low * total + more:
            raise ArithmeticError("the layouts of a component do not add up")
        beyond_least += more
        of_group += [_value_index(values, number, total) for number in with_mine]
    if mines is not None and beyond_least != (mines - least) * layouts:
        raise ArithmeticError("the layouts of the board do not add up")
    of_free = _value_index(values, *on_free)
    # In the order of `Counted.code`: no mine, a mine, free, opened, then the groups.
    value_of = np.array([0, 1, of_free, -1, *of_group], np.int32).take(counted.code)
    shown = counted.shown
    # Some cells are certain that the closure leaves open. (Or there is no free cell: 0 of 0 is 0.)
    if min(of_free, *of_group, 2) < 2:
        marks = np.array([SAFE, MINE, COVERED], np.uint8).take(np.minimum(value_of, 2), mode="clip")
        shown = np.where(value_of < 0, shown.ravel(), marks).reshape(shown.shape)
    return Chances(layouts, numbers, value_of, tuple(values), tuple(factors)), shown


def _value_index(values: dict[tuple[int, int], int], numerator: int, denominator: int) -> int:
    """The number of a probability; distinct ones get numbers in turn, after 0 and 1."""
    if numerator == 0 or numerator == denominator:
        return int(numerator > 0)
    return values.setdefault((numerator, denominator), len(values))


def _count(board: Minesweeper, modulus: int) -> Counted:
    return in_full(count, board.cells, board.grid, modulus, MAX_COEFFICIENTS)


def _components(board: Minesweeper, counted: Counted) -> Iterator[Counts]:
    """The counts of every component; where 64 bits cannot count one of them, by primes.

    Raises:
        Unsupported: their polynomials have too many coefficients.
    """
    components, of_all = counted.components.tolist(), counted.numbers.tolist()
    if counted.layouts.max(initial=1) >= thresholds.COUNTED_LAYOUTS:
        components, of_all = _large(board, counted)
    if components and not of_all:
        raise Unsupported(
            f"too many layouts to count: that takes more than {MAX_COEFFICIENTS} coefficients"
        )
    sizes, numbers = iter(counted.size.tolist()), iter(of_all)
    for low, groups, terms in components:
        if groups > 0:  # not put together with the next
            yield Counts(
                low, _next(numbers, terms), _next(sizes, groups), _next(numbers, terms * groups)
            )


def _next(numbers: Iterator[int], count: int) -> list[int]:
    return list(islice(numbers, count))


def _large(board: Minesweeper, counted: Counted) -> tuple[list[list[int]], list[int]]:
    """The rows of `Counted.components`, and `Counted.numbers`, put together from their remainders
    modulo primes.

    A number is known by its remainders if the product of the primes is larger. Of `size` cells
    there are at most 2^size layouts.
    """
    bits = ceil(min(log2(counted.layouts.max(initial=1)), counted.size.sum()) + 1)
    product, runs = 1, list[tuple[int, Counted]]()
    for prime in _primes():
        runs.append((prime, _count(board, prime)))
        product *= prime
        if product >> bits or not runs[0][1].numbers.size:
            break
    numbers: Any = 0
    for prime, run in runs:
        others = product // prime
        numbers = numbers + run.numbers.astype(object) * (others * pow(others, -1, prime))
    return runs[0][1].components.tolist(), (numbers % product).tolist()


def _primes() -> Iterator[int]:
    """Primes from the largest one on that `count` takes."""
    from flint import fmpz

    return (number for number in range(MAX_PRIME - 1, 1, -2) if fmpz(number).is_prime())


def _shares(
    all_weights: Sequence[Sequence[int]], free: int, spare: int
) -> tuple[list[list[int]], int, int]:
    """T_c of each component, N, and the number of mines on free cells in all layouts together.

    `spare` is M - m0 without the fewest mines of each component. So all polynomials begin at x^0.
    """
    from flint import fmpz, fmpz_poly

    nodes = [fmpz_poly(weights) for weights in all_weights] or [fmpz_poly([1])]
    leaves = len(nodes)
    for k in range(leaves - 1):  # a balanced tree: node `leaves` + k joins the nodes 2k and 2k + 1
        nodes.append(nodes[2 * k] * nodes[2 * k + 1])
    whole = nodes[-1].coeffs()[::-1]
    numbers = range(spare + 1 - len(whole), spare + 1)  # of mines that the free cells can have
    ways: list[Any] = []  # to place each of them
    for number in numbers:
        if number < 0 or number > free:
            ways.append(fmpz(0))
        elif ways and number:
            ways.append(ways[-1] * (free - number + 1) // number)
        else:
            ways.append(fmpz.bin_uiui(free, number))
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
    """The weight of a polynomial P of this degree, where its product with `other` has the weight
    `above`.

    A weight says how often each power counts. It is kept in reverse: t(k), for x^k in P, stands
    at x^(degree - k), and u(k), for x^k in the product, at x^(shift + degree - k) of `above`;
    `shift` is the degree of `other`. Now t(k) = sum over j of [x^j]other * u(k + j). That is the
    coefficient of x^(shift + degree - k) in other * above. The lowest `shift` ones are not needed.
    """
    return above.mul_low(other, shift + degree + 1).right_shift(shift)
