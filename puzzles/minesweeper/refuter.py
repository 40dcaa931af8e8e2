"""Do clues force a cell? The check's own answer, by refuting that the cell is otherwise.

Nothing here is shared with `direct` or `models` but the statement of the puzzle. The variable of a covered cell is its flat index
+ 1, true for a mine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from puzzles.cardinality import Cardinality, find_solution
from puzzles.minesweeper.board import Minesweeper


def neighbours(board: Minesweeper, cell: int) -> Iterator[int]:
    """The flat indices of the cells around a cell."""
    row, column = divmod(cell, board.columns)
    for r in range(max(row - 1, 0), min(row + 2, board.rows)):
        for c in range(max(column - 1, 0), min(column + 2, board.columns)):
            if (r, c) != (row, column):
                yield r * board.columns + c


def number(kind: str) -> int | None:
    """How many mines a clue counts; None for a cell that is no clue."""
    return 0 if kind == "." else int(kind) if kind.isdigit() else None


class NoClue(ValueError):
    """What is named as a clue is none."""


class ClueRefuter:
    """Refutes by clues, perhaps with the number of mines of the board, that a cell is otherwise than claimed."""

    def __init__(self, board: Minesweeper) -> None:
        self.board = board
        self.given = given = board.grid.tobytes().decode("ascii")
        self.hidden_mines = (board.mines or 0) - given.count("X")
        self.covered = given.count("#")
        self.numbers_of: dict[tuple[Cardinality, ...], int] = {}
        self._constraint_of: dict[int, Cardinality] = {}

    def forces(self, clues: Sequence[int], counted: bool, cell: int | None, mine: bool) -> bool:
        """Whether clues (with the number of mines if `counted`) force a cell, or, without one, contradict one another.

        Raises:
            NoClue: one of them is no clue.
            LimitReached: the search stopped at its limit.
        """
        constraints = self.constraints(clues)
        otherwise = [] if cell is None else [Cardinality((cell + 1,), 0, 0) if mine else Cardinality((cell + 1,), 1, 1)]
        if counted and self.board.mines is not None:
            return not self._possible_with_count([*constraints, *otherwise])
        return find_solution([*constraints, *otherwise]) is None

    def constraints(self, clues: Sequence[int]) -> list[Cardinality]:
        """What the clues demand of the covered cells around them; raises `NoClue`."""
        return [self._constraint(cell) for cell in clues]

    def _constraint(self, cell: int) -> Cardinality:
        known = self._constraint_of.get(cell) if isinstance(cell, int) else None
        if known is not None:
            return known
        clue = number(self.given[cell]) if isinstance(cell, int) and 0 <= cell < self.board.cells else None
        if clue is None:
            raise NoClue(f"a core names {cell!r}, which is no clue")
        around = list(neighbours(self.board, cell))
        clue -= sum(self.given[near] == "X" for near in around)
        constraint = Cardinality(tuple(near + 1 for near in around if self.given[near] == "#"), clue, clue)
        self._constraint_of[cell] = constraint
        return constraint

    def _possible_with_count(self, constraints: list[Cardinality]) -> bool:
        """Whether the constraints and the number of mines can hold together.

        Only the number of mines ties cells that no constraint connects. So the search finds for each connected part which
        numbers of mines it can have, and the question left is whether these add up. Raises `LimitReached`.
        """
        sums = 1
        used: set[int] = set()
        for part in _connected(constraints):
            sums = _added(sums, self._numbers(tuple(part)))
            used.update(literal for constraint in part for literal in constraint.literals)
        free = self.covered - len(used)
        return any(sums >> (self.hidden_mines - more) & 1 for more in range(min(free, self.hidden_mines) + 1))

    def _numbers(self, part: tuple[Cardinality, ...]) -> int:
        """The numbers of mines that the cells of a part can have: bit m stands for m mines."""
        if part not in self.numbers_of:
            cells = tuple({literal for constraint in part for literal in constraint.literals})
            self.numbers_of[part] = sum(
                1 << mines
                for mines in range(len(cells) + 1)
                if find_solution([*part, Cardinality(cells, mines, mines)]) is not None
            )
        return self.numbers_of[part]


def _added(some: int, others: int) -> int:
    """Every sum of a number from one set and a number from the other; bit n of a set stands for the number n."""
    sums = 0
    for number in range(others.bit_length()):
        if others >> number & 1:
            sums |= some << number
    return sums


def _connected(constraints: list[Cardinality]) -> list[list[Cardinality]]:
    """The constraints in parts that have no cell in common."""
    parts: list[tuple[set[int], list[Cardinality]]] = []
    for constraint in constraints:
        cells, together = set(constraint.literals), [constraint]
        separate: list[tuple[set[int], list[Cardinality]]] = []
        for part_cells, members in parts:
            if cells & part_cells:
                cells, together = cells | part_cells, members + together
            else:
                separate.append((part_cells, members))
        parts = [*separate, (cells, together)]
    return [members for _, members in parts]
