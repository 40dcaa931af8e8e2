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


def clues_of_board(board: Minesweeper) -> Clues:
    rows, columns = board.grid.shape
    kind = np.zeros((rows + 2, columns + 2), np.uint8)
    kind[1:-1, 1:-1] = board.grid
    shifted = [slice(None, -2), slice(1, -1), slice(2, None)]
    around = [(down, right) for down in shifted for right in shifted if (down, right) != (shifted[1], shifted[1])]
    is_clue = (board.grid == BLANK) | ((board.grid >= ord("0")) & (board.grid <= ord("8")))
    clue = np.zeros(kind.shape, np.bool_)
    clue[1:-1, 1:-1] = is_clue
    beside_clue = np.zeros((rows, columns), np.bool_)
    flags = np.zeros((rows, columns), np.int64)
    for place in around:
        beside_clue |= clue[place]
        flags += kind[place] == MINE
    variables = np.flatnonzero(beside_clue & (board.grid == COVERED))
    number = np.zeros(kind.shape, np.int64)
    number[1 + variables // columns, 1 + variables % columns] = np.arange(1, variables.size + 1)
    asked = np.where(board.grid == BLANK, 0, board.grid.astype(np.int64) - ord("0"))[is_clue] - flags[is_clue]
    beside = np.sort(np.column_stack([number[place][is_clue] for place in around]), axis=1)
    covered = np.count_nonzero(beside, axis=1)
    kept = (covered > 0) | (asked != 0)
    clues = Clues(variables, np.flatnonzero(is_clue)[kept], asked[kept], beside[kept], covered[kept])
    if board.mines is None:
        return clues
    alike = np.flatnonzero((board.grid == COVERED) & ~beside_clue)
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
    for clause in clauses:
        formula.demand([count.origin], np.array([clause]))


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
