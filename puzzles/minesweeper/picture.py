"""A minesweeper board as SVG, with what an answer claims of its covered cells."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from puzzles.minesweeper.board import Certificate, Deduction, Minesweeper
from puzzles.minesweeper.chances import Chances
from puzzles.minesweeper.requests import percentage
from puzzles.svg import disc, drawing, label, square

if TYPE_CHECKING:
    from puzzles.minesweeper.why import Reason

_CLUE = {"1": "var(--cool)", "2": "var(--good)", "3": "var(--bad)"}

_MOST_LABELS = 2500
"""Cells of a board up to which the heat map shows percentages."""


def picture(board: Minesweeper, answer: Deduction | None = None, reason: Reason | None = None) -> str:
    """The board: covered cells are grey, mines red discs, safe cells green discs; given ones have a ring.

    An answer adds the cells that it decides. If its layouts were counted, a heat map shows undecided cells the redder the likelier
    they are mines. If the board is inconsistent, the clues of the core are red. A reason marks its clues and its cell.
    """
    shown = answer.board if answer is not None and answer.consistent else board
    shapes: list[str] = []
    if reason is not None:
        shapes.extend(square(*divmod(clue, board.columns), "var(--light)", 0.5) for clue in reason.clues)
    elif answer is not None and not answer.consistent and isinstance(answer.certificate, Certificate):
        for core in answer.certificate.cores:
            shapes.extend(square(*divmod(clue, board.columns), "var(--bad)", 0.45) for clue in core.clues)
    chances = None if answer is None else answer.chances
    for row, (before, after) in enumerate(zip(board.lines(), shown.lines(), strict=True)):
        for column, (given, kind) in enumerate(zip(before, after, strict=True)):
            if kind == "#" and chances is not None:
                shapes.extend(_heat(chances, row, column, board))
            elif kind in "#XO":
                shapes.append(square(row, column, "var(--wall)", 0.35))
            if kind in "XO":
                ring = "var(--ink)" if given == kind else "none"
                shapes.append(disc(row, column, "var(--bad)" if kind == "X" else "var(--good)", 0.28, ring))
            elif kind not in "#.":
                shapes.append(label(row, column, kind, _CLUE.get(kind, "var(--ink)")))
    if reason is not None and reason.cell is not None:
        shapes.append(disc(*divmod(reason.cell, board.columns), "none", 0.42, "var(--light)"))
    verdict = "" if answer is None else "" if answer.consistent else ": inconsistent"
    return drawing(shown.rows, shown.columns, shapes, f"minesweeper {shown.rows}x{shown.columns}{verdict}")


def extra_pictures(board: Minesweeper, answer: Deduction) -> Iterator[tuple[str, str]]:
    """The heat map, and why one of the certain cells is certain, with its clues marked."""
    if answer.chances is not None:
        yield "how likely each covered cell is a mine, in percent", picture(board, answer)
    for cause in answer.causes[:1]:
        reason = answer.why(cause.cell)
        yield str(reason), picture(board, answer, reason)


def _heat(chances: Chances, row: int, column: int, board: Minesweeper) -> Iterator[str]:
    """An undecided cell, the redder the likelier it is a mine; with the percentage on small boards."""
    chance = chances.of(row * board.columns + column)
    if chance is None:
        return
    yield square(row, column, "var(--wall)", 0.2)
    yield square(row, column, "var(--bad)", round(0.1 + 0.8 * float(chance), 3))
    if board.cells <= _MOST_LABELS:
        scaled = 0.6
        at = f"translate({column + (1 - scaled) / 2:g} {row + (1 - scaled) / 2:g}) scale({scaled})"
        yield f'<g transform="{at}">{label(0, 0, percentage(chance))}</g>'
