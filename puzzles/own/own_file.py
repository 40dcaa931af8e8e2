"""The file of a puzzle of one's own: its path and its text, which travels to every process that needs the puzzle."""

from __future__ import annotations

import hashlib
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from puzzles.text import UserError

SUFFIX = ".py"

_NO_NAME = re.compile(r"\W", re.ASCII)


class OwnFile(NamedTuple):
    """A file that holds a puzzle.

    Attributes:
        argument: its path as the user wrote it.
        path: its absolute path. On another machine no such file need be there.
        text: what it holds.
    """

    argument: str
    path: str
    text: str

    @property
    def module(self) -> str:
        """The name under which every process imports it, so that its instances can travel; another text has another name."""
        digest = hashlib.sha256(f"{self.path}\n{self.text}".encode(errors="surrogatepass")).hexdigest()
        return f"own_puzzle_{_NO_NAME.sub('_', Path(self.path).stem)}_{digest[:12]}"


def is_path(puzzle: str) -> bool:
    """Whether a PUZZLE argument is a path, and not a name."""
    return puzzle.endswith(SUFFIX) or os.sep in puzzle or "/" in puzzle


def read(argument: str) -> OwnFile:
    """The file at this path.

    Raises:
        UserError: it cannot be read, or is no Python file.
    """
    path = Path(argument)
    if path.suffix != SUFFIX or path.is_dir():
        raise UserError(f"{argument}: a puzzle of your own is a Python file: name a file that ends in {SUFFIX}")
    try:
        return OwnFile(argument, str(path.absolute()), path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:  # ValueError: no UTF-8, or a name with a null character
        raise UserError(f"{argument}: {getattr(error, 'strerror', None) or error}") from None


def hint(name: str) -> str:
    """What to add to the message that there is no puzzle of this name: how a file is named, perhaps one of this folder."""
    beside = Path(f"{name}{SUFFIX}")
    with suppress(OSError, ValueError):
        if beside.is_file():
            return f"; a file of your own by its path: ./{beside}"
    return "; a file of your own by its path: ./NAME.py"
