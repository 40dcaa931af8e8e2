"""Do clues force a cell? The check's own answer, by refuting that the cell is otherwise.

Nothing here is shared with `direct` or `models` but the statement of the puzzle.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from puzzles.minesweeper.board import Minesweeper
from puzzles.minesweeper.demands import Demand, possible
from puzzles.minesweeper.framed import FramedBoard, number


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
        self._numbers_of: dict[tuple[Demand, ...], int] = {}
        self._clue_at: dict[int, _Clue] = {}

    def forces(self, clues: Sequence[int], counted: bool, cell: int | None, mine: bool) -> bool:
        """Whether clues (with the number of mines if `counted`) force a cell, or, without one, contradict one another.

        Raises:
            NoClue: one of them is no clue.
            LimitReached: the search stopped at its limit.
        """
        stated = self.stated(clues)
        place = None if cell is None else self.view.place_of(cell)
        first = min([clue.first for clue in stated] + ([] if place is None else [place]), default=0)
        demands = [Demand(cells << start - first, mines) for start, cells, mines in stated]
        otherwise = 0 if place is None else 1 << place - first
        if counted and self.view.board.mines is not None:
            if otherwise:
                demands.append(Demand(otherwise, 0 if mine else 1))
            return not self._possible_with_count(demands)
        return not (possible(demands, 0, otherwise) if mine else possible(demands, otherwise))

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

    def _possible_with_count(self, demands: list[Demand]) -> bool:
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

    def _numbers(self, cells: int, part: list[Demand]) -> int:
        """The numbers of mines that the cells of a part can have: bit m stands for m mines. Parts that look alike share them."""
        unused = max((cells & -cells).bit_length() - 1, 0)
        key = tuple(Demand(each.cells >> unused, each.mines) for each in part)
        if key not in self._numbers_of:
            self._numbers_of[key] = sum(
                1 << mines for mines in range(cells.bit_count() + 1) if possible([*key, Demand(cells >> unused, mines)])
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


def _connected(demands: list[Demand]) -> list[tuple[int, list[Demand]]]:
    """The demands in parts that have no cell in common, each with its cells."""
    parts: list[tuple[int, list[Demand]]] = []
    for demand in demands:
        cells, together = demand.cells, [demand]
        separate: list[tuple[int, list[Demand]]] = []
        for part_cells, members in parts:
            if cells & part_cells:
                cells, together = cells | part_cells, members + together
            else:
                separate.append((part_cells, members))
        parts = [*separate, (cells, together)]
    return parts
