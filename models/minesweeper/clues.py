"""What the models state: the clues of a board as sums of variables, their clauses, and what models tell of the variables."""

from __future__ import annotations

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
    """

    variables: NDArray[np.int64]
    cells: NDArray[np.int64]
    asked: NDArray[np.int64]
    beside: NDArray[np.int64]
    covered: NDArray[np.int64]


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
    return Clues(variables, np.flatnonzero(is_clue)[kept], asked[kept], beside[kept], covered[kept])


def formula_of(clues: Clues, *, guarded: bool) -> Formula:
    """Exactly n of k by subsets: of n + 1 cells one has no mine, of k - n + 1 one has a mine; alike clues in one go."""
    formula = Formula(guarded=guarded)
    formula.new(clues.variables.size)
    for asked, count in np.unique(np.column_stack([clues.asked, clues.covered]), axis=0).tolist():
        chosen = (clues.asked == asked) & (clues.covered == count)
        cells, beside = clues.cells[chosen], clues.beside[chosen, 8 - count :]
        if not 0 <= asked <= count:
            void = formula.new()
            for cell in cells.tolist():
                formula.demand([cell, cell], np.array([[void], [-void]]))
            continue
        for sign, size in ((-1, asked + 1), (1, count - asked + 1)):
            subsets = np.array(list(combinations(range(count), size)), np.int64)
            if subsets.size:
                formula.demand(np.repeat(cells, len(subsets)), sign * beside[:, subsets].reshape(-1, size))
    return formula


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
