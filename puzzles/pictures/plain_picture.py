"""A board of any grid puzzle as SVG: each character in its cell, and what a solution changes in another colour."""

from __future__ import annotations

from puzzles.grid import Board
from puzzles.pictures.svg import LegendEntry, drawing, frame, label, square

_OPEN, _WALL = ".#"
"""Characters that are drawn without a sign: an empty cell and a filled one."""


def plain_picture(board: Board, solution: Board | None = None, says: str = "") -> str:
    """The board, or a solution of the same size. `says` is the headline; a solution of another size is left out."""
    shown = solution if solution is not None and solution.shape == board.shape else board
    shapes: list[str] = []
    changed = False
    for cell, (before, kind) in enumerate(zip("".join(board.lines()), "".join(shown.lines()), strict=True)):
        place = divmod(cell, board.columns)
        if kind == _WALL:
            shapes.append(square(*place, "var(--wall)"))
        if before != kind:
            changed = True
            shapes.append(_changed(*place))
        if kind not in (_OPEN, _WALL):
            shapes.append(label(*place, kind, "var(--ink)" if before == kind else "var(--good)"))
    legend = [LegendEntry(_changed(0, 0), "what the solution changes")] if changed else []
    title = f"{board.puzzle} {board.rows}x{board.columns}" + (f": {says.lower()}" if says else "")
    return drawing(board.rows, board.columns, shapes, title, headline=says, legend=legend)


def _changed(row: int, column: int) -> str:
    """A green cell with a frame, which needs no colour."""
    return square(row, column, "var(--good)", 0.25) + frame(row, column, "var(--good)")
