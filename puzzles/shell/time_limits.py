"""Limits of time inside this process: a call that may take some seconds, and a moment that is asked
for. What runs in another process is watched by whoever has started that.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from time import monotonic
from types import FrameType
from typing import NoReturn


class Interruption(BaseException):
    """Ends a call from outside. It is no `Exception`, so that the code which it interrupts does not
    take it for one of its own.
    """


class TooLong(Interruption):
    """The time is over."""


@contextmanager
def at_most(seconds: float, *, hard: bool = False) -> Iterator[Callable[[], None]]:
    """Raise `TooLong` in the code within once it has taken this long. It gets a function that lets
    the time begin anew: for many quick steps, of which each has these seconds, or 1% less.

    Only the main thread of a process can be interrupted in this way. Elsewhere, and in the middle
    of a C function, there is no limit.

    Args:
        hard: whether SIGALRM ends the process instead, also in the middle of a C function.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: None
        return

    def interrupt(number: int, frame: FrameType | None) -> NoReturn:
        raise TooLong(f"it did not end within {seconds:g} s")

    def begin_anew() -> None:
        nonlocal begun
        now = monotonic()
        if now - begun > seconds / 100:  # to ask the system takes longer than a quick step
            begun = now
            signal.setitimer(signal.ITIMER_REAL, seconds)

    begun = monotonic()
    handler = signal.signal(signal.SIGALRM, signal.SIG_DFL if hard else interrupt)
    left = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield begin_anew
    finally:
        signal.setitimer(signal.ITIMER_REAL, *left)
        signal.signal(signal.SIGALRM, handler)


class Deadline:
    """The moment at which something is to end."""

    def __init__(self, seconds: float | None = None) -> None:
        """`seconds`: from now on; None for any time."""
        self._end = inf if seconds is None else monotonic() + seconds

    @property
    def over(self) -> bool:
        """Whether the moment has come."""
        return monotonic() >= self._end

    @property
    def seconds_left(self) -> float:
        """The seconds that are left, infinitely many for any time."""
        return max(0.0, self._end - monotonic())
