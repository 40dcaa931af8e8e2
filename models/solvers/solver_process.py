"""One run of a program that solves a formula: its files, which leave nothing behind, and what it prints, up to a bound."""

from __future__ import annotations

import os
import re
import selectors
import shlex
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO, NamedTuple

import psutil

_AT_ONCE = 1 << 16
"""Bytes that are read in one step."""


class TooMuch(Exception):
    """A program printed or wrote more than the bound; it has been killed."""


class Printed(NamedTuple):
    """What a program printed, and its exit status (minus the number of a signal)."""

    output: bytes
    errors: bytes
    status: int


class SolverFile:
    """A file for a program.

    On Linux the file has no name: the program inherits its descriptor, and finds it under its own process number. The file is gone
    when nobody has it open any more, even after a kill. Elsewhere it stands in a folder that is removed when the run ends.

    Attributes:
        path: in the words of a shell, where `$$` is the process number of the program.
        inherited: the descriptor; None if the file has a name.
    """

    def __init__(self, file: IO[bytes], path: str, inherited: int | None) -> None:
        self._file, self.path, self.inherited = file, path, inherited

    def read(self, most: int) -> bytes:
        """The content; raises `TooMuch` if it has more than `most` bytes."""
        self._file.seek(0)
        content = self._file.read(most + 1)
        if len(content) > most:
            raise TooMuch
        return content


class _Interrupted(BaseException):
    """A signal that ends this process came while a program ran."""


@cache
def _words_before() -> tuple[str, ...]:
    """Words before a command, with which the system kills the program if this process is killed.

    `setpriv` is part of util-linux.
    """
    return ("setpriv", "--pdeathsig", "KILL") if shutil.which("setpriv") is not None else ()


@contextmanager
def _signals_raise() -> Iterator[None]:
    """Where a signal would end this process at once, it raises `_Interrupted` inside, and ends this process afterwards.

    This is for the main thread, where `python -m models` waits for programs. Elsewhere nothing changes.
    """
    ending: list[int] = []

    def end(number: int, frame: object) -> None:
        ending.append(number)
        raise _Interrupted

    heeded = []
    if threading.current_thread() is threading.main_thread():
        heeded = [number for number in (signal.SIGINT, signal.SIGTERM) if signal.getsignal(number) is signal.SIG_DFL]
    try:
        for number in heeded:
            signal.signal(number, end)
        yield
    finally:
        for number in heeded:
            signal.signal(number, signal.SIG_DFL)
        if ending:
            os.kill(os.getpid(), ending[0])


def _kill(pid: int) -> None:
    """Kill a process and all that it has started.

    All of them are stopped first: one that runs could start another program after its programs are listed.
    """
    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        process.suspend()
        below: set[psutil.Process] = set()
        while further := set(process.children(recursive=True)) - below:
            for each in further:
                with suppress(psutil.NoSuchProcess):
                    each.suspend()
            below |= further
        for each in (*below, process):
            with suppress(psutil.NoSuchProcess):
                each.kill()


@contextmanager
def solver_file(name: str, content: bytes = b"") -> Iterator[SolverFile]:
    """A file with this content for as long as the context lasts; `name` is used where files need names."""
    with ExitStack() as stack:
        file = stack.enter_context(TemporaryFile(prefix="twofold-"))
        inherited = file.fileno()
        path = f"/proc/$$/fd/{inherited}"
        if not os.access(f"/proc/{os.getpid()}/fd/{inherited}", os.R_OK | os.W_OK):
            named = Path(stack.enter_context(TemporaryDirectory(prefix="twofold-")), name)
            file, inherited, path = stack.enter_context(named.open("w+b")), None, shlex.quote(str(named))
        file.write(content)
        file.flush()
        yield SolverFile(file, path, inherited)


def printed_by(command: Sequence[str], files: Mapping[str, SolverFile], most: int) -> Printed:
    """Run a command to its end without input; in its words, each key of `files` stands for the path of that file.

    If this process is interrupted, the program and all that it has started are killed first.

    Raises:
        TooMuch: it printed more than `most` bytes on stdout or stderr.
    """
    script = " ".join(["exec", *_words_before(), *(_quoted(word, files) for word in command)])
    started = ["/bin/sh", "-c", script]
    descriptors = [file.inherited for file in files.values() if file.inherited is not None]
    pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
    with (
        _signals_raise(),
        subprocess.Popen(started, stdin=nothing, stdout=pipe, stderr=pipe, pass_fds=descriptors) as process,
    ):
        try:
            output, errors = _read(process, most)
            return Printed(output, errors, process.wait())
        except BaseException:
            _kill(process.pid)
            raise


def _quoted(word: str, files: Mapping[str, SolverFile]) -> str:
    """A word for a shell, with the paths of the files in their places."""
    parts = re.split("(" + "|".join(map(re.escape, files)) + ")", word)
    return "".join(files[part].path if part in files else shlex.quote(part) for part in parts)


def _read(process: subprocess.Popen[bytes], most: int) -> tuple[bytes, bytes]:
    """Both outputs of a process, read until it closes them."""
    assert process.stdout is not None
    assert process.stderr is not None
    contents = {process.stdout: bytearray(), process.stderr: bytearray()}
    with selectors.DefaultSelector() as open_pipes:
        for pipe in contents:
            open_pipes.register(pipe, selectors.EVENT_READ)
        while open_pipes.get_map():
            for key, _ in open_pipes.select():
                part = os.read(key.fd, _AT_ONCE)
                content = next(each for pipe, each in contents.items() if pipe is key.fileobj)
                content += part
                if not part:
                    open_pipes.unregister(key.fileobj)
                elif len(content) > most:
                    raise TooMuch
    return bytes(contents[process.stdout]), bytes(contents[process.stderr])
