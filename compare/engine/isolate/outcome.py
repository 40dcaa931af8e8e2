"""What may be used by a run, and how it ended."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import isfinite
from typing import Any, Self

from puzzles.shell.time_limits import Deadline


class Status(StrEnum):
    """How a run ended. None of these is a verdict on an answer.

    SKIPPED: a backend does not take the instance, or cannot run here. SPARED: a program is not
    given the instance, since the contest promises no such one. Neither was run. UNKNOWN: a solver
    was asked, and said that it does not know; or there is an answer, and it could not be read
    within the limits.
    """

    OK = "OK"
    TIMEOUT = "TIMEOUT"
    MEMORY = "MEMORY"
    CRASH = "CRASH"
    ERROR = "ERROR"
    SKIPPED = "SKIPPED"
    SPARED = "SPARED"
    UNKNOWN = "UNKNOWN"

    @property
    def was_run(self) -> bool:
        """Whether anything was run."""
        return self not in (Status.SKIPPED, Status.SPARED)


class Topic(StrEnum):
    """What a call may say of itself before it ends; see `serving.note`.

    SIZE: how large the formula is that it solves. REPORT: the answer that it has so far.
    """

    SIZE = "size"
    REPORT = "report"


MAX_TOGETHER = 2**30
"""Bytes that a program may print, and that foreign code may answer, on several instances in one
start or call, unless one instance alone may have more. All of it is kept in memory.
"""


@dataclass(frozen=True)
class Limits:
    """What one run may use.

    Attributes:
        seconds: wall time.
        memory: resident bytes of the whole process tree; None for any.
        output: bytes that a program may print.
        answer: bytes that foreign code, such as a plugin, may send back as its answer.
    """

    seconds: float
    memory: int | None = None
    output: int = 2**26
    answer: int = 2**26

    def __str__(self) -> str:
        memory = (
            "any memory" if self.memory is None else f"{amount_of_bytes(self.memory)} of memory"
        )
        time = f"{self.seconds:g} s" if isfinite(self.seconds) else "any time"
        output, answer = amount_of_bytes(self.output), amount_of_bytes(self.answer)
        return f"{time}, {memory}, {output} of output, {answer} an answer"

    def together(self, instances: int) -> Self:
        """The limits of one start or call on so many instances, of those on one: what each may
        take adds up, but for the memory; see `MAX_TOGETHER`.
        """
        output, answer = (
            max(each, min(instances * each, MAX_TOGETHER)) for each in (self.output, self.answer)
        )
        return replace(self, seconds=instances * self.seconds, output=output, answer=answer)

    def until(self, deadline: Deadline) -> Self:
        """The limits of a run that has to end by then."""
        return replace(self, seconds=max(0.01, min(self.seconds, deadline.seconds_left)))


def amount_of_bytes(number: int) -> str:
    """An amount of bytes for people."""
    whole, rest = divmod(number, 2**20)
    return f"{number} bytes" if rest else f"{whole} MiB"


DEFAULT_LIMITS = Limits(10.0)


@dataclass(frozen=True)
class Usage:
    """What one run has used; None if it is not known.

    Attributes:
        wall_s, cpu_s: seconds.
        peak_bytes: the largest resident size of a single process. Of a backend it is that of our
            Python with all that it has loaded, shared with its parent or not, or of a program that
            it starts, if that is larger and no earlier call of its process had a larger one. Of a
            program under test it is the largest size seen while it ran.
    """

    wall_s: float | None = None
    cpu_s: float | None = None
    peak_bytes: int | None = None


NOT_MEASURED = Usage()


@dataclass(frozen=True)
class Outcome:
    """How a run ended.

    Attributes:
        value: what a function returned, or the bytes that a program printed.
        detail: why it did not end well; of a program that did, what to say if its output is wrong.
        printed: of a function, the beginning of what it wrote to standard output and standard
            error, as it came.
        notes: of a function, what it said last of each topic by `serving.note`; it is there if
            the call was stopped, too.
    """

    status: Status
    value: Any = None
    detail: str = ""
    usage: Usage = Usage()
    printed: str = ""
    notes: Mapping[Topic, bytes] = field(default_factory=dict[Topic, bytes])

    @property
    def ok(self) -> bool:
        """The run came to its end."""
        return self.status is Status.OK


_MAX_REASON, _MAX_LINE = 200, 1000
"""Characters that are told of the line that names a crash, and in which it is looked for."""

_CRASH_LINES = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        # sanitizers: compiler-rt, sanitizer_common/sanitizer_report_decorator and ubsan/ubsan_diag
        r"^(\S+:\d+(?::\d+)?: runtime error: .*)",
        r"((?:ERROR|WARNING): \w+Sanitizer: .*?)(?: on address 0x.*| \(p(?:c 0x|id=).*|$)",
        # libstdc++ with _GLIBCXX_DEBUG: src/c++11/debug.cc
        r"^(Error: .*)\n(.*)\n\nObjects involved in the operation:",
        # C++: libsupc++/vterminate.cc, and cxa_default_handlers.cpp of libc++abi
        r"^(terminate called after .*)(?:\n *(what\(\):.*))?",
        r"^(?:libc\+\+abi: )?(terminating .*)",
        # `assert` of glibc, of musl and of macOS
        r"^(.*?:\d+: ).*?\b(Assertion .*\bfailed\b.*)",
        r"^(Assertion failed: .*)",
        # Rust: library/std/src/panicking.rs; the message has a line of its own since 1.73
        r"\b(panicked at .*:)\n(.+)",
        r"\b(panicked at .*)",
        # Go: runtime/panic.go; V8: FatalProcessOutOfMemory
        r"^((?:panic|fatal error|FATAL ERROR): .*)",
        # Java, Kotlin: ThreadGroup.uncaughtException; a class that cannot be set up has no message
        r'^(Exception in thread ".*" [\w.$]+)\n(?:\tat .*\n)*(Caused by: .*)',
        r'^(Exception in thread ".*" .*)',
        r"^(Error: Could not find or load main class .*)",
        # C#: the runtime's unhandled exceptions
        r"^(Unhandled exception\. .*)",
        # Python: traceback.print_exception; of chained exceptions the last one is raised
        r"\A(?s:.*)^Traceback \(most recent call last\):\n(?:[ \t].*\n)+(\S.*)",
        # Node.js: src/node_errors.cc, behind the source line and its carets
        r"^[ \t]*\^+\n\n?(\S.*)",
    )
)
"""How lines look that name a crash, those first that say most. Their groups are what is told."""


def crash_line(text: str) -> str:
    """The line of what a process has written to standard error that names why it crashed, else the
    last line.
    """
    lines = [line[:_MAX_LINE] for line in text.strip().splitlines()]
    short = "\n".join(lines)
    for pattern in _CRASH_LINES:
        if match := pattern.search(short):
            return " ".join(" ".join(filter(None, match.groups())).split())[:_MAX_REASON]
    return "".join(lines[-1:])[:_MAX_REASON]


_UNCAUGHT = re.compile(
    r"^(?:Traceback \(most recent call last\):$|"  # Python
    r'Exception in thread "[^"\n]*" |Error: Could not find or load main class |'  # Java, Kotlin
    r"thread '[^'\n]*' (?:\(\d+\) )?panicked at |"  # Rust
    r"goroutine \d+ \[running\]:|"  # Go
    r"Unhandled exception\. |"  # C#
    r"Node\.js v\d+\.|"  # the last line of Node.js, since version 17
    r"==\d+==ERROR: \w+Sanitizer: )",
    re.MULTILINE,
)
"""What a runtime writes of an exception that nobody caught. It is stricter than `_CRASH_LINES`: a
program may quote such lines, or point at a place by a caret.
"""


def uncaught(text: str) -> str:
    """The line of what a process has written to standard error that names an exception which nobody
    caught; empty if there is none.
    """
    return crash_line(text) if _UNCAUGHT.search(text) else ""


def with_reason(how: str, text: str) -> str:
    """How a process ended, and the line that names why."""
    line = crash_line(text)
    return f"{how}: {line}" if line else how
