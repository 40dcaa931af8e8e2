"""A minesweeper board as SVG, and cell by cell in words: what an answer claims of its covered
cells, and why.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial

from puzzles.minesweeper.board import NUMBER, Deduction, Minesweeper
from puzzles.minesweeper.chances import percentage
from puzzles.minesweeper.explain import Explanation, contradiction_text
from puzzles.pictures import BoardPicture, disc, frame, label, square, stroke

_COLOURS = {"1": "var(--cool)", "2": "var(--good)", "3": "var(--bad)"}

_MAX_LABELS = 2500
"""Cells of a board up to which the heat map shows percentages."""


def picture(
    board: Minesweeper,
    answer: Deduction | None = None,
    explanation: Explanation | None = None,
    marked: Sequence[int] = (),
    headline: str = "",
) -> str:
    """The board: covered cells are grey, mines have spikes, safe cells are rings; given ones have a
    frame.

    An answer adds the cells that it decides. If its layouts were counted, a heat map shows
    undecided cells the redder the likelier they are mines. If the board is inconsistent, the clues
    of the core are framed. An explanation marks its clues and its cell; `marked` are flat indices
    of further cells to point out, and the headline should say what they are.
    """
    solution = answer if answer is not None and answer.consistent else None
    shown = board if solution is None else solution.board
    chances = None if answer is None else answer.chances
    core = None if answer is None else answer.contradiction
    if explanation is not None:
        core, headline = explanation.core, str(explanation)
    elif answer is not None and solution is None:
        headline = headline or contradiction_text(board, core)
    cell_asked = None if explanation is None else explanation.core.cell
    covered = "covered"
    if solution is not None:
        covered = "covered: undecided" if solution.complete else "covered: nothing is claimed"
    drawing = BoardPicture(shown.rows, shown.columns)
    for clue in () if core is None else core.clues:
        drawing.add(
            clue,
            _clue,
            "clue of the contradiction" if cell_asked is None else "clue that forces it",
        )
    for cell, (given, kind) in enumerate(zip(board.kinds, shown.kinds, strict=True)):
        if kind == "#" and chances is not None:
            _draw_chance(drawing, cell, chances.of(cell))
        elif kind == "#":
            drawing.add(cell, _covered_tile, covered)
        elif kind in "XO":
            drawing.add(cell, _covered_tile)
            drawing.add(
                cell, *((_mine, "certainly a mine") if kind == "X" else (_safe, "certainly safe"))
            )
            if given == kind and (solution is None or solution.board is not board):
                drawing.add(cell, _given_tile, "given as certain")
        elif kind != ".":
            drawing.add(cell, partial(label, text=kind, fill=_COLOURS.get(kind, "var(--ink)")))
    if cell_asked is not None:
        drawing.add(cell_asked, _mark, "the cell in question")
    for cell in marked:
        drawing.add(cell, _mark, "the cell to open" if len(marked) == 1 else "the cells to open")
    verdict = "" if answer is None or solution is not None else ": inconsistent"
    return drawing.svg(f"minesweeper {shown.rows}x{shown.columns}{verdict}", headline)


def _draw_chance(drawing: BoardPicture, cell: int, chance: Fraction | None) -> None:
    """An undecided cell, the redder the likelier it is a mine; with the percentage on small
    boards.
    """
    drawing.legend.setdefault("undecided: how likely a mine, in percent", _tint(0, 0, 0.5))
    if chance is None:
        return
    drawing.add(cell, partial(_tint, chance=float(chance)))
    if drawing.rows * drawing.columns <= _MAX_LABELS:
        drawing.add(cell, partial(_percentage, text=percentage(chance)))


def _clue(row: int, column: int) -> str:
    return square(row, column, "var(--light)", 0.35) + frame(row, column, "var(--light)")


def _mark(row: int, column: int) -> str:
    return frame(row, column, "var(--ink)") + frame(row, column, "var(--paper)", dashed=True)


def _given_tile(row: int, column: int) -> str:
    return frame(row, column, "var(--soft)", dashed=True)


def _covered_tile(row: int, column: int) -> str:
    """A tile with an outline, which tells it from an opened cell without a clue."""
    return (
        f'<rect x="{column + 0.06:g}" y="{row + 0.06:g}" width=".88" height=".88" '
        'fill="var(--wall)" fill-opacity=".3" '
        'stroke="var(--wall)" stroke-width=".05"/>'
    )


def _mine(row: int, column: int) -> str:
    y, x = row + 0.5, column + 0.5
    spikes = "".join(
        stroke([(y - a, x - b), (y + a, x + b)], "var(--bad)", 0.09)
        for a, b in ((0, 0.38), (0.38, 0), (0.27, 0.27), (0.27, -0.27))
    )
    return disc(row, column, "var(--bad)", 0.25) + spikes


def _safe(row: int, column: int) -> str:
    return (
        f'<circle cx="{column + 0.5}" cy="{row + 0.5}" r=".24" fill="none" stroke="var(--good)" '
        'stroke-width=".11"/>'
    )


def extra_pictures(board: Minesweeper, answer: Deduction) -> Iterator[tuple[str, str]]:
    """The heat map, and why one of the certain cells is certain, with its clues marked."""
    if answer.chances is not None:
        yield "how likely each covered cell is a mine, in percent", picture(board, answer)
    cores = () if answer.certificate is None else answer.certificate.cores
    for core in cores[:1]:
        explanation = answer.why(core.cell)
        yield str(explanation), picture(board, answer, explanation)


def _tint(row: int, column: int, chance: float) -> str:
    return square(row, column, "var(--wall)", 0.2) + square(
        row, column, "var(--bad)", round(0.1 + 0.8 * chance, 3)
    )


def _percentage(row: int, column: int, text: str) -> str:
    scaled = 0.6
    at = f"translate({column + (1 - scaled) / 2:g} {row + (1 - scaled) / 2:g}) scale({scaled})"
    return f'<g transform="{at}">{label(0, 0, text)}</g>'


def cell_words(board: Minesweeper, answer: Deduction) -> Iterator[str]:
    """What the answer says of each cell, in row-major order."""
    contradictory = () if answer.contradiction is None else answer.contradiction.clues
    shown = answer.board if answer.consistent else board
    covered = (
        "covered"
        if not answer.consistent
        else "undecided"
        if answer.complete
        else "covered, nothing is claimed"
    )
    for cell, (given, kind) in enumerate(zip(board.kinds, shown.kinds, strict=True)):
        clue = NUMBER.get(kind)
        if clue is not None:
            yield (
                f"clue {clue}, one of those that contradict one another"
                if cell in contradictory
                else f"clue {clue}"
            )
        elif kind in "XO":
            yield (
                f"{'given as' if given == kind else 'certainly'} "
                f"{'a mine' if kind == 'X' else 'safe'}"
            )
        else:
            chance = None if answer.chances is None else answer.chances.of(cell)
            yield covered if chance is None else f"undecided, a mine in {percentage(chance)}%"
