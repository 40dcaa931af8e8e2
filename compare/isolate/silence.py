"""A worker announces how long it may be silent; a process that watches it takes it for stuck after that.

A worker enforces the limits of its runs. A program can stop its worker, for example with SIGSTOP, and then nobody enforces
them. So the worker announces each limit before it is in force. What no foreign code can stop needs no limit as close as that: it is
announced only if the worker may be silent for longer than whoever watches would wait anyway.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from math import inf
from time import monotonic

GRACE_S = 3.0
"""Seconds that a worker may take to notice that a limit is passed, and to kill what has passed it."""

_announce: tuple[int, Callable[[float | None], None]] | None = None

_call_s = 0.0
"""How long the call that is under way may be silent when no limit of a run is in force."""

_patient_until = 0.0
"""Until when whoever watches waits, if nothing else is announced, on the clock of `monotonic`."""


def announce_with(send: Callable[[float | None], None]) -> None:
    """From now on `may_be_silent` calls `send` in this process. A fork of it announces nothing."""
    global _announce
    _announce = os.getpid(), send


def call_begins(seconds: float | None) -> None:
    """A call begins during which this process may be silent for `seconds` when no limit of a run is in force; None: any time."""
    global _call_s, _patient_until
    _call_s = inf if seconds is None else seconds
    _patient_until = monotonic() + _call_s


def may_be_silent(seconds: float | None) -> None:
    """Announce that a limit of `seconds` begins; None: no limit of a run is in force."""
    global _patient_until
    if _announce is not None and _announce[0] == os.getpid():
        _announce[1](None if seconds is None else seconds + GRACE_S)
        _patient_until = monotonic() + (_call_s if seconds is None else seconds + GRACE_S)


def is_silent_at_most(seconds: float) -> None:
    """As `may_be_silent`, for what no foreign code can stop: nothing is announced if whoever watches is as patient anyway.

    There need not be a word when the limit has ended, so time for what comes after is added.
    """
    if monotonic() + seconds + GRACE_S + _call_s / 4 > _patient_until:
        may_be_silent(seconds + _call_s)
