"""A board whose cells are unknown: its variables, and clauses for each cell, each pair of
neighbours, or each of anything else.

Literals are in arrays, one entry for each cell, pair or whatever the array is about.
`clauses(-black, -white)` is one clause for each cell: it is not black, or it is not white. A row of
a two-dimensional array is several literals of the same clause. So `clauses(-move, beside(piece))`
says: where the move goes, the piece is on one of the four cells around it. 0 stands for no literal,
such as that of a cell beyond the edge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from types import EllipsisType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compare.commands.prove.lemma import Assignment, Counterexample, CounterexampleFormula
from models.cnf import Formula

Literals = NDArray[np.int64]

_Rows = NDArray[np.bool_] | NDArray[np.int64] | EllipsisType
"""Which rows of a table: a mask, or their indices, or all."""

Steps = Iterable[Sequence[int]]
"""The clauses of a proof."""

BoardCell = tuple[int, int]
"""Row and column, counted from 0."""

DetailReader = Callable[[Assignment], Any]
"""(model) -> a detail of the counterexample."""

_STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))
"""Steps (down, right) of the directions 0 east, 1 south, 2 west, 3 north."""

AROUND = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))


def neighbour_indices(
    rows: int, columns: int, steps: Sequence[BoardCell] = _STEPS
) -> NDArray[np.int64]:
    """For each cell its neighbour by each step, as flat indices; -1 beyond the edge.

    Shape (cells, steps).
    """
    numbers = np.pad(np.arange(rows * columns).reshape(rows, columns), 1, constant_values=-1)
    views = [
        numbers[1 + down : rows + 1 + down, 1 + right : columns + 1 + right]
        for down, right in steps
    ]
    return np.stack(views, axis=-1).reshape(rows * columns, len(steps))


def _table(*parts: int | Literals) -> Literals:
    """These literals beside each other: a row for each clause.

    What has one row only stands in all of them.
    """
    columns = [np.atleast_2d(np.asarray(part, np.int64).T).T for part in parts]
    height = np.broadcast_shapes(*((len(column),) for column in columns))
    return np.hstack([np.broadcast_to(column, (*height, column.shape[1])) for column in columns])


def clauses(*parts: int | Literals, where: _Rows = ...) -> list[list[int]]:
    """One clause for each row of `table(*parts)`, or for those rows only that `where` selects."""
    return [
        row if all(row) else [literal for literal in row if literal]
        for row in _table(*parts)[where].tolist()
    ]


def entries(values: Literals, where: NDArray[np.int64]) -> Literals:
    """The entries of `values` at these indices; 0 at the index -1."""
    return np.append(values, 0)[where]


class SymbolicBoard:
    """The variables of a board and of whatever else a formula speaks of.

    Attributes:
        formula: the clauses so far; the methods add to it.
        rows, columns, cells: the size of the board.
        near: for each cell its neighbours in the directions of `_STEPS`; -1 beyond the edge.
        here, there: the two cells of each ordered pair of neighbours.
    """

    def __init__(self, rows: int, columns: int) -> None:
        self.formula = Formula()
        self.rows, self.columns, self.cells = rows, columns, rows * columns
        self.near = neighbour_indices(rows, columns)
        self.here, self._side = np.nonzero(self.near >= 0)
        self.there = self.near[self.here, self._side]

    def beside(self, values: Literals) -> Literals:
        """For each cell the values of the four cells around it."""
        return entries(values, self.near)

    def from_pairs(self, values: Literals) -> Literals:
        """For each cell the values of the up to four ordered pairs of neighbours that begin
        there.
        """
        rows = np.zeros_like(self.near)
        rows[self.here, self._side] = values
        return rows

    def new(self, count: int) -> Literals:
        """`count` new variables."""
        return self.formula.array(count)

    def variables(self, text: str) -> Literals:
        """A new variable for each cell.

        The text says what it means; `{}` becomes the cell's row and column, from 1.
        """
        variables = self.new(self.cells)
        self.formula.name(variables, text, np.arange(self.cells), auxiliary=True)
        return variables

    def each(self, *parts: int | Literals, where: _Rows = ...) -> None:
        """State `clauses(*parts, where=where)`."""
        self.formula.extend_valid(clauses(*parts, where=where))

    def equal(self, one: Literals, other: Literals) -> None:
        """State for each entry that the two literals have the same value."""
        self.each(-one, other)
        self.each(one, -other)

    def some(self, *literals: Literals) -> None:
        """State that at least one of all these literals is true."""
        self.formula.extend_valid([np.concatenate(literals).tolist()])

    def exactly_one(self, choice: Literals) -> Literals:
        """State that exactly one is true; returns the same.

        New variables say whether one has been true so far.
        """
        so_far = self.new(len(choice) - 1)
        self.some(choice)
        self.each(-choice[:-1], so_far)
        self.each(-so_far[:-1], so_far[1:])
        self.each(-so_far, -choice[1:])
        self.each(-so_far[1:], so_far[:-1], choice[1:-1])
        self.each(-so_far[:1], choice[:1])
        return choice

    def choose(self, text: str) -> Literals:
        """Choose a cell: for each cell a variable "it is the chosen one"."""
        return self.exactly_one(self.variables(text))

    def at_most_one(self, rows: Literals) -> None:
        """State that of the literals in each row at most one is true."""
        for one, other in combinations(rows.T, 2):
            self.each(-one, -other, where=(one != 0) & (other != 0))

    def all_of(self, *parts: int | Literals) -> Literals:
        """For each row of `table(*parts)` a new variable that is true if and only if all of its
        literals are true.
        """
        rows = _table(*parts)
        gates = self.new(len(rows))
        row, column = np.nonzero(rows)
        self.each(-gates[row], rows[row, column])
        self.each(gates, -rows)
        return gates

    def any_of(self, *parts: int | Literals) -> Literals:
        """For each row a literal that is true if and only if at least one of its literals is
        true.
        """
        return -self.all_of(*(-np.asarray(part) for part in parts))

    def unary_count(self, literals: Literals, most: int) -> Literals:
        """Count the true literals: the k-th new variable, from 1, is true if and only if at least k
        literals are true.

        There are `most` new variables, or as many as there are literals if that is less. The
        counter is a totalizer: a balanced tree of unary numbers, each cut off at `most` and defined
        in both directions (O. Bailleux and Y. Boufkhad, CP 2003).
        """
        if len(literals) < 2:
            return literals[:most]
        half = len(literals) // 2
        left, right = (
            np.pad(self.unary_count(part, most), 1) for part in (literals[:half], literals[half:])
        )
        total = self.new(min(most, len(left) + len(right) - 4))
        i, j = np.indices((len(left) - 1, len(right) - 1)).reshape(2, -1)
        some, few = i + j > 0, i + j < len(total)
        self.each(-left[i[some]], -right[j[some]], total[np.minimum(i + j, len(total))[some] - 1])
        self.each(left[i[few] + 1], right[j[few] + 1], -total[(i + j)[few]])
        return total

    def ranks(self, count: int, most: int) -> Literals:
        """`count` unary numbers from 0 to `most`: entry k - 1 of a row says that the number is at
        least k.
        """
        numbers = self.new(count * most).reshape(count, most)
        self.each(-numbers[:, 1:].ravel(), numbers[:, :-1].ravel())
        return numbers

    def less_than(self, conditions: Literals, lower: Literals, higher: Literals) -> None:
        """State for each row: if the condition is true, the first of two numbers of `ranks` is less
        than the second.
        """
        less, more = np.pad(lower, ((0, 0), (1, 0))), np.pad(higher, ((0, 0), (0, 1)))
        self.each(conditions.repeat(less.shape[1]) * -1, -less.ravel(), more.ravel())

    def read(self, model: Assignment) -> tuple[str, ...]:
        """The rows of a model's board."""
        raise NotImplementedError

    def cell_of(self, choice: Literals) -> DetailReader:
        """Reads the cell of a choice."""
        return lambda model: divmod(int(model[choice].argmax()), self.columns)

    def cells_of(self, members: Literals) -> DetailReader:
        """Reads the cells of a set."""
        return lambda model: [
            divmod(cell, self.columns) for cell in np.flatnonzero(model[members]).tolist()
        ]

    def counterexamples(
        self, script: Callable[[], Steps] | None = None, **details: DetailReader
    ) -> CounterexampleFormula:
        """The formula, with what is read from its models."""

        def decode(model: Assignment) -> Counterexample:
            return Counterexample(
                self.read(model), {name: reader(model) for name, reader in details.items()}
            )

        return CounterexampleFormula(self.formula, decode, script)


def rows_of(characters: Iterable[str], columns: int) -> tuple[str, ...]:
    """A board's characters in row-major order as its rows."""
    text = "".join(characters)
    return tuple(text[start : start + columns] for start in range(0, len(text), columns))


def characters_of(rows: Sequence[str]) -> dict[BoardCell, str]:
    """The cells of a board in row-major order, each with its character."""
    return {
        (row, column): character
        for row, line in enumerate(rows)
        for column, character in enumerate(line)
    }


def around(cell: BoardCell, steps: Sequence[BoardCell] = _STEPS) -> list[BoardCell]:
    """The cells that these steps lead to, also those beyond the edge."""
    return [(cell[0] + down, cell[1] + right) for down, right in steps]


def place(cell: BoardCell) -> str:
    """A cell as messages name it, counted from 1."""
    return f"{cell[0] + 1},{cell[1] + 1}"
