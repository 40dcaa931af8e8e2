"""Hostile programs and SAT solvers. `python programs.py ATTACK [ARGUMENT]` plays one, and
`test_gallery` says what must come of it.

Each attack is a function, and its docstring is the promise that it tries to break. Each ends by
itself after a while, so that nothing stays even where a promise is broken.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable


def half_an_answer() -> None:
    """A program that aborts in the middle of its answer is a row CRASH."""
    os.write(1, b"Case #1: POSS")
    os.abort()


def endless_output(kind: str) -> None:
    """A program that prints without end is stopped at a bound, with or without ends of lines."""
    blocks = {
        "lines": b"Case #1: IMPOSSIBLE\n" * 5000,
        "one-line": b"9" * 10**5,
        "zeros": bytes(10**5),
    }
    signal.alarm(60)
    while True:
        os.write(1, blocks[kind])


def garbage(kind: str) -> None:
    """Output that is no answer is a row ERROR that names the place in it."""
    outputs = {
        "nothing": b"",
        "words": b"I do not know\n",
        "zeros": bytes(1000),
        "bytes": bytes(range(256)) * 99,
        "digits": "Case #١: IMPOSSIBLE\n".encode(),
        "half": b"Case #1: POSSIBLE\n",
        "other-board": b"Case #1: POSSIBLE\n|\n",
        "wide": b"Case #1: POSSIBLE\n" + b"." * 10**6,
        "tall": b"Case #1: POSSIBLE\n" + b".-.\n" * 10**5,
    }
    os.write(1, outputs[kind][: 2**20])


def control_characters(stream: str) -> None:
    """Control characters of a program never reach the terminal: they are shown escaped."""
    text = "\x1b[2J\x1b]0;owned\x07\x9b31m\u202e\nALL AGREE"
    print(text, file=sys.stdout if stream == "output" else sys.stderr)
    print("\x1b[1A\x1b[2K\r\x08 all is well \x7f", file=sys.stderr)
    sys.exit(stream != "output")


def memory(whose: str) -> None:
    """The limit of memory holds for a program and for all its children together."""
    signal.alarm(60)
    if whose == "children":
        for _ in range(3):
            if os.fork() == 0:
                break
    megabytes = bytearray((350 if whose == "own" else 100) * 2**20)
    megabytes[::4096] = b"x" * len(megabytes[::4096])
    time.sleep(60)


def file_in_memory() -> None:
    """A program that fills a file in memory is stopped at its limit of time, and the file is gone
    with it.
    """
    in_memory = hasattr(os, "memfd_create")
    with (
        os.fdopen(os.memfd_create("hidden"), "wb")
        if in_memory
        else tempfile.TemporaryFile() as file
    ):
        file.write(bytes(64 * 2**20))
        time.sleep(60)


def fork_bomb() -> None:
    """A program that forks again and again, into sessions of their own, is stopped with all its
    processes.
    """
    for _ in range(5):  # 32 processes, and no more
        if os.fork() == 0:
            os.setsid()
    signal.alarm(60)
    time.sleep(60)


def never_ends(how: str) -> None:
    """A program that does not end is stopped at its limit, even if it ignores every signal that can
    be ignored.
    """
    if how == "deaf":
        for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(number, signal.SIG_IGN)
    end = time.monotonic() + 60
    while time.monotonic() < end:
        time.sleep(60 if how == "sleeps" else 0)


def dying_solver(formula: str) -> None:
    """A solver program that dies is a row CRASH with its name and its last words."""
    os.write(2, b"I give up\n")
    os.abort()


def wrong_no(formula: str) -> None:
    """A solver program that calls every formula unsatisfiable gets nothing PROVED."""
    print("s UNSATISFIABLE")
    raise SystemExit(20)


if __name__ == "__main__":
    attack: Callable[..., None] = globals()[sys.argv[1]]
    attack(*sys.argv[2:3])
