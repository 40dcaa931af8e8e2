"""Our own work beside a fixed work of numpy: a ratio that falls if ours becomes slower, whatever
the machine does at that time.

The two have nothing in common, so the ratio says nothing of numpy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import direct
from benchmarks.races import Race, RaceInput
from puzzles import nogo
from puzzles.nogo.board import NoGo

SIZE = 2000


def _race(name: str, ours: str, work: Callable[[NoGo], Callable[[], Any]]) -> Race:
    """Our work on an empty board, and numpy that sorts as many numbers as the board has points."""

    def inputs(seed: int) -> Iterator[RaceInput]:
        board = nogo.PUZZLE.family("empty").board(SIZE, seed)
        assert isinstance(board, NoGo)
        numbers = np.random.default_rng(seed).integers(0, 2**31, board.cells, np.int32)
        yield RaceInput(f"seed {seed}", work(board), partial(np.sort, numbers), lambda *_: "")

    return Race(f"nogo, empty {SIZE}x{SIZE}, {name}", ours, "sort", inputs, repeats=7)


def _from_text_to_text(board: NoGo) -> Callable[[], Any]:
    text = nogo.PUZZLE.print_instances([board])
    return partial(direct.solve_text, "nogo", text)


RACES = {
    "numpy": (
        _race("the game alone", "union-find", lambda board: partial(direct.solve, board)),
        _race("from text to text", "union-find", _from_text_to_text),
    )
}
