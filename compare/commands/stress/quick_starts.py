"""Starts of programs in a child that starts many of them in one call, in less than half the time of
a call of `run_program` for each start.

A program is started as cheaply as can be: without a copy of this process, and with files in place
of pipes. Programs under test share a folder, which is emptied before each start. Main watches the
memory of all of them.
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

from compare.engine.isolate.outcome import Limits, Outcome, Status, Usage, uncaught
from compare.engine.isolate.serving import Ended
from compare.engine.work.programs import (
    ProgramFiles,
    ProgramOutput,
    allow_stack,
    answer_of,
    from_elsewhere,
    put_input,
)
from puzzles.shell.process_tree import ending
from puzzles.shell.scratch_folder import remove_folder
from puzzles.shell.time_limits import at_most


class QuickStarts:
    """Programs get their input from a file and print to others, which are used again and again.

    Attributes:
        folder: for files. Main removes it, for this process may be killed.
    """

    def __init__(self, folder: str, limits: Limits, here: int, *files: int) -> None:
        """`here`: this folder; `files`: for input, output and errors, and one that is nowhere."""
        self.folder, self._limits = folder, limits
        self._here, (self._input, self._output, self._errors, self._nowhere) = here, files
        self._own = f"{folder}/own"
        Path(self._own).mkdir()

    def program(
        self, command: Sequence[str], data: bytes, files: ProgramFiles | None = None
    ) -> Outcome:
        """How a program ended; the value is its output."""
        ended = self.start(command, data, files=files)
        if not ended.ok:
            return ended
        return replace(ended, value=ended.value.output, detail=ended.value.hint)

    def start(
        self,
        command: Sequence[str],
        data: bytes,
        statuses: Collection[int] = (0,),
        files: ProgramFiles | None = None,
    ) -> Outcome:
        """How a program ended that may end with these statuses; the value is a `ProgramOutput`.

        What it says on standard error is kept if it may end with several ones.

        Args:
            files: as `start_program` takes them.

        Raises:
            TooLong: it takes too long.
        """
        if files is not None:
            command = from_elsewhere(command)
            if os.listdir(self._own):  # noqa: PTH208 - quicker
                remove_folder(self._own)
                Path(self._own).mkdir()
            data = put_input(self._own, data, files)
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
        try:
            if files is not None:
                os.chdir(self._own)
            pid = os.posix_spawnp(
                command[0],
                [*command],
                os.environ,
                file_actions=actions,
                setsid=True,
                setsigdef=(signal.SIGPIPE, signal.SIGXFSZ),
            )
        finally:
            os.fchdir(self._here)
        with at_most(self._limits.seconds):
            _, status, used = os.wait4(pid, 0)
        usage = Usage(perf_counter() - started, used.ru_utime + used.ru_stime)
        code = os.waitstatus_to_exitcode(status)
        if code not in statuses:
            return Outcome(Status.CRASH, detail=ending(code), usage=usage)
        printed, complaints = (
            os.pread(file, os.fstat(file).st_size, 0) for file in (self._output, self._errors)
        )
        hint = ""
        if files is not None:
            try:
                printed, hint = answer_of(self._own, printed, files, self._limits.output)
            except Ended as reason:
                return Outcome(reason.status, detail=reason.reason, usage=usage)
        written = complaints.decode("utf-8", "replace")
        last_line = "".join(written.strip().splitlines()[-1:])
        ended = ProgramOutput(
            printed, usage.wall_s or 0.0, code, last_line, hint, uncaught(written)
        )
        return Outcome(Status.OK, ended, usage=usage)


@contextmanager
def quick_starts(folder: str, limits: Limits) -> Iterator[QuickStarts]:
    """Starts under these limits, with files in an empty folder."""
    with ExitStack() as stack:
        for each in (resource.RLIMIT_FSIZE, resource.RLIMIT_STACK):
            stack.callback(resource.setrlimit, each, resource.getrlimit(each))
        allow_stack(limits.memory)
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (min(limits.output, before[0]), before[1]))
        files = [os.open(os.curdir, os.O_RDONLY)]
        stack.callback(os.close, files[0])
        for path in [
            *(Path(folder) / each for each in ("input", "output", "errors")),
            Path(os.devnull),
        ]:
            files.append(os.open(path, os.O_RDWR | os.O_CREAT))
            stack.callback(os.close, files[-1])
        yield QuickStarts(folder, limits, *files)
