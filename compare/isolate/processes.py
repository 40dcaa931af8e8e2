"""Processes and their descendants: how large they are, whether they have ended, killing them, keeping others out of ours."""

from __future__ import annotations

import ctypes
import os
import resource
import select
import signal
import subprocess
import sys
from contextlib import suppress
from math import ceil
from pathlib import Path
from threading import get_native_id
from typing import Protocol

import psutil

from compare.isolate.outcome import Status

_DIE_WITH_PARENT, _ADOPT_ORPHANS = 1, 36  # options of prctl(2)

_END_S = 5.0
"""Seconds that a killed process may take to end."""

_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


def prctl(option: int, value: int) -> None:
    """Call prctl(2); does nothing on systems other than Linux."""
    if _LIBC is not None:
        _LIBC.prctl(option, value)


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def adopt_orphans() -> None:
    """Become the parent of every process that a run leaves behind, so that it can be found and killed; no core dumps."""
    prctl(_ADOPT_ORPHANS, 1)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def die_with_parent(number: int = signal.SIGKILL) -> None:
    """Have the system send this process a signal when its parent ends."""
    prctl(_DIE_WITH_PARENT, number)


def end_with_parent() -> None:
    """End when the parent ends, and kill the runs that are under way (see `adopt_orphans`)."""

    def end(number: int, frame: object) -> None:
        kill_orphans()
        os._exit(128 + number)

    signal.signal(signal.SIGTERM, end)
    die_with_parent(signal.SIGTERM)


def has_ended(pid: int) -> bool:
    """Whether a child process has ended. It is not waited for."""
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def peak_bytes(pid: int) -> int:
    """The largest resident size that the process has had so far; 0 if it has ended or the system does not say."""
    with suppress(OSError):
        _, found, rest = _read(f"/proc/{pid}/status").partition(b"VmHWM:")
        if found:
            return int(rest.split(maxsplit=1)[0]) * 1024
    return 0


def forget_peak() -> None:
    """Have the system forget how large this process has been so far; raises `OSError` if it cannot."""
    descriptor = os.open("/proc/self/clear_refs", os.O_WRONLY)
    try:
        os.write(descriptor, b"5")
    finally:
        os.close(descriptor)


def resident_bytes(pid: int) -> int:
    """The resident size of a process; raises `OSError` if it has ended or the system does not say."""
    return int(_read(f"/proc/{pid}/statm").split()[1]) * resource.getpagesize()


def _read(path: str) -> bytes:
    """What a file of the system says, if that is short. A `Path` takes twice as long, for each run anew."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return os.read(descriptor, 2**16)
    finally:
        os.close(descriptor)


def tree_bytes(pid: int) -> int:
    """The resident bytes of a process and all its descendants."""
    total = 0
    for process in _tree(pid):
        with suppress(psutil.NoSuchProcess):
            total += process.memory_info().rss
    return total


def _tree(pid: int) -> list[psutil.Process]:
    """A process and all its descendants, as far as they still exist."""
    tree: list[psutil.Process] = []
    with suppress(psutil.NoSuchProcess):
        tree.append(psutil.Process(pid))
        children = _children(pid)
        if children is None:
            return tree + tree[0].children(recursive=True)
        for child in children:
            tree += _tree(child)
    return tree


def _children(pid: int) -> list[int] | None:
    """The children of a process; None if the system has no list of them for one process."""
    try:
        lists = [_read(f"/proc/{pid}/task/{task}/children") for task in os.listdir(f"/proc/{pid}/task")]  # noqa: PTH208 - quicker
    except OSError:
        return None
    return [int(word) for children in lists for word in children.split()]


def kill_tree(pid: int) -> None:
    """Kill the group of a process, and every descendant that can still be found, in any session."""
    descendants = [] if has_ended(pid) else _tree(pid)[1:]
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    for process in descendants:
        with suppress(psutil.NoSuchProcess):
            process.kill()


def kill_descendants(pid: int) -> None:
    """Kill every descendant of a process that can be found, in any session."""
    for process in _tree(pid)[1:]:
        with suppress(psutil.NoSuchProcess):
            process.kill()


def kill_marked(name: str, value: str) -> None:
    """Kill every process that started with this environment variable, as far as the system shows it."""
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            if process.environ().get(name) == value:
                process.kill()


def kill_adopted(worker: int | None) -> None:
    """Kill a lost worker, and what lost workers leave behind, if this process has adopted it (see `adopt_orphans`).

    Each run is in a session of its own, and so is all that it starts. Other children of this process are in its session.
    """
    for _ in range(100):
        children = [child for child in psutil.Process().children() if child.pid not in guards()]
        adopted = [child for child in children if child.pid == worker or _is_elsewhere(child.pid)]
        if not adopted:
            return
        for child in adopted:
            with suppress(psutil.Error):
                child.kill()
                child.wait(_END_S)


def _is_elsewhere(pid: int) -> bool:
    """Whether a process is in another session than this one."""
    try:
        return os.getsid(pid) != os.getsid(0)
    except ProcessLookupError:
        return False


standing_forks: set[int] = set()
"""The process numbers of the forks of this process that outlive a run (see `compare.isolate.standing`)."""


def kill_orphans() -> None:
    """Kill the processes that a run left behind and this one has adopted (see `adopt_orphans`), and wait for them."""
    children = Path(f"/proc/self/task/{get_native_id()}/children")
    with suppress(OSError):
        for _ in range(100):
            kept = {guard(), *standing_forks}
            orphans = [orphan for orphan in map(int, children.read_text().split()) if orphan not in kept]
            if not orphans:
                return
            for orphan in orphans:
                with suppress(ProcessLookupError, ChildProcessError):
                    os.kill(orphan, signal.SIGKILL)
                    os.waitpid(orphan, 0)


def how_it_failed(wait_status: int, stderr: bytes | bytearray) -> tuple[Status, str] | None:
    """What a wait status says went wrong, with the last line of standard error; None if the process ended well."""
    code = os.waitstatus_to_exitcode(wait_status)
    if code == 0:
        return None
    lines = stderr.decode("utf-8", "replace").strip().splitlines()
    last = f": {lines[-1][:200]}" if lines else ""
    if code < 0:
        return Status.CRASH, f"killed by {signal_name(-code)}{last}"
    return Status.CRASH, f"exit status {code}{last}"


def signal_name(number: int) -> str:
    """`SIGABRT`; for a real-time signal, which has no name of its own, `signal 40`."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def has_children(pid: int) -> bool:
    """Whether a process has children that still exist."""
    with suppress(psutil.NoSuchProcess):
        children = _children(pid)
        return bool(psutil.Process(pid).children() if children is None else children)
    return False


