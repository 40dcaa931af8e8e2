"""A minesweeper board as SVG, with what an answer claims of its covered cells."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from puzzles.minesweeper.board import Certificate, Core, Deduction, Minesweeper, Reason
from puzzles.minesweeper.chances import Chances, percentage
from puzzles.pictures import LegendEntry, disc, drawing, frame, label, square, stroke
from puzzles.text import counted

_CLUE = {"1": "var(--cool)", "2": "var(--good)", "3": "var(--bad)"}

_MOST_LABELS = 2500
"""Cells of a board up to which the heat map shows percentages."""


def picture(
    board: Minesweeper,
    answer: Deduction | None = None,
    reason: Reason | None = None,
    marked: Sequence[int] = (),
    headline: str = "",
) -> str:
    """The board: covered cells are grey, mines have spikes, safe cells are rings; given ones have a frame.

    An answer adds the cells that it decides. If its layouts were counted, a heat map shows undecided cells the redder the likelier
    they are mines. If the board is inconsistent, the clues of the core are framed. A reason marks its clues and its cell; `marked`
    are flat indices of further cells to point out, and the headline should say what they are.
    """
    shown = answer.board if answer is not None and answer.consistent else board
    signs: dict[str, str] = {}
    shapes: list[str] = []

    def add(meaning: str, draw: Callable[[int, int], str], cell: int) -> None:
        shapes.append(draw(*divmod(cell, board.columns)))
        signs.setdefault(meaning, draw(0, 0))

    core = _core(answer)
    for clue in reason.clues if reason is not None else core.clues if core is not None else ():
        add("clue that forces it" if reason is not None and reason.cell is not None else "clue of the contradiction", _clue, clue)
    chances = None if answer is None else answer.chances
    for cell, (given, kind) in enumerate(zip("".join(board.lines()), "".join(shown.lines()), strict=True)):
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
    if reason is not None and reason.cell is not None:
        add("the cell in question", _mark, reason.cell)
    for cell in marked:
        add("the cell to open" if len(marked) == 1 else "the cells to open", _mark, cell)
    if reason is not None:
        headline = str(reason)
    elif answer is not None and not answer.consistent and not headline:
        headline = _contradiction(board, core)
    verdict = "" if answer is None else "" if answer.consistent else ": inconsistent"
    legend = [LegendEntry(sign, meaning) for meaning, sign in signs.items()]
    title = f"minesweeper {shown.rows}x{shown.columns}{verdict}"
    return drawing(shown.rows, shown.columns, shapes, title, headline=headline, legend=legend)


_UNDECIDED = {True: "covered: undecided", False: "covered: nothing is claimed"}
"""What a covered cell of a complete answer means, and of another."""


def _core(answer: Deduction | None) -> Core | None:
    """The contradictory clues of an inconsistent answer, if it is certified."""
    if answer is None or answer.consistent or not isinstance(answer.certificate, Certificate):
        return None
    return next(iter(answer.certificate.cores), None)


def _contradiction(board: Minesweeper, core: Core | None) -> str:
    if core is None:
        return "INCONSISTENT; no core says why."
    if core.counted and not core.clues:
        given, covered = (board.body().count(kind) for kind in "X#")
        cells = f"{counted(covered, 'covered cell')} and {counted(given, 'given mine')}"
        return f"INCONSISTENT, no layout fits: a board with {cells} cannot have {counted(board.mines or 0, 'mine')}."
    count = f"the number of mines ({board.mines})" if core.counted else ""
    clues = f"the {len(core.clues)} marked clues" if len(core.clues) > 1 else "the marked clue" if core.clues else ""
    holds = "contradict one another" if len(core.clues) + core.counted > 1 else "cannot hold"
    return f"INCONSISTENT, no layout fits: {' and '.join(filter(None, (clues, count)))} {holds}."


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
    for cause in answer.causes[:1]:
        reason = answer.why(cause.cell)
        yield str(reason), picture(board, answer, reason)


def _tint(row: int, column: int, chance: float) -> str:
    return square(row, column, "var(--wall)", 0.2) + square(row, column, "var(--bad)", round(0.1 + 0.8 * chance, 3))


def _heat(chances: Chances, row: int, column: int, board: Minesweeper) -> Iterator[str]:
    """An undecided cell, the redder the likelier it is a mine; with the percentage on small boards."""
    chance = chances.of(row * board.columns + column)
    if chance is None:
        return
    yield _tint(row, column, float(chance))
    if board.cells <= _MOST_LABELS:
        scaled = 0.6
        at = f"translate({column + (1 - scaled) / 2:g} {row + (1 - scaled) / 2:g}) scale({scaled})"
        yield f'<g transform="{at}">{label(0, 0, percentage(chance))}</g>'
