"""What runs in a child that starts programs: many inputs in one call, in less than half the time
of a call for each start.

A program is started as cheaply as can be: without a copy of this process, and with files in place
of pipes. What passes here has passed. At whatever else comes up (a failure, a difference, a limit)
the call ends, and main tries that input anew, start by start, as it tries any other.
"""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Collection, Sequence
from contextlib import closing
from pathlib import Path
from time import monotonic, perf_counter

from compare.isolate.outcome import Outcome, Status, Usage
from compare.stress.stress_plan import (
    OK,
    REFUSED,
    VALID,
    StressPlan,
    TriedBlock,
    TriedInput,
)

_ANY = range(256)
"""Any exit status, and no signal."""


class Unclear(Exception):
    """Something did not go as it should; what it is, main finds out."""


def pass_inputs(
    plan: StressPlan, folder: str, first: int, count: int, deadline: float
) -> tuple[TriedBlock, bool]:
    """Try the inputs of these numbers until the deadline comes, a moment of `monotonic`.

    Returns what came of them, and whether something is unclear with the next one.

    Args:
        folder: an empty one for the files of programs. Main removes it, for this process may be
            killed.
    """
    block = TriedBlock()
    signal.signal(signal.SIGALRM, _stop_waiting)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (min(plan.limits.output, before[0]), before[1]))
    try:
        with closing(_Starts(plan, Path(folder))) as starts:
            for number in range(first, first + count):
                if monotonic() >= deadline:
                    break
                block.note(plan, number, starts.tried(number))
    except (Unclear, OSError):
        return block, True
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
    return block, False


def _stop_waiting(number: int, frame: object) -> None:
    raise Unclear


class _Starts:
    """Starts of programs whose input and output are files in one folder, used again and again."""

    def __init__(self, plan: StressPlan, folder: Path) -> None:
        self.plan = plan
        self._feedback = folder / "feedback"
        self._feedback.mkdir()
        self._paths = [folder / "input", *(folder / str(k) for k in range(len(plan.programs)))]
        files = [os.open(each, os.O_RDWR | os.O_CREAT) for each in self._paths]
        self._input, *self._outputs = files
        self._nowhere = os.open(os.devnull, os.O_RDWR)

    def close(self) -> None:
        for file in (self._input, *self._outputs, self._nowhere):
            os.close(file)

    def tried(self, number: int) -> TriedInput:
        """What comes of the input of this number; raises `Unclear`."""
        plan = self.plan
        if plan.generator:
            self._start(plan.start_of_generator(number), self._nowhere, self._input)
        else:
            os.ftruncate(self._input, 0)
            os.pwrite(self._input, plan.changed_text(number).encode(), 0)
        text = _content(self._input).decode("utf-8", "replace")
        refused = TriedInput(text, (), (REFUSED,))
        if plan.validator:
            status, _ = self._start(plan.validator, self._input, self._nowhere, _ANY)
            if status not in VALID:
                return refused
        outcomes: list[Outcome] = []
        for program, output in zip(plan.programs, self._outputs, strict=True):
            statuses = (0,) if plan.generator or outcomes else _ANY
            status, usage = self._start(program.command, self._input, output, statuses)
            if status:
                return refused
            outcomes.append(Outcome(Status.OK, _content(output), usage=usage))
        for k, outcome in enumerate(outcomes):
            if plan.checker:
                data, expected, *_ = self._paths
                words = plan.start_of_checker(data, self._paths[1 + k], expected, self._feedback)
                source = self._outputs[k] if plan.is_kattis else self._nowhere
                self._start(words, source, self._nowhere, plan.accepting)
            elif k and not plan.same_output(outcomes[0].value, outcome.value):
                raise Unclear
        return TriedInput(text, tuple(outcomes), (OK,) * len(outcomes), ("",) * len(outcomes))

    def _start(
        self,
        command: Sequence[str],
        source: int,
        output: int,
        statuses: Collection[int] = (0,),
    ) -> tuple[int, Usage]:
        """Start a program and wait for its end; returns its exit status and what it used.

        Raises:
            Unclear: it ends otherwise, or takes too long.
        """
        if source != self._nowhere:
            os.lseek(source, 0, os.SEEK_SET)
        if output != self._nowhere:
            os.ftruncate(output, 0)
            os.lseek(output, 0, os.SEEK_SET)
        actions = [
            (os.POSIX_SPAWN_DUP2, ours, theirs)
            for theirs, ours in enumerate((source, output, self._nowhere))
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
        signal.setitimer(signal.ITIMER_REAL, self.plan.limits.seconds)
        try:
            _, status, used = os.wait4(pid, 0)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        usage = Usage(perf_counter() - started, used.ru_utime + used.ru_stime)
        code = os.waitstatus_to_exitcode(status)
        if code not in statuses:
            raise Unclear
        return code, usage


def _content(file: int) -> bytes:
    return os.pread(file, os.fstat(file).st_size, 0)
