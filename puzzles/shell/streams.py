"""What a command line reads and prints: closed streams, lacking characters, text that must not act
on a terminal.
"""

from __future__ import annotations

import codecs
import os
import re
import sys

_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)

_IN_ASCII = {"µ": "u", "∥": "||", "±": "+-", "·": "-", "×": "x"}


def visible(text: str) -> str:
    """The text with its control characters escaped, except the ends of lines and tabs; bytes that
    were no UTF-8 are escaped too.
    """
    return _CONTROL.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text)


def label_lines(label: str, text: str) -> str:
    """The text, visible, with a label before each line."""
    return "\n".join(visible(f"{label}: {line}") for line in text.split("\n"))


def printable(text: str) -> str:
    """The text as standard output shows it: visible, and with ASCII in place of what its encoding
    lacks.
    """
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return visible(text).encode(encoding, _replacement.__name__).decode(encoding)


def prepare() -> None:
    """Make the standard streams fit for use: none is closed, and none raises for a character.

    A closed standard error is replaced by nothing. Reading a closed standard input and writing to a
    closed standard output stay errors. Either way no file that is opened later takes the place of a
    standard stream.
    """
    for number, flags in ((0, os.O_WRONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, flags)  # takes the smallest number, which is this one
    if sys.stdin is None:
        sys.stdin = open(0)  # noqa: SIM115
    if sys.stdout is None:
        sys.stdout = open(1, "w")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(2, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors=_replacement.__name__)


def _replacement(error: UnicodeError) -> tuple[str, int]:
    """What stands for characters that an encoding lacks: a likeness in ASCII, else an escape."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(
        _IN_ASCII.get(c) or c.encode("unicode_escape").decode("ascii") for c in lacking
    ), error.end


codecs.register_error(_replacement.__name__, _replacement)
