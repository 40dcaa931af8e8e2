"""A process that was started, and what it has started in turn: what it prints, listing it, ending
it.
"""

from __future__ import annotations

import os
import selectors
import signal
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from typing import IO

_MAX_LOOKS = 1000
"""How often the children of a process are looked for before they are all killed; each look kills
those that it finds.
"""


def pipe_parts(*pipes: IO[bytes] | None) -> Iterator[tuple[int, bytes]]:
    """What comes out of pipes, until nobody can write to any of them: the number of a pipe, and the
    next part of its bytes.
    """
    with selectors.DefaultSelector() as open_pipes:
        for number, pipe in enumerate(pipes):
            assert pipe is not None
            open_pipes.register(pipe, selectors.EVENT_READ, number)
        while open_pipes.get_map():
            for key, _ in open_pipes.select():
                part = os.read(key.fd, 2**16)
                yield key.data, part
                if not part:
                    open_pipes.unregister(key.fileobj)


def read_system(path: str) -> bytes:
    """What a file of the system says, if that is short.

    A `Path` takes twice as long, for each run anew.
    """
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return os.read(descriptor, 2**16)
    finally:
        os.close(descriptor)


def children(pid: int) -> list[int]:
    """The children of a process, also those that have ended and were not waited for."""
    try:
        return [
            int(child)
            for task in os.listdir(f"/proc/{pid}/task")  # noqa: PTH208 - quicker
            for child in read_system(f"/proc/{pid}/task/{task}/children").split()
        ]
    except OSError:  # it has ended, or this is no Linux
        import psutil  # late: it takes some milliseconds

        with suppress(psutil.Error):
            return [child.pid for child in psutil.Process(pid).children()]
        return []


def descendants(pid: int) -> list[int]:
    """All descendants of a process, each behind its parent."""
    listed = children(pid)
    for each in listed:  # it grows meanwhile
        listed += children(each)
    return listed


def send(number: int, pids: Iterable[int]) -> None:
    """Send a signal to processes, as far as they exist."""
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def kill_descendants(pid: int, spare: Collection[int] = ()) -> set[int]:
    """Kill every descendant of a process, but for its children in `spare` and theirs; returns those
    that it has killed.

    All of them are stopped, twice, before the first is killed: one that is born while its parent is
    stopped may be missing in the first list, and without its parent it may be lost. One that is
    born while its parent dies may be missing, too, so two looks must show nothing new.
    """
    known: set[int] = set()
    without_news = looks = 0
    while without_news < 2 and looks < _MAX_LOOKS:
        new = {*_stop_descendants(pid, spare), *_stop_descendants(pid, spare)} - known
        send(signal.SIGKILL, new)
        known |= new
        looks += 1
        without_news = 0 if new else without_news + 1
    return known


def _stop_descendants(pid: int, spare: Collection[int]) -> list[int]:
    """Stop the descendants of a process, but for its children in `spare` and theirs; returns
    them.

    Each is stopped before its children are listed, so that it starts no more of them.
    """
    stopped = [child for child in children(pid) if child not in spare]
    for each in stopped:  # it grows meanwhile
        send(signal.SIGSTOP, [each])
        stopped += children(each)
    return stopped


def kill_tree(pid: int) -> set[int]:
    """Kill a process and all that it has started; returns what that was."""
    send(signal.SIGSTOP, [pid])
    killed = kill_descendants(pid)
    send(signal.SIGKILL, [pid])
    return killed
