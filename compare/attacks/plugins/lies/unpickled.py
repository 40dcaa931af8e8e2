"""A plugin's object runs no code where its answer is read: nothing of a plugin is unpickled."""

import os
from pathlib import Path
from typing import Any

from puzzles.backend import backend
from puzzles.beams.board import Beams, Layout

HARMED = Path(os.environ["TWOFOLD_ATTACK"], "harmed")


class Reduced:
    """Leaves a file where it is unpickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (HARMED,)


@backend("beams", "unpickled", side="direct", source="an attack")
def solve(board: Beams, *, certify: bool = False) -> Layout:
    return Layout(False, certificate=Reduced())
