"""Puzzles whose files cannot be imported: which file, which line, what to do."""

from __future__ import annotations

import traceback
from pathlib import Path

from puzzles.text import UserError

_CHECKOUT = Path(__file__).parent.parent


class BrokenPuzzle(UserError):
    """A puzzle, or a side of it, that cannot be imported; the message names the file and the line."""

    def __init__(self, puzzle: str, error: Exception) -> None:
        super().__init__(f"the puzzle {puzzle} cannot be loaded: {_place(error)}: mend that line, or take the puzzle's folder away")
        self.puzzle = puzzle


def _place(error: Exception) -> str:
    """The file and line that raised, and what: of our files the innermost one."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{_shown(error.filename)}:{error.lineno}:{error.offset}: {type(error).__name__}: {error.msg}"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename).is_relative_to(_CHECKOUT)]
    own = [frame for frame in frames if "site-packages" not in frame.filename]
    where = f"{_shown(own[-1].filename)}:{own[-1].lineno}: " if own else ""
    return f"{where}{type(error).__name__}: {error}"


def _shown(file: str) -> str:
    path = Path(file)
    return str(path.relative_to(_CHECKOUT)) if path.is_relative_to(_CHECKOUT) else file
