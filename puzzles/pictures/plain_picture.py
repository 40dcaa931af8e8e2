"""A board of any grid puzzle as SVG: each character in its cell, and what a solution changes in another colour."""

from __future__ import annotations

from collections.abc import Sequence

from puzzles.pictures.svg import LegendEntry, drawing, label, square

_OPEN, _WALL = ".#"
"""Characters that are drawn without a sign: an empty cell and a filled one."""


def plain_picture(name: str, rows: Sequence[str], solved_rows: Sequence[str] | None = None, says: str = "") -> str:
    """The rows of a board of the puzzle `name`, or of its solution, which is of the same size. `says` is the headline."""
    shapes: list[str] = []
    changed = False
    shown = rows if solved_rows is None else solved_rows
    for row, (line, shown_line) in enumerate(zip(rows, shown, strict=True)):
        for column, (before, kind) in enumerate(zip(line, shown_line, strict=True)):
            if kind == _WALL:
                shapes.append(square(row, column, "var(--wall)"))
            if before != kind:
                changed = True
                shapes.append(square(row, column, "var(--good)", 0.25))
            if kind not in (_OPEN, _WALL):
                shapes.append(label(row, column, kind, "var(--ink)" if before == kind else "var(--good)"))
    legend = [LegendEntry(square(0, 0, "var(--good)", 0.25), "what the solution changes")] if changed else []
    title = f"{name} {len(rows)}x{len(rows[0])}" + (f": {says.lower()}" if says else "")
    return drawing(len(rows), len(rows[0]), shapes, title, headline=says, legend=legend)
