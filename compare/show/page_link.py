"""Links to the page: a link holds the puzzle and the board, so that whoever follows it sees the board and both answers."""

from __future__ import annotations

from urllib.parse import quote

PORT = 4997
"""The port of the page unless another one is asked for."""

COMMAND = "python -m compare page"
"""What starts the page."""


def address(port: int = PORT) -> str:
    """Where the page is."""
    return f"http://127.0.0.1:{port}/"


def page_link(puzzle: str, text: str, port: int = PORT) -> str:
    """The link to a board. `text` is an input file of the puzzle that holds this board alone."""
    return f"{address(port)}#puzzle={quote(puzzle, safe='')}&board={quote(text, safe='')}"
