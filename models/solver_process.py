"""One run of a program that solves a formula: its files, which leave nothing behind, and what it prints, up to a bound."""

from __future__ import annotations

import os
import selectors
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO, NamedTuple

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
    """A file for a program, by its path.

    On Linux the file has no name: its path leads through this process (`/proc/PID/fd/N`), and the file is gone when the process
    is, even after a kill. Elsewhere it stands in a folder that is removed when the run ends.
    """

    def __init__(self, file: IO[bytes], path: str) -> None:
        self._file, self.path = file, path

    def read(self, most: int) -> bytes:
        """The content; raises `TooMuch` if it has more than `most` bytes."""
        self._file.seek(0)
        content = self._file.read(most + 1)
        if len(content) > most:
            raise TooMuch
        return content


@contextmanager
def solver_file(name: str, content: bytes = b"") -> Iterator[SolverFile]:
    """A file with this content for as long as the context lasts; `name` is used where files need names."""
    with ExitStack() as stack:
        file = stack.enter_context(TemporaryFile(prefix="twofold-"))
        path = Path(f"/proc/{os.getpid()}/fd/{file.fileno()}")
        if not os.access(path, os.R_OK | os.W_OK):
            path = Path(stack.enter_context(TemporaryDirectory(prefix="twofold-")), name)
            file = stack.enter_context(path.open("w+b"))
        file.write(content)
        file.flush()
        yield SolverFile(file, str(path))


def printed_by(command: Sequence[str], most: int) -> Printed:
    """Run a command to its end without input.

    Raises:
        TooMuch: it printed more than `most` bytes on stdout or stderr.
    """
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        try:
            output, errors = _read(process, most)
            return Printed(output, errors, process.wait())
        except BaseException:
            process.kill()
            raise


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
