"""What runs in a child: it takes calls one after the other, until nobody can send any.

Main's side is `compare.engine.isolate.child`. An outcome crosses as two messages: how the call
ended, as JSON, and its value. Notes may come before them. A value of our own code is pickled.
Foreign code is called by functions that return text or bytes, and nothing else of it crosses.
"""

from __future__ import annotations

import fcntl
import json
import os
import pickle
import resource
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Lock
from time import perf_counter, process_time
from typing import Any, NoReturn

from compare.engine.isolate.outcome import Status, Topic
from puzzles.shell.process_tree import (
    adopt_orphans,
    die_with_parent,
    give_up_rights,
    read_system,
)

MAX_DETAIL = 2000
"""Characters that are kept of the reason of an outcome."""

_MAX_FILE = 2**30
"""Bytes of the largest file that a child may write."""

_MAXRSS_UNIT = 1 if sys.platform == "darwin" else 1024


Call = Callable[[], Any]
"""A call of a child: a function with its arguments."""

NOTE = b"note "
"""How a message begins that is no part of an outcome; an outcome's first message is JSON."""

MAX_NOTE = 2**20
"""Bytes that are kept of a note."""

_sending = Lock()
"""Held while something is sent to main: threads of a call may note something, too."""

_main: tuple[int, Connection] | None = None
"""This process, if it is a child, and its way to main."""


class Ended(Exception):
    """A function raises this to end its call with a status and a reason."""

    def __init__(self, status: Status, reason: str) -> None:
        super().__init__(status, reason)
        self.status, self.reason = status, reason


@contextmanager
def ends_with(statuses: Mapping[type[BaseException], Status]) -> Iterator[None]:
    """Exceptions of these types end a call with a status; their message is the reason."""
    try:
        yield
    except tuple(statuses) as error:
        kinds = (kind for kind in statuses if isinstance(error, kind))
        raise Ended(statuses[next(kinds)], str(error)) from None


def serve_calls(calls: int, printed: int, *, foreign: bool, first: Call | None = None) -> NoReturn:
    """Be a child: take calls from a socket until its other end is closed. This process then ends.

    Args:
        calls: the descriptor of the socket.
        printed: the descriptor of the file that keeps what is printed here.
        foreign: whether foreign code runs here. Then this process gets no way into ours.
        first: a call that this process knows already, since it is a fork of the process that makes
            it.
    """
    try:
        calls = _begin(calls, printed)
        if foreign:
            give_up_rights()
        with Connection(calls) as source:
            global _main
            _main = os.getpid(), source
            call = first or _next_call(source)
            while call is not None:
                head, value = _outcome(call)
                flush()
                if foreign:
                    content = value if isinstance(value, bytes) else str(value).encode()
                else:
                    content = pickle.dumps(value, protocol=5)
                with _sending:
                    source.send_bytes(json.dumps(head).encode())
                    source.send_bytes(content)
                call = _next_call(source)
        os._exit(0)
    except BaseException as error:
        with suppress(OSError):
            os.write(2, f"{type(error).__name__}: {error}\n".encode())
        os._exit(126)


def note(topic: Topic, content: bytes) -> None:
    """Say something of the call that is under way, which main knows even if the call never comes to
    its end; see `Outcome.notes`. In a process that is no child this does nothing.
    """
    if _main is not None and _main[0] == os.getpid():
        with _sending, suppress(OSError):
            _main[1].send_bytes(NOTE + topic.encode() + b" " + content)


def _begin(calls: int, printed: int) -> int:
    """A session of its own, whose orphans come here; no descriptors but these two, the first of
    which no program gets; no core dumps; the end with the parent. Returns the new number of
    `calls`: it may have been that of a standard stream, where that was closed.

    Each signal does what it does by default, in what is started here too, however the command
    itself was started.
    """
    os.setsid()
    calls, printed = (fcntl.fcntl(each, fcntl.F_DUPFD_CLOEXEC, 3) for each in (calls, printed))
    adopt_orphans()
    die_with_parent()
    for number in signal.valid_signals() - {
        signal.SIGXFSZ
    }:  # without that one a file that is too large raises `OSError`
        if signal.getsignal(number) not in (
            signal.SIG_DFL,
            None,
        ):  # ours, or ignored, as nohup has it
            signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    largest = _MAX_FILE if most == resource.RLIM_INFINITY else min(most, _MAX_FILE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest, most))
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    for descriptor, name in ((1, "stdout"), (2, "stderr")):
        os.dup2(printed, descriptor)
        stream = os.fdopen(
            descriptor, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False
        )
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    with suppress(OSError):
        for descriptor in map(int, os.listdir("/dev/fd")):  # noqa: PTH208 - quicker
            if descriptor > 2 and descriptor != calls:
                with suppress(OSError):  # the one of the listing itself is closed already
                    os.close(descriptor)
    return calls


def _next_call(source: Connection) -> Call | None:
    try:
        return pickle.loads(source.recv_bytes())  # noqa: S301 - the process that made this one wrote it
    except (EOFError, OSError):
        return None


def _outcome(call: Call) -> tuple[list[Any], Any]:
    """Status, reason, wall and CPU seconds and largest size in bytes of a call; and its value."""
    with suppress(OSError), Path("/proc/self/clear_refs").open("wb", buffering=0) as sizes:
        sizes.write(b"5")  # the system forgets how large this process has been so far
    status, detail, value = Status.OK, "", None
    cpu_s, largest_before, started = cpu_seconds(), _largest_program(), perf_counter()
    try:
        value = call()
    except Ended as reason:
        status, detail = reason.status, reason.reason
    except MemoryError:
        status, detail = Status.MEMORY, "MemoryError"
    except BaseException as error:
        what = str(error)  # `exception_text` is not asked: its module loads numpy
        status = Status.CRASH
        detail = f"raised {type(error).__name__}" + (f": {what}" if what else "")
    wall_s = perf_counter() - started
    largest, largest_program = _largest_size(), _largest_program()
    if largest_program > largest_before:  # else it was started by an earlier call
        largest = max(largest, largest_program)
    return [
        status,
        detail[:MAX_DETAIL],
        wall_s,
        max(0.0, cpu_seconds() - cpu_s),
        largest,
    ], value


def cpu_seconds() -> float:
    """CPU seconds that this process has used so far, with its child processes that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return process_time() + children.ru_utime + children.ru_stime


def _largest_size() -> int:
    """The largest resident size of this process since it was forgotten, or of all its time where
    the system cannot forget.
    """
    with suppress(OSError):
        return (
            int(read_system("/proc/self/status").partition(b"VmHWM:")[2].split(maxsplit=1)[0])
            * 1024
        )
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _MAXRSS_UNIT


def _largest_program() -> int:
    """The largest resident size of all that this process has started and that has ended."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * _MAXRSS_UNIT


def flush() -> None:
    """Write out what this process has printed."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):  # no stream, a closed one, or one of a plugin's own
            stream.flush()


@contextmanager
def mute() -> Iterator[None]:
    """Drop what this process prints meanwhile."""
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    flush()
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        flush()
        os.dup2(kept, 1)
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)
