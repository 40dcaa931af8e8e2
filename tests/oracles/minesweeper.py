"""Minesweeper: all layouts, and the closure of the write-up, round by round."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from tests.oracles.boards import AROUND, Cell, characters_of, near

Marks = dict[Cell, bool]
"""Cells, and whether each is a mine."""


def layouts(rows: Sequence[str]) -> list[Marks]:
    """All layouts of mines on the covered cells that agree with the clues."""
    kinds = characters_of(rows)
    covered = [cell for cell, kind in kinds.items() if kind == "#"]
    every = [
        dict(zip(covered, mines, strict=True))
        for mines in product((False, True), repeat=len(covered))
    ]
    return [
        layout
        for layout in every
        if all(
            sum(layout.get(cell, False) for cell in near(clue, AROUND)) == int(kind)
            for clue, kind in kinds.items()
            if kind.isdigit()
        )
    ]


def closure_rounds(rows: Sequence[str]) -> list[Marks]:
    """What each round of the closure marks, until a round marks nothing.

    A round draws implications between two covered cells (or of one to itself) clue by clue, follows
    them from each literal, and marks the cells whose one value implies the other.
    """
    kinds = characters_of(rows)
    rounds: list[Marks] = []
    while True:
        implied = _implications(kinds)
        marks: Marks = {}
        for literal in implied:
            reached = [literal]
            for each in reached:
                reached += [other for other in implied.get(each, ()) if other not in reached]
            cell, mine = literal
            if (cell, not mine) in reached:
                marks[cell] = not mine
        if not marks:
            return rounds
        kinds |= {cell: "X" if mine else "O" for cell, mine in marks.items()}
        rounds.append(marks)


def _implications(kinds: dict[Cell, str]) -> dict[tuple[Cell, bool], list[tuple[Cell, bool]]]:
    """For each literal, a cell and whether it is a mine, what follows from it by one clue."""
    implied: dict[tuple[Cell, bool], list[tuple[Cell, bool]]] = {}
    for clue, kind in kinds.items():
        if kind not in ".012345678":
            continue
        around = near(clue, AROUND)
        covered = [cell for cell in around if kinds.get(cell) == "#"]
        mines = sum(kinds.get(cell) == "X" for cell in around)
        left = (0 if kind == "." else int(kind)) - mines
        for one, other in product(covered, repeat=2):
            # A clue that needs all covered cells, or all but one; that has no mine left, or one.
            spared = 0 if one == other else 1
            if len(covered) == left + spared:
                implied.setdefault((one, False), []).append((other, True))
            if left == spared:
                implied.setdefault((one, True), []).append((other, False))
    return implied
