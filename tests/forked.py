"""Commands of ours as forks of a prepared Python (`tests.prepared`): a start takes a tenth of the
time of a new interpreter.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from signal import SIGKILL
from tempfile import TemporaryFile
from threading import Lock
from typing import IO

from tests.places import ROOT
from tests.prepared import Request

FORKED = ("compare", "direct", "models")
"""The modules that `tests.prepared` runs."""

FREE = {"PYTEST_CURRENT_TEST", "PWD", "OLDPWD"}
"""Variables that may differ from those of the prepared Python: nothing heeds them."""


class PreparedPython:
    """The process that is forked, with the environment that it started with."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        self.variables = heeded(variables)
        self.control, end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with end:
            words = [sys.executable, str(ROOT / "tests" / "prepared.py"), str(end.fileno())]
            self.process = subprocess.Popen(
                words, pass_fds=[end.fileno()], env=dict(variables), stdin=subprocess.DEVNULL
            )

    def start(self, request: Request, streams: list[int]) -> int | None:
        """The process number of a fork; None if the command needs a new interpreter, or if this
        process has been killed.
        """
        try:
            socket.send_fds(self.control, [json.dumps(request).encode()], streams)
            answer = self.control.recv(64)
        except ConnectionError:
            answer = b""
        return int(answer or b"0") or None

    def wait(self, pid: int, seconds: float) -> int:
        """Wait for the fork; returns its exit status, or minus the number of the signal that ended
        it.

        Raises:
            TimeoutError: it takes longer. It has been killed.
        """
        self.control.settimeout(seconds)
        try:
            answer = self.control.recv(64)
        except TimeoutError:
            os.kill(pid, SIGKILL)
            self.control.settimeout(None)
            self.control.recv(64)
            raise
        self.control.settimeout(None)
        return os.waitstatus_to_exitcode(int(answer))

    def close(self) -> None:
        """Have the process end."""
        self.control.close()
        self.process.wait()


USUAL = {**os.environ, "PYTHONPATH": str(ROOT)}
"""The environment of the prepared Python: that of the tests, before the first of them runs."""

_one_at_a_time = Lock()
_prepared: PreparedPython | None = None


def run_forked(
    words: Sequence[str],
    cwd: Path,
    env: Mapping[str, str],
    text: str | None,
    stdout: int | IO[bytes] | IO[str],
    seconds: float,
) -> subprocess.CompletedProcess[str] | None:
    """Run a module of ours with these words to its end, as `subprocess.run` would run `python -m`
    with them.

    Returns:
        None if only a new interpreter will do: what Python reads at its start may differ, or the
            folder has modules whose names
        are taken. Nothing has run then.

    Raises:
        subprocess.TimeoutExpired: it takes longer than `seconds`.
    """
    global _prepared
    if words[0] not in FORKED or not _one_at_a_time.acquire(blocking=False):
        return None
    try:
        if _prepared is not None and _prepared.process.poll() is not None:
            _prepared.close()  # a test has killed all processes below its own
            _prepared = None
        _prepared = _prepared or PreparedPython(USUAL)
        if heeded(env) != _prepared.variables:
            return None
        return _run(
            _prepared,
            Request(words[0], list(words[1:]), str(cwd), dict(env)),
            text,
            stdout,
            seconds,
        )
    finally:
        _one_at_a_time.release()


def heeded(variables: Mapping[str, str]) -> dict[str, str]:
    """The variables that may change what a command does."""
    return {name: value for name, value in variables.items() if name not in FREE}


def _run(
    python: PreparedPython,
    request: Request,
    text: str | None,
    stdout: int | IO[bytes] | IO[str],
    seconds: float,
) -> subprocess.CompletedProcess[str] | None:
    captured = stdout == subprocess.PIPE
    with TemporaryFile("w+") as given, TemporaryFile("w+") as printed, TemporaryFile("w+") as said:
        given.write(text or "")
        given.seek(0)
        out = printed if captured else stdout
        streams = [
            0 if text is None else given.fileno(),
            out if isinstance(out, int) else out.fileno(),
            said.fileno(),
        ]
        pid = python.start(request, streams)
        if pid is None:
            return None
        words = [sys.executable, "-m", request.module, *request.words]
        try:
            status = python.wait(pid, seconds)
        except TimeoutError:
            raise subprocess.TimeoutExpired(words, seconds) from None
        for stream in (printed, said):
            stream.seek(0)
        return subprocess.CompletedProcess(
            words, status, printed.read() if captured else None, said.read()
        )
