"""A plugin that replaces the check in memory gets nothing PROVED by it."""

import puzzles
import puzzles.beams.check
from puzzles.backend import backend
from puzzles.beams.board import Beams, Layout
from puzzles.verdict import Check, Verdict


def proved(*arguments: object) -> Check:
    return Check(Verdict.PROVED, "because I say so")


@backend("beams", "other-check", side="direct", source="an attack")
def solve(board: Beams, *, certify: bool = False) -> Layout:
    puzzles.beams.check.check = proved
    type(puzzles.get("beams")).check = proved  # pyright: ignore[reportAttributeAccessIssue]
    return Layout(False, certificate=(0,))
