"""The search that the check refutes with, against all layouts."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from puzzles.cardinality import LimitReached
from puzzles.grid import grid_of
from puzzles.minesweeper.board import Minesweeper
from puzzles.minesweeper.demands import Demand, possible
from puzzles.minesweeper.framed import FramedBoard


def test_demands_against_all_layouts() -> None:
    rng = Random(4)
    verdicts: list[bool] = []
    for _ in range(1500):
        cells = rng.randint(1, 7)
        demands = [Demand(rng.getrandbits(cells), rng.randint(0, 3)) for _ in range(rng.randint(1, 5))]
        safe = rng.getrandbits(cells) & rng.getrandbits(cells) & rng.getrandbits(cells)
        mines = rng.getrandbits(cells) & rng.getrandbits(cells) & ~safe
        fitting = [
            layout
            for layout in range(1 << cells)
            if layout & mines == mines
            and not layout & safe
            and all((layout & demand.cells).bit_count() == demand.mines for demand in demands)
        ]
        verdicts.append(possible(demands, mines, safe))
        assert verdicts[-1] == bool(fitting)
    assert verdicts.count(True) > 200
    assert verdicts.count(False) > 200


def test_no_demands_and_a_demand_of_no_cells() -> None:
    assert possible([])
    assert possible([Demand(0, 0)], 1, 2)
    assert not possible([Demand(0, 1)])
    assert not possible([Demand(0, 1)], 1, 2)
    assert not possible([Demand(3, -1)])


def test_the_limit_is_no_verdict() -> None:
    """Each two of five cells hold one mine: no two of three cells can differ all from one another."""
    pairs = [Demand(1 << a | 1 << b, 1) for a in range(5) for b in range(a)]
    assert not possible(pairs, most_branches=1)
    with pytest.raises(LimitReached, match="no refutation within 0 branches"):
        possible(pairs, most_branches=0)


def test_marked_cells_are_counted_in_every_square() -> None:
    rng = np.random.default_rng(6)
    for rows, columns in ((1, 1), (1, 7), (6, 1), (5, 8), (12, 3)):
        marked = rng.random((rows, columns)) < 0.6
        view = FramedBoard(Minesweeper(grid_of(["#" * columns] * rows)))
        numbers = view.numbers(marked)
        for row, column in np.ndindex(rows, columns):
            square = marked[max(row - 1, 0) : row + 2, max(column - 1, 0) : column + 2]
            assert numbers[view.place_of(row * columns + column)] == square.sum()
