"""A limit on the time that a function of somebody's own may take in this process."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn


class TooLong(BaseException):
    """The time is over. It is no `Exception`, so that the code which it interrupts does not take it for one of its own."""


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raise `TooLong` in the code within once it has taken this long.

    Only the main thread of a process can be interrupted in this way. Elsewhere, and in the middle of a C function, there is no
    limit.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(number: int, frame: FrameType | None) -> NoReturn:
        raise TooLong(f"it did not end within {seconds:g} s")

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
