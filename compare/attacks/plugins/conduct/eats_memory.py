"""The limit of memory holds for a plugin."""

import time

from puzzles.backend import backend
from puzzles.beams.board import Beams, Layout


@backend("beams", "eats-memory", side="direct", source="an attack")
def solve(board: Beams, *, certify: bool = False) -> Layout:
    megabytes = bytearray(500 * 2**20)
    megabytes[::4096] = b"x" * len(megabytes[::4096])
    time.sleep(60)
    return Layout(False)
