"""Commands of ours as forks of a prepared Python (`tests.prepared`): a start takes a tenth of the
time of a new interpreter.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from signal import SIGKILL
from tempfile import TemporaryFile
from threading import Lock
from typing import IO

from tests.forked_servers import ForkedProcess
from tests.places import ROOT
from tests.prepared import Request

FORKED = ("compare", "direct", "models")
"""The modules that `tests.prepared` runs."""

FREE = {"PYTEST_CURRENT_TEST", "PWD", "OLDPWD"}
"""Variables that may differ from those of the prepared Python: nothing heeds them."""


class PreparedPython:
    """The process that is forked, with the environment that it started with; its twin has imported
    OR-Tools and Matplotlib as well.
    """

    def __init__(self, variables: Mapping[str, str]) -> None:
        self.variables = heeded(variables)
        self.usual, end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.twin, end_of_twin = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.control = self.usual
        with end, end_of_twin:
            numbers = [end.fileno(), end_of_twin.fileno()]
            self.process = subprocess.Popen(
                [sys.executable, str(ROOT / "tests" / "prepared.py"), *map(str, numbers)],
                pass_fds=numbers,
                env=dict(variables),
                stdin=subprocess.DEVNULL,
            )

    def start(self, request: Request, streams: list[int]) -> int | None:
        """The process number of a fork; None if the command needs a new interpreter, or if this
        process has been killed.
        """
        self.control = self.twin if needs_twin(request) else self.usual
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
        self.usual.close()
        self.twin.close()
        self.process.wait()


def needs_twin(request: Request) -> bool:
    """Whether the command will import OR-Tools or Matplotlib: its words say so, or a file that they
    name.

    It also is right if this guess is wrong, only slower.
    """
    if not {"report", "--plot"}.isdisjoint(request.words):
        return True
    texts = list(request.words)
    for path in (Path(request.folder, word) for word in request.words if word.endswith(".py")):
        with suppress(OSError, ValueError):
            texts.append(path.read_text())
    return any(name in text for name in ("cpsat", "cp_model") for text in texts)


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
    request = Request(words[0], list(words[1:]), str(cwd), dict(env))
    with _prepared_for(request) as python:
        return None if python is None else _run(python, request, text, stdout, seconds)


def start_forked(
    words: Sequence[str],
    cwd: Path,
    env: Mapping[str, str],
    stdout: IO[bytes] | IO[str],
    stderr: IO[bytes] | IO[str],
) -> ForkedProcess | None:
    """Start a module of ours with these words in a session of its own, and return at once.

    Returns:
        None where `run_forked` returns it.
    """
    request = Request(words[0], list(words[1:]), str(cwd), dict(env), goes_on=True)
    ending, end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with _prepared_for(request) as python, Path(os.devnull).open() as nothing, end:
        streams = [nothing.fileno(), stdout.fileno(), stderr.fileno(), end.fileno()]
        if python is not None and python.start(request, streams):
            return ForkedProcess(ending)
    ending.close()
    return None


@contextmanager
def _prepared_for(request: Request) -> Iterator[PreparedPython | None]:
    """The prepared Python, for nobody else meanwhile; None if only a new interpreter will do."""
    global _prepared
    if request.module not in FORKED or not _one_at_a_time.acquire(blocking=False):
        yield None
        return
    try:
        if _prepared is not None and _prepared.process.poll() is not None:
            _prepared.close()  # a test has killed all processes below its own
            _prepared = None
        _prepared = _prepared or PreparedPython(USUAL)
        yield _prepared if heeded(request.variables) == _prepared.variables else None
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
