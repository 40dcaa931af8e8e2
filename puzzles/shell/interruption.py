"""Ctrl-C, SIGTERM and SIGHUP, from the first import of a command to the end of its process.

- **While a command is imported**, `end_at_once`: one word and exit status 130, in place of a
  traceback of the imports. Nothing comes before this module when `python -m direct` or `python -m
  models` begins, and `compare.start` reads it from its file, so it imports next to nothing.
- **While a command of `compare` runs**, `Handled`: they raise KeyboardInterrupt, so that it ends
  its workers and says what it has found. The page lets its server end instead.
- **While `python -m models` runs**, `end_by_system`: C++ could not heed a handler of Python's. Only
  while it waits for a program is there one, which ends the program first.
- **Children** ignore Ctrl-C or have the system's own action; whoever started them ends them.
- **At the end**, `leave`: nothing changes the exit status any more.

A signal that the caller ignores, as a shell does for a command in the background, stays ignored.
"""

from __future__ import annotations

import os
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` takes some milliseconds to import
    from collections.abc import Callable, Iterable
    from types import FrameType

    Handler = Callable[[int, FrameType | None], object]

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Ctrl-C, a request to end, and the end of the terminal."""

INTERRUPTED = 130
"""The exit status of a command that the user has interrupted."""

INTERRUPTED_WORD = "interrupted"
"""What such a command says on standard error."""

_SIDES = ("direct", "models")


def side_begins() -> bool:
    """Whether this process is `python -m direct` or `python -m models`, and Python still looks for
    its main module.
    """
    words = sys.orig_argv
    after = words[words.index("-m") + 1 :] if "-m" in words else []
    return sys.argv[:1] == ["-m"] and after[:1] in [[name] for name in _SIDES]


def end_at_once(*numbers: int) -> None:
    """From now on these signals end this process with one word, unless they are ignored or have
    another handler than Python's own.
    """
    for number in numbers:
        if signal.getsignal(number) in (signal.default_int_handler, signal.SIG_DFL):
            signal.signal(number, _end)


def _end(number: int, frame: object) -> None:
    try:
        os.write(2, f"{INTERRUPTED_WORD}\n".encode())
    finally:
        os._exit(INTERRUPTED)


def end_by_system() -> None:
    """From now on these signals end this process as the system does it, even inside C++."""
    for number in heeded_signals():
        signal.signal(number, signal.SIG_DFL)


def heeded_signals() -> list[signal.Signals]:
    """The signals that this process does not ignore."""
    return [number for number in SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]


class Handled:
    """Within, a handler is called for signals; afterwards they are handled as before."""

    def __init__(self, handler: Handler, numbers: Iterable[int] | None = None) -> None:
        """`numbers`: by default `SIGNALS`, unless they are ignored."""
        self._handler = handler
        self._numbers = heeded_signals() if numbers is None else numbers

    def __enter__(self) -> None:
        self._before = {number: signal.signal(number, self._handler) for number in self._numbers}

    def __exit__(self, *raised: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)


def forget_interrupt() -> None:
    """Say that an interrupt is handed on to a program that may catch it and go on.

    If it has passed through `exec` of a text, which loading a module may call, Python would end by
    SIGINT later, unless another text passes through `exec` without one.
    """
    exec("")  # noqa: S102 - an empty text


def leave(status: int) -> int:
    """The exit status with which this process ends now, after its command: Ctrl-C no longer changes
    it.

    An interrupted process is ended here: Python might end it by SIGINT, see `forget_interrupt`.
    """
    from contextlib import suppress  # late: it takes some milliseconds to import

    if status == INTERRUPTED:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        os._exit(status)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return status


if side_begins():
    end_at_once(signal.SIGINT)
