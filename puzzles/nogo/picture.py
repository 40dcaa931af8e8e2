"""A nogo board as SVG, with the final position of a game; on small boards the moves are
numbered.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from puzzles.nogo.board import BLACK, EMPTY, WHITE, Game, NoGo
from puzzles.pictures import BoardPicture, disc
from puzzles.text import count_noun

_STONES = {BLACK: ("#24292f", "#ffffff"), WHITE: ("#ffffff", "#24292f")}
"""The fill of each colour's stones, and of the numbers on them.

Stones are black or white on any page; a ring of the ink's colour sets them off from the paper.
"""

_NAMES = {BLACK: "black", WHITE: "white"}
"""The colours in the order in which they move."""

_MAX_NUMBERED = 400


def picture(board: NoGo, answer: Game | None = None) -> str:
    """The start position.

    A game adds its stones, a little smaller, and on boards of up to 400 cells their numbers.
    """
    drawing = BoardPicture(board.rows, board.columns)
    start = board.grid.ravel().tolist()
    for colour, name in _NAMES.items():
        if colour in start:
            drawing.legend[f"{name}, on the board from the start"] = _stone(0, 0, colour)
    for cell, colour in enumerate(start):
        if colour in _NAMES:
            drawing.add(cell, partial(_stone, colour=colour))
    title = f"nogo {board.rows}x{board.columns}"
    if answer is None:
        return drawing.svg(title)
    colour = EMPTY
    for number, cell in enumerate(answer.moves.tolist(), 1):
        colour = _mover(number)
        if number <= len(_NAMES):
            drawing.legend[f"{_NAMES[colour]}'s move, by number"] = _move(0, 0, number, True)
        drawing.add(cell, partial(_move, number=number, numbered=board.cells <= _MAX_NUMBERED))
    last = f", the last by {_NAMES[colour]}" if colour in _NAMES else ""
    moves = count_noun(len(answer.moves), "move")
    return drawing.svg(f"{title}: {moves}", f"A game of {moves}{last}.")


def _mover(number: int) -> int:
    """The colour of the move of this number, counted from 1."""
    return BLACK if number % 2 else WHITE


def _stone(row: int, column: int, colour: int, radius: float = 0.45) -> str:
    return disc(row, column, _STONES[colour][0], radius, "var(--ink)")


def _move(row: int, column: int, number: int, numbered: bool) -> str:
    """A smaller stone, with the number of its move."""
    colour = _mover(number)
    stone = _stone(row, column, colour, 0.38)
    size = 0.45 if number < 10 else 0.38 if number < 100 else 0.3
    style = f"fill:{_STONES[colour][1]};font-size:{size}px"
    return (
        f'{stone}<text x="{column + 0.5}" y="{row + 0.5}" style="{style}">{number}</text>'
        if numbered
        else stone
    )


def cell_words(board: NoGo, answer: Game) -> Iterator[str]:
    """What the game leaves at each point, in row-major order."""
    played = {cell: number for number, cell in enumerate(answer.moves.tolist(), 1)}
    for cell, symbol in enumerate("".join(board.lines())):
        number = played.get(cell)
        if number is None:
            yield NoGo.meanings[symbol]
        else:
            yield f"{_NAMES[_mover(number)]}, move {number}"
