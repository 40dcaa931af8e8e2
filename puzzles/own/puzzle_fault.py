"""What is wrong in the file of a puzzle of one's own, as a message: the file, the line, what was expected, what to do."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from inspect import unwrap
from typing import Any

from puzzles.own.own_file import OwnFile
from puzzles.text import UserError


class PuzzleFault(UserError):
    """A mistake in somebody's own puzzle; the message begins with its file and, where there is one, the line."""


def fault(file: OwnFile, line: int | None, message: str) -> PuzzleFault:
    """A fault at a line of the file, or of the file as a whole."""
    place = file.argument if line is None else f"{file.argument}:{line}"
    return PuzzleFault(f"{place}: {message}")


def raised(file: OwnFile, error: BaseException, doing: str) -> PuzzleFault:
    """The fault that an exception shows; `doing` says what raised it, as a clause in front of `raised`."""
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    if isinstance(error, SyntaxError) and error.filename == file.path:
        return PuzzleFault(f"{file.argument}:{error.lineno}:{error.offset}: {type(error).__name__}: {error.msg}: mend that line")
    return fault(file, line_of_error(file, error), f"{doing} raised {what}: mend that line")


def line_of_error(file: OwnFile, error: BaseException) -> int | None:
    """The innermost line of the file that took part in raising an exception."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file.path]
    return lines[-1] if lines else None


def line_of(file: OwnFile, function: Callable[..., Any]) -> int | None:
    """The line of the file where a function begins; None if it is defined elsewhere."""
    code = getattr(unwrap(function), "__code__", None)
    return code.co_firstlineno if code is not None and code.co_filename == file.path else None
