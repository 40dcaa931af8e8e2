"""A plugin that can be imported once and never again makes rows CRASH, and the other runs go on."""

import os
from pathlib import Path

from puzzles.backend import backend
from puzzles.beams.board import Beams, Layout

ONCE = Path(os.environ["TWOFOLD_ATTACK"], "once")
if ONCE.exists():
    raise RuntimeError("not twice")
ONCE.touch()


@backend("beams", "raises-later", side="direct", source="an attack")
def solve(board: Beams, *, certify: bool = False) -> Layout:
    return Layout(False)
