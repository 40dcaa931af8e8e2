"""Ctrl-C while a command line is still being imported: one word and exit status 130, in place of a
traceback of the imports.

Nothing comes before this module when `python -m direct` or `python -m models` begins, so it imports
next to nothing.
"""

from __future__ import annotations

import os
import signal
import sys

COMMANDS = ("direct", "models")


def command_begins() -> bool:
    """Whether this process is `python -m direct` or `python -m models`, and Python still looks for
    its main module.
    """
    words = sys.orig_argv
    after = words[words.index("-m") + 1 :] if "-m" in words else []
    return sys.argv[:1] == ["-m"] and after[:1] in [[name] for name in COMMANDS]


def end_at_once() -> None:
    """From now on Ctrl-C ends this process at once, unless it is ignored or has another handler
    than Python's own.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)


def _end(number: int, frame: object) -> None:
    try:
        os.write(2, b"interrupted\n")
    finally:
        os._exit(130)


if command_begins():
    end_at_once()
