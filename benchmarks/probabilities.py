"""ms_toollib: minesweeper probabilities in Rust, in floating point
(https://pypi.org/project/ms_toollib/).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

import direct
from benchmarks.races import Race, RaceInput
from puzzles import minesweeper
from puzzles.minesweeper.board import COVERED, Deduction, Minesweeper

_TOLERANCE = 1e-9
_COVERED, _BLANK = 10, 0


def _their_board(board: Minesweeper) -> list[list[int]]:
    """A board as ms_toollib reads it: clues as numbers, 10 for a covered cell."""
    return [
        [
            _COVERED if kind == COVERED else _BLANK if kind == ord(".") else kind - ord("0")
            for kind in row
        ]
        for row in board.grid.tolist()
    ]


def _measure(name: str, board: Minesweeper) -> RaceInput:
    theirs: Callable[[list[list[int]], float], Any] = import_module(
        "ms_toollib"
    ).cal_probability_onboard
    cells, mines = _their_board(board), float(board.mines or 0)

    def ours() -> NDArray[np.float64]:
        answer = direct.solve(board, probabilities=True)
        assert isinstance(answer, Deduction)
        assert answer.chances is not None
        return answer.chances.percent  # floats, since theirs are

    def differ(percent: NDArray[np.float64], result: Any) -> str:
        probabilities = np.maximum(percent / 100, 0).reshape(board.grid.shape)
        away = float(np.abs(probabilities - np.array(result[0])).max())
        return f"probabilities differ by up to {away:.3g}" if away > _TOLERANCE else ""

    return RaceInput(name, ours, lambda: theirs(cells, mines), differ)


def _boards(
    family: str, size: int, count: int, fewest: int, most: int
) -> Callable[[int], Iterator[RaceInput]]:
    """Boards of a family, of consecutive seeds, with more than `fewest` and at most `most` covered
    cells.

    If the family gives no number of mines, a fifth of the cells are mines.
    """

    def inputs(seed: int) -> Iterator[RaceInput]:
        chosen, number = 0, 1000 * seed
        while chosen < count:
            board = minesweeper.PUZZLE.family(family).board(size, number)
            assert isinstance(board, Minesweeper)
            if fewest < int((board.grid == COVERED).sum()) <= most:
                chosen += 1
                counted = replace(board, mines=board.cells // 5) if board.mines is None else board
                yield _measure(f"{family} {size}, seed {number}", counted)
            number += 1

    return inputs


def _race(name: str, family: str, size: int, count: int, fewest: int, most: int) -> Race:
    return Race(
        name, "frontier", "cal_probability_onboard", _boards(family, size, count, fewest, most)
    )


RACES = {
    "ms_toollib": (
        _race("expert, 200 to 380 covered", "expert", 16, 40, 200, 380),
        _race("expert, over 380 covered", "expert", 16, 20, 380, 480),
        _race("36x36, 16% mines, under way", "counted", 36, 20, 200, 1296),
        _race("24x24, isolated openings", "isolated", 24, 20, 200, 576),
        _race("100x100, 16% mines, under way", "counted", 100, 5, 200, 10000),
    )
}
