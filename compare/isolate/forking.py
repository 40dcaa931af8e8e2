"""Forks of this process that run a function: what they inherit, and where they print."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from compare.isolate.processes import die_with_parent, give_up_rights


def fork(child: Callable[[int], None], *, alone: bool) -> tuple[int, int, int]:
    """Run `child(fd)` in a fork in a session of its own; `alone`: without any other descriptor or a way into this process.

    Returns its process number, and the file descriptors to read fd and its standard error from.
    """
    (out, out_end), (err, err_end) = os.pipe(), os.pipe()
    flush()  # else the fork prints it again
    pid = os.fork()
    if pid == 0:
        try:
            os.setsid()
            die_with_parent()
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGPIPE):
                signal.signal(number, signal.SIG_DFL)
            _print_to(err_end)
            if alone:
                _leave_only(out_end)
                give_up_rights()
            child(out_end)
            os._exit(0)
        except BaseException as error:
            os.write(2, f"{type(error).__name__}: {error}\n".encode())
            os._exit(126)
    os.close(out_end)
    os.close(err_end)
    return pid, out, err


def _print_to(descriptor: int) -> None:
    """Have this fork print to a descriptor, line by line, so that nothing is lost if it is killed."""
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    sys.stdout = sys.__stdout__ = _line_by_line(1)
    sys.stderr = sys.__stderr__ = _line_by_line(2)


def _line_by_line(descriptor: int) -> TextIO:
    return open(descriptor, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)


def flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):  # no stream, a closed one, or one of a plugin's own
            stream.flush()


@contextmanager
def muted() -> Iterator[None]:
    """Drop what this fork prints meanwhile."""
    to_us, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    flush()
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        flush()
        os.dup2(to_us, 1)
        os.dup2(to_us, 2)
        os.close(to_us)
        os.close(nowhere)


def _leave_only(out: int) -> None:
    """Close every descriptor but `out` and standard error; standard input is empty."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    for descriptor in [int(each.name) for each in Path("/dev/fd").iterdir()]:
        if descriptor > 2 and descriptor != out:
            with suppress(OSError):  # the one of the listing itself is closed already
                os.close(descriptor)
