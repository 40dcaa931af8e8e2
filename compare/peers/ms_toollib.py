"""ms_toollib: minesweeper probabilities in Rust, in floating point (https://pypi.org/project/ms_toollib/)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import numpy as np

import direct
from compare.peers import Heat, Race
from puzzles import minesweeper
from puzzles.minesweeper.board import COVERED, Deduction, Minesweeper

_TOLERANCE = 1e-9
_COVERED, _BLANK = 10, 0


def _their_board(board: Minesweeper) -> list[list[int]]:
    """A board as ms_toollib reads it: clues as numbers, 10 for a covered cell."""
    return [
        [_COVERED if kind == COVERED else _BLANK if kind == ord(".") else kind - ord("0") for kind in row]
        for row in board.grid.tolist()
    ]


def _heat(name: str, board: Minesweeper, of: str) -> Heat:
    theirs: Callable[[list[list[int]], float], Any] = getattr(import_module("ms_toollib"), of)
    given = _their_board(board)

    def differ(answer: Deduction, found: Any) -> str:
        assert answer.chances is not None
        ours = np.maximum(answer.chances.percent / 100, 0).reshape(board.grid.shape)
        away = float(np.abs(ours - np.array(found[0])).max())
        return f"probabilities differ by up to {away:.3g}" if away > _TOLERANCE else ""

    return Heat(name, lambda: direct.solve(board, probabilities=True), lambda: theirs(given, float(board.mines or 0)), differ)


def _boards(family: str, size: int, count: int, fits: Callable[[int], bool]) -> Callable[[int], Iterator[Heat]]:
    """Boards of a family with so many covered cells as fit, of consecutive seeds."""

    def heats(seed: int) -> Iterator[Heat]:
        made, number = 0, 1000 * seed
        while made < count:
            board = minesweeper.PUZZLE.family(family).board(size, number)
            assert isinstance(board, Minesweeper)
            if fits(int((board.grid == COVERED).sum())):
                made += 1
                yield _heat(f"{family} {size}, seed {number}", board, "cal_probability_onboard")
            number += 1

    return heats


RACES = (
    Race(
        "expert boards, 200 to 380 covered",
        "frontier",
        "cal_probability_onboard",
        _boards("expert", 16, 40, lambda covered: 200 < covered < 380),
        target=20,
    ),
)
