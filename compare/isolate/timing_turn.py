"""One run is timed at a time: the workers of a comparison take turns.

The turn is a lock of a file that the processes share (fcntl(2), F_SETLKW). It belongs to one process. Forks do not inherit it, and
it is free again as soon as its owner ends, however it ends. Certificates and checks need no turn. Loading packages and kernels
does, since it takes all of the memory's speed; but workers may load side by side.
"""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager

from compare.isolate.silence import may_be_silent

_WAIT_S = 86_400.0
"""Seconds that a worker may be silent while it waits: others have the turn, and they are watched themselves."""

_file: int | None = None
_ours = False


def share(file: int) -> None:
    """From now on this process, and its forks, take turns with all others that share this open file (a descriptor)."""
    global _file
    _file = file


def take_turn() -> None:
    """Wait until no other process has the turn or loads; nothing to wait for if no turn is shared."""
    global _ours
    if _file is not None and not _ours:
        _wait_for(_file, fcntl.LOCK_EX)
        _ours = True


def end_turn() -> None:
    """Let the next one begin, if this process has the turn."""
    global _ours
    if _file is not None and _ours:
        _ours = False
        fcntl.lockf(_file, fcntl.LOCK_UN)


@contextmanager
def while_nobody_is_timed() -> Iterator[None]:
    """Wait until no other process has the turn, and let none have it meanwhile. Several processes may do so at once."""
    if _file is None or _ours:
        yield
        return
    _wait_for(_file, fcntl.LOCK_SH)
    try:
        yield
    finally:
        fcntl.lockf(_file, fcntl.LOCK_UN)


def _wait_for(file: int, lock: int) -> None:
    try:
        fcntl.lockf(file, lock | fcntl.LOCK_NB)
    except OSError:  # others have it
        may_be_silent(_WAIT_S)
        fcntl.lockf(file, lock)
        may_be_silent(None)
