"""What may be used by a run, and how it ended."""

from __future__ import annotations

import signal
from dataclasses import dataclass
from enum import StrEnum
from math import isfinite
from typing import Any


class Status(StrEnum):
    """How a run ended. None of these is a verdict on an answer.

    UNKNOWN: a solver was asked, and said that it does not know.
    """

    OK = "OK"
    TIMEOUT = "TIMEOUT"
    MEMORY = "MEMORY"
    CRASH = "CRASH"
    ERROR = "ERROR"
    SKIPPED = "SKIPPED"
    UNKNOWN = "UNKNOWN"


@dataclass(frozen=True)
class Limits:
    """What one run may use.

    Attributes:
        seconds: wall time.
        memory: resident bytes of the whole process tree; None for any.
        output: bytes that a program may print.
    """

    seconds: float
    memory: int | None = None
    output: int = 2**26

    def __str__(self) -> str:
        memory = "any memory" if self.memory is None else f"{amount(self.memory)} of memory"
        time = f"{self.seconds:g} s" if isfinite(self.seconds) else "any time"
        return f"{time}, {memory}, {amount(self.output)} of output"


def amount(number: int) -> str:
    """An amount of bytes for people."""
    whole, rest = divmod(number, 2**20)
    return f"{number} bytes" if rest else f"{whole} MiB"


DEFAULT_LIMITS = Limits(10.0)


@dataclass(frozen=True)
class Usage:
    """What one run has used; None if it is not known.

    Attributes:
        wall_s, cpu_s: seconds.
        peak_bytes: the largest resident size of a single process. For a fork it includes the pages
            shared with the parent. For a program it is the largest size seen while it ran.
    """

    wall_s: float | None = None
    cpu_s: float | None = None
    peak_bytes: int | None = None


@dataclass(frozen=True)
class Outcome:
    """How a run ended.

    Attributes:
        value: what a function returned, or the bytes that a program printed.
        detail: why it did not end well.
        printed: of a function, the beginning of what it wrote to standard output and standard
            error, as it came.
    """

    status: Status
    value: Any = None
    detail: str = ""
    usage: Usage = Usage()
    printed: str = ""

    @property
    def ok(self) -> bool:
        """The run came to its end."""
        return self.status is Status.OK


def signal_name(number: int) -> str:
    """`SIGABRT`; for a real-time signal, which has no name of its own, `signal 40`."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def ending(code: int) -> str:
    """How a process ended, by its exit status; that is minus the number of the signal that killed
    it.
    """
    return f"killed by {signal_name(-code)}" if code < 0 else f"exit status {code}"


def with_last_line(how: str, text: str) -> str:
    """How a process ended, and the last line that it wrote about it."""
    last = text.strip().splitlines()[-1:]
    return f"{how}: {last[0][:200]}" if last else how
