"""What is wrong in a puzzle of one's own, as a message: the file, the line, what was expected, what to do."""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable
from inspect import unwrap
from typing import Any

from puzzles.own.own_file import OwnFile
from puzzles.text import UserError


class PuzzleFault(UserError):
    """A mistake in somebody's own puzzle; the message begins with its file and, where there is one, the line."""


def fault(file: OwnFile, place: str | None, message: str) -> PuzzleFault:
    """A fault at a place, such as `lights.py:12`, or of the puzzle as a whole."""
    return PuzzleFault(f"{place or file.argument}: {message}")


def raised(file: OwnFile, error: BaseException, doing: str) -> PuzzleFault:
    """The fault that an exception shows; `doing` says what raised it, as a clause in front of `raised`."""
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    if isinstance(error, SyntaxError) and error.filename in file.texts:
        at = f"{file.shown(error.filename)}:{error.lineno}:{error.offset}"
        return PuzzleFault(f"{at}: {type(error).__name__}: {error.msg}: mend that line")
    return fault(file, place_of_error(file, error), f"{doing} raised {what}: mend that line")


def place_of_error(file: OwnFile, error: BaseException) -> str | None:
    """The innermost line of the puzzle's files that took part in raising an exception."""
    paths = file.texts
    places = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename in paths]
    return f"{file.shown(places[-1].filename)}:{places[-1].lineno}" if places else None


def place_of(file: OwnFile, function: Callable[..., Any]) -> str | None:
    """The line where a function begins; None if it is defined elsewhere."""
    code = getattr(unwrap(function), "__code__", None)
    if code is None or code.co_filename not in file.texts:
        return None
    return f"{file.shown(code.co_filename)}:{code.co_firstlineno}"


def place_of_class(file: OwnFile, kind: type) -> str | None:
    """The line where a class is defined; None if it is defined elsewhere."""
    for path, text in file.texts.items():
        match = re.search(rf"^class {re.escape(kind.__name__)}\b", text, re.MULTILINE)
        if match is not None:
            lines_before = text.count("\n", 0, match.start())
            return f"{file.shown(path)}:{lines_before + 1}"
    return None
