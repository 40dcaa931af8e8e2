"""What minesweeper answers on the command line beyond the contest's text: probabilities, the next
move, and why.
"""

from __future__ import annotations

from dataclasses import dataclass

from puzzles.answer import BeyondCheck
from puzzles.coordinates import coordinates
from puzzles.minesweeper.board import Deduction, Minesweeper
from puzzles.minesweeper.chances import decimal, fraction_text, percentage
from puzzles.minesweeper.explain import Explanation
from puzzles.puzzle import Request, RequestReply
from puzzles.text import UserError, count_noun, whole_number

_INCONSISTENT = "INCONSISTENT\n"

_MAX_NAMED = 8
"""Cells to open up to which a picture's headline names them."""


@dataclass(frozen=True)
class Probabilities(RequestReply):
    """How likely each covered cell is a mine. The answer's own fields say it too."""

    board: Minesweeper
    answer: Deduction

    def text(self) -> str:
        """The board with percentages in its covered cells, then a line with the number of layouts
        and of mines.
        """
        chances = self.answer.chances
        if chances is None:
            return _INCONSISTENT
        shown = [percentage(each) for each in chances.fractions]
        rows: list[str] = []
        for row, kinds in enumerate(self.board.lines()):
            start = row * self.board.columns
            values = chances.value_of[start : start + self.board.columns].tolist()
            cells = [
                f"[{kind}]" if value < 0 else shown[value] + "%"
                for kind, value in zip(kinds, values, strict=True)
            ]
            rows.append(" ".join(f"{cell:>4}" for cell in cells) + "\n")
        least, most = chances.mines
        mines = count_noun(least, "mine") if least == most else f"{least} to {most} mines"
        layouts = decimal(chances.layouts)
        if len(layouts) > 30:
            layouts = f"a number of {len(layouts)} digits: {layouts[:10]}..."
        return "".join(rows) + f"layouts: {layouts}; {mines}\n"


@dataclass(frozen=True)
class NextMove(RequestReply):
    """The cells to open next."""

    board: Minesweeper
    answer: Deduction

    def text(self) -> str:
        """A sentence or two."""
        move = self.answer.next_move
        if move is None:
            return "Nothing is left to open.\n" if self.answer.consistent else _INCONSISTENT
        places = " ".join(self.board.place(int(cell)) for cell in move.cells)
        if move.risk == 0:
            return f"Safe: {places}\n"
        each = "Each of them is" if len(move.cells) > 1 else "It is"
        return (
            f"No cell is certainly safe. The least risky to open: {places}\n"
            f"{each} a mine with probability {percentage(move.risk)}% "
            f"({fraction_text(move.risk)}).\n"
        )

    def fields(self) -> dict[str, object]:
        """`next`: the cells to open, as [row, column] from 1, and the probability of a mine; null
        if no move is known.
        """
        move = self.answer.next_move
        return {
            "next": move
            and {
                "cells": coordinates(move.cells, self.board.columns),
                "risk": fraction_text(move.risk),
            }
        }

    def picture(self) -> str:
        """The board with its answer; the cells to open next are marked."""
        from puzzles.minesweeper.picture import picture

        move = self.answer.next_move
        cells = [] if move is None else move.cells.tolist()
        headline = ""
        if self.answer.consistent:
            named = len(cells) <= _MAX_NAMED
            headline = self.text() if named else f"{len(cells)} cells to open are marked."
        return picture(self.board, self.answer, marked=cells, headline=headline)


def cell_of(board: Minesweeper, value: str) -> int:
    """The cell that `ROW,COL` names, counted from 1; raises `UserError`."""
    row, column = map(whole_number, value.partition(",")[::2])
    if row is None or column is None:
        raise UserError(f"--why: expected ROW,COL, found {value[:40]!r}")
    if not (1 <= row <= board.rows and 1 <= column <= board.columns):
        raise UserError(
            f"--why: the board has {board.rows} rows and {board.columns} columns, no cell "
            f"{row},{column}"
        )
    return (row - 1) * board.columns + column - 1


def explanation_of(board: Minesweeper, answer: Deduction, value: str) -> Explanation:
    """Why the cell that `ROW,COL` names is certain; raises `UserError`."""
    try:
        return answer.why(cell_of(board, value))
    except BeyondCheck as limit:
        raise UserError(f"--why: {limit}") from None


REQUESTS: tuple[Request[Minesweeper, Deduction], ...] = (
    Request(
        "probabilities",
        "how likely each covered cell is a mine, in percent",
        {"probabilities": True},
        lambda board, answer, value: Probabilities(board, answer),
        in_json=True,
    ),
    Request(
        "next",
        "every safe cell, or else the safest",
        {"probabilities": True},
        lambda board, answer, value: NextMove(board, answer),
    ),
    Request(
        "why",
        "clues that force a cell, none of which can be left out; the number of mines helps only "
        "where the clues do not suffice",
        {"certify": True},
        explanation_of,
        "ROW,COL",
    ),
)
