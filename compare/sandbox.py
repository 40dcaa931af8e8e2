"""One measured run: a process of its own, in a session of its own, under limits that the parent enforces.

`call` forks and runs a Python function, so the caller should be warm (imports done, kernels compiled) and have a single
thread; `execute` runs a program. Either way the parent reads what comes, kills the whole group where a limit is passed,
and takes the resources from `wait4`.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import resource
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from threading import get_native_id
from time import monotonic, sleep
from typing import Any

import psutil

from puzzles.backend import Unsupported


class Status(StrEnum):
    """How a run ended; none of these is a verdict on a board."""

    OK = "OK"
    TIMEOUT = "TIMEOUT"
    MEMORY = "MEMORY"
    CRASH = "CRASH"
    ERROR = "ERROR"
    SKIPPED = "SKIPPED"


@dataclass(frozen=True)
class Limits:
    """What a run may use: wall seconds, resident bytes of its whole process tree (None: any), bytes of output."""

    seconds: float
    memory: int | None = None
    output: int = 2**26


DEFAULT_LIMITS = Limits(10.0)


@dataclass(frozen=True)
class Outcome:
    """How a run ended, what it returned (`call`) or printed (`execute`), and what it used.

    `peak_bytes` is the largest resident size of a single process; of a forked one it includes what it shares with us.
    """

    status: Status
    value: Any = None
    detail: str = ""
    wall_s: float = 0.0
    cpu_s: float = 0.0
    peak_bytes: int = 0


_POLL_S, _SHORT_S = 0.02, 0.0005
_MOST_STDERR = 2**16
_DEATH_SIGNAL, _SUBREAPER = 1, 36  # prctl(2): die with the parent; adopt orphaned descendants


_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


def _prctl(option: int, value: int) -> None:
    if _LIBC is not None:
        _LIBC.prctl(option, value)


@cache
def _dying_with_us() -> tuple[str, ...]:
    """A command prefix under which a program dies with its parent; empty where the system has none."""
    launcher = shutil.which("setpriv")
    if launcher is None or subprocess.run([launcher, "--pdeathsig", "KILL", "true"], check=False, capture_output=True).returncode:
        return ()
    return (launcher, "--pdeathsig", "KILL", "--")


def adopt_orphans() -> None:
    """Make this process the parent of whatever its runs leave behind, so that it can be found and killed; no core dumps."""
    _prctl(_SUBREAPER, 1)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def end_with_parent() -> None:
    """Have this process end with the one that started it, and kill its runs when it is told to end (see `adopt_orphans`)."""

    def end(number: int, frame: object) -> None:
        _bury_orphans()
        os._exit(128 + number)

    signal.signal(signal.SIGTERM, end)
    _prctl(_DEATH_SIGNAL, signal.SIGTERM)


def call(function: Callable[..., Any], *args: Any, limits: Limits) -> Outcome:
    """Run `function(*args)` in a fork of this process; its value comes back pickled.

    `Unsupported` makes the outcome SKIPPED, `MemoryError` MEMORY, any other exception CRASH, with the message as detail.
    """

    def child(out: int) -> None:
        try:
            report: tuple[Status, Any, str] = (Status.OK, function(*args), "")
        except Unsupported as reason:
            report = (Status.SKIPPED, None, str(reason))
        except MemoryError:
            report = (Status.MEMORY, None, "MemoryError")
        except BaseException as error:
            report = (Status.CRASH, None, f"raised {type(error).__name__}: {error}")
        with os.fdopen(out, "wb") as stream:
            pickle.dump(report, stream, protocol=5)

    ended = _run(lambda: _fork(child), Limits(limits.seconds, limits.memory, sys.maxsize))
    if ended.status is not Status.OK:
        return ended
    try:
        status, value, detail = pickle.loads(ended.value)  # noqa: S301 - written by our own fork
    except Exception as error:
        return Outcome(Status.CRASH, None, f"the answer was lost: {error}", ended.wall_s, ended.cpu_s, ended.peak_bytes)
    return Outcome(status, value, detail, ended.wall_s, ended.cpu_s, ended.peak_bytes)


def execute(command: Sequence[str], text: bytes, *, limits: Limits) -> Outcome:
    """Run a program on `text` as its standard input; the value is what it printed, as bytes.

    A signal or a non-zero exit status is CRASH, more output than allowed ERROR.
    """
    with tempfile.TemporaryFile() as given:
        given.write(text)
        given.flush()
        given.seek(0)
        return _run(lambda: _spawn([*_dying_with_us(), *command], given.fileno()), limits)


def _spawn(command: list[str], given: int) -> tuple[int, int, int]:
    """Start a program in a session of its own, without copying this process; its pid, standard output and error."""
    (out, out_end), (err, err_end) = os.pipe(), os.pipe()
    try:
        started = subprocess.Popen(command, stdin=given, stdout=out_end, stderr=err_end, start_new_session=True)
    except OSError:
        os.close(out)
        os.close(err)
        raise
    finally:
        os.close(out_end)
        os.close(err_end)
    started.returncode = 0  # it is waited for here, with wait4, and not by its Popen
    return started.pid, out, err


def _fork(child: Callable[[int], None]) -> tuple[int, int, int]:
    """Run `child(fd)` in a fork in a session of its own; its pid, the other end of fd, its standard error."""
    (out, out_end), (err, err_end) = os.pipe(), os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.setsid()
            _prctl(_DEATH_SIGNAL, signal.SIGKILL)
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGPIPE):
                signal.signal(number, signal.SIG_DFL)
            os.dup2(err_end, 2)
            child(out_end)
            os._exit(0)
        except BaseException as error:
            os.write(2, f"{type(error).__name__}: {error}\n".encode())
            os._exit(126)
    os.close(out_end)
    os.close(err_end)
    return pid, out, err


def _run(start: Callable[[], tuple[int, int, int]], limits: Limits) -> Outcome:
    """Start a process, and gather what it writes until it ends or a limit stops it."""
    started = monotonic()
    try:
        pid, out, err = start()
    except OSError as error:
        return Outcome(Status.CRASH, None, f"could not be started: {error.strerror or error}")
    try:
        stopped, printed, complaint = _watch(pid, out, err, started, limits)
    finally:
        os.close(out)
        os.close(err)
        _kill_tree(pid)
        _, status, usage = os.wait4(pid, 0)
        _bury_orphans()
    wall_s, cpu_s = monotonic() - started, usage.ru_utime + usage.ru_stime
    peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    ended = stopped or _exit_status(status, complaint)
    if ended is None:
        return Outcome(Status.OK, bytes(printed), "", wall_s, cpu_s, peak)
    return Outcome(ended[0], None, ended[1], wall_s, cpu_s, peak)


_Stop = tuple[Status, str]


def _watch(pid: int, out: int, err: int, started: float, limits: Limits) -> tuple[_Stop | None, bytearray, bytearray]:
    """Read both streams until the process has ended or must be stopped; says why it must, what it printed and complained."""
    printed, complaint = bytearray(), bytearray()
    deadline = started + limits.seconds
    with selectors.DefaultSelector() as waiting:
        waiting.register(out, selectors.EVENT_READ, printed)
        waiting.register(err, selectors.EVENT_READ, complaint)
        while True:
            left = deadline - monotonic()
            if left <= 0:
                return (Status.TIMEOUT, f"stopped at {limits.seconds:g} s"), printed, complaint
            if not waiting.get_map():
                sleep(_SHORT_S)  # nothing left to read, but the process is not over
            for key, _ in waiting.select(min(left, _POLL_S)) if waiting.get_map() else ():
                data = os.read(key.fd, 2**16)
                if not data:
                    waiting.unregister(key.fileobj)
                elif key.fd == out:
                    printed += data
                elif len(complaint) < _MOST_STDERR:
                    complaint += data
            if len(printed) > limits.output:
                return (Status.ERROR, f"printed more than {limits.output} bytes"), printed, complaint
            if limits.memory is not None and _resident(pid) > limits.memory:
                return (Status.MEMORY, f"more than {limits.memory // 2**20} MB resident"), printed, complaint
            if _ended(pid):
                if waiting.get_map() and waiting.select(0):
                    continue  # it has ended, but what it wrote is not all read
                return None, printed, complaint


def _ended(pid: int) -> bool:
    """Whether the process is over, without reaping it."""
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _resident(pid: int) -> int:
    """Resident bytes of a process and all its descendants."""
    total = 0
    with suppress(psutil.NoSuchProcess):
        root = psutil.Process(pid)
        for process in [root, *root.children(recursive=True)]:
            with suppress(psutil.NoSuchProcess):
                total += process.memory_info().rss
    return total


def _kill_tree(pid: int) -> None:
    """Kill the process's group and every descendant that can still be found, whatever session it is in."""
    descendants: list[psutil.Process] = []
    with suppress(psutil.NoSuchProcess):
        root = psutil.Process(pid)
        if root.status() != psutil.STATUS_ZOMBIE:
            descendants = root.children(recursive=True)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    for process in descendants:
        with suppress(psutil.NoSuchProcess):
            process.kill()


def _bury_orphans() -> None:
    """Kill and reap what a run left behind and we have adopted (see `adopt_orphans`)."""
    children = Path(f"/proc/self/task/{get_native_id()}/children")
    with suppress(OSError):
        for _ in range(100):
            orphans = [int(word) for word in children.read_text().split()]
            if not orphans:
                return
            for orphan in orphans:
                with suppress(ProcessLookupError, ChildProcessError):
                    os.kill(orphan, signal.SIGKILL)
                    os.waitpid(orphan, 0)


def _exit_status(status: int, complaint: bytearray) -> _Stop | None:
    """What a wait status says went wrong; None where it ended well."""
    code = os.waitstatus_to_exitcode(status)
    if code == 0:
        return None
    said = complaint.decode("utf-8", "replace").strip().splitlines()
    last = f": {said[-1][:200]}" if said else ""
    if code < 0:
        return Status.CRASH, f"killed by {signal.Signals(-code).name}{last}"
    return Status.CRASH, f"exit status {code}{last}"
