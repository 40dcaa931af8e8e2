"""Forkservers (`compare.engine.isolate.forkserver`) as forks, for commands that are forks
themselves (`tests.prepared`).

A command starts a new Python for its forkserver, which imports what the prepared Python has
imported already. Here it has a process stand by instead, which is forked before the command begins
and so knows nothing of it, and which forks the server. All is as it is with a new Python: the
words, the environment, the descriptors, the session, and that it ends with the command.
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
from select import select
from types import FrameType, SimpleNamespace
from typing import Any, NamedTuple

from compare.engine.isolate import child
from puzzles.shell.process_tree import close_to_others, die_with_parent

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
    """Fork the process that stands by for the rest of this one.

    Forkservers are its forks from now on.
    """
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    if os.fork() == 0:
        ours.close()
        start = _serve(theirs)
        exec(start.words[1], {"__name__": "__main__"})
        os._exit(0)
    theirs.close()

    def started(words: Sequence[str], **settings: Any) -> ForkedPython | subprocess.Popen[bytes]:
        try:
            return ForkedPython(ours, words, **settings)
        except OSError:  # somebody has killed it
            return subprocess.Popen[bytes](words, **settings)

    names = {
        "Popen": started,
        "DEVNULL": subprocess.DEVNULL,
        "TimeoutExpired": subprocess.TimeoutExpired,
    }
    child.__dict__["subprocess"] = SimpleNamespace(**names)


class ForkedProcess:
    """What `subprocess.Popen` is, for a fork of another process.

    Args:
        ending: a socket to which its process number is sent, then its wait status.

    Raises:
        ConnectionResetError: there will be no fork.
    """

    def __init__(self, ending: socket.socket) -> None:
        self.returncode: int | None = None
        self._ending = ending
        said = ending.recv(32)
        if not said:
            raise ConnectionResetError
        self.pid = int(said)

    def poll(self) -> int | None:
        with suppress(subprocess.TimeoutExpired):
            return self.wait(timeout=1e-3)
        return None

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None:
            self._ending.settimeout(timeout)
            try:
                status = self._ending.recv(32)
            except TimeoutError:
                raise subprocess.TimeoutExpired("a fork", timeout or 0) from None
            self.returncode = os.waitstatus_to_exitcode(int(status or signal.SIGKILL))
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.returncode is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


class ForkedPython(ForkedProcess):
    """A Python that runs the code in its words, as far as a forkserver needs it."""

    def __init__(
        self,
        requests: socket.socket,
        words: Sequence[str],
        *,
        stdin: int,
        pass_fds: Sequence[int],
        start_new_session: bool,
    ) -> None:
        assert words[:2] == [sys.executable, "-c"]
        assert stdin == subprocess.DEVNULL
        assert start_new_session
        ending, end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with end:
            data = json.dumps(Start(list(words[1:]), dict(os.environ), list(pass_fds))).encode()
            socket.send_fds(requests, [data], [end.fileno(), *pass_fds])
        super().__init__(ending)


def _serve(requests: socket.socket) -> Start:
    """Fork for each request; send the process number to the socket that came with it, then the wait
    status. Returns in forks.
    """
    die_with_parent()
    close_to_others()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake)
    signal.signal(signal.SIGCHLD, _note)
    endings: dict[int, int] = {}
    while True:
        ready, _, _ = select([requests, woken], [], [])
        if woken in ready:
            os.read(woken, 64)
            _report(endings)
        if requests in ready:
            data, received, _, _ = socket.recv_fds(requests, LARGEST, 8)
            if not data:
                os._exit(0)
            start, (ending, *passed) = Start(*json.loads(data)), received
            pid = os.fork()
            if pid == 0:
                signal.set_wakeup_fd(-1)
                for number, action in (
                    (signal.SIGCHLD, signal.SIG_DFL),
                    (signal.SIGINT, signal.default_int_handler),
                ):
                    signal.signal(number, action)
                requests.detach()
                _take_on(start, passed)
                return start
            endings[pid] = ending
            os.write(ending, str(pid).encode())
            for descriptor in passed:
                os.close(descriptor)


def _note(number: int, frame: FrameType | None) -> None:
    """Do nothing: the signal has been written to a pipe."""


def _report(endings: dict[int, int]) -> None:
    """Send the wait statuses of the forks that have ended."""
    with suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            pid, status = ended
            with suppress(BrokenPipeError):
                os.write(endings[pid], str(status).encode())
            os.close(endings.pop(pid))


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
