"""A plugin's answer with a field of a wrong type or value is a row ERROR that names the field."""

from typing import Any

import numpy as np

from puzzles.answer import Effort
from puzzles.backend import backend
from puzzles.beams.board import Beams, Layout

ANSWERS: dict[str, Any] = {
    "no-truth": Layout.unchecked(possible="yes", board=None, certificate=None, effort=Effort()),
    "no-board": Layout.unchecked(possible=True, board="#", certificate=None, effort=Effort()),
    "bad-grid": Layout(possible=True, board=Beams.unchecked(grid=np.full((1, 1), 7, np.uint8))),
    "wrong-dtype": Layout(possible=True, board=Beams.unchecked(grid=np.full((1, 1), 35, np.int64))),
    "no-field": Layout.unchecked(board=None),
    "effort": Layout(possible=False, effort=Effort(build_s="quick")),  # pyright: ignore[reportArgumentType]
    "not-finite": Layout(possible=False, effort=Effort(build_s=float("nan"))),
    "certificate": Layout.unchecked(possible=False, board=None, certificate=object(), effort=Effort()),
}


def register(name: str, answer: Any) -> None:
    @backend("beams", name, side="direct", source="an attack")
    def solve(board: Beams, *, certify: bool = False) -> Layout:
        return answer


for each, content in ANSWERS.items():
    register(each, content)
