"""Forkservers (`compare.engine.isolate.forkserver`) as forks, for commands that are forks
themselves (`tests.prepared`).

A command starts a new Python for its forkserver, which imports what the prepared Python has
imported already. Here a process stands by instead, which is forked before the command begins and so
knows nothing of it, and becomes the server. All is as it is with a new Python: the words, the
environment, the descriptors, the session, and that it ends with the command.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from fcntl import F_DUPFD, fcntl
from types import SimpleNamespace
from typing import Any, NamedTuple

import psutil

from compare.engine.isolate import child
from puzzles.shell.process_tree import close_to_others

LARGEST = 2**18
"""Bytes of a request, at most."""

FREE_NUMBER = 100
"""Descriptors from here on are nobody's."""


class Start(NamedTuple):
    """A Python to be started: the words behind its name, its environment, the numbers of the
    descriptors that it is passed.
    """

    words: list[str]
    variables: dict[str, str]
    passed: list[int]


def stand_by() -> None:
    """Fork the process that becomes the forkserver of this one when it starts one.

    Only the first forkserver is a fork: one that starts later, because somebody has killed the
    first, is a new Python.
    """
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    pid = os.fork()
    if pid == 0:
        ours.close()
        start = _await_start(theirs)
        exec(start.words[1], {"__name__": "__main__"})
        os._exit(0)
    theirs.close()

    def started(words: Sequence[str], **settings: Any) -> ForkedPython | subprocess.Popen[bytes]:
        try:
            return ForkedPython(ours, pid, words, **settings)
        except OSError:  # it has been started, or somebody has killed it
            return subprocess.Popen[bytes](words, **settings)

    names = {
        "Popen": started,
        "DEVNULL": subprocess.DEVNULL,
        "TimeoutExpired": subprocess.TimeoutExpired,
    }
    child.__dict__["subprocess"] = SimpleNamespace(**names)


class PreparedProcess:
    """A process that was forked, as far as its starter needs what `subprocess.Popen` is."""

    pid: int
    returncode: int | None = None

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end; returns its exit status, or minus the number of the signal that ended
        it.

        Raises:
            subprocess.TimeoutExpired: it takes longer.
        """
        raise NotImplementedError

    def poll(self) -> int | None:
        with suppress(subprocess.TimeoutExpired):
            return self.wait(timeout=1e-3)
        return None

    def send_signal(self, number: int) -> None:
        if self.returncode is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


class ForkedProcess(PreparedProcess):
    """A fork of another process.

    Args:
        ending: a socket to which its process number is sent, then its wait status.

    Raises:
        ConnectionResetError: there will be no fork.
    """

    def __init__(self, ending: socket.socket) -> None:
        self._ending = ending
        number = ending.recv(32)
        if not number:
            raise ConnectionResetError
        self.pid = int(number)

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None:
            self._ending.settimeout(timeout)
            try:
                status = self._ending.recv(32)
            except TimeoutError:
                raise subprocess.TimeoutExpired("a fork", timeout or 0) from None
            self.returncode = os.waitstatus_to_exitcode(int(status or signal.SIGKILL))
        return self.returncode


class ForkedPython(PreparedProcess):
    """The fork that stands by, with the code in these words to run, as far as a forkserver needs a
    Python.

    Args:
        requests: a socket to it, which is closed then.
        pid: its process number.

    Raises:
        OSError: it has ended, or has got its code already.
    """

    def __init__(
        self,
        requests: socket.socket,
        pid: int,
        words: Sequence[str],
        *,
        stdin: int,
        pass_fds: Sequence[int],
        start_new_session: bool,
    ) -> None:
        assert words[:2] == [sys.executable, "-c"]
        assert stdin == subprocess.DEVNULL
        assert start_new_session
        self.pid = pid
        data = json.dumps(Start(list(words[1:]), dict(os.environ), list(pass_fds))).encode()
        with requests:
            socket.send_fds(requests, [data], list(pass_fds))

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None:
            try:
                self.returncode = psutil.Process(self.pid).wait(timeout) or 0
            except psutil.NoSuchProcess:  # its starter has waited for all of its children
                self.returncode = -signal.SIGKILL
            except psutil.TimeoutExpired:
                raise subprocess.TimeoutExpired("a fork", timeout or 0) from None
        return self.returncode


def _await_start(requests: socket.socket) -> Start:
    """Wait until this process is to be a new Python, and have it look like one; it ends if its
    starter does.
    """
    close_to_others()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    data, received, _, _ = socket.recv_fds(requests, LARGEST, 8)
    if not data:
        os._exit(0)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    requests.detach()
    start = Start(*json.loads(data))
    _take_on(start, received)
    return start


def _take_on(start: Start, received: Sequence[int]) -> None:
    """Have this fork look like a new Python: its words, environment and descriptors."""
    os.setsid()
    free = [fcntl(descriptor, F_DUPFD, FREE_NUMBER) for descriptor in received]
    os.closerange(3, FREE_NUMBER)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.closerange(3, FREE_NUMBER)
    for descriptor, number in zip(free, start.passed, strict=True):
        os.dup2(descriptor, number)
        os.close(descriptor)
    os.environ.clear()
    os.environ.update(start.variables)
    sys.argv = ["-c", *start.words[2:]]
    sys.orig_argv = [sys.executable, *start.words]
