"""Geography: the whole game is searched."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from tests.oracles.boards import Cell, characters_of, near


def wins_from(rows: Sequence[str], start: Cell) -> bool:
    """Whether the first mover wins from this cell."""
    free = frozenset(cell for cell, kind in characters_of(rows).items() if kind == ".")

    @cache
    def wins(piece: Cell, left: frozenset[Cell]) -> bool:
        return any(not wins(cell, left - {cell}) for cell in left.intersection(near(piece)))

    return wins(start, free - {start})
