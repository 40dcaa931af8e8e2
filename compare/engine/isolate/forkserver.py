"""The forkserver: a process that imports everything, solves nothing, and forks the children of
main.

Main asks for a child by sending three descriptors: the child's end of a socket for calls, the file
that keeps what it prints, and a pipe on which we report its exit status. We reply with its process
number. Main can also have us call a function, so that all later children have what that loads; we
reply with what it raised. The standard library's forkserver would run the user's script in each
child once more, and looks for packages where main does not.
"""

from __future__ import annotations

import os
import pickle
import signal
import socket
from contextlib import suppress
from importlib import import_module
from multiprocessing.connection import Connection

from compare.engine.isolate.serving import serve_calls
from puzzles.shell.process_tree import adopt_orphans, close_to_others, kill_descendants

FOREIGN, OWN, CALL = b"f", b"o", b"c"
"""What main asks for: a child for foreign code, one for our own, or a call in this process.

Behind it come the folder that is to be the child's working directory, or the pickled call.
"""

_MAX_REASON = 2000
"""Bytes of what a call raised."""


def main(descriptor: int) -> None:
    """Carry out requests until the other end of this socket is closed, then kill all that is left,
    and end.
    """
    control = Connection(descriptor)
    for number in (signal.SIGINT, signal.SIGHUP):  # these are for main, which closes the socket
        signal.signal(number, signal.SIG_IGN)
    close_to_others()
    adopt_orphans()
    reports: dict[int, int] = {}  # of the children that live, by process number
    with suppress(ConnectionError, EOFError):  # main has ended, or wants no more
        while True:
            request = control.recv_bytes()
            kind, rest = request[:1], request[1:]
            if kind == CALL:
                control.send_bytes(_make_call(rest))
                continue
            with socket.fromfd(descriptor, socket.AF_UNIX, socket.SOCK_STREAM) as passing:
                _, descriptors, _, _ = socket.recv_fds(passing, 1, 3)
            signal.signal(signal.SIGCHLD, lambda number, frame: _reap(reports))
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})  # it may end too soon
            pid = _fork(kind == FOREIGN, rest, *descriptors[:2], main=control)
            reports[pid] = descriptors[2]
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
            control.send_bytes(b"%d" % pid)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    kill_descendants(os.getpid())
    os._exit(0)


def call_named(module: str, function: str) -> None:
    """Import a module and call one of its functions. Main need not import it."""
    getattr(import_module(module), function)()


def _make_call(request: bytes) -> bytes:
    """Make a pickled call; returns what it raised, as text, or nothing."""
    try:
        pickle.loads(request)()  # noqa: S301 - main wrote it
    except BaseException as error:
        return f"{type(error).__name__}: {error}".encode()[:_MAX_REASON]
    return b""


def _fork(foreign: bool, folder: bytes, calls: int, printed: int, *, main: Connection) -> int:
    """Fork a child; returns its process number.

    Args:
        folder: its working directory.
        calls, printed: the child's end of a socket for calls, and the file that keeps what it
            prints. Here they are closed.
        main: our own way to main, which it must not have.
    """
    pid = os.fork()
    if pid == 0:
        main.close()
        with suppress(OSError):  # it may be gone
            os.chdir(folder)
        serve_calls(calls, printed, foreign=foreign)
    os.close(calls)
    os.close(printed)
    return pid


def _reap(reports: dict[int, int]) -> None:
    """Report the children that have ended.

    What they have left behind has become ours, and is killed first.

    Args:
        reports: of the children that live, by process number, the pipe for the exit status.
    """
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        report = reports.pop(pid, None)
        if report is not None:
            kill_descendants(os.getpid(), spare=reports)
            with suppress(BrokenPipeError):  # main does not want to know
                os.write(report, b"%d" % os.waitstatus_to_exitcode(status))
            os.close(report)
