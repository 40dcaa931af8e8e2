"""How a worker agrees with whoever watches it, and with other workers: runs can be stopped, silence is announced, turns are taken.

**Stopping**: a signal asks for it, and whoever watches the run ends it. A worker that heeds the signal clears what was asked before
each of its calls. So a signal that comes too late stops nothing.

**Silence**: a worker announces how long it may be silent; a process that watches it takes it for stuck after that. A worker
enforces the limits of its runs. A program can stop its worker, for example with SIGSTOP, and then nobody enforces them. So the
worker announces each limit before it is in force. What no foreign code can stop needs no limit as close as
that: it is announced only if the worker may be silent for longer than whoever watches would wait anyway.

**Turns**: the workers of a comparison take turns to be timed. The turn is a lock of a file that the processes share (fcntl(2),
F_SETLKW). It belongs to one process. Forks do not inherit it, and it is free again as soon as its owner ends, however it ends.
Certificates and checks need no turn. Loading packages and kernels does, since it takes all of the memory's speed; but workers may
load side by side.
"""

from __future__ import annotations

import fcntl
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from time import monotonic
from types import FrameType

STOP_SIGNAL = signal.SIGUSR1
"""What the worker is sent."""

STOPPED = "stopped by request"
"""Why a run ended that was stopped."""

_asked = False


def heed_stop() -> None:
    """From now on this process heeds the signal; what was asked before is forgotten."""
    global _asked
    signal.signal(STOP_SIGNAL, _ask)
    _asked = False


def stop_asked() -> bool:
    """Whether the run that is under way shall end."""
    return _asked


def _ask(number: int, frame: FrameType | None) -> None:
    global _asked
    _asked = True


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


_WAIT_S = 86_400.0
"""Seconds that a worker may be silent while it waits: others have the turn, and they are watched themselves."""

_turn_file: int | None = None
_has_turn = False


def share_turn(file: int) -> None:
    """From now on this process, and its forks, take turns with all others that share this open file (a descriptor)."""
    global _turn_file
    _turn_file = file


def take_turn() -> None:
    """Wait until no other process has the turn or loads; nothing to wait for if no turn is shared."""
    global _has_turn
    if _turn_file is not None and not _has_turn:
        _wait_for(_turn_file, fcntl.LOCK_EX)
        _has_turn = True


def end_turn() -> None:
    """Let the next one begin, if this process has the turn."""
    global _has_turn
    if _turn_file is not None and _has_turn:
        _has_turn = False
        fcntl.lockf(_turn_file, fcntl.LOCK_UN)


@contextmanager
def while_nobody_is_timed() -> Iterator[None]:
    """Wait until no other process has the turn, and let none have it meanwhile. Several processes may do so at once."""
    if _turn_file is None or _has_turn:
        yield
        return
    _wait_for(_turn_file, fcntl.LOCK_SH)
    try:
        yield
    finally:
        fcntl.lockf(_turn_file, fcntl.LOCK_UN)


def _wait_for(file: int, lock: int) -> None:
    try:
        fcntl.lockf(file, lock | fcntl.LOCK_NB)
    except OSError:  # others have it
        may_be_silent(_WAIT_S)
        fcntl.lockf(file, lock)
        may_be_silent(None)
