"""Do clues force a cell? The check's own answer, by refuting that the cell is otherwise; and what is around a cell.

This is for the check alone: `direct` and `models` read boards by code of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzles.cardinality import Cardinality, LimitReached, find_solution, irreducible
from puzzles.minesweeper.board import Core, Minesweeper

_NUMBER = {".": 0, **{kind: int(kind) for kind in "012345678"}}


def number(kind: str) -> int | None:
    """How many mines a clue counts; None for a cell that is no clue."""
    return _NUMBER.get(kind)


def neighbours(board: Minesweeper, cell: int) -> Iterator[int]:
    """The flat indices of the cells around a cell."""
    row, column = divmod(cell, board.columns)
    for r in range(max(row - 1, 0), min(row + 2, board.rows)):
        for c in range(max(column - 1, 0), min(column + 2, board.columns)):
            if (r, c) != (row, column):
                yield r * board.columns + c


def framed(grid: NDArray[np.uint8] | NDArray[np.bool_]) -> bytes:
    """The cells of a grid in row-major order with the frame, which is zeros."""
    rows, columns = grid.shape
    padded = np.zeros((rows + 2, columns + 2), np.uint8)
    padded[1:-1, 1:-1] = grid
    return padded.tobytes()


class FramedBoard:
    """A board with its frame. A *place* is a flat index that counts the frame.

    Attributes:
        board: without the frame.
        kinds: the characters.
        width: how many places a row has.
        clues: the place and the number of each clue, in row-major order.
    """

    def __init__(self, board: Minesweeper) -> None:
        self.board = board
        self.kinds = framed(board.grid).decode("ascii")
        self.width = board.columns + 2
        self.clues = [(place, _NUMBER[kind]) for place, kind in enumerate(self.kinds) if kind in _NUMBER]

    def place_of(self, cell: int) -> int:
        """The place of a flat index."""
        row, column = divmod(cell, self.board.columns)
        return (row + 1) * self.width + column + 1

    def shown(self, place: int) -> str:
        """How a message names a place."""
        row, column = divmod(place, self.width)
        return f"{row},{column}"

    def around(self, place: int) -> tuple[str, str, str]:
        """The characters around a place, in three rows of three; the place itself is in the middle."""
        kinds, above, below = self.kinds, place - self.width, place + self.width
        return kinds[above - 1 : above + 2], kinds[place - 1 : place + 2], kinds[below - 1 : below + 2]

    def numbers(self, marked: NDArray[np.bool_]) -> bytes:
        """For each place how many cells of its 3x3 square are marked; those of the frame mean nothing.

        The marks are one integer with a byte for each place, so a few additions count for all places at once.
        """
        marks = int.from_bytes(framed(marked), "little")
        row = 8 * self.width
        marks += (marks << 8) + (marks >> 8)
        marks += (marks << row) + (marks >> row)
        return marks.to_bytes(len(self.kinds), "little")


class NoClue(ValueError):
    """What is named as a clue is none."""


class _Clue(NamedTuple):
    """What a clue demands of the covered cells around it.

    Attributes:
        first: the first place around it.
        cells: bit k stands for the covered cell at the place `first` + k.
        mines: how many of them are mines.
    """

    first: int
    cells: int
    mines: int


class ClueRefuter:
    """Refutes by clues, perhaps with the number of mines of the board, that a cell is otherwise than claimed."""

    def __init__(self, board: Minesweeper) -> None:
        self.view = FramedBoard(board)
        self.hidden_mines = (board.mines or 0) - self.view.kinds.count("X")
        self.covered = self.view.kinds.count("#")
        self._numbers_of: dict[tuple[Cardinality, ...], int] = {}
        self._clue_at: dict[int, _Clue] = {}

    def forces(self, core: Core, mine: bool) -> bool:
        """Whether the clues of a core (with the number of mines if it is counted) force its first cell to be a mine or safe.

        Without a cell, whether they contradict one another.

        Raises:
            NoClue: one of them is no clue.
            LimitReached: the search stopped at its limit.
        """
        stated = self.stated(core.clues)
        place = None if core.cell is None else self.view.place_of(core.cell)
        first = min([clue.first for clue in stated] + ([] if place is None else [place]), default=0)
        demands = [Cardinality(cells << start - first, mines, mines) for start, cells, mines in stated]
        otherwise = 0 if place is None else 1 << place - first
        if core.counted and self.view.board.mines is not None:
            if otherwise:
                demands.append(Cardinality(otherwise, int(not mine), int(not mine)))
            return not self._possible_with_count(demands)
        solution = find_solution(demands, false=otherwise) if mine else find_solution(demands, true=otherwise)
        return solution is None

    def surely_forces(self, core: Core, mine: bool) -> bool:
        """As `forces`; False also if the search stopped at its limit."""
        with suppress(LimitReached):
            return self.forces(core, mine)
        return False

    def irreducible(self, core: Core, mine: bool, seconds: float = 1.0) -> Core:
        """The core without the number of mines and the clues that it does not need; see `puzzles.cardinality.irreducible`."""
        counted = core.counted and not self.surely_forces(core._replace(counted=False), mine)
        core = core._replace(counted=counted)
        clues = irreducible(core.clues, lambda some: self.surely_forces(core._replace(clues=tuple(some)), mine), seconds)
        return core._replace(clues=tuple(clues))

    def stated(self, clues: Sequence[int]) -> list[_Clue]:
        """What the clues demand of the covered cells around them; raises `NoClue`."""
        return [self._stated(cell) for cell in clues]

    def _stated(self, cell: int) -> _Clue:
        known = self._clue_at.get(cell) if isinstance(cell, int) else None
        if known is not None:
            return known
        place = self.view.place_of(cell) if isinstance(cell, int) and 0 <= cell < self.view.board.cells else None
        mines = None if place is None else number(self.view.kinds[place])
        if place is None or mines is None:
            raise NoClue(f"a core names {cell!r}, which is no clue")
        rows, width = self.view.around(place), self.view.width
        above, beside, below = map(_covered, rows)
        mines -= "".join(rows).count("X")
        clue = _Clue(place - width - 1, above | beside << width | below << 2 * width, mines)
        self._clue_at[cell] = clue
        return clue

    def _possible_with_count(self, demands: list[Cardinality]) -> bool:
        """Whether the demands and the number of mines can hold together.

        Only the number of mines ties cells that no demand connects. So the search finds for each connected part which numbers of
        mines it can have, and the question left is whether these add up. Raises `LimitReached`.
        """
        sums = 1
        free = self.covered
        for cells, part in _connected(demands):
            sums = _added(sums, self._numbers(cells, part))
            free -= cells.bit_count()
        return any(sums >> (self.hidden_mines - more) & 1 for more in range(min(free, self.hidden_mines) + 1))

    def _numbers(self, cells: int, part: list[Cardinality]) -> int:
        """The numbers of mines that the cells of a part can have: bit m stands for m mines. Parts that look alike share them."""
        unused = max((cells & -cells).bit_length() - 1, 0)
        key = tuple(Cardinality(variables >> unused, low, high) for variables, low, high in part)
        if key not in self._numbers_of:
            self._numbers_of[key] = sum(
                1 << mines
                for mines in range(cells.bit_count() + 1)
                if find_solution([*key, Cardinality(cells >> unused, mines, mines)]) is not None
            )
        return self._numbers_of[key]


@cache
def _covered(kinds: str) -> int:
    """Which of some characters are covered cells, as bits."""
    return sum(1 << k for k, kind in enumerate(kinds) if kind == "#")


def _added(some: int, others: int) -> int:
    """Every sum of a number from one set and a number from the other; bit n of a set stands for the number n."""
    sums = 0
    for more in range(others.bit_length()):
        if others >> more & 1:
            sums |= some << more
    return sums


def _connected(demands: list[Cardinality]) -> list[tuple[int, list[Cardinality]]]:
    """The demands in parts that have no cell in common, each with its cells."""
    parts: list[tuple[int, list[Cardinality]]] = []
    for demand in demands:
        cells, together = demand.variables, [demand]
        separate: list[tuple[int, list[Cardinality]]] = []
        for part_cells, members in parts:
            if cells & part_cells:
                cells, together = cells | part_cells, members + together
            else:
                separate.append((part_cells, members))
        parts = [*separate, (cells, together)]
    return parts
