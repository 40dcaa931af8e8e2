"""The closure and the layouts of a concrete board, in the plainest way. Nothing here is shared with the formulas.

The closure follows the prose of the write-up; the layouts are tried one by one.
"""

from __future__ import annotations

from itertools import product

WRITE_UP = (
    'Amb@HDU, "解扫雷 - 2-sat新用法" (Solving minesweeper: a new use of 2-SAT), 2011, '
    "http://www.cnblogs.com/ambition/archive/2011/09/22/Mine-sweeping.html"
)

Cell = tuple[int, int]
"""Row and column, counted from 0."""

Literal = tuple[Cell, bool]
"""A covered cell, and whether it is a mine."""


def implications(rows: tuple[str, ...], marks: dict[Cell, bool]) -> list[tuple[Literal, Literal]]:
    """The implications that one round draws, clue by clue, given the marks of the rounds before."""
    at = {(r, c): kind for r, line in enumerate(rows) for c, kind in enumerate(line)}
    at |= {cell: "X" if mine else "O" for cell, mine in marks.items()}
    drawn: list[tuple[Literal, Literal]] = []
    for (row, column), kind in at.items():
        if not (kind.isdigit() or kind == "."):
            continue
        near = [(row + down, column + right) for down in (-1, 0, 1) for right in (-1, 0, 1)]
        unknown = [cell for cell in near if at.get(cell) == "#"]
        n = (0 if kind == "." else int(kind)) - sum(at.get(cell) == "X" for cell in near)
        for cell in unknown:
            others = [other for other in unknown if other != cell]
            if len(unknown) == n:
                drawn.append(((cell, False), (cell, True)))
            if len(unknown) == n + 1:
                drawn += [((cell, False), (other, True)) for other in others]
            if n == 0:
                drawn.append(((cell, True), (cell, False)))
            if n == 1:
                drawn += [((cell, True), (other, False)) for other in others]
    return drawn


def rounds_of(rows: tuple[str, ...], most: int | None = None) -> list[dict[Cell, bool]]:
    """The marks of each round, until a round marks nothing, or of `most` rounds at most: cell -> whether it is a mine."""
    marks: dict[Cell, bool] = {}
    rounds: list[dict[Cell, bool]] = []
    while most is None or len(rounds) < most:
        drawn: dict[Literal, set[Literal]] = {}
        for one, other in implications(rows, marks):
            drawn.setdefault(one, set()).add(other)
        new: dict[Cell, bool] = {}
        for cell, value in drawn:
            reached = [(cell, value)]
            for literal in reached:
                reached += drawn.get(literal, set()) - set(reached)
            if (cell, not value) in reached:
                new[cell] = not value
        if not new:
            return rounds
        marks |= new
        rounds.append(new)
    return rounds


def layouts_of(rows: tuple[str, ...]) -> list[dict[Cell, bool]]:
    """All layouts of mines on the covered cells that agree with the clues."""
    at = {(r, c): kind for r, line in enumerate(rows) for c, kind in enumerate(line)}
    covered = [cell for cell, kind in at.items() if kind == "#"]
    clues = {cell: int(kind) for cell, kind in at.items() if kind.isdigit()}
    layouts: list[dict[Cell, bool]] = []
    for values in product((False, True), repeat=len(covered)):
        mines = dict(zip(covered, values, strict=True))
        if all(
            sum(mines.get((r + down, c + right), False) for down in (-1, 0, 1) for right in (-1, 0, 1)) == asked
            for (r, c), asked in clues.items()
        ):
            layouts.append(mines)
    return layouts


def places(marks: dict[Cell, bool]) -> str:
    """The marks in words."""
    return ", ".join(f"{'a' if mine else 'no'} mine at {row + 1},{column + 1}" for (row, column), mine in sorted(marks.items()))
