"""Text for people: lines that keep to the width of the terminal, and what messages call
instances.
"""

from __future__ import annotations

import re
import shutil
import sys
import textwrap
import unicodedata
from collections.abc import Iterable

import puzzles

_LEAST = 40
"""Characters of a line below which nothing is made to fit."""


def line_width(*, wide: bool = False) -> int | None:
    """The characters of a line of standard output; None if it is no terminal, or if lines may be of
    any length.
    """
    if wide or not sys.stdout.isatty():
        return None
    return max(_LEAST, shutil.get_terminal_size().columns)


def wrapped(line: str, width: int | None) -> str:
    """A line of prose, broken between words so that no part is longer than `width`; what follows
    the first part is indented.
    """
    if width is None or columns(line) <= width:
        return line
    parts = [""]
    for word in _WORDS.findall(line):
        for piece in (
            textwrap.wrap(word, width - len(_INDENT), drop_whitespace=False)
            if columns(word) > width // 2
            else [word]
        ):
            if columns((parts[-1] + piece).rstrip()) > width:
                parts.append(_INDENT)
            parts[-1] += piece if parts[-1].strip() or len(parts) == 1 else piece.lstrip()
    return "\n".join(part.rstrip() for part in parts)


def filled(page: str, width: int) -> str:
    """A page of Markdown with its paragraphs and the entries of its lists broken anew; blocks of
    code stay as they are.
    """
    lines: list[str] = []
    paragraph: list[str] = []
    code = False

    def end_paragraph() -> None:
        if paragraph:
            indent = "  " if paragraph[0].startswith("- ") else ""
            text = " ".join(line.strip() for line in paragraph)
            lines.extend(
                textwrap.wrap(text, width, subsequent_indent=indent, break_on_hyphens=False)
            )
            paragraph.clear()

    for line in page.splitlines():
        fence = line.startswith("```")
        if code or fence or not line or line.startswith(("- ", "#")):
            end_paragraph()
        if code or fence or not line or line.startswith("#"):
            lines.append(line)
        else:
            paragraph.append(line)
        code ^= fence
    end_paragraph()
    return "".join(f"{line}\n" for line in lines)


_INDENT = "    "

_WORDS = re.compile(r"[\u1100-\uffef]|\s*[^\s\u1100-\uffef]+|\s+")
"""Words with the blanks before them; each character of a script without blanks by itself."""


def columns(text: str) -> int:
    """How many columns of a terminal a line takes; a Chinese character takes two."""
    return (
        len(text)
        if text.isascii()
        else sum(1 + (unicodedata.east_asian_width(each) in "WF") for each in text)
    )


def widest(text: str) -> int:
    """The columns of the longest line."""
    return max(map(columns, text.split("\n")))


BOARD = "board"


def noun_of(names: Iterable[str]) -> str:
    """What the puzzles of these names call an instance:

    `board` if all of them say so, else `case`.
    """
    return BOARD if all(puzzles.get(name).noun == BOARD for name in names) else "case"


def size_noun(names: Iterable[str]) -> str:
    """What the size of an instance of these puzzles counts:

    `cells` if all instances are boards, else `size` says it all.
    """
    return "cells" if noun_of(names) == BOARD else "size"
