"""A plugin's answer about cells that the board does not have is a row ERROR."""

import numpy as np

from puzzles.backend import backend
from puzzles.geography.board import Geography, Losing


def register(name: str, cell: int) -> None:
    @backend("geography", name, side="direct", source="an attack")
    def solve(board: Geography, *, certify: bool = False) -> Losing:
        return Losing(board, np.array([cell], np.int32))


register("beyond", 10**6)
register("before", -1)
