"""A plugin that deletes the working directory ends no run but its own."""

import os
import shutil
from pathlib import Path

from puzzles.backend import backend
from puzzles.beams.board import Beams, Layout


@backend("beams", "deletes-folder", side="direct", source="an attack")
def solve(board: Beams, *, certify: bool = False) -> Layout:
    shutil.rmtree(Path(os.environ["TWOFOLD_ATTACK"], "here"), ignore_errors=True)
    os.abort()
