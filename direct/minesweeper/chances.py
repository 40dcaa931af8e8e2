"""Probabilities from counts: each component's layouts by number of mines, put together with the cells beside no clue.

Without a number of mines for the board the components are independent. With one they are tied by it: what the rest of the
board leaves to a component comes down a product tree, transposed, from the binomials of the cells beside no clue. All
numbers are integers (python-flint's polynomials), so certainty is equality.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import mul
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from direct.minesweeper import frontier
from direct.minesweeper.closure import MINE, UNKNOWN
from direct.minesweeper.contraction import Contracted, clues_of, contract
from direct.minesweeper.order import split
from direct.minesweeper.tally import MOST_CELLS, MOST_STATES, tally
from puzzles.backend import Unsupported
from puzzles.minesweeper.board import Chances

Value = tuple[int, int]


class Part(NamedTuple):
    """A component's layouts by number of mines.

    Attributes:
        low: the fewest mines of a layout.
        weights: layouts with `low`, `low` + 1, ... mines; neither end is 0.
        groups: for each group of cells with the same clues, the same of the layouts where a certain cell of it is a mine; or
            all of those together; or the contracted component that tells.
        sizes: the groups' numbers of cells.
    """

    low: int
    weights: tuple[int, ...]
    groups: tuple[tuple[int, ...], ...] | Contracted
    sizes: tuple[int, ...]

    def with_mine(self, counted: Sequence[int] | None) -> list[int]:
        """For each group the layouts where a certain cell of it is a mine, one with `low` + k mines counted `counted[k]` times.

        Without `counted` each counts once.

        Raises:
            ArithmeticError: the cells' counts do not add up to the mines of all layouts.
        """
        if not isinstance(self.groups, Contracted):
            return [sum(group if counted is None else map(mul, group, counted)) for group in self.groups]
        found = self.groups.with_mine(counted)
        ways = self.weights if counted is None else map(mul, self.weights, counted)
        mines = sum(map(mul, ways, range(self.low, self.low + len(self.weights))))
        if sum(map(mul, self.sizes, found)) != mines:
            raise ArithmeticError("the layouts of a component do not add up")
        return found


@dataclass(frozen=True)
class Field:
    """A closed field as `closure` leaves it: `know`, `need` and `left` per padded cell."""

    know: NDArray[np.int8]
    need: NDArray[np.int8]
    left: NDArray[np.int8]
    stride: int


def chances_of(field: Field, covered: NDArray[np.bool_], mines: int | None, wide: bool = True) -> Chances | None:
    """The chances on a board whose closure is `field`; None where no layout agrees with the clues and the number of mines.

    Args:
        covered: per cell of the board, flat: covered, or given as a mine or as safe.
        mines: the number of mines on the whole board, where it is told.
        wide: whether components too wide for the frontier are counted as well, which can take long.

    Raises:
        Unsupported: a component is too wide.
        ArithmeticError: the counts do not add up, which would be a fault of this program.
    """
    rows = covered.size // (field.stride - 1)
    inside = np.arange(field.know.size)[field.stride : field.stride * (rows + 1)].reshape(rows, field.stride)[:, 1:].ravel()
    cells, group_start, part_start, group_of, _ = split.at(covered.size)(field.know, field.left, field.stride)
    parts, order = _parts(field, cells, group_start, part_start, group_of, mines is not None, wide)
    if parts is None:
        return None
    group = group_of[inside]
    free = int(((field.know[inside] == UNKNOWN) & (group < 0)).sum())
    known = int((field.know[inside] == MINE).sum())
    if mines is None:
        found = _apart(parts, free)
    else:
        found = _together(parts, free, mines - known)
        if found is None:
            return None
    layouts, values, of_group, lone = found
    value_of = np.full(covered.size, -1, np.int32)
    value_of[covered] = np.where(field.know[inside] == MINE, 1, 0)[covered]
    value_of[(field.know[inside] == UNKNOWN) & (group < 0)] = lone
    at_group = np.zeros(group_start.size - 1, np.int32)
    at_group[order] = of_group
    value_of[group >= 0] = at_group[group[group >= 0]]
    if mines is not None:
        return Chances(layouts, (mines, mines), value_of, values, (((layouts,), 1),))
    least = known + sum(part.low for part in parts)
    most = least + free + sum(len(part.weights) - 1 for part in parts)
    kinds: dict[tuple[int, ...], int] = {(1, 1): free} if free else {}
    for part in parts:
        kinds[part.weights] = kinds.get(part.weights, 0) + 1
    return Chances(layouts, (least, most), value_of, values, tuple(kinds.items()))


def _parts(
    field: Field,
    cells: NDArray[Any],
    group_start: NDArray[Any],
    part_start: NDArray[Any],
    group_of: NDArray[Any],
    told: bool,
    wide: bool,
) -> tuple[list[Part] | None, NDArray[Any]]:
    """Every component counted (None where one has no layout), and the order of the groups in them.

    Where the number of mines is `told`, a wide component keeps its tables until it is known what that leaves to it.
    """
    status, width, low, start, numbers, order = tally.at(field.know.size)(
        cells, group_start, part_start, group_of, field.need, field.left, field.stride, MOST_CELLS, MOST_STATES
    )
    if (status == frontier.INCONSISTENT).any():
        return None, order
    sizes = (group_start[1:] - group_start[:-1])[order[:-1]].tolist()
    counts, begins, lows = numbers.tolist(), start.tolist(), low.tolist()
    parts: list[Part] = []
    held = 0
    for index, (first, last) in enumerate(pairwise(part_start.tolist())):
        if status[index] != frontier.DECIDED:
            if not wide:
                count = group_start[last] - group_start[first]
                raise Unsupported(f"too wide: {width[index]} clues are open at once in a component of {count} cells")
            beside, need = clues_of(cells[group_start[order[first:last]]].tolist(), field.need, field.left, field.stride)
            found = contract(sizes[first:last], beside, need, held)
            if found is None:
                return None, order
            part = Part(found.low, found.weights, found, tuple(sizes[first:last]))
            if told:
                held = found.bytes
            else:
                part = part._replace(groups=tuple((count,) for count in part.with_mine(None)))
            parts.append(part)
            continue
        begin, end = begins[index], begins[index + 1]
        step = (end - begin) // (last - first + 1)
        rows = [tuple(counts[at : at + step]) for at in range(begin, end, step)]
        parts.append(Part(lows[index], rows[0], tuple(rows[1:]), tuple(sizes[first:last])))
        _check(lows[index], rows[0], rows[1:], sizes[first:last])
    return parts, order[: group_start.size - 1]


def _check(low: int, weights: tuple[int, ...], groups: Sequence[tuple[int, ...]], sizes: Sequence[int]) -> None:
    """The cells' counts must add up to the mines of all layouts."""
    for k, (weight, *column) in enumerate(zip(weights, *groups, strict=True), low):
        if sum(map(mul, sizes, column)) != k * weight:
            raise ArithmeticError("the layouts of a component do not add up")


