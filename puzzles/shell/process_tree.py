"""Processes. What one has started: what that prints, listing it, ending it. Processes of ours: how
large they are, who adopts what they leave behind, and how others are kept out of them.

On Linux a process of ours is the parent of whatever its descendants leave behind (prctl(2),
PR_SET_CHILD_SUBREAPER). So a program can leave its session and its parent, but not the tree. macOS
has no such thing: there a process that has left both goes on.
"""

from __future__ import annotations

import ctypes
import os
import select
import selectors
import signal
import sys
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from math import ceil
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


_DIE_WITH_PARENT, _ADOPT_ORPHANS = 1, 36  # options of prctl(2)

_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


def prctl(option: int, value: int) -> None:
    """Call prctl(2); does nothing on systems other than Linux."""
    if _LIBC is not None:
        _LIBC.prctl(option, value)


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def adopt_orphans() -> None:
    """From now on what the descendants of this process leave behind becomes its child, so that it
    can be found and killed.
    """
    prctl(_ADOPT_ORPHANS, 1)


def die_with_parent() -> None:
    """Have the system kill this process when the thread that started it ends."""
    prctl(_DIE_WITH_PARENT, signal.SIGKILL)


def resident_bytes(pids: Iterable[int]) -> int:
    """The resident bytes of some processes; those that have ended have none."""
    import psutil  # late: it takes some milliseconds

    total = 0
    for pid in pids:
        with suppress(psutil.Error):
            total += psutil.Process(pid).memory_info().rss
    return total


def command_line(pid: int) -> list[str]:
    """The words with which a process was started; empty if it has ended.

    A fork has those of its parent.
    """
    import psutil  # late: it takes some milliseconds

    with suppress(psutil.Error):
        return psutil.Process(pid).cmdline()
    return []


def kill_adopted(own: Collection[int]) -> None:
    """Kill what this process has adopted: its children in other sessions, but for its own; and wait
    for them.

    One of them can end by itself, and what it had started is then ours, too: so the children are
    listed until none is left.
    """
    while adopted := list(_adopted(own)):
        for pid in adopted:
            kill_tree(pid)
            with suppress(ChildProcessError):
                os.waitpid(pid, 0)


def _adopted(own: Collection[int]) -> Iterator[int]:
    for pid in children(os.getpid()):
        with suppress(ProcessLookupError):
            if pid not in own and os.getsid(pid) != os.getsid(0):
                yield pid


def ending(code: int) -> str:
    """How a process ended, by its exit status; that is minus the number of the signal that killed
    it: `killed by SIGABRT`, or `killed by signal 40`, a real-time signal without a name.
    """
    if code >= 0:
        return f"exit status {code}"
    try:
        return f"killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"killed by signal {-code}"


_MAX_MS = 2**31 - 1


def readable(descriptor: int, *, within: float) -> bool:
    """Whether this can be read, or is closed at its other end; waits for that up to `within`
    seconds.

    `multiprocessing` takes ten times as long to ask: it makes a selector for each question.
    """
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(min(ceil(1000 * within), _MAX_MS)))


_SET_DUMPABLE, _DROP_FROM_BOUND, _NO_NEW_PRIVILEGES = 4, 24, 38
"""Options of prctl(2)."""

_REACH_OTHERS = (16, 17, 19, 21, 38, 39, 40)
"""The rights of root that lead into the memory of other processes or of the system, by their
numbers in capabilities(7): those for modules, raw input and output, tracing, administration,
performance counters, BPF and checkpoints.
"""

_CAP_VERSION = 0x20080522
"""Of capset(2) with 64 capabilities: three words (effective, permitted, inheritable) for the first
32 of them, then three for the others.
"""


def close_to_others() -> None:
    """Forbid other processes of the same user to read or write this one's memory and descriptors,
    and to trace it.

    Linux lets a process open another one of the same user by `/proc/PID/mem` and `/proc/PID/fd`,
    and trace it, as long as that one can be dumped (prctl(2), ptrace(2), proc(5)). So ours cannot
    be dumped, and forks for foreign code `give_up_rights`, those of root to reach them all the
    same. Signals stay possible: they end a process, but put no word into its mouth. Other systems
    have none of this.

    Forks inherit this; what a fork executes does not.
    """
    prctl(_SET_DUMPABLE, 0)


def give_up_rights() -> None:
    """Give up, for good and in all that this process starts, what would open other processes to
    it.
    """
    if _LIBC is None:
        return
    for number in _REACH_OTHERS:
        prctl(_DROP_FROM_BOUND, number)
    prctl(_NO_NEW_PRIVILEGES, 1)
    header, words = (ctypes.c_uint32 * 2)(_CAP_VERSION, 0), (ctypes.c_uint32 * 6)()
    with suppress(AttributeError):  # a C library without these two functions
        _LIBC.capget(header, words)
        for number in _REACH_OTHERS:
            first = 3 * (number // 32)
            for place in range(first, first + 3):
                words[place] &= ~(1 << number % 32)
        _LIBC.capset(header, words)
