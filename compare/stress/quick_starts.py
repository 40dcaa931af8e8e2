"""Starts of programs in a child that starts many of them in one call, in less than half the time of
a call for each start.

A program is started as cheaply as can be: without a copy of this process, and with files in place
of pipes. Main watches the memory of all of them.
"""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from time import perf_counter

from compare.isolate.outcome import Limits, Outcome, Status, Usage, ending
from compare.work.programs import ProgramOutput


class QuickStarts:
    """Programs get their input from a file and print to others, which are used again and again.

    Attributes:
        folder: for files. Main removes it, for this process may be killed.
    """

    def __init__(
        self, folder: str, limits: Limits, input: int, output: int, errors: int, nowhere: int
    ) -> None:
        self.folder, self._limits = folder, limits
        self._input, self._output, self._errors, self._nowhere = input, output, errors, nowhere

    def program(self, command: Sequence[str], data: bytes) -> Outcome:
        """How a program ended; the value is what it printed."""
        ended = self.start(command, data)
        return replace(ended, value=ended.value.output) if ended.ok else ended

    def start(
        self, command: Sequence[str], data: bytes, statuses: Collection[int] = (0,)
    ) -> Outcome:
        """How a program ended that may end with these statuses; the value is a `ProgramOutput`.

        What it says on standard error is kept if it may end with several ones.

        Raises:
            TimeoutError: it takes too long.
        """
        errors = self._errors if len(statuses) > 1 else self._nowhere
        for file, content in ((self._input, data), (self._output, b""), (self._errors, b"")):
            os.ftruncate(file, 0)
            os.pwrite(file, content, 0)
            os.lseek(file, 0, os.SEEK_SET)
        actions = [
            (os.POSIX_SPAWN_DUP2, ours, theirs)
            for theirs, ours in enumerate((self._input, self._output, errors))
        ]
        started = perf_counter()
        pid = os.posix_spawnp(
            command[0],
            [*command],
            os.environ,
            file_actions=actions,
            setsid=True,
            setsigdef=(signal.SIGPIPE, signal.SIGXFSZ),
        )
        signal.setitimer(signal.ITIMER_REAL, self._limits.seconds)
        try:
            _, status, used = os.wait4(pid, 0)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        usage = Usage(perf_counter() - started, used.ru_utime + used.ru_stime)
        code = os.waitstatus_to_exitcode(status)
        if code not in statuses:
            return Outcome(Status.CRASH, detail=ending(code), usage=usage)
        printed, said = (
            os.pread(file, os.fstat(file).st_size, 0) for file in (self._output, self._errors)
        )
        last_line = "".join(said.decode("utf-8", "replace").strip().splitlines()[-1:])
        ended = ProgramOutput(printed, usage.wall_s or 0.0, code, last_line)
        return Outcome(Status.OK, ended, usage=usage)


@contextmanager
def quick_starts(folder: str, limits: Limits) -> Iterator[QuickStarts]:
    """Starts under these limits, with files in an empty folder."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with ExitStack() as stack:
        stack.callback(signal.signal, signal.SIGALRM, signal.signal(signal.SIGALRM, _stop_waiting))
        stack.callback(resource.setrlimit, resource.RLIMIT_FSIZE, before)
        resource.setrlimit(resource.RLIMIT_FSIZE, (min(limits.output, before[0]), before[1]))
        files: list[int] = []
        for path in [
            *(Path(folder) / each for each in ("input", "output", "errors")),
            Path(os.devnull),
        ]:
            files.append(os.open(path, os.O_RDWR | os.O_CREAT))
            stack.callback(os.close, files[-1])
        yield QuickStarts(folder, limits, *files)


def _stop_waiting(number: int, frame: object) -> None:
    raise TimeoutError
