"""Boards stacked into one grid."""

from __future__ import annotations

import numpy as np

from models.stacked import stacks
from puzzles.geography import Geography
from puzzles.grid import grid_of


def test_a_stack_keeps_its_boards_apart() -> None:
    pile = list(stacks([Geography(grid_of(rows)) for rows in (["...", "..."], ["."], ["...." * 9], ["..", ".."])], ord("#"), 40))
    assert [[board.columns for board in stack.boards] for stack in pile] == [[3, 1], [36], [2]]
    first = pile[0]
    assert first.grid.tobytes() == b"......###.#####"
    cells = np.flatnonzero(first.grid == ord("."))
    assert [own.tolist() for own in first.cells_by_board(cells)] == [[0, 1, 2, 3, 4, 5], [0]]
    assert [own.tolist() for own in first.cells_by_board(cells[1:2])] == [[1], []]
    assert (first.cells_of(0, cells[:-1]).tolist(), first.cells_of(1, cells[-1:]).tolist()) == ([0, 1, 2, 3, 4, 5], [0])
