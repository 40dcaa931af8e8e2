"""What the page takes and what it may use: sizes of boards and texts, seconds and memory of whatever runs."""

from __future__ import annotations

from compare.isolate.outcome import Limits
from puzzles.text import UserError

LARGEST = 100
"""Rows and columns of a board."""

MOST_CELLS = LARGEST**2
"""The largest size of an instance."""

MOST_TEXT = 200_000
"""Characters of a text."""

MOST_BODY = 2 * MOST_TEXT
"""Bytes of a request."""

MOST_CONTENDERS = 40
"""Contenders that one request may name."""

MOST_DIMACS = 50_000_000
"""Characters of a formula."""

MOST_SVG = 4_000_000
"""Characters of a picture."""

MEMORY = 2 * 2**30
"""Resident bytes of whatever runs."""

SOLVE = Limits(10.0, MEMORY)
"""What one contender may use on one board."""

READ = Limits(10.0, MEMORY)
"""What reading, drawing or generating a board may use."""


class RefusedRequest(UserError):
    """A request that the page does not carry out; the message is the sentence that the page shows.

    Attributes:
        place: line and column of the text at which it cannot be read, counted from 1; None if it is not about a text.
        cell: row and column of the board that this is, counted from 1; None if it is none.
    """

    def __init__(self, sentence: str, place: tuple[int, int] | None = None, cell: tuple[int, int] | None = None) -> None:
        super().__init__(sentence)
        self.place, self.cell = place, cell


def refuse_too_large(size: int, noun: str) -> None:
    """Raise `RefusedRequest` if an instance is larger than the page takes. `noun`: see `Puzzle`."""
    if size > MOST_CELLS:
        what = f"{size:,} cells" if noun == "board" else f"size {size:,}"
        raise RefusedRequest(
            f"this {noun} has {what}, and the page takes at most {MOST_CELLS:,}: solve it with `python -m compare run`"
        )
