"""What minesweeper answers on the command line beyond the contest's text: probabilities, the next
move, and why.
"""

from __future__ import annotations

from puzzles.coordinates import coordinates
from puzzles.minesweeper.board import Deduction, Minesweeper
from puzzles.minesweeper.chances import decimal, fraction_text, percentage
from puzzles.minesweeper.explain import Explanation
from puzzles.puzzle import Request
from puzzles.text import UserError, counted, whole_number
from puzzles.verdict import BeyondCheck

_INCONSISTENT = "INCONSISTENT\n"


def probabilities_text(board: Minesweeper, answer: Deduction, value: str) -> str:
    """The board with percentages in its covered cells, then a line with the number of layouts and
    of mines.
    """
    if answer.chances is None:
        return _INCONSISTENT
    shown = [percentage(each) for each in answer.chances.fractions]
    rows: list[str] = []
    for row, kinds in enumerate(board.lines()):
        values = answer.chances.value_of[row * board.columns : (row + 1) * board.columns].tolist()
        cells = [
            f"[{kind}]" if value < 0 else shown[value] + "%"
            for kind, value in zip(kinds, values, strict=True)
        ]
        rows.append(" ".join(f"{cell:>4}" for cell in cells) + "\n")
    least, most = answer.chances.mines
    mines = counted(least, "mine") if least == most else f"{least} to {most} mines"
    layouts = decimal(answer.chances.layouts)
    if len(layouts) > 30:
        layouts = f"a number of {len(layouts)} digits: {layouts[:10]}..."
    return "".join(rows) + f"layouts: {layouts}; {mines}\n"


def no_fields(board: Minesweeper, answer: Deduction, value: str) -> dict[str, object]:
    """None: the answer's own fields say it."""
    return {}


def next_text(board: Minesweeper, answer: Deduction, value: str) -> str:
    """The cells to open next, in a sentence or two."""
    move = answer.next_move
    if move is None:
        return "Nothing is left to open.\n" if answer.consistent else _INCONSISTENT
    places = " ".join(board.place(int(cell)) for cell in move.cells)
    if move.risk == 0:
        return f"Safe: {places}\n"
    each = "Each of them is" if len(move.cells) > 1 else "It is"
    return (
        f"No cell is certainly safe. The least risky to open: {places}\n"
        f"{each} a mine with probability {percentage(move.risk)}% ({fraction_text(move.risk)}).\n"
    )


def next_picture(board: Minesweeper, answer: Deduction, value: str) -> str:
    """The board with its answer; the cells to open next are marked."""
    from puzzles.minesweeper.picture import picture

    cells = [] if answer.next_move is None else answer.next_move.cells.tolist()
    headline = (
        next_text(board, answer, value)
        if len(cells) <= _MAX_NAMED
        else f"{len(cells)} cells to open are marked."
    )
    return picture(board, answer, marked=cells, headline=headline if answer.consistent else "")


_MAX_NAMED = 8
"""Cells to open up to which a picture's headline names them."""


def next_fields(board: Minesweeper, answer: Deduction, value: str) -> dict[str, object]:
    """`next`: the cells to open, as [row, column] from 1, and the probability of a mine; null if no
    move is known.
    """
    move = answer.next_move
    return {
        "next": move
        and {"cells": coordinates(move.cells, board.columns), "risk": fraction_text(move.risk)}
    }


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


def why_text(board: Minesweeper, answer: Deduction, value: str) -> str:
    """One sentence, and the board with only the clues that it names."""
    return explanation_of(board, answer, value).text()


def why_fields(board: Minesweeper, answer: Deduction, value: str) -> dict[str, object]:
    """`why`: the cell, whether it is a mine, the clues, whether the number of mines is needed,
    whether no fewer do; the steps.
    """
    explanation = explanation_of(board, answer, value)
    core = explanation.core
    return {
        "why": {
            "cell": next(iter(coordinates(core.cells, board.columns)), None),
            "mine": explanation.mine if core.cells else None,
            "clues": coordinates(core.clues, board.columns),
            "count": core.counted,
            "fewest": core.fewest,
            "steps": [step.fields(board.columns) for step in explanation.steps()],
        }
    }


def why_picture(board: Minesweeper, answer: Deduction, value: str) -> str:
    """The board with its answer; the cell and the clues that force it are marked."""
    from puzzles.minesweeper.picture import picture

    return picture(board, answer, explanation_of(board, answer, value))


REQUESTS = (
    Request(
        "probabilities",
        "how likely each covered cell is a mine, in percent",
        {"probabilities": True},
        probabilities_text,
        no_fields,
        in_json=True,
    ),
    Request(
        "next",
        "every safe cell, or else the safest",
        {"probabilities": True},
        next_text,
        next_fields,
        picture=next_picture,
    ),
    Request(
        "why",
        "the fewest clues that force a cell; the number of mines helps only where the clues do "
        "not suffice",
        {"certify": True},
        why_text,
        why_fields,
        "ROW,COL",
        picture=why_picture,
    ),
)
