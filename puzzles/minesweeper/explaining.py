"""The causes of an answer, as the backend that gave it finds them: the fewest clues that force a cell.

Each side has a search of its own and registers it as `Backend.explain`: (board, answer, cell, seconds, **options) -> `Cause`. The
answer names its backend (`Explainer`), so it stays a plain value.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from puzzles.backend import Side
from puzzles.minesweeper.board import COVERED, Cause, Deduction, Explainer, Minesweeper

SECONDS_EACH = 2.0
"""How long the search for one of an answer's `causes` may take."""

_side = cache(Side)


def find_cause(board: Minesweeper, answer: Deduction, cell: int | None, seconds: float) -> Cause | None:
    """The fewest clues that force a certain cell of a certified answer; without a cell, that contradict one another.

    Returns None if the answer names no backend with such a search.
    """
    if answer.explainer is None:
        return None
    side, name, options = answer.explainer
    explain = _side(side).get(board.puzzle, name).explain
    return None if explain is None else explain(board, answer, cell, seconds, **dict(options))


def with_causes(board: Minesweeper, answer: Deduction, most: int, explainer: Explainer) -> Deduction:
    """The certified answer with its explainer, and with the causes of at most `most` certain cells spread over the board.

    An inconsistent board has one cause at most, that of the contradiction.
    """
    answer = replace(answer, explainer=explainer)
    if not most:
        return answer
    certain = np.flatnonzero((board.grid == COVERED) & (answer.board.grid != COVERED)).tolist()
    cells = certain[:: max(1, -(-len(certain) // most))] if answer.consistent else [None]
    causes = (find_cause(board, answer, cell, SECONDS_EACH) for cell in cells)
    return replace(answer, causes=tuple(cause for cause in causes if cause is not None))
