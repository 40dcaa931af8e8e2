"""A keeper: the process between us and one worker. It forks the worker, and outlives it.

A program that runs in a worker can kill that worker. What the worker leaves behind, even in sessions of its own, becomes a child
of the keeper, which kills it. Then the keeper can fork a new worker, quickly, since everything is imported already.

We ask for a worker by sending the keeper one end of a socket. The worker takes calls from that socket and answers there, in
pairs of a `Word` and a value. When the worker has ended, the keeper sends us its exit status.

Before it forks a worker, the keeper forks a second keeper. That one forks checkers (see `compare.work.pool.checker`) in the same
way when the worker asks for one. It has solved nothing, and so no checker inherits anything from a backend.
"""

from __future__ import annotations

import os
import pickle
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from enum import StrEnum
from functools import partial
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from multiprocessing.reduction import recv_handle
from typing import Any, NoReturn

from compare.isolate.coordination import announce_with, call_begins, share_turn
from compare.isolate.processes import adopt_orphans, close_to_others, die_with_parent, end_with_parent, kill_orphans


class Word(StrEnum):
    """What a message of a worker or a keeper is about; its value stands in brackets.

    Attributes:
        READY: it has started (a worker and a checker: the process number).
        UNABLE: it cannot start (the reason).
        SILENCE: how long it may be silent now (seconds; None for as long as the call may).
        RESULT: the call has ended (its value, pickled).
        RAISED: the call has raised (the exception, pickled).
    """

    READY = "ready"
    UNABLE = "unable"
    SILENCE = "silence"
    RESULT = "result"
    RAISED = "raised"


NO_TURN = -1
"""In place of an open file: the worker takes no turns with others."""


def main(descriptor: int, turn: int, plugins: Sequence[str]) -> None:
    """Be a keeper until the other end of this socket is closed or the parent ends. This process then ends.

    Args:
        turn: the open file by which our worker takes turns with others, or `NO_TURN`.
    """
    if turn != NO_TURN:
        share_turn(turn)
    try:
        _keep(Connection(descriptor), plugins)
    finally:
        os._exit(0)


def _keep(control: Connection, plugins: Sequence[str]) -> None:
    """Load the puzzles of one's own that the first message brings, then fork a worker for each socket that comes."""
    signal.signal(signal.SIGINT, _let_pass)  # Ctrl-C is for our parent, which then stops us
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    close_to_others()
    end_with_parent()
    adopt_orphans()
    try:
        import puzzles
        from compare.work import worker

        for file in control.recv():
            puzzles.load(file, silent=True)
    except BaseException as error:
        control.send((Word.UNABLE, f"{type(error).__name__}: {error}"))
        return
    control.send((Word.READY, None))
    while (socket := _next_socket(control)) is not None:
        checks = _start_keeper_of_checkers(control, socket)
        pid = os.fork()
        if pid == 0:
            control.close()
            _take_calls(Connection(socket), partial(worker.start, plugins, checks))
        os.close(socket)
        checks.close()
        control.send(_end_of(pid))


def _start_keeper_of_checkers(control: Connection, socket: int) -> Connection:
    """Fork the keeper of checkers for the next worker, and return the socket to it. The fork closes the two sockets given here."""
    checks, end = Pipe()
    if os.fork() == 0:
        control.close()
        os.close(socket)
        checks.close()
        _keep_checkers(end)
    end.close()
    return checks


def _keep_checkers(control: Connection) -> NoReturn:
    """Fork a checker for each socket; this process ends with the worker that sends them, and with its parent."""
    try:
        die_with_parent()
        while (socket := _next_socket(control)) is not None:
            pid = os.fork()
            if pid == 0:
                control.close()
                _take_calls(Connection(socket), die_with_parent)
            os.close(socket)
            control.send(_end_of(pid))
    finally:
        os._exit(0)


def _next_socket(control: Connection) -> int | None:
    """The descriptor of the next socket that is sent to a keeper; None if the other end is closed."""
    try:
        return recv_handle(control)
    except (EOFError, OSError):
        return None


def _end_of(pid: int) -> int:
    """Wait for a fork, and kill what it leaves behind; returns its exit status, or minus the number of the signal."""
    _, wait_status = os.waitpid(pid, 0)
    kill_orphans()
    return os.waitstatus_to_exitcode(wait_status)


def _let_pass(number: int, frame: object) -> None:
    """Do nothing at a signal. A program that is started has its default action again, which it would not have if we ignored it."""


def _take_calls(calls: Connection, start: Callable[[], None]) -> NoReturn:
    """Take calls until the other end of the socket is closed. This process then ends."""
    try:
        try:
            start()
        except BaseException as error:
            calls.send((Word.UNABLE, f"{type(error).__name__}: {error}"))
            os._exit(1)
        announce_with(lambda seconds: calls.send((Word.SILENCE, seconds)))
        calls.send((Word.READY, os.getpid()))
        while True:
            calls.send(_answer(calls.recv_bytes()))
    except (EOFError, OSError):
        os._exit(0)
    finally:
        os._exit(1)


def request_of(seconds: float | None, function: Callable[..., Any], args: Sequence[Any]) -> bytes:
    """A call as a process of ours takes it; `seconds`: how long it may be silent when no limit of a run is in force."""
    return pickle.dumps((seconds, function, args), protocol=5)


def _answer(call: bytes) -> tuple[Word, bytes]:
    """Carry out one call."""
    try:
        seconds, function, args = pickle.loads(call)  # noqa: S301 - our own parent wrote it
        call_begins(seconds)
        return Word.RESULT, pickle.dumps(function(*args), protocol=5)
    except BaseException as error:
        return Word.RAISED, _pickled(error)


def _pickled(error: BaseException) -> bytes:
    """The exception, or one that names it if it cannot be pickled and read back."""
    with suppress(Exception):
        data = pickle.dumps(error, protocol=5)
        if isinstance(pickle.loads(data), Exception):  # noqa: S301 - written in the line above
            return data
    return pickle.dumps(RuntimeError(f"{type(error).__name__}: {error}"), protocol=5)
