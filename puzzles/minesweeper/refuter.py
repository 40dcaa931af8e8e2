"""Do clues force a cell? The check's own answer, by refuting that the cell is otherwise; and what
clues say of the cells around them.

The check, the explanations, the promises of the write-up and what backends owe rest on it. `direct`
and `models` read boards by code of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from puzzles.answer import BeyondCheck
from puzzles.cardinality import Cardinality, find_solution, irreducible
from puzzles.minesweeper.board import NUMBER, Core, Minesweeper


def cells_around(board: Minesweeper, cell: int) -> list[int]:
    """The flat indices of the cells around a cell, ascending."""
    height, width = board.grid.shape
    row, column = divmod(cell, width)
    rows = range(max(row - 1, 0), min(row + 2, height))
    columns = range(max(column - 1, 0), min(column + 2, width))
    return [near for r in rows for c in columns if (near := r * width + c) != cell]


class NoClue(ValueError):
    """What is named as a clue is none."""


class Sum(NamedTuple):
    """What a clue says of the covered cells around it, or the number of mines of all covered cells.

    Attributes:
        cells: flat indices.
        mines: how many of them are mines.
        clue: flat index; None for the number of mines.
    """

    cells: frozenset[int]
    mines: int
    clue: int | None

    def remaining(self, known: Mapping[int, bool]) -> tuple[frozenset[int], int]:
        """The cells that are not known, and how many of them are mines."""
        mines = sum(known.get(cell, False) for cell in self.cells)
        return frozenset(cell for cell in self.cells if cell not in known), self.mines - mines


def sums_of(board: Minesweeper, clues: Iterable[int], with_number: bool) -> list[Sum]:
    """What these clues say, and the number of mines on the board."""
    kinds = board.kinds
    said: list[tuple[int | None, int, Iterable[int]]] = [
        (clue, NUMBER[kinds[clue]], cells_around(board, clue)) for clue in clues
    ]
    if with_number and board.mines is not None:
        said.append((None, board.mines, range(board.cells)))
    return [
        Sum(
            frozenset(cell for cell in near if kinds[cell] == "#"),
            mines - sum(kinds[cell] == "X" for cell in near),
            clue,
        )
        for clue, mines, near in said
    ]


class ClueRefuter:
    """Refutes by clues, perhaps with the number of mines of the board, that a cell is otherwise
    than claimed.
    """

    def __init__(self, board: Minesweeper) -> None:
        self.board = board
        self.hidden_mines = (board.mines or 0) - board.kinds.count("X")
        self.covered = board.kinds.count("#")
        self._numbers_of: dict[tuple[Cardinality, ...], int] = {}
        self._sums: dict[int, Sum] = {}

    def forces(self, core: Core, mine: bool) -> bool:
        """Whether the clues of a core (with the number of mines if it is counted) force its first
        cell to be a mine or safe.

        Without a cell, whether they contradict one another.

        Raises:
            NoClue: one of them is no clue.
            BeyondCheck: the search stopped at its limit.
        """
        sums = self.sums(core.clues)
        covered = [cell for each in sums for cell in each.cells]
        first = min([*covered, *core.cells[:1]], default=0)
        demands = [
            Cardinality(sum([1 << cell - first for cell in each.cells]), each.mines, each.mines)
            for each in sums
        ]
        if core.cell is not None:
            demands.append(Cardinality(1 << core.cell - first, int(not mine), int(not mine)))
        if core.counted and self.board.mines is not None:
            return not self._possible_with_count(demands)
        return find_solution(demands) is None

    def forces_if_decided(self, core: Core, mine: bool, undecided: bool = False) -> bool:
        """Whether the core forces its first cell, or without a cell contradicts itself; `undecided`
        if the search stopped at its limit.
        """
        with suppress(BeyondCheck):
            return self.forces(core, mine)
        return undecided

    def irreducible(self, core: Core, mine: bool, seconds: float = 1.0) -> Core:
        """The core without the number of mines and the clues that it is shown not to need; see
        `puzzles.cardinality.irreducible`. What a search cannot decide within its limit stays.
        """
        counted = core.counted and not self.forces_if_decided(core._replace(counted=False), mine)
        core = core._replace(counted=counted)
        clues = irreducible(
            core.clues,
            lambda some: self.forces_if_decided(core._replace(clues=tuple(some)), mine),
            seconds,
        )
        return core._replace(clues=tuple(clues))

    def sums(self, clues: Sequence[int]) -> list[Sum]:
        """What the clues say of the covered cells around them; raises `NoClue`."""
        kinds, cells = self.board.kinds, self.board.cells
        for clue in clues:
            if not (isinstance(clue, int) and 0 <= clue < cells and kinds[clue] in NUMBER):
                raise NoClue(f"a core names {clue!r}, which is no clue")
            if clue not in self._sums:
                self._sums[clue] = sums_of(self.board, [clue], False)[0]
        return [self._sums[clue] for clue in clues]

    def _possible_with_count(self, demands: list[Cardinality]) -> bool:
        """Whether the demands and the number of mines can hold together.

        Only the number of mines ties cells that no demand connects. So the search finds for each
        connected part which numbers of mines it can have, and the question left is whether these
        add up. Raises `BeyondCheck`.
        """
        sums = 1  # bit n of a set of numbers stands for n
        free = self.covered
        for cells, part in _connected_parts(demands):
            numbers = self._numbers(cells, part)
            sums, reached = 0, sums
            for more in range(numbers.bit_length()):
                if numbers >> more & 1:
                    sums |= reached << more
            free -= cells.bit_count()
        return any(
            sums >> (self.hidden_mines - more) & 1
            for more in range(min(free, self.hidden_mines) + 1)
        )

    def _numbers(self, cells: int, part: list[Cardinality]) -> int:
        """The numbers of mines that the cells of a part can have: bit m stands for m mines.

        Parts that look alike share them.
        """
        unused = max((cells & -cells).bit_length() - 1, 0)
        key = tuple(Cardinality(variables >> unused, low, high) for variables, low, high in part)
        if key not in self._numbers_of:
            self._numbers_of[key] = sum(
                1 << mines
                for mines in range(cells.bit_count() + 1)
                if find_solution([*key, Cardinality(cells >> unused, mines, mines)]) is not None
            )
        return self._numbers_of[key]


def _connected_parts(demands: list[Cardinality]) -> list[tuple[int, list[Cardinality]]]:
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
