"""A minesweeper board as SVG, with what an answer says of its covered cells."""

from __future__ import annotations

from puzzles.minesweeper.board import Certificate, Deduction, Minesweeper
from puzzles.svg import disc, drawing, label, square

_CLUE = {"1": "var(--cool)", "2": "var(--good)", "3": "var(--bad)"}


def picture(board: Minesweeper, answer: Deduction | None = None) -> str:
    """The board, covered cells grey, mines red discs, safe cells green ones; what was given has a ring.

    With an answer the cells that it finds; where that is inconsistent, the core's clues marked red.
    """
    shown = answer.board if answer is not None and answer.consistent else board
    shapes: list[str] = []
    if answer is not None and not answer.consistent and isinstance(answer.certificate, Certificate):
        for core in answer.certificate.cores:
            shapes.extend(square(*divmod(clue, board.columns), "var(--bad)", 0.45) for clue in core.clues)
    for row, (before, after) in enumerate(zip(board.lines(), shown.lines(), strict=True)):
        for column, (given, kind) in enumerate(zip(before, after, strict=True)):
            if kind in "#XO":
                shapes.append(square(row, column, "var(--wall)", 0.35))
            if kind in "XO":
                ring = "var(--ink)" if given == kind else "none"
                shapes.append(disc(row, column, "var(--bad)" if kind == "X" else "var(--good)", 0.28, ring))
            elif kind not in "#.":
                shapes.append(label(row, column, kind, _CLUE.get(kind, "var(--ink)")))
    verdict = "" if answer is None else "" if answer.consistent else ": inconsistent"
    return drawing(shown.rows, shown.columns, shapes, f"minesweeper {shown.rows}x{shown.columns}{verdict}")
