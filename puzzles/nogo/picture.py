"""A nogo board as SVG, with the final position of a game; on small boards the moves are numbered."""

from __future__ import annotations

from collections.abc import Iterator

from puzzles.nogo.board import BLACK, WHITE, Game, NoGo
from puzzles.pictures import LegendEntry, disc, drawing
from puzzles.text import counted

_STONES = {BLACK: ("#24292f", "#ffffff"), WHITE: ("#ffffff", "#24292f")}
"""The fill of each colour's stones, and of the numbers on them. Stones are black or white on any page."""

_NAMES = {BLACK: "black", WHITE: "white"}
"""The colours in the order in which they move."""

_MAX_NUMBERED = 400


def picture(board: NoGo, answer: Game | None = None) -> str:
    """The start position. A game adds its stones, a little smaller, and on boards of up to 400 cells their numbers."""
    shapes = [
        _stone(cell // board.columns, cell % board.columns, colour)
        for cell, colour in enumerate(board.grid.ravel().tolist())
        if colour in _STONES
    ]
    played = [] if answer is None else answer.moves.tolist()
    for number, cell in enumerate(played, 1):
        row, column = divmod(cell, board.columns)
        colour = BLACK if number % 2 else WHITE
        shapes.append(_stone(row, column, colour, 0.38))
        if board.cells <= _MAX_NUMBERED:
            shapes.append(_number(row, column, number, _STONES[colour][1]))
    start = set(board.grid.ravel().tolist())
    legend = [
        LegendEntry(_stone(0, 0, colour), f"{name}, on the board from the start")
        for colour, name in _NAMES.items()
        if colour in start
    ]
    headline = ""
    if answer is not None:
        moved = dict(list(_NAMES.items())[: len(played)])
        legend += [
            LegendEntry(_stone(0, 0, colour, 0.38) + _number(0, 0, number, _STONES[colour][1]), f"{name}'s move, by number")
            for number, (colour, name) in enumerate(moved.items(), 1)
        ]
        last = f", the last by {_NAMES[BLACK if len(played) % 2 else WHITE]}" if played else ""
        headline = f"A game of {counted(len(played), 'move')}{last}."
    title = f"nogo {board.rows}x{board.columns}" + ("" if answer is None else f": {counted(len(played), 'move')}")
    return drawing(board.rows, board.columns, shapes, title, headline=headline, legend=legend)


def _stone(row: int, column: int, colour: int, radius: float = 0.45) -> str:
    return disc(row, column, _STONES[colour][0], radius, "var(--wall)")


def _number(row: int, column: int, number: int, ink: str) -> str:
    size = 0.45 if number < 10 else 0.38 if number < 100 else 0.3
    return f'<text x="{column + 0.5}" y="{row + 0.5}" style="fill:{ink};font-size:{size}px">{number}</text>'


def cell_words(board: NoGo, answer: Game) -> Iterator[str]:
    """What the game leaves at each point, in row-major order."""
    played = {cell: number for number, cell in enumerate(answer.moves.tolist(), 1)}
    for cell, symbol in enumerate("".join(board.lines())):
        number = played.get(cell)
        if number is None:
            yield NoGo.meanings[symbol]
        else:
            yield f"{_NAMES[BLACK if number % 2 else WHITE]}, move {number}"
