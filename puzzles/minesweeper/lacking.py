"""What an answer of the closure owes: all that its rules give. Stated plainly, for small boards,
slow, and sharing no code with any backend.
"""

from __future__ import annotations

from itertools import permutations

from puzzles.minesweeper.board import COVERED, Deduction, Minesweeper
from puzzles.minesweeper.refuter import sums_of

CLOSURE = "closure"
"""The name of what a backend finds at least that finds the closure of Amb's write-up."""

_MAX_UNKNOWN = 30
"""Covered cells up to which the closure is recomputed."""

Literal = tuple[int, bool]


def lacking(board: Minesweeper, answer: Deduction, finds: str) -> str | None:
    """What the answer lacks (see `Puzzle.lacking`)."""
    if finds != CLOSURE or board.mines is not None or not answer.consistent:
        return None
    if board.kinds.count("#") > _MAX_UNKNOWN:
        return None
    certain = closure(board)
    if certain is None:
        return "does not find the contradiction to which its rules lead"
    for cell in sorted(certain):
        if board.grid.flat[cell] == COVERED == answer.board.grid.flat[cell]:
            state = "a mine" if certain[cell] else "safe"
            return f"does not find that the cell at {board.place(cell)} is {state}, as its rules do"
    return None


def closure(board: Minesweeper) -> dict[int, bool] | None:
    """What single clues and chains of their implications make certain, given cells included; None
    if they meet a contradiction.

    A clue with n mines to place on k unknown cells says: n = 0, all are safe; n = k, all are mines;
    n = 1, a mine makes the others safe; n = k - 1, a safe cell makes the others mines. A literal
    from which its negation follows is false. These rules are applied until nothing changes.
    """
    known = {cell: kind == "X" for cell, kind in enumerate(board.kinds) if kind in "XO"}
    sums = sums_of(board, board.clues, False)
    while True:
        before = len(known)
        edges: dict[Literal, list[Literal]] = {}
        for each in sums:
            unknown, missing = each.remaining(known)
            if not 0 <= missing <= len(unknown):
                return None
            if missing in (0, len(unknown)):
                known.update(dict.fromkeys(unknown, missing > 0))
                continue
            for mine in (True, False):
                if missing == (1 if mine else len(unknown) - 1):
                    for cell, other in permutations(unknown, 2):
                        edges.setdefault((cell, mine), []).append((other, not mine))
        if len(known) > before:
            continue
        for cell, mine in edges:
            if (cell, not mine) in _reach((cell, mine), edges):
                if known.get(cell, not mine) is mine:
                    return None
                known[cell] = not mine
        if len(known) == before:
            return known


def _reach(start: Literal, edges: dict[Literal, list[Literal]]) -> set[Literal]:
    reached, waiting = {start}, [start]
    for literal in waiting:
        for near in edges.get(literal, ()):
            if near not in reached:
                reached.add(near)
                waiting.append(near)
    return reached