_GUARD_SCRIPT = 'group=0; while read -r next; do group=$next; done; [ "$group" = 0 ] || kill -s KILL -- "-$group"'

_guards: dict[tuple[int, int], tuple[int, int]] = {}
"""By process and thread (a fork has none yet): the process number of the guard, and the pipe to it."""


def guarded(group: int) -> None:
    """From now on the guard kills this process group when this process ends, for any reason; 0 stands for no group.

    The guard is a shell. It reads from a pipe that only this process writes to, so the end of the file tells it that this process
    has ended. The kernel could do the same (prctl(2), by way of setpriv), but that would start every program twice, which takes
    longer than many a program.
    """
    here = os.getpid(), get_native_id()
    if here not in _guards:
        _guards[here] = _start_guard()
    with suppress(OSError):
        os.write(_guards[here][1], b"%d\n" % group)


def guard() -> int | None:
    """The process number of the guard of this process, if there is one."""
    return _guards.get((os.getpid(), get_native_id()), (None,))[0]


def guards() -> set[int]:
    """The process numbers of all guards of this process."""
    return {pid for (owner, _), (pid, _) in _guards.items() if owner == os.getpid()}


def _start_guard() -> tuple[int, int]:
    """Start a guard, in a session of its own, so that Ctrl-C does not reach it."""
    read_end, write_end = os.pipe()
    nowhere = subprocess.DEVNULL
    words = ["/bin/sh", "-c", _GUARD_SCRIPT]
    started = subprocess.Popen(words, stdin=read_end, stdout=nowhere, stderr=nowhere, start_new_session=True)
    started.returncode = 0  # nobody waits for it
    os.close(read_end)
    return started.pid, write_end


_MOST_MS = 2**31 - 1


class _HasDescriptor(Protocol):
    def fileno(self) -> int: ...


def readable(*sources: int | _HasDescriptor, within: float | None) -> bool:
    """Whether one of these can be read, or is closed at its other end; waits for that up to `within` seconds, None for any time.

    `multiprocessing` takes ten times as long to ask: it makes a selector for each question.
    """
    poll = select.poll()
    for source in sources:
        poll.register(source, select.POLLIN)
    return bool(poll.poll(None if within is None else min(ceil(1000 * within), _MOST_MS)))


_SET_DUMPABLE, _DROP_FROM_BOUND, _NO_NEW_PRIVILEGES = 4, 24, 38
"""Options of prctl(2)."""

_CAPABILITIES = {"module": 16, "rawio": 17, "ptrace": 19, "admin": 21, "perfmon": 38, "bpf": 39, "checkpoint": 40}
"""The rights of root, by their numbers in capabilities(7), that lead into the memory of other processes or of the system."""

_CAP_VERSION = 0x20080522
"""Of the structures of capset(2) that hold 64 capabilities."""


class _CapHeader(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _CapWord(ctypes.Structure):
    """One of two halves: 32 capabilities."""

    _fields_ = (("effective", ctypes.c_uint32), ("permitted", ctypes.c_uint32), ("inheritable", ctypes.c_uint32))


def close_to_others() -> None:
    """Forbid other processes of the same user to read or write this one's memory and descriptors, and to trace it.

    Linux lets a process open another one of the same user by `/proc/PID/mem` and `/proc/PID/fd`, and trace it, as long as that one
    can be dumped (prctl(2), ptrace(2), proc(5)). So ours cannot be dumped, and forks for foreign code `give_up_rights`, those of
    root to reach them all the same. Signals stay possible: they end a process, but put no word into its mouth. Other systems have
    none of this.

    Forks inherit this; what a fork executes does not.
    """
    prctl(_SET_DUMPABLE, 0)


def give_up_rights() -> None:
    """Give up, for good and in all that this process starts, what would open other processes to it."""
    if sys.platform != "linux":
        return
    for number in _CAPABILITIES.values():
        prctl(_DROP_FROM_BOUND, number)
    prctl(_NO_NEW_PRIVILEGES, 1)
    header, words = _CapHeader(_CAP_VERSION, 0), (_CapWord * 2)()
    with suppress(AttributeError):  # a C library without these two functions
        libc = ctypes.CDLL(None)
        libc.capget(ctypes.byref(header), ctypes.byref(words))
        for number in _CAPABILITIES.values():
            word, kept = words[number // 32], ~(1 << number % 32)
            word.effective &= kept
            word.permitted &= kept
            word.inheritable &= kept
        libc.capset(ctypes.byref(header), ctypes.byref(words))
