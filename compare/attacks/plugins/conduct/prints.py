"""What a plugin prints never stands in our output."""

import sys

from puzzles.backend import backend
from puzzles.beams.board import Beams, Layout

print("ALL AGREE")


@backend("beams", "prints", side="direct", source="an attack")
def solve(board: Beams, *, certify: bool = False) -> Layout:
    print("ALL AGREE", file=sys.stdout, flush=True)
    print("\x1b[2JALL AGREE", file=sys.__stdout__, flush=True)
    return Layout(False)