class _Values:
    """The distinct probabilities in the order in which they turn up; the first two are 0 and 1."""

    def __init__(self) -> None:
        self.places: dict[Value, int] = {(0, 1): 0, (1, 1): 1}

    def place(self, numerator: int, denominator: int) -> int:
        value = (0, 1) if numerator == 0 else (1, 1) if numerator == denominator else (numerator, denominator)
        return self.places.setdefault(value, len(self.places))


_Found = tuple[int, tuple[Value, ...], list[int], int]
"""Layouts, values, the value of each group, and that of the cells beside no clue."""


def _apart(parts: Sequence[Part], free: int) -> _Found:
    """Without a number of mines: each component for itself."""
    from flint import fmpz

    values = _Values()
    of_group: list[int] = []
    layouts = fmpz(2) ** free
    known: dict[Part, list[int]] = {}
    for part in parts:
        total = sum(part.weights)
        if part not in known:
            known[part] = [values.place(count, total) for count in part.with_mine(None)]
        layouts *= total
        of_group += known[part]
    lone = values.place(1, 2)
    return int(layouts), tuple(values.places), of_group, lone


def _together(parts: Sequence[Part], free: int, mines: int) -> _Found | None:
    """With so many mines left for the components and the cells beside no clue; None where that cannot be.

    The weights of components that are alike are one power; a component whose layouts all have the same number of mines only
    multiplies what there is.
    """
    from flint import fmpz, fmpz_poly

    spare = mines - sum(part.low for part in parts)
    kinds: dict[tuple[int, ...], int] = {}
    scale = fmpz(1)
    for part in parts:
        if len(part.weights) > 1:
            kinds[part.weights] = kinds.get(part.weights, 0) + 1
        else:
            scale *= sum(part.weights)
    nodes: list[list[Any]] = [[fmpz_poly(list(weights)) ** times for weights, times in kinds.items()] or [fmpz_poly([1])]]
    while len(nodes[-1]) > 1:
        below = nodes[-1]
        nodes.append([below[k] * below[k + 1] if k + 1 < len(below) else below[k] for k in range(0, len(below), 2)])
    whole = nodes[-1][0]
    rest = list(_binomials(free, spare, whole.degree()))
    spread = list(map(mul, rest, whole.coeffs()))
    total = sum(spread, fmpz(0))
    if total == 0:
        return None
    asked = [fmpz_poly(rest)]
    for level in range(len(nodes) - 2, -1, -1):
        below = nodes[level]
        asked = [
            _correlated(asked[k // 2], below[k ^ 1], below[k].degree()) if k ^ 1 < len(below) else asked[k // 2]
            for k in range(len(below))
        ]
    left_to: dict[tuple[int, ...], list[int]] = {}
    drawn = 0
    for (weights, times), power, ways in zip(kinds.items(), nodes[0], asked, strict=False):
        left = _correlated(ways, power // fmpz_poly(list(weights)), len(weights) - 1) if times > 1 else ways
        left_to[weights] = [int(left[k]) for k in range(len(weights))]
        drawn += times * sum(map(mul, map(mul, weights, left_to[weights]), range(len(weights))))
    alone = sum(map(mul, spread, range(spare, spare - len(spread), -1)), fmpz(0))
    if drawn + alone != spare * total:
        raise ArithmeticError("the layouts of the board do not add up")
    whole_count, alone = int(total), int(alone)
    values = _Values()
    of_group: list[int] = []
    known: dict[Part, list[int]] = {}
    for part in parts:
        if part not in known:
            alike = part.weights in left_to
            counted, among = (left_to[part.weights], whole_count) if alike else ([1], sum(part.weights))
            known[part] = [values.place(count, among) for count in part.with_mine(counted)]
        of_group += known[part]
    lone = values.place(alone, whole_count * free) if free else 0
    return int(total * scale), tuple(values.places), of_group, lone


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
