"""Promise: an answer that is no answer is a row ERROR with a sentence, and the other runs go on."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from puzzles.answer import Effort
from puzzles.backend import backend
from puzzles.beams.board import Beams, Layout
from puzzles.geography.board import Geography, Losing


class Pair(NamedTuple):
    """Looks like an answer, and is none."""

    possible: bool
    board: None = None


ANSWERS: dict[str, Any] = {
    "none": None,
    "text": "POSSIBLE",
    "pair": Pair(False),
    "no-truth": Layout.unchecked(possible="yes", board=None, certificate=None, effort=Effort()),
    "no-board": Layout(possible=True, board="#"),  # pyright: ignore[reportArgumentType]
    "bad-grid": Layout(possible=True, board=Beams.unchecked(grid=np.full((1, 1), 7, np.uint8))),
    "wrong-dtype": Layout(possible=True, board=Beams.unchecked(grid=np.full((1, 1), 35, np.int64))),
    "no-field": Layout.unchecked(board=None),
    "effort": Layout(possible=False, effort=Effort(build_s="quick")),  # pyright: ignore[reportArgumentType]
    "not-finite": Layout(possible=False, effort=Effort(build_s=float("nan"))),
    "certificate": Layout(possible=False, certificate=object()),
}


def register(name: str, answer: Any) -> None:
    """One backend that gives one answer to every board."""

    @backend("beams", name, side="direct", source="a hostile plugin")
    def solve(board: Beams, *, certify: bool = False) -> Layout:
        del board, certify
        return answer


for each, content in ANSWERS.items():
    register(each, content)


@backend("geography", "off-the-board", side="direct", source="a hostile plugin")
def off_the_board(board: Geography, *, certify: bool = False) -> Losing:
    """A cell that the board does not have."""
    del certify
    return Losing(board, np.array([10**6], np.int32))
