"""A minesweeper board as SVG, and cell by cell in words: what an answer claims of its covered cells, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from puzzles.minesweeper.board import Deduction, Minesweeper
from puzzles.minesweeper.chances import Chances, percentage
from puzzles.minesweeper.explain import Explanation, contradiction_text
from puzzles.minesweeper.refuter import number
from puzzles.pictures import LegendEntry, disc, drawing, frame, label, square, stroke

_CLUE = {"1": "var(--cool)", "2": "var(--good)", "3": "var(--bad)"}

_MAX_LABELS = 2500
"""Cells of a board up to which the heat map shows percentages."""


def picture(
    board: Minesweeper,
    answer: Deduction | None = None,
    explanation: Explanation | None = None,
    marked: Sequence[int] = (),
    headline: str = "",
) -> str:
    """The board: covered cells are grey, mines have spikes, safe cells are rings; given ones have a frame.

    An answer adds the cells that it decides. If its layouts were counted, a heat map shows undecided cells the redder the likelier
    they are mines. If the board is inconsistent, the clues of the core are framed. An explanation marks its clues and its cell;
    `marked` are flat indices of further cells to point out, and the headline should say what they are.
    """
    shown = answer.board if answer is not None and answer.consistent else board
    signs: dict[str, str] = {}
    shapes: list[str] = []

    def add(meaning: str, draw: Callable[[int, int], str], cell: int) -> None:
        shapes.append(draw(*divmod(cell, board.columns)))
        signs.setdefault(meaning, draw(0, 0))

    core = None if answer is None else answer.contradiction
    if explanation is not None:
        core, headline = explanation.core, str(explanation)
    elif answer is not None and not answer.consistent:
        headline = headline or contradiction_text(board, core)
    cell_asked = None if explanation is None else explanation.core.cell
    for clue in () if core is None else core.clues:
        add("clue of the contradiction" if cell_asked is None else "clue that forces it", _clue, clue)
    chances = None if answer is None else answer.chances
    for cell, (given, kind) in enumerate(zip(board.kinds, shown.kinds, strict=True)):
        if kind == "#" and chances is not None:
            shapes.extend(_heat(chances, *divmod(cell, board.columns), board))
            signs.setdefault("undecided: how likely a mine, in percent", _tint(0, 0, 0.5))
        elif kind in "#XO":
            shapes.append(_covered(*divmod(cell, board.columns)))
        if kind == "#" and chances is None:
            signs.setdefault("covered" if answer is None or not answer.consistent else _UNDECIDED[answer.complete], _covered(0, 0))
        elif kind in "XO":
            add("certainly a mine" if kind == "X" else "certainly safe", _mine if kind == "X" else _safe, cell)
            if given == kind and (answer is None or answer.board is not board or not answer.consistent):
                add("given as certain", _given, cell)
        elif kind not in "#.":
            shapes.append(label(*divmod(cell, board.columns), kind, _CLUE.get(kind, "var(--ink)")))
    if cell_asked is not None:
        add("the cell in question", _mark, cell_asked)
    for cell in marked:
        add("the cell to open" if len(marked) == 1 else "the cells to open", _mark, cell)
    verdict = "" if answer is None or answer.consistent else ": inconsistent"
    legend = [LegendEntry(sign, meaning) for meaning, sign in signs.items()]
    title = f"minesweeper {shown.rows}x{shown.columns}{verdict}"
    return drawing(shown.rows, shown.columns, shapes, title, headline=headline, legend=legend)


_UNDECIDED = {True: "covered: undecided", False: "covered: nothing is claimed"}
"""What a covered cell of a complete answer means, and of another."""


def _clue(row: int, column: int) -> str:
    return square(row, column, "var(--light)", 0.35) + frame(row, column, "var(--light)")


def _mark(row: int, column: int) -> str:
    return frame(row, column, "var(--ink)") + frame(row, column, "var(--paper)", dashed=True)


def _given(row: int, column: int) -> str:
    return frame(row, column, "var(--soft)", dashed=True)


def _covered(row: int, column: int) -> str:
    """A tile with an outline, which tells it from an opened cell without a clue."""
    return (
        f'<rect x="{column + 0.06:g}" y="{row + 0.06:g}" width=".88" height=".88" fill="var(--wall)" fill-opacity=".3" '
        'stroke="var(--wall)" stroke-width=".05"/>'
    )


def _mine(row: int, column: int) -> str:
    y, x = row + 0.5, column + 0.5
    spikes = "".join(
        stroke([(y - a, x - b), (y + a, x + b)], "var(--bad)", 0.09) for a, b in ((0, 0.38), (0.38, 0), (0.27, 0.27), (0.27, -0.27))
    )
    return disc(row, column, "var(--bad)", 0.25) + spikes


def _safe(row: int, column: int) -> str:
    return f'<circle cx="{column + 0.5}" cy="{row + 0.5}" r=".24" fill="none" stroke="var(--good)" stroke-width=".11"/>'


def extra_pictures(board: Minesweeper, answer: Deduction) -> Iterator[tuple[str, str]]:
    """The heat map, and why one of the certain cells is certain, with its clues marked."""
    if answer.chances is not None:
        yield "how likely each covered cell is a mine, in percent", picture(board, answer)
    for core in answer.smallest_cores[:1]:
        explanation = answer.why(core.cell)
        yield str(explanation), picture(board, answer, explanation)


def _tint(row: int, column: int, chance: float) -> str:
    return square(row, column, "var(--wall)", 0.2) + square(row, column, "var(--bad)", round(0.1 + 0.8 * chance, 3))


def _heat(chances: Chances, row: int, column: int, board: Minesweeper) -> Iterator[str]:
    """An undecided cell, the redder the likelier it is a mine; with the percentage on small boards."""
    chance = chances.of(row * board.columns + column)
    if chance is None:
        return
    yield _tint(row, column, float(chance))
    if board.cells <= _MAX_LABELS:
        scaled = 0.6
        at = f"translate({column + (1 - scaled) / 2:g} {row + (1 - scaled) / 2:g}) scale({scaled})"
        yield f'<g transform="{at}">{label(0, 0, percentage(chance))}</g>'


def cell_words(board: Minesweeper, answer: Deduction) -> Iterator[str]:
    """What the answer says of each cell, in row-major order."""
    contradictory = () if answer.contradiction is None else answer.contradiction.clues
    shown = answer.board if answer.consistent else board
    covered = "covered" if not answer.consistent else "undecided" if answer.complete else "covered, nothing is claimed"
    for cell, (given, kind) in enumerate(zip(board.kinds, shown.kinds, strict=True)):
        clue = number(kind)
        if clue is not None:
            yield f"clue {clue}, one of those that contradict one another" if cell in contradictory else f"clue {clue}"
        elif kind in "XO":
            yield f"{'given as' if given == kind else 'certainly'} {'a mine' if kind == 'X' else 'safe'}"
        else:
            chance = None if answer.chances is None else answer.chances.of(cell)
            yield covered if chance is None else f"undecided, a mine in {percentage(chance)}%"
