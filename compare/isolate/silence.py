"""A worker announces how long it may be silent; a process that watches it takes it for stuck after that.

A worker enforces the limits of its runs. A program can stop its worker, for example with SIGSTOP, and then nobody enforces
them. So the worker announces each limit before it is in force.
"""

from __future__ import annotations

import os
from collections.abc import Callable

GRACE_S = 3.0
"""Seconds that a worker may take to notice that a limit is passed, and to kill what has passed it."""

_announce: tuple[int, Callable[[float | None], None]] | None = None


def announce_with(send: Callable[[float | None], None]) -> None:
    """From now on `may_be_silent` calls `send` in this process. A fork of it announces nothing."""
    global _announce
    _announce = os.getpid(), send


def may_be_silent(seconds: float | None) -> None:
    """Announce that a limit of `seconds` begins; None: no limit of a run is in force."""
    if _announce is not None and _announce[0] == os.getpid():
        _announce[1](None if seconds is None else seconds + GRACE_S)
