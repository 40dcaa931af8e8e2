"""The reader's terminal: how long its lines are, and text that keeps to them."""

from __future__ import annotations

import shutil
import sys
import textwrap

_LEAST = 40
"""Characters of a line below which nothing is made to fit."""


def line_width(*, wide: bool = False) -> int | None:
    """The characters of a line of standard output; None if it is no terminal, or if lines may be of any length."""
    if wide or not sys.stdout.isatty():
        return None
    return max(_LEAST, shutil.get_terminal_size().columns)


def wrapped(line: str, width: int | None) -> str:
    """A line of prose, broken between words so that no part is longer than `width`; what follows the first part is indented."""
    if width is None or len(line) <= width:
        return line
    return textwrap.fill(line, width, subsequent_indent="    ", break_on_hyphens=False)


def widest(text: str) -> int:
    """The characters of the longest line."""
    return max(map(len, text.split("\n")))
