"""A guard over the program that is under way: a shell that kills the program once this process has ended, for any reason.

The shell reads from a pipe that only this process writes to, so the end of the file tells it that this process has ended. The
kernel could do the same (prctl(2), by way of setpriv), but that would start every program twice, which takes longer than many
a program.
"""

from __future__ import annotations

import os
import subprocess
from contextlib import suppress
from threading import get_native_id

_SCRIPT = 'group=0; while read -r next; do group=$next; done; [ "$group" = 0 ] || kill -s KILL -- "-$group"'

_guards: dict[tuple[int, int], tuple[int, int]] = {}
"""By process and thread (a fork has none yet): the process number of the guard, and the pipe to it."""


def guarded(group: int) -> None:
    """From now on the guard kills this process group when this process ends; 0 stands for no group."""
    here = os.getpid(), get_native_id()
    if here not in _guards:
        _guards[here] = _start()
    with suppress(OSError):
        os.write(_guards[here][1], b"%d\n" % group)


def guard() -> int | None:
    """The process number of the guard of this process, if there is one."""
    return _guards.get((os.getpid(), get_native_id()), (None,))[0]


def guards() -> set[int]:
    """The process numbers of all guards of this process."""
    return {pid for (owner, _), (pid, _) in _guards.items() if owner == os.getpid()}


def _start() -> tuple[int, int]:
    """Start a guard, in a session of its own, so that Ctrl-C does not reach it."""
    read_end, write_end = os.pipe()
    nowhere = subprocess.DEVNULL
    started = subprocess.Popen(["/bin/sh", "-c", _SCRIPT], stdin=read_end, stdout=nowhere, stderr=nowhere, start_new_session=True)
    started.returncode = 0  # nobody waits for it
    os.close(read_end)
    return started.pid, write_end
