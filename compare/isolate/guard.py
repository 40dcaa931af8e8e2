"""A guard over the program that is under way: a shell that kills it once we have ended, however we did.

The shell reads from a pipe that only we can write to, so it learns of our end by the end of the file. To ask the kernel for
the same (prctl(2), by setpriv) costs each program a second start, which takes longer than many a program.
"""

from __future__ import annotations

import os
import subprocess
from contextlib import suppress
from threading import get_native_id

_SCRIPT = 'group=0; while read -r next; do group=$next; done; [ "$group" = 0 ] || kill -s KILL -- "-$group"'

_started: dict[tuple[int, int], tuple[int, int]] = {}
"""By process and thread (a fork has none yet): the guard's process, and the pipe to it."""


def guarded(group: int) -> None:
    """From now on this group of processes is to end with us; 0 for none."""
    here = os.getpid(), get_native_id()
    if here not in _started:
        _started[here] = _start()
    with suppress(OSError):
        os.write(_started[here][1], b"%d\n" % group)


def guard() -> int | None:
    """The process that is the guard here, if there is one."""
    return _started.get((os.getpid(), get_native_id()), (None,))[0]


def _start() -> tuple[int, int]:
    """In a session of its own it hears of no Ctrl-C."""
    read, write = os.pipe()
    nowhere = subprocess.DEVNULL
    started = subprocess.Popen(["/bin/sh", "-c", _SCRIPT], stdin=read, stdout=nowhere, stderr=nowhere, start_new_session=True)
    started.returncode = 0  # nobody waits for it
    os.close(read)
    return started.pid, write
