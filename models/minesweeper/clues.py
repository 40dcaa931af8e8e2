"""What the models state: the clues of a board as sums of variables, their clauses, and what models tell of the variables."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.cnf import Formula
from puzzles.minesweeper.board import BLANK, COVERED, MINE, Minesweeper


class Clues(NamedTuple):
    """The clues that have a covered neighbour or cannot hold, and their covered neighbours as variables from 1 on.

    Attributes:
        variables: int64, the cell of each variable, ascending.
        cells: int64, the cell of each clue, ascending.
        asked: int64, how many of its covered neighbours are mines.
        beside: int64 (clues, 8), their variables in ascending order, zeros first.
        covered: int64, how many they are.
        total: where the number of mines is told, what it says of them.
    """

    variables: NDArray[np.int64]
    cells: NDArray[np.int64]
    asked: NDArray[np.int64]
    beside: NDArray[np.int64]
    covered: NDArray[np.int64]
    total: Count | None = None


class Count(NamedTuple):
    """At least `low` and at most `high` of the variables are mines.

    Of the cells beside no clue one is a variable, for them all; the others take what the board's number of mines leaves.

    Attributes:
        origin: what stands for it among the clues of a core: no cell's index, but the number of cells.
        alike: int64, the cells beside no clue, ascending; the variable is the first one's.
        mines: the mines on the variables and those other cells together.
    """

    low: int
    high: int
    origin: int
    alike: NDArray[np.int64]
    mines: int

    def of(self, variables: int) -> tuple[int, int]:
        """`low` and `high`, cut to what so many variables can be."""
        return max(self.low, 0), min(self.high, variables)


_ASKS = np.full(256, -1, np.int8)
"""What each kind of cell asks for; -1 where it is no clue."""
_ASKS[ord("0") : ord("9")] = range(9)
_ASKS[BLANK] = 0


def clues_of_board(board: Minesweeper) -> Clues:
    rows, columns = board.grid.shape
    width = columns + 2
    padded = np.zeros((rows + 2, width), np.uint8)
    padded[1:-1, 1:-1] = board.grid
    kind = padded.ravel()
    asks = _ASKS[kind]
    clue = np.flatnonzero(asks >= 0)
    near = clue[:, None] + np.array([-width - 1, -width, -width + 1, -1, 1, width - 1, width, width + 1])
    around = kind[near]
    open_ended = around == COVERED
    number = np.zeros(kind.size, np.int64)
    number[near[open_ended]] = 1
    places = np.flatnonzero(number)
    number[places] = np.arange(1, places.size + 1)
    asked = asks[clue].astype(np.int64) - np.count_nonzero(around == MINE, axis=1)
    covered = np.count_nonzero(open_ended, axis=1)
    kept = (covered > 0) | (asked != 0)
    cells, variables = ((at // width - 1) * columns + at % width - 1 for at in (clue[kept], places))
    clues = Clues(variables, cells, asked[kept], np.sort(number[near[kept]], axis=1), covered[kept])
    if board.mines is None:
        return clues
    alike = np.setdiff1d(np.flatnonzero(board.grid == COVERED), variables)
    mines = board.mines - int((board.grid == MINE).sum())
    others = max(alike.size - 1, 0)
    count = Count(mines - others, mines, board.cells, alike, mines)
    return clues._replace(variables=np.concatenate([variables, alike[:1]]), total=count)


def formula_of(clues: Clues, *, guarded: bool) -> Formula:
    """Exactly n of k by subsets: of n + 1 cells one has no mine, of k - n + 1 one has a mine; alike clues in one go."""
    formula = Formula(guarded=guarded)
    formula.new(clues.variables.size)
    kind = 9 * clues.asked + clues.covered
    order = np.argsort(kind, kind="stable")
    for chosen in np.split(order, np.flatnonzero(np.diff(kind[order])) + 1) if kind.size else ():
        asked, count = divmod(int(kind[chosen[0]]), 9)
        cells, beside = clues.cells[chosen], clues.beside[chosen, 8 - count :]
        if not 0 <= asked <= count:
            void = formula.new()
            formula.demand(cells, np.tile([[void], [-void]], (cells.size, 1)))
            continue
        for variables, size in ((-beside, asked + 1), (beside, count - asked + 1)):
            if size <= count:
                formula.demand(cells, variables.take(_subsets(count, size), axis=1).reshape(-1, size))
    if clues.total is not None:
        from pysat.card import EncType

        demand_count(formula, clues.total, clues.variables.size, EncType.kmtotalizer)
    return formula


@cache
def _subsets(count: int, size: int) -> NDArray[np.int64]:
    """The subsets of that size of the numbers below `count`, a row each."""
    return np.array(list(combinations(range(count), size)), np.int64)


def demand_count(formula: Formula, count: Count, variables: int, encoding: int) -> None:
    """The bounds in one of python-sat's encodings; its k-modulo totalizers keep bounds near either end small."""
    from pysat.card import CardEnc

    low, high = count.of(variables)
    clauses: list[list[int]] = []
    if low > high:
        void = formula.new()
        clauses = [[void], [-void]]
    literals = list(range(1, variables + 1))
    for encode, bound, vain in ((CardEnc.atleast, low, 0), (CardEnc.atmost, high, variables)):
        if low <= high and bound != vain:
            made = encode(literals, bound, top_id=formula.variables, encoding=encoding)
            formula.new(max(made.nv - formula.variables, 0))
            clauses += made.clauses
    guard = [-formula.selector(count.origin)] if formula.guarded else []
    for clause in clauses:
        formula.add(*clause, *guard)


class Backbone(NamedTuple):
    """The variables that had one value in all models so far, and models that between them show the others' both values.

    Attributes:
        values: bool, each variable's value in the first model.
        certain: bool, whether it had that value in all.
        models: those that differed where none before had.
    """

    values: NDArray[np.bool_]
    certain: NDArray[np.bool_]
    models: list[NDArray[np.bool_]]

    def after(self, model: NDArray[np.bool_]) -> Backbone:
        """With one more model."""
        return Backbone(self.values, self.certain & (model == self.values), [*self.models, model])
