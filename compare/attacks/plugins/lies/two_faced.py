"""An answer of a plugin's own class, whose claims differ from what is checked, is refused."""

import numpy as np

from puzzles.answer import Claims
from puzzles.backend import backend
from puzzles.beams.board import Beams, Layout


class TwoFaced(Layout):
    """Shows a board, and claims that there is none."""

    @property
    def claims(self) -> Claims:
        return np.array([0], np.int64)


@backend("beams", "two-faced", side="direct", source="an attack")
def solve(board: Beams, *, certify: bool = False) -> Layout:
    return TwoFaced(True, Beams(board.grid))
