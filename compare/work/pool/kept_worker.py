"""One worker of this machine with its keeper (see `compare.work.pool.keeper`), as we see them from outside."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from multiprocessing.reduction import send_handle
from pathlib import Path
from typing import Any
from uuid import uuid4

from compare.isolate.coordination import STOP_SIGNAL
from compare.isolate.outcome import Status
from compare.isolate.processes import kill_adopted, kill_descendants, kill_marked, readable, signal_name
from compare.work.pool.keeper import NO_TURN, Word
from compare.work.worker import ENVIRONMENT
from puzzles.user.user_file import UserFile

START_S = 120.0
"""Seconds that a worker may take to start."""

_MARK = "TWOFOLD_KEEPER"
"""The environment variable by which we find what a keeper leaves behind that was killed itself, where nobody adopts it."""

_CODE = """
import sys
descriptor, turn, count = map(int, sys.argv[1:4])
sys.path[:], plugins = sys.argv[4 : 4 + count], sys.argv[4 + count :]
from compare.work.pool.keeper import main
main(descriptor, turn, plugins)
"""

_END_S, _LATE_S = 5.0, 1.0

_MOST_AHEAD = 2**14
"""Bytes of a request that is sent ahead. A socket holds more, so neither side waits for the other to read."""


class Lost(Exception):
    """The worker of a call did not report: TIMEOUT if it took too long, CRASH if it died."""

    def __init__(self, status: Status, detail: str) -> None:
        super().__init__(status, detail)
        self.status, self.detail = status, detail


class KeptWorker:
    """A worker and its keeper. Both start when a call needs them, and again after one of them was lost.

    `stop` and `stop_run` may be called by any thread. All else belongs to one thread, which lives as long as the keeper: the
    system takes the end of the thread that started a process for the end of the parent.

    Attributes:
        stopped: `stop` was called.
    """

    def __init__(self, plugins: Sequence[str], user_files: Sequence[UserFile] = (), turn: int | None = None) -> None:
        """`turn`: the open file by which workers take turns (see `compare.isolate.coordination`); None for no turns."""
        self._plugins, self._own_files = plugins, tuple(user_files)
        self._turn = turn
        self._keeper: subprocess.Popen[bytes] | None = None
        self._control: Connection | None = None
        self._calls: Connection | None = None
        self._worker: int | None = None
        self._mark = ""
        self._sent_ahead: bytes | None = None
        """The request that waits at the worker behind the one that is under way."""
        self.stopped = False

    def call(self, request: bytes, seconds: float | None, following: bytes | None = None) -> tuple[Word, bytes]:
        """Have the worker carry out a call; raises `Lost`.

        Args:
            request: see `compare.work.pool.keeper.request_of`.
            seconds: how long the worker may be silent when no limit of a run is in force; None for any time.
            following: the request of the next call if it is known. The worker then goes on with it at once, and waits for nobody.

        Returns:
            RESULT with the pickled value, or RAISED with the pickled exception.
        """
        was_sent = self._calls is not None and self._sent_ahead is request
        while not was_sent and readable(*(each for each in (self._calls, self._control) if each is not None), within=0):
            self._clear()  # one of the two died while there was nothing to do
        calls = self._calls or self._start()
        try:
            if not was_sent:
                calls.send_bytes(request)
            self._sent_ahead = None
            if following is not None and len(following) <= _MOST_AHEAD:
                calls.send_bytes(following)
                self._sent_ahead = following
            return self._receive(calls, seconds)
        except (EOFError, OSError):
            raise Lost(Status.CRASH, f"the worker died: {self._clear()}") from None

    def stop(self) -> None:
        """Kill the worker and whatever it has started. A call that is under way is lost."""
        self.stopped = True
        if self._keeper is not None:
            self._keeper.terminate()

    def stop_run(self) -> None:
        """Have the worker stop the run that is under way and live on. Only for calls that heed it (`heed_stop`)."""
        worker = self._worker
        if self._calls is not None and worker is not None:
            with suppress(ProcessLookupError):
                os.kill(worker, STOP_SIGNAL)

    def dismiss(self) -> None:
        """Let the worker and the keeper end."""
        if self._calls is not None:
            self._clear()
        if self._keeper is not None:
            self._end_keeper()

    def _receive(self, source: Connection, seconds: float | None) -> tuple[Word, Any]:
        """The next message that is not about silence. If there is none in time, the worker is killed and the call is lost.

        If all of us were suspended, the worker gets another second to speak.
        """
        allowed = seconds
        while readable(source, within=allowed) or readable(source, within=_LATE_S):
            word, value = source.recv()
            if word is not Word.SILENCE:
                return word, value
            allowed = seconds if value is None else value
        self._clear()
        raise Lost(Status.TIMEOUT, f"the worker did not come back within {allowed:g} s")

    def _start(self) -> Connection:
        """Start a worker, and a keeper if there is none."""
        if self.stopped:
            raise Lost(Status.CRASH, "stopped")
        try:
            control = self._control or self._start_keeper()
            assert self._keeper is not None
            self._calls, end = Pipe()
            with end:
                send_handle(control, end.fileno(), self._keeper.pid)
            word, reason = self._receive(self._calls, START_S)
            self._worker = reason if word is Word.READY else None
        except (EOFError, OSError):
            raise Lost(Status.CRASH, f"a worker died at its start: {self._clear()}") from None
        if word is Word.UNABLE:
            self._clear()
            raise Lost(Status.CRASH, f"a worker could not start: {reason}")
        return self._calls

    def _start_keeper(self) -> Connection:
        control, end = Pipe()
        packages, self._mark = _packages(), uuid4().hex
        turn = NO_TURN if self._turn is None else self._turn
        with end:
            try:
                self._keeper = subprocess.Popen(
                    [sys.executable, "-c", _CODE, str(end.fileno()), str(turn), str(len(packages)), *packages, *self._plugins],
                    stdin=subprocess.DEVNULL,
                    pass_fds=[each for each in (end.fileno(), turn) if each != NO_TURN],
                    env={**os.environ, **ENVIRONMENT, _MARK: self._mark},
                )
            except OSError as error:
                raise Lost(Status.CRASH, f"a worker could not start: {error}") from None
        self._control = control
        with suppress(BrokenPipeError):  # it has ended already; mostly it has said why
            control.send(self._own_files)
        word, reason = self._receive(control, START_S)
        if word is Word.UNABLE:
            self._end_keeper()
            raise Lost(Status.CRASH, f"a worker could not start: {reason}")
        return control

    def _clear(self) -> str:
        """Make sure that the worker has ended and has left nothing behind; returns how it ended.

        If the keeper does not say so soon, it is replaced as well.
        """
        self._sent_ahead = None
        if self._calls is not None:
            self._calls.close()
            self._calls = None
        if self._keeper is None or self._control is None:
            return "it has no keeper"
        if not self._control.poll(0):
            self._keeper.send_signal(signal.SIGCONT)
            kill_descendants(self._keeper.pid)
        with suppress(EOFError, OSError):
            if self._control.poll(_END_S):
                status: int = self._control.recv()
                return f"killed by {signal_name(-status)}" if status < 0 else f"exit status {status}"
        self._end_keeper()
        return "its keeper died with it"

    def _end_keeper(self) -> None:
        """End the keeper, and kill what it leaves behind if it does not end by itself."""
        assert self._keeper is not None
        assert self._control is not None
        self._control.close()
        with suppress(subprocess.TimeoutExpired):
            self._keeper.wait(_END_S)
        if self._keeper.returncode != 0:
            kill_descendants(self._keeper.pid)
            self._keeper.kill()
            self._keeper.wait()
            kill_adopted(self._worker)
            kill_marked(_MARK, self._mark)
        self._keeper = self._control = None


def _packages() -> list[str]:
    """Where Python looks for modules; the working directory by its full name, unless it is gone."""
    places: list[str] = []
    for place in sys.path:
        with suppress(FileNotFoundError):
            places.append(place or str(Path.cwd()))
    return places
