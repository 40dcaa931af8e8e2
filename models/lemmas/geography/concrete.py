"""Matchings and plays on a concrete board, in the plainest way. Nothing here is shared with the formulas."""

from __future__ import annotations

from functools import cache

Cell = tuple[int, int]
"""Row and column, counted from 0."""


def beside(one: Cell, other: Cell) -> bool:
    """Whether two cells are neighbours."""
    return abs(one[0] - other[0]) + abs(one[1] - other[1]) == 1


def well_matched(rows: tuple[str, ...], mates: list[tuple[Cell, Cell]]) -> bool:
    """Whether the pairs are a matching: neighbours, both open, and no cell in two pairs."""
    ends = [cell for pair in mates for cell in pair]
    return len(set(ends)) == len(ends) and all(beside(*pair) for pair in mates) and all(rows[r][c] == "." for r, c in ends)


def wins_from(rows: tuple[str, ...], start: Cell) -> bool:
    """Whether the first mover wins, by searching the whole game."""
    free = frozenset((r, c) for r, line in enumerate(rows) for c, kind in enumerate(line) if kind == ".")

    @cache
    def wins(piece: Cell, left: frozenset[Cell]) -> bool:
        return any(not wins(cell, left - {cell}) for cell in left if beside(piece, cell))

    return wins(start, free - {start})
