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
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from threading import get_native_id
from time import monotonic, sleep
from typing import Any

import psutil

from compare.isolate.guard import guard, guarded
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

    `peak_bytes` is the largest resident size of a single process; of a forked one it includes what it shares with us; of a
    program it is the largest seen while it ran, 0 where it was over too soon to look.
    """

    status: Status
    value: Any = None
    detail: str = ""
    wall_s: float = 0.0
    cpu_s: float = 0.0
    peak_bytes: int = 0


_POLL_S, _SHORT_S = 0.02, 0.0005
_MOST_STDERR = 2**16
_HEADER = 8
_MAXRSS_UNIT = 1 if sys.platform == "darwin" else 1024
_DEATH_SIGNAL, _SUBREAPER = 1, 36  # prctl(2): die with the parent; adopt orphaned descendants


_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


def _prctl(option: int, value: int) -> None:
    if _LIBC is not None:
        _LIBC.prctl(option, value)


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
    return call_in_turn([(function, limits)], *args)[0]


def call_in_turn(steps: Sequence[tuple[Callable[..., Any], Limits]], *args: Any) -> list[Outcome]:
    """Call functions one after the other, all on the same arguments, in one fork of this process, each under its own limits.

    Returns the outcomes, as `call` does; the last is that of the first step that did not end well.
    """

    def child(out: int) -> None:
        with os.fdopen(out, "wb") as stream:
            for function, _ in steps:
                outcome = _outcome(function, args)
                frame = pickle.dumps(outcome, protocol=5)
                stream.write(len(frame).to_bytes(_HEADER, "little") + frame)
                stream.flush()
                if outcome.status is not Status.OK:
                    return

    limits = [Limits(each.seconds, each.memory, sys.maxsize) for _, each in steps]
    ended = _run(lambda: _fork(child), limits, forked=True)
    try:
        told = [pickle.loads(frame) for frame in _frames(ended.value)]  # noqa: S301 - written by our own fork
    except Exception as error:
        return [replace(ended, status=Status.CRASH, value=None, detail=f"the answer was lost: {error}")]
    for k, (outcome, limit) in enumerate(zip(told, limits, strict=False)):
        if limit.memory is not None and outcome.peak_bytes > limit.memory:
            return [*told[:k], replace(outcome, status=Status.MEMORY, value=None, detail=_too_much(limit.memory))]
    if ended.status is not Status.OK:
        told[len(steps) - 1 :] = []
        told.append(replace(ended, value=None))
    elif not told or (told[-1].status is Status.OK and len(told) < len(steps)):
        told.append(replace(ended, status=Status.CRASH, value=None, detail="the answer was lost"))
    return told


def _outcome(function: Callable[..., Any], args: Sequence[Any]) -> Outcome:
    """What comes of the call, in this process."""
    started = monotonic()
    status, value, detail = Status.OK, None, ""
    try:
        value = function(*args)
    except Unsupported as reason:
        status, detail = Status.SKIPPED, str(reason)
    except MemoryError:
        status, detail = Status.MEMORY, "MemoryError"
    except BaseException as error:
        status, detail = Status.CRASH, f"raised {type(error).__name__}: {error}"
    used = [resource.getrusage(whose) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    cpu_s = sum(each.ru_utime + each.ru_stime for each in used)
    return Outcome(status, value, detail, monotonic() - started, cpu_s, max(each.ru_maxrss for each in used) * _MAXRSS_UNIT)


def _frames(printed: bytes | bytearray) -> list[bytes | bytearray]:
    """The complete frames, each of which begins with its length."""
    frames: list[bytes | bytearray] = []
    at = 0
    while (begin := at + _HEADER) <= len(printed):
        at = begin + int.from_bytes(printed[at:begin], "little")
        if at <= len(printed):
            frames.append(printed[begin:at])
    return frames


def execute(command: Sequence[str], text: bytes, *, limits: Limits) -> Outcome:
    """Run a program on `text` as its standard input; the value is what it printed, as bytes.

    A signal or a non-zero exit status is CRASH, more output than allowed ERROR.
    """
    guarded(0)  # there is a guard before there is a program
    try:
        with tempfile.TemporaryFile() as given:
            given.write(text)
            given.flush()
            given.seek(0)
            ended = _run(lambda: _spawn(command, given.fileno()), [limits], forked=False)
    finally:
        guarded(0)
    return ended if ended.status is Status.OK else replace(ended, value=None)


def _spawn(command: Sequence[str], given: int) -> tuple[int, int, int]:
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
    guarded(started.pid)
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


def _run(start: Callable[[], tuple[int, int, int]], limits: Sequence[Limits], *, forked: bool) -> Outcome:
    """Start a process, and gather what it writes, the value, until it ends or a limit stops it (see `_watch`).

    A program inherits our own peak in what `wait4` tells of it, so its memory has to be looked at while it runs.
    """
    started = monotonic()
    try:
        pid, out, err = start()
    except OSError as error:
        return Outcome(Status.CRASH, b"", f"could not be started: {error.strerror or error}")
    try:
        stopped, printed, complaint, seen = _watch(pid, out, err, started, limits)
    finally:
        os.close(out)
        os.close(err)
        _kill_tree(pid)
        _, status, usage = os.wait4(pid, 0)
        _bury_orphans()
    wall_s, cpu_s = monotonic() - started, usage.ru_utime + usage.ru_stime
    peak = usage.ru_maxrss * _MAXRSS_UNIT if forked else seen
    memory = limits[-1].memory
    if stopped is None and memory is not None and peak > memory:
        stopped = (Status.MEMORY, _too_much(memory))
    status, detail = stopped or _exit_status(status, complaint) or (Status.OK, "")
    return Outcome(status, bytes(printed), detail, wall_s, cpu_s, peak)


_Stop = tuple[Status, str]


def _too_much(memory: int) -> str:
    return f"more than {memory // 2**20} MB resident"


def _watch(
    pid: int, out: int, err: int, started: float, limits: Sequence[Limits]
) -> tuple[_Stop | None, bytearray, bytearray, int]:
    """Read both streams until the process has ended or must be stopped.

    Returns why it must, what it printed and complained, and its largest resident size in bytes, as far as that was seen.
    Of several limits the next one holds, with a new deadline, whenever another frame is complete.
    """
    printed, complaint = bytearray(), bytearray()
    step, limit, peak = 0, limits[0], 0
    deadline, looked = started + limit.seconds, started
    with selectors.DefaultSelector() as waiting, _end_of(pid) as end:
        waiting.register(out, selectors.EVENT_READ, printed)
        waiting.register(err, selectors.EVENT_READ, complaint)
        if end is not None:
            waiting.register(end, selectors.EVENT_READ)
        while True:
            peak = max(peak, _high_water(pid))
            now = monotonic()
            if now >= deadline:
                return (Status.TIMEOUT, f"stopped at {limit.seconds:g} s"), printed, complaint, peak
            if not waiting.get_map():
                sleep(_SHORT_S)  # nothing left to read, but the process is not over
            ended = False
            for key, _ in waiting.select(min(deadline - now, _POLL_S)) if waiting.get_map() else ():
                if key.fd == end:
                    ended = True
                    continue
                data = os.read(key.fd, 2**16)
                if not data:
                    waiting.unregister(key.fileobj)
                elif key.fd == out:
                    printed += data
                elif len(complaint) < _MOST_STDERR:
                    complaint += data
            if step + 1 < len(limits) and len(_frames(printed)) > step:
                step, limit = step + 1, limits[step + 1]
                deadline = monotonic() + limit.seconds
            if len(printed) > limit.output:
                return (Status.ERROR, f"printed more than {limit.output} bytes"), printed, complaint, peak
            if limit.memory is not None and monotonic() - looked > _POLL_S / 2:
                if _resident(pid) > limit.memory:
                    return (Status.MEMORY, _too_much(limit.memory)), printed, complaint, peak
                looked = monotonic()
            if ended or _ended(pid):
                if any(key.fd != end for key, _ in waiting.select(0)):
                    continue  # it has ended, but what it wrote is not all read
                return None, printed, complaint, peak


@contextmanager
def _end_of(pid: int) -> Iterator[int | None]:
    """A file descriptor that is readable from the end of the process on; None where the system has no such thing."""
    try:
        end = os.pidfd_open(pid)
    except (AttributeError, OSError):  # not Linux; an older kernel, or one that forbids it
        yield None
        return
    try:
        yield end
    finally:
        os.close(end)


def _ended(pid: int) -> bool:
    """Whether the process is over, without reaping it."""
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _high_water(pid: int) -> int:
    """The most bytes that the process has had resident so far; 0 where it is over, or the system does not tell."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return 0


def _resident(pid: int) -> int:
    """Resident bytes of a process and all its descendants."""
    total = 0
    for process in _tree(pid):
        with suppress(psutil.NoSuchProcess):
            total += process.memory_info().rss
    return total


def _tree(pid: int) -> list[psutil.Process]:
    """A process and all its descendants, as far as they are still there."""
    tree: list[psutil.Process] = []
    with suppress(psutil.NoSuchProcess):
        tree.append(psutil.Process(pid))
        below = _children(pid)
        if below is None:
            return tree + tree[0].children(recursive=True)
        for child in below:
            tree += _tree(child)
    return tree


def _children(pid: int) -> list[int] | None:
    """The children of a process that is there; None where the system does not tell but of all processes together."""
    try:
        told = [(task / "children").read_text() for task in Path(f"/proc/{pid}/task").iterdir()]
    except OSError:
        return None
    return [int(word) for children in told for word in children.split()]


def _kill_tree(pid: int) -> None:
    """Kill the process's group and every descendant that can still be found, whatever session it is in."""
    descendants = [] if _ended(pid) else _tree(pid)[1:]
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
            orphans = [orphan for orphan in map(int, children.read_text().split()) if orphan != guard()]
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
