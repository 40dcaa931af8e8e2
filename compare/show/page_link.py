"""Links to the page: a link holds the puzzle and the board, so that whoever follows it sees the board and both answers."""

from __future__ import annotations

from collections.abc import Iterable
from shlex import join
from urllib.parse import quote

from puzzles.instance import Instance
from puzzles.puzzle import Puzzle

PORT = 4997
"""The port of the page unless another one is asked for."""

MOST_TEXT = 20_000
"""Characters of a board up to which there is a link to it."""


def address(port: int = PORT) -> str:
    """Where the page is."""
    return f"http://127.0.0.1:{port}/"


def page_link(puzzle: str, text: str, port: int = PORT) -> str:
    """The link to a board. `text` is an input file of the puzzle that holds this board alone."""
    return f"{address(port)}#puzzle={quote(puzzle, safe='')}&board={quote(text, safe='')}"


def board_link(puzzle: Puzzle, board: Instance) -> str:
    """The link to a board; empty if it is too large for a link, or if no input file can hold it."""
    try:
        text = puzzle.print_instances([board])
    except ValueError:
        return ""
    return page_link(puzzle.name, text) if len(text) <= MOST_TEXT else ""


def page_command(puzzles: Iterable[Puzzle]) -> str:
    """The command that starts the page for these puzzles."""
    return start_command(each.home.argument for each in puzzles if each.home.user_file is not None)


def start_command(own: Iterable[str], port: int = PORT) -> str:
    """The command that starts the page on this port. `own`: names or files of further puzzles."""
    port_words = [] if port == PORT else ["--port", str(port)]
    own_words = [word for argument in own for word in ("--puzzle", argument)]
    return join(["python", "-m", "compare", "page", *port_words, *own_words])
