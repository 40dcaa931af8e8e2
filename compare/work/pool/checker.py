"""The checker: a standing process beside a worker, in which no backend has solved anything. It checks answers.

A keeper forks a second keeper before each worker, and that one forks checkers for this worker (see `compare.work.pool.keeper`). A
checker takes one call after the other. If a call does not end well, the checker is killed, and the next call gets a new one.
"""

from __future__ import annotations

import os
import pickle
import signal
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from multiprocessing.reduction import send_handle
from time import monotonic
from typing import Any

from compare.isolate.coordination import STOPPED, is_silent_at_most, stop_asked
from compare.isolate.outcome import Limits, Outcome, Status
from compare.isolate.processes import readable, signal_name, tree_bytes
from compare.isolate.sandbox import call
from compare.isolate.watch import too_much_memory
from compare.work.pool.keeper import Word, request_of

_POLL_S = 0.02

_START_S, _END_S = 60.0, 5.0
"""Seconds that a checker may take to start, and to end once it is killed."""


class Checker:
    """The checker of one worker. A fork of the worker may not call it.

    Attributes:
        owner: the process number of the worker.
    """

    def __init__(self, keeper: Connection) -> None:
        self.owner = os.getpid()
        self._keeper = keeper
        self._calls: Connection | None = None
        self._pid = 0

    def call(self, function: Callable[..., Any], *args: Any, limits: Limits) -> Outcome:
        """The outcome of `function(*args)`. If the checker dies meanwhile, a new one makes the call once more."""
        request, how = request_of(None, function, args), ""
        for _ in range(2):
            is_silent_at_most(limits.seconds)
            try:
                return self._outcome(request, limits)
            except (EOFError, OSError):
                how = self._end()
        return Outcome(Status.CRASH, None, how)

    def _outcome(self, request: bytes, limits: Limits) -> Outcome:
        """The outcome of a pickled call; raises EOFError or OSError if the checker dies."""
        calls = self._calls or self._start()
        calls.send_bytes(request)
        stopped = self._wait(calls, limits)
        if stopped is not None:
            self._end()
            return stopped
        word, value = calls.recv()
        if word is Word.RESULT:
            return Outcome(Status.OK, pickle.loads(value))  # noqa: S301 - our own checker wrote it
        self._end()
        error = pickle.loads(value)  # noqa: S301 - our own checker wrote it
        status = Status.MEMORY if isinstance(error, MemoryError) else Status.CRASH
        return Outcome(status, None, f"raised {type(error).__name__}: {error}")

    def _wait(self, calls: Connection, limits: Limits) -> Outcome | None:
        """Wait for the answer; the outcome if a limit is passed first."""
        deadline = monotonic() + limits.seconds
        while not readable(calls, within=_POLL_S):
            if monotonic() >= deadline:
                return Outcome(Status.TIMEOUT, None, f"stopped at {limits.seconds:g} s")
            if stop_asked():
                return Outcome(Status.TIMEOUT, None, STOPPED)
            if limits.memory is not None and tree_bytes(self._pid) > limits.memory:
                return Outcome(Status.MEMORY, None, too_much_memory(limits.memory))
        return None

    def _start(self) -> Connection:
        """Have the keeper fork a checker."""
        self._calls, end = Pipe()
        with end:
            send_handle(self._keeper, end.fileno(), 0)
        if not readable(self._calls, within=_START_S):
            raise TimeoutError
        _, self._pid = self._calls.recv()
        return self._calls

    def _end(self) -> str:
        """Make sure that the checker has ended; returns how it ended.

        If its keeper is gone or stuck, this process ends as well. Then our keeper starts a worker with a new keeper of checkers.
        """
        if self._calls is not None:
            self._calls.close()
            self._calls = None
        with suppress(EOFError, OSError):
            if self._pid and not self._keeper.poll(0):
                with suppress(ProcessLookupError):  # its keeper has waited for it, and is about to say so
                    os.kill(self._pid, signal.SIGKILL)
            self._pid = 0
            if self._keeper.poll(_END_S):
                status: int = self._keeper.recv()
                return f"killed by {signal_name(-status)}" if status < 0 else f"exit status {status}"
        os._exit(1)


_checker: Checker | None = None


def start(keeper: Connection) -> None:
    """From now on this process has a checker; `keeper` is the socket to the keeper that forks it."""
    global _checker
    _checker = Checker(keeper)


def call_apart(function: Callable[..., Any], *args: Any, limits: Limits) -> Outcome:
    """As `compare.isolate.sandbox.call`, but in the checker of this worker; a process that is no worker forks itself."""
    if _checker is None or _checker.owner != os.getpid():
        return call(function, *args, limits=limits)
    return _checker.call(function, *args, limits=limits)
