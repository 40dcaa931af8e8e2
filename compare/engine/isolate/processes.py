"""Processes of ours: how large they are, who adopts what they leave behind, and how others are kept
out of them. The watchdog, a thread, kills those whose call passes its limits.

On Linux a process of ours is the parent of whatever its descendants leave behind (prctl(2),
PR_SET_CHILD_SUBREAPER). So a program can leave its session and its parent, but not the tree. macOS
has no such thing: there a process that has left both goes on.
"""

from __future__ import annotations

import ctypes
import os
import select
import signal
import sys
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from math import ceil
from threading import Condition, Thread
from time import sleep
from typing import Protocol

import psutil

from compare.engine.isolate.outcome import Limits, Status
from puzzles.shell.process_tree import children, kill_tree
from puzzles.shell.time_limits import Deadline

_LOOK_S = 0.02
"""Seconds between two looks of the watchdog."""

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


def die_with_parent(number: int = signal.SIGKILL) -> None:
    """Have the system send this process a signal when the thread that started it ends."""
    prctl(_DIE_WITH_PARENT, number)


def resident_bytes(pids: Iterable[int]) -> int:
    """The resident bytes of some processes; those that have ended have none."""
    total = 0
    for pid in pids:
        with suppress(psutil.Error):
            total += psutil.Process(pid).memory_info().rss
    return total


def command_line(pid: int) -> list[str]:
    """The words with which a process was started; empty if it has ended.

    A fork has those of its parent.
    """
    with suppress(psutil.Error):
        return psutil.Process(pid).cmdline()
    return []


def kill_adopted(own: Collection[int]) -> None:
    """Kill what this process has adopted: its children in other sessions, but for its own; and wait
    for them.
    """
    for pid in [each for each in children(os.getpid()) if each not in own]:
        with suppress(ProcessLookupError, ChildProcessError):
            if os.getsid(pid) != os.getsid(0):
                kill_tree(pid)
                os.waitpid(pid, 0)


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


class Watched(Protocol):
    """A child process as the watchdog knows it.

    Attributes:
        starts_programs: whether its memory is that of what it starts.
    """

    starts_programs: bool

    def resident_bytes(self) -> int:
        """How large it is, with its descendants."""
        ...

    def has_ended(self) -> bool:
        """Whether the process is gone."""
        ...

    def kill(self) -> None:
        """End it, and whatever it has started."""
        ...


@dataclass(eq=False)
class LimitedCall:
    """A call that is under way.

    Attributes:
        stopped: why the watchdog has killed the child; None if it has not.
        largest: the largest memory that was seen.
    """

    child: Watched
    limits: Limits
    deadline: Deadline
    stopped: tuple[Status, str] | None = None
    largest: int = 0

    def note_size(self, resident: int) -> None:
        """Note how large the child is. Above the limit, that is why the call is stopped."""
        self.largest, memory = max(self.largest, resident), self.limits.memory
        if self.stopped is None and memory is not None and resident > memory:
            self.stopped = Status.MEMORY, f"more than {memory // 2**20} MB resident"

    def look(self) -> None:
        """Kill the child if its call passes a limit, or if it has ended: what it has started may
        hold its socket open.
        """
        if self.stopped is None and self.deadline.over:
            self.stopped = Status.TIMEOUT, f"stopped at {self.limits.seconds:g} s"
        elif self.stopped is None and (
            self.limits.memory is not None or self.child.starts_programs
        ):
            self.note_size(self.child.resident_bytes())
        if self.stopped is not None or self.child.has_ended():
            self.child.kill()


class Watchdog:
    """The one place where limits are enforced: a thread that looks at all calls under way."""

    def __init__(self) -> None:
        self._calls: list[LimitedCall] = []
        self._changed = Condition()
        self._thread: Thread | None = None

    @contextmanager
    def watching(self, call: LimitedCall) -> Iterator[None]:
        with self._changed:
            self._calls.append(call)
            if self._thread is None:
                self._thread = Thread(target=self._watch, daemon=True)
                self._thread.start()
            self._changed.notify()
        try:
            yield
        finally:
            with self._changed:
                self._calls.remove(call)

    def _watch(self) -> None:
        while True:
            with self._changed:  # so no call ends between the look and the kill
                while not self._calls:
                    self._changed.wait()
                for call in self._calls:
                    call.look()
                left_s = min(call.deadline.seconds_left for call in self._calls)
            sleep(min(_LOOK_S, max(0.0005, left_s)))
