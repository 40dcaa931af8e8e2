"""What runs in a starter: a child that only starts programs.

A program that kills or stops its parent hurts this child alone.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from threading import Thread
from time import perf_counter
from typing import IO, NamedTuple

from compare.isolate.outcome import Status, amount, ending, with_last_line
from compare.isolate.processes import children, kill_descendants
from compare.isolate.serving import Ended

_MAX_ERRORS = 2**16
"""Bytes of standard error in which the reason of a crash is looked for."""


class ProgramOutput(NamedTuple):
    """What a program printed, the wall seconds of its whole life, its exit status, and the last
    line of its standard error.
    """

    output: bytes
    wall_s: float
    status: int = 0
    last_line: str = ""


def run_program(
    command: Sequence[str], text: bytes, max_output: int, statuses: Collection[int] = (0,)
) -> ProgramOutput:
    """Start a program with a text as its standard input, and wait for its end. Main watches the
    limits of time and memory.

    What it has started ends with it.

    Args:
        statuses: the exit statuses with which it may end.

    Raises:
        Ended: CRASH for a signal or another exit status; ERROR if it prints too much.
    """
    with tempfile.TemporaryFile() as stdin:
        stdin.write(text)
        stdin.seek(0)
        started = perf_counter()
        try:
            program = subprocess.Popen(
                command,
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            raise Ended(Status.CRASH, f"could not be started: {error.strerror or error}") from None
    with program:
        output, errors = (
            _Reader(program.stdout, max_output, program.kill),
            _Reader(program.stderr, _MAX_ERRORS),
        )
        code = program.wait()
        wall_s = perf_counter() - started
        if children(os.getpid()):
            kill_descendants(os.getpid())  # they may hold its pipes open
        output.join()
        errors.join()
    if len(output.kept) > max_output:
        raise Ended(Status.ERROR, f"printed more than {amount(max_output)}")
    said = errors.kept.decode("utf-8", "replace")
    if code not in statuses:
        raise Ended(Status.CRASH, with_last_line(ending(code), said))
    return ProgramOutput(bytes(output.kept), wall_s, code, "".join(said.strip().splitlines()[-1:]))


class _Reader(Thread):
    """Reads what a program prints until nobody can print any more; keeps the beginning.

    Attributes:
        kept: at most one byte more than wanted.
    """

    def __init__(
        self, source: IO[bytes] | None, wanted: int, at_more: Callable[[], object] = lambda: None
    ) -> None:
        """`at_more`: called once there is more than wanted."""
        super().__init__(daemon=True)
        assert source is not None
        self._descriptor, self._wanted, self._at_more = source.fileno(), wanted, at_more
        self.kept = bytearray()
        self.start()

    def run(self) -> None:
        while data := os.read(self._descriptor, 2**16):
            room = self._wanted + 1 - len(self.kept)
            self.kept += data[:room]
            if room <= len(data):
                self._at_more()


def run_compiler(words: Sequence[str], environment: Mapping[str, str], messages: str) -> int:
    """Run a compiler, which writes to the file `messages`; returns its exit status, or minus the
    number of a signal.

    Raises:
        Ended: CRASH if it could not be started.
    """
    with Path(messages).open("wb") as lines:
        try:
            return subprocess.run(
                words, stdin=subprocess.DEVNULL, stdout=lines, stderr=lines, env=environment
            ).returncode
        except OSError as error:
            raise Ended(Status.CRASH, f"could not be started: {error.strerror or error}") from None
