"""Shrinking a failing board while the same failure persists; runs inside a worker."""

from __future__ import annotations

from dataclasses import dataclass, replace

import puzzles
from compare.fuzz import Batch, Failure, Found, try_boards
from puzzles.puzzle import Board

MOST_TRIES = 2000


@dataclass(frozen=True)
class Shrunk:
    """The smallest board found on which the failure persists, and how many boards were tried."""

    found: Found
    failure: Failure
    tries: int


def shrink(batch: Batch, board: Board, failure: Failure) -> Shrunk:
    """Take each smaller board on which the same failure (same kind, same contenders) shows, until there is none.

    Only the contenders of the failure are run, so a board costs one start of a program.
    """
    puzzle = puzzles.get(batch.puzzle)
    involved = replace(batch, contenders=tuple(c for c in batch.contenders if c.name in failure.names))
    seen = {board.digest}
    smallest, tries = board, 0
    shrinking = True
    while shrinking and tries < MOST_TRIES:
        shrinking = False
        for candidate in puzzle.smaller(smallest):
            if candidate.digest in seen or tries >= MOST_TRIES:
                continue
            seen.add(candidate.digest)
            tries += 1
            if any(failure.same(other) for found in try_boards(involved, [candidate]) for other in found.failures):
                smallest, shrinking = candidate, True
                break
    last = try_boards(batch, [smallest])
    return Shrunk(last[0] if last else Found(smallest, (failure,)), failure, tries)
