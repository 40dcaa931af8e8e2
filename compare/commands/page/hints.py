"""What the page offers in the output of other commands: links to boards.

A link holds the puzzle and the board, so that whoever follows it sees the board and both answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import quote, urlencode

from compare.commands.arguments import EXTENDED, OWN_RECORDS, PLUGIN, PROGRAM, SOLVER
from compare.show.wording import command
from puzzles.instance import Instance
from puzzles.puzzle import Puzzle
from puzzles.shell.argument_parser import Argument, ArgumentParser, whole

MAX_PORT = 65535

PORT = Argument(
    "--port",
    "the port of the page, for links (default: %(default)s)",
    metavar="N",
    type=whole(1, MAX_PORT),
    default=4997,
)
"""Of commands that print links."""

MAX_LINK = 300
"""Characters of a link that is printed."""

MAX_LINKED_TEXT = 20_000
"""Characters of a board up to which there is a link to it."""


def arguments(parser: ArgumentParser) -> None:
    """The option of commands that print links."""
    parser.add(PORT)


def address(port: int | None = None) -> str:
    """Where the page is; without a port, where it is by default."""
    return f"http://127.0.0.1:{port or PORT.default}/"


class LinkedAnswer(NamedTuple):
    """An answer that a link holds beside its board. The page shows it, and what the check says of
    it.

    Attributes:
        giver: whose it is, such as the name of a program.
        text: as the contest prints it.
        format: in which it is printed; None for the puzzle's first.
    """

    giver: str
    text: str
    format: str | None = None


def fragment(puzzle: str, text: str, answer: LinkedAnswer | None = None) -> str:
    """A board, and perhaps an answer to it, as the page's address holds them behind its port; empty
    if they are too long.

    Args:
        text: an input file of the puzzle that holds this board alone.
    """
    if len(text) + (0 if answer is None else len(answer.text)) > MAX_LINKED_TEXT:
        return ""
    values = {"puzzle": puzzle, "board": text}
    if answer is not None:
        values |= {"by": answer.giver, "answer": answer.text}
        values |= {"format": answer.format} if answer.format is not None else {}
    return f"#{urlencode(values, safe='', quote_via=quote)}"


def page_link(
    puzzle: str, text: str, port: int | None = None, answer: LinkedAnswer | None = None
) -> str:
    """The link to a board; see `fragment`."""
    behind = fragment(puzzle, text, answer)
    return address(port) + behind if behind else ""


def board_link(
    puzzle: Puzzle, board: Instance, port: int | None = None, answer: LinkedAnswer | None = None
) -> str:
    """The link to a board; empty if it is too large for a link, or if no input file can hold it.

    See `page_link`.
    """
    try:
        return page_link(puzzle.name, puzzle.print_instances([board]), port, answer)
    except ValueError:
        return ""


def board_hint(
    puzzle: Puzzle, board: Instance, port: int | None, answer: LinkedAnswer | None
) -> str:
    """How to see a board and an answer to it in the browser; empty if the link is too long to be
    printed.
    """
    link = board_link(puzzle, board, port, answer)
    if not link or len(link) > MAX_LINK:
        return ""
    return f"see it: {page_command([puzzle], port)}, then {link}"


@dataclass(frozen=True)
class Additions:
    """What the user adds to the page when it is started, as the options of these names have it."""

    puzzles: Sequence[str] = ()
    programs: Sequence[str] = ()
    plugins: Sequence[str] = ()
    solvers: Sequence[str] = ()
    extended: bool = False


def page_command(puzzles: Iterable[Puzzle], port: int | None = None) -> str:
    """The command that starts the page for these puzzles."""
    own = [each.origin.argument for each in puzzles if each.origin.user_file is not None]
    return start_command(Additions(own), port)


def start_command(added: Additions, port: int | None = None) -> str:
    """The command that starts the page on this port."""
    return command(
        ["page"],
        {
            PORT.name: None if port == PORT.default else port,
            OWN_RECORDS.name: list(added.puzzles),
            PROGRAM.name: list(added.programs),
            PLUGIN.name: list(added.plugins),
            SOLVER.name: list(added.solvers),
            EXTENDED.name: added.extended,
        },
    )
