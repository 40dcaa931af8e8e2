"""Watching one process: read what it writes until it ends or passes a limit."""

from __future__ import annotations

import os
import re
import select
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from math import ceil
from time import monotonic, sleep

from compare.isolate.coordination import STOPPED, end_turn, is_silent_at_most, may_be_silent, stop_asked
from compare.isolate.outcome import Limits, Status, amount
from compare.isolate.processes import has_ended, peak_bytes, readable, tree_bytes

_POLL_S, _SHORT_S = 0.02, 0.0005
_MOST_STDERR = 2**16
_MOST_LINES, _MOST_BYTES = 20, 2**12
_LINE = re.compile(rb"[^\n]*\n|[^\n]+")
HEADER_BYTES = 8


@dataclass
class Watched:
    """What was seen of a process.

    Attributes:
        stopped: the status and the reason if a limit was passed; the process then still runs.
        stdout, stderr: what it wrote; of standard error only the first 64 KiB.
        unkept: how many bytes of standard error came after those.
        peak_bytes: its largest resident size, as far as it was seen.
        complete: whether a call of a standing process has ended; the process then still runs.
    """

    stopped: tuple[Status, str] | None = None
    stdout: bytearray = field(default_factory=bytearray)
    stderr: bytearray = field(default_factory=bytearray)
    unkept: int = 0
    peak_bytes: int = 0
    complete: bool = False

    def add_error(self, data: bytes) -> None:
        """Take in what was read from standard error."""
        if len(self.stderr) < _MOST_STDERR:
            self.stderr += data
        else:
            self.unkept += len(data)

    @property
    def printed(self) -> str:
        """The first lines of standard error, at most 4 KiB, and a last line that says how much is left out."""
        beginning = b"".join(_LINE.findall(self.stderr[:_MOST_BYTES])[:_MOST_LINES])
        left_out = len(self.stderr) - len(beginning) + self.unkept
        text = beginning.decode("utf-8", "backslashreplace").rstrip("\n")
        return f"{text}\n... {left_out} more bytes" if left_out else text


END_OF_CALL = b""
"""The frame with which a standing process ends what it says of a call."""


def frame(data: bytes) -> bytes:
    """The data with its length before it, as `frames` reads it."""
    return len(data).to_bytes(HEADER_BYTES, "little") + data


def frames(stream: bytes | bytearray) -> list[bytes | bytearray]:
    """The complete frames at the beginning of a stream."""
    complete: list[bytes | bytearray] = []
    stop = 0
    while (start := stop + HEADER_BYTES) <= len(stream):
        stop = start + int.from_bytes(stream[stop:start], "little")
        if stop <= len(stream):
            complete.append(stream[start:stop])
    return complete


def too_much_memory(limit: int) -> str:
    """The reason for `MEMORY`."""
    return f"more than {limit // 2**20} MB resident"


class Ears:
    """What is listened to of one process: its standard output, its standard error and, if the system tells of that, its end.

    Attributes:
        listening: whether anything of this is still to come.
    """

    def __init__(self, pid: int, stdout: int, stderr: int) -> None:
        self.pid, self.stdout, self.stderr = pid, stdout, stderr
        self._poll = select.poll()
        self._open = {stdout, stderr}
        self._end: int | None = None
        with suppress(AttributeError, OSError):  # not Linux, or a kernel that is older or forbids it
            self._end = os.pidfd_open(pid)
            self._open.add(self._end)
        for descriptor in self._open:
            self._poll.register(descriptor, select.POLLIN)

    @property
    def listening(self) -> bool:
        return bool(self._open)

    def hear(self, seconds: float) -> list[int]:
        """The descriptors that have something to read or are closed at their other end; waits for that up to `seconds`."""
        return [descriptor for descriptor, _ in self._poll.poll(ceil(1000 * seconds))]

    def is_end(self, descriptor: int) -> bool:
        """Whether this is the descriptor that tells of the end of the process."""
        return descriptor == self._end

    def ignore(self, descriptor: int) -> None:
        """Nothing will come from this one any more."""
        self._poll.unregister(descriptor)
        self._open.discard(descriptor)

    def close(self) -> None:
        """Stop listening. Standard output and standard error stay open."""
        if self._end is not None:
            os.close(self._end)


def watch(ears: Ears, started: float, limits: Sequence[Limits], *, standing: bool = False) -> Watched:
    """Read what the process writes until it has ended or must be stopped.

    With several limits the process writes frames. Each complete frame brings the next limits into force, with a new deadline.
    The first one ends our turn to time a run.

    Args:
        standing: whether the process goes on after this call. Then an empty frame ends the call.
    """
    watched, pid = Watched(), ears.pid
    step, limit = 0, limits[0]
    deadline, last_look = started + limit.seconds, started
    while True:
        if not standing:
            watched.peak_bytes = max(watched.peak_bytes, peak_bytes(pid))
        now = monotonic()
        if now >= deadline:
            watched.stopped = Status.TIMEOUT, f"stopped at {limit.seconds:g} s"
            return watched
        if stop_asked():
            watched.stopped = Status.TIMEOUT, STOPPED
            return watched
        if not ears.listening:
            sleep(_SHORT_S)  # nothing is left to read, but the process has not ended
        ended = False
        for descriptor in ears.hear(min(deadline - now, _POLL_S)) if ears.listening else ():
            if ears.is_end(descriptor):
                ended = True
                continue
            data = os.read(descriptor, 2**16)
            if not data:
                ears.ignore(descriptor)
            elif descriptor == ears.stdout:
                watched.stdout += data
            else:
                watched.add_error(data)
        if step + 1 < len(limits) and len(frames(watched.stdout)) > step:
            step, limit = step + 1, limits[step + 1]
            deadline = monotonic() + limit.seconds
            end_turn()  # only the first step is timed
            (is_silent_at_most if standing else may_be_silent)(limit.seconds)
        if standing and frames(watched.stdout)[-1:] == [END_OF_CALL]:
            while readable(ears.stderr, within=0) and (data := os.read(ears.stderr, 2**16)):
                watched.add_error(data)
            watched.complete = True
            return watched
        if len(watched.stdout) > limit.output:
            watched.stopped = Status.ERROR, f"printed more than {amount(limit.output)}"
            return watched
        if limit.memory is not None and monotonic() - last_look > _POLL_S / 2:
            if tree_bytes(pid) > limit.memory:
                watched.stopped = Status.MEMORY, too_much_memory(limit.memory)
                return watched
            last_look = monotonic()
        if ended or has_ended(pid):
            if any(not ears.is_end(descriptor) for descriptor in ears.hear(0)):
                continue  # it has ended, but not all of its output is read
            return watched
