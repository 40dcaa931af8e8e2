"""A number of a plugin's own type in a certificate is refused: a certificate has plain numbers."""

import puzzles.beams.check
from puzzles.backend import backend
from puzzles.beams.board import Beams, Layout
from puzzles.verdict import Check, Verdict


class Nowhere(int):
    """A cell that is every cell and none, and replaces the check where it is used."""

    def __le__(self, other: int) -> bool:
        return True

    __ge__ = __lt__ = __le__

    def __index__(self) -> int:
        puzzles.beams.check.check = lambda *arguments: Check(Verdict.PROVED, "because I say so")
        return 0


@backend("beams", "odd-number", side="direct", source="an attack")
def solve(board: Beams, *, certify: bool = False) -> Layout:
    return Layout(False, certificate=(Nowhere(0),))
