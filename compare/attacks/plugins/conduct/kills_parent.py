"""A plugin that kills the process above it, when it is imported for a run, is a row CRASH."""

import os
import signal
from pathlib import Path

from puzzles.backend import backend
from puzzles.beams.board import Beams, Layout

ONCE = Path(os.environ["TWOFOLD_ATTACK"], "once")
if ONCE.exists():
    os.kill(os.getppid(), signal.SIGKILL)
ONCE.touch()


@backend("beams", "kills-parent", side="direct", source="an attack")
def solve(board: Beams, *, certify: bool = False) -> Layout:
    return Layout(False)
