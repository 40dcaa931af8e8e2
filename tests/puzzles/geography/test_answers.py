"""Geography: both sides against minimax; families of boards."""

from __future__ import annotations

from functools import cache
from itertools import product
from math import prod

import numpy as np
import pytest

import direct
import models
from puzzles.backend import Side
from puzzles.geography.board import Geography
from tests.oracles.geography import wins_from
from tests.puzzles.geography.play import (
    PUZZLE,
    board_of,
    family_board,
    proves,
    seeded,
    solved,
)


@cache
def losing_by_play(board: Geography) -> list[int]:
    """The losing cells by minimax, straight from the rules."""
    rows, cells = tuple(board.lines()), np.flatnonzero(board.grid == ord(".")).tolist()
    return [cell for cell in cells if not wins_from(rows, divmod(cell, board.columns))]


TINY = [
    Geography(np.array(cells, np.uint8).reshape(shape))
    for shape in product(range(1, 4), range(1, 5))
    for cells in product(b".#", repeat=prod(shape))
]

UP_TO_3X3 = [board for board in TINY if board.columns <= 3]

SEEDED = seeded(60, 5)


@pytest.mark.parametrize(
    ("side", "name", "boards"),
    [
        (direct.SIDE, "matching", [*UP_TO_3X3, *SEEDED]),
        (direct.SIDE, "hungarian", [*UP_TO_3X3, *SEEDED]),
        pytest.param(direct.SIDE, "matching", TINY, marks=pytest.mark.slow),
        pytest.param(direct.SIDE, "hungarian", TINY, marks=pytest.mark.slow),
        (models.SIDE, "cnf", [*UP_TO_3X3, *SEEDED]),
        (models.SIDE, "cnf-cover", UP_TO_3X3[:20]),
        (models.SIDE, "lp", UP_TO_3X3[:20]),
        (models.SIDE, "cpsat", [*seeded(15, 6, 4), *UP_TO_3X3[::60]]),
    ],
)
def test_every_backend_agrees_with_play(side: Side, name: str, boards: list[Geography]) -> None:
    for board in boards:
        answer = solved(side, board, name)
        assert answer.cells.tolist() == losing_by_play(board), str(board)
        assert proves(answer, board), str(board)


@pytest.mark.parametrize("family", list(PUZZLE.families))
def test_large_boards_are_proved(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TWOFOLD_KERNELS", "compiled")
    board = family_board(family, 60, 9)
    answer = solved(direct.SIDE, board)
    assert proves(answer, board)
    assert answer == solved(direct.SIDE, board)
    assert answer.cells.tolist() == solved(direct.SIDE, board, "hungarian").cells.tolist()


def test_long_corridors_need_no_recursion(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TWOFOLD_KERNELS", "compiled")
    row = board_of("." * 100_000)
    for board in (row, Geography(row.grid.T)):
        assert solved(direct.SIDE, board).cells.size == 0
    odd = board_of("." * 100_001)
    answer = solved(direct.SIDE, odd)
    assert answer.cells.tolist() == list(range(0, 100_001, 2))
    assert proves(answer, odd)
    short = solved(direct.SIDE, board_of("." * 5_001), "hungarian")
    assert short.cells.tolist() == list(range(0, 5_001, 2))
