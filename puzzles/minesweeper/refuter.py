"""Do clues force a cell? The check's own answer, by refuting that the cell is otherwise; and what
clues say of the cells around them.

The check, the explanations, the promises of the write-up and what backends owe rest on it. `direct`
and `models` read boards by code of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
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


def cells_of(sums: Iterable[Sum]) -> list[int]:
    """The cells of all sums, ascending."""
    return sorted({cell for each in sums for cell in each.cells})


def cardinalities(sums: Sequence[Sum]) -> list[Cardinality]:
    """The sums for the search. Variables are bits in the order of the cells, and the first cell has
    the lowest bit.
    """
    first = min(cells_of(sums), default=0)
    return [
        Cardinality(sum([1 << cell - first for cell in each.cells]), each.mines, each.mines)
        for each in sums
    ]


def sum_components(sums: Sequence[Sum]) -> Iterator[list[Sum]]:
    """The sums in groups that share no cell with one another, in linear time."""
    of_cell: dict[int, list[int]] = {}
    for index, each in enumerate(sums):
        for cell in each.cells:
            of_cell.setdefault(cell, []).append(index)
    reached: set[int] = set()
    for start in range(len(sums)):
        if start in reached:
            continue
        reached.add(start)
        waiting = [start]
        for index in waiting:
            near = {other for cell in sums[index].cells for other in of_cell[cell]} - reached
            reached |= near
            waiting += sorted(near)
        yield [sums[index] for index in waiting]


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
        if core.cell is not None:
            sums.append(Sum(frozenset([core.cell]), int(not mine), None))
        if core.counted and self.board.mines is not None:
            return not self._possible_with_count(sums)
        return find_solution(cardinalities(sums)) is None

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

    def _possible_with_count(self, sums: list[Sum]) -> bool:
        """Whether the sums and the number of mines can hold together.

        Only the number of mines ties cells that no sum connects. So the search finds for each
        component which numbers of mines it can have, and the question left is whether these add up.
        Raises `BeyondCheck`.
        """
        totals = 1  # bit n of a set of numbers stands for n
        free = self.covered
        for component in sum_components(sums):
            numbers = self._numbers(tuple(cardinalities(component)))
            totals, reached = 0, totals
            for more in range(numbers.bit_length()):
                if numbers >> more & 1:
                    totals |= reached << more
            free -= len(cells_of(component))
        return any(
            totals >> (self.hidden_mines - more) & 1
            for more in range(min(free, self.hidden_mines) + 1)
        )

    def _numbers(self, component: tuple[Cardinality, ...]) -> int:
        """The numbers of mines that the cells of a component can have: bit m stands for m mines.

        Components that look alike share them.
        """
        if component not in self._numbers_of:
            cells = 0
            for each in component:
                cells |= each.variables
            self._numbers_of[component] = sum(
                1 << mines
                for mines in range(cells.bit_count() + 1)
                if find_solution([*component, Cardinality(cells, mines, mines)]) is not None
            )
        return self._numbers_of[component]
