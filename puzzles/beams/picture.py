"""A beams board as SVG; the answer that it is possible adds the beams."""

from __future__ import annotations

from puzzles.beams.board import Beams, Layout
from puzzles.beams.check import ARMS, walk
from puzzles.svg import disc, drawing, square, stroke


def picture(board: Beams, answer: Layout | None = None) -> str:
    """The board. If the answer is possible, with turned turrets and their beams; if impossible, with its core in red."""
    shown = answer.board if answer is not None and answer.board is not None else board
    shapes: list[str] = []
    for cell in (answer and answer.certificate) or ():
        row, column = divmod(cell, board.columns)
        shapes.append(square(row, column, "var(--bad)", 0.45))
    for cell in range(shown.cells):
        row, column = divmod(cell, shown.columns)
        kind = chr(shown.grid[row, column])
        if kind == "#":
            shapes.append(square(row, column, "var(--wall)"))
        elif kind == "/":
            shapes.append(stroke([(row + 0.9, column + 0.1), (row + 0.1, column + 0.9)], "var(--cool)", 0.12))
        elif kind == "\\":
            shapes.append(stroke([(row + 0.1, column + 0.1), (row + 0.9, column + 0.9)], "var(--cool)", 0.12))
        elif kind in ARMS:
            shapes.append(_turret(row, column, kind))
            if shown is not board:
                shapes.extend(_beam(shown, cell, arm) for arm in ARMS[kind])
    verdict = "" if answer is None else ": possible" if answer.possible else ": impossible"
    return drawing(shown.rows, shown.columns, shapes, f"beams {shown.rows}x{shown.columns}{verdict}")


def _turret(row: int, column: int, kind: str) -> str:
    ends = (
        [(row + 0.5, column + 0.1), (row + 0.5, column + 0.9)]
        if kind == "-"
        else [(row + 0.1, column + 0.5), (row + 0.9, column + 0.5)]
    )
    return disc(row, column, "var(--ink)", 0.25) + stroke(ends, "var(--ink)", 0.14)


def _beam(board: Beams, cell: int, arm: tuple[int, int]) -> str:
    row, column = divmod(cell, board.columns)
    points = [(row + 0.5 + arm[0] * 0.4, column + 0.5 + arm[1] * 0.4)]
    for entered, _ in walk(board, cell, arm):
        row, column = divmod(entered, board.columns)
        points.append((row + 0.5, column + 0.5))
    return stroke(points, "var(--light)", 0.06)
