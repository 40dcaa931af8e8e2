"""The closure of many boards at once against the plain closure and the backend."""

from __future__ import annotations

import numpy as np
import pytest

import direct
from models.lemmas.minesweeper import closures_of, layouts_of, rounds_of, small_boards
from models.lemmas.symbolic import rows_of
from puzzles.grid import grid_of
from puzzles.minesweeper.board import Deduction, Minesweeper
from tests.models.lemmas.brute_force import (
    boards,
)


@pytest.mark.parametrize("shape", [(1, 4), (2, 2), (2, 3)])
def test_the_closure_of_many_boards_is_the_plain_one_and_the_backends(
    shape: tuple[int, int],
) -> None:
    """Every board of covered cells and clues: those that have a layout, what is certain, the
    rounds, what they mark.
    """
    digits, covered, always, ever = small_boards(*shape)
    rounds, mines, safe = closures_of(*shape, digits, covered)
    swept = {}
    for k in range(len(digits)):
        characters = np.where(covered[k], "#", digits[k].astype(str)).tolist()
        swept[rows_of("".join(characters), shape[1])] = tuple(
            int(each[k]) for each in (always, ever, rounds, mines, safe)
        )

    def bits(some: list[tuple[int, int]]) -> int:
        return sum(1 << (row * shape[1] + column) for row, column in some)

    consistent = 0
    for rows in boards(*shape, "#0123"):
        layouts = layouts_of(rows)
        if not layouts:
            assert rows not in swept
            continue
        consistent += 1
        marks = rounds_of(rows)
        marked = {cell: mine for each in marks for cell, mine in each.items()}
        expected = (
            bits([cell for cell in layouts[0] if all(each[cell] for each in layouts)]),
            bits([cell for cell in layouts[0] if any(each[cell] for each in layouts)]),
            len(marks),
            bits([cell for cell, mine in marked.items() if mine]),
            bits([cell for cell, mine in marked.items() if not mine]),
        )
        assert swept[rows] == expected
        answer = direct.solve(Minesweeper(grid_of(rows)), "two-sat")
        assert isinstance(answer, Deduction)
        assert bits([divmod(int(cell), shape[1]) for cell in answer.mines]) == expected[3]
        assert bits([divmod(int(cell), shape[1]) for cell in answer.safe]) == expected[4]
    assert consistent == sum(not set("".join(rows)) - set("#0123") for rows in swept)
