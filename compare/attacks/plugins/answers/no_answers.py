"""A plugin's answer that is no answer is a row ERROR with a sentence."""

from typing import Any, NamedTuple

from puzzles.backend import backend
from puzzles.beams.board import Layout


class LookAlike(NamedTuple):
    """Looks like an answer, and is none."""

    possible: bool
    board: None = None


def register(name: str, answer: Any) -> None:
    @backend("beams", name, side="direct", source="an attack")
    def solve(board: object, *, certify: bool = False) -> Layout:
        return answer


register("none", None)
register("text", "POSSIBLE")
register("number", 1)
register("pair", LookAlike(False))
register("class", Layout)
