"""What messages call instances and their sizes: boards and cells, or cases and sizes."""

from __future__ import annotations

from collections.abc import Iterable

import puzzles

BOARD = "board"


def noun_of(names: Iterable[str]) -> str:
    """What the puzzles of these names call an instance: `board` if all of them say so, else `case`."""
    return BOARD if all(puzzles.get(name).noun == BOARD for name in names) else "case"


def size_noun(names: Iterable[str]) -> str:
    """What the size of an instance of these puzzles counts: `cells` if all instances are boards, else `size` says it all."""
    return "cells" if noun_of(names) == BOARD else "size"
