"""What surrounds a command line: its streams are fit for use, all output is written, and every
exception has its exit status.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from typing import ParamSpec

from puzzles import fault_of_own
from puzzles.shell.interruption import INTERRUPTED, INTERRUPTED_WORD
from puzzles.text import IN_PLACE_OF_LACKING, UserError, visible

P = ParamSpec("P")

BAD_USAGE = 2
"""The exit status for a mistake of the user."""

_OUTPUT_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF}


def returns_exit_status(main: Callable[P, int]) -> Callable[P, int]:
    """A main function that writes all of its output, and returns the exit status of its command
    line.

    The status is the one that `main` returns, but 2 with a message for a user's mistake, for an
    exception in a user's puzzle or for output that cannot be written, 130 with a message if the
    user interrupts, and 0 if the reader of the output is gone.
    """

    @wraps(main)
    def with_exit_status(*args: P.args, **kwargs: P.kwargs) -> int:
        _prepare_streams()
        try:
            status = main(*args, **kwargs)
            sys.stdout.flush()
        except KeyboardInterrupt:
            _say(INTERRUPTED_WORD)
            return INTERRUPTED
        except BrokenPipeError:
            drop_output()
            return 0
        except Exception as error:
            if isinstance(error, OSError) and _is_of_output(error):
                drop_output()
                _say(f"the output cannot be written: {error.strerror}")
                return BAD_USAGE
            fault = error if isinstance(error, UserError) else fault_of_own(error)
            message = lack_of_room(error) if fault is None else str(fault)
            if message is None:
                raise
            _say(visible(message))
            return BAD_USAGE
        return status

    return with_exit_status


def _say(message: str) -> None:
    """Write a line on standard error, if that can be written: the exit status says enough."""
    with suppress(OSError):
        print(message, file=sys.stderr, flush=True)


def _is_of_output(error: OSError) -> bool:
    """Whether a standard stream cannot be written."""
    return error.errno in _OUTPUT_FULL and error.filename is None


def lack_of_room(error: BaseException) -> str | None:
    """The message if an exception says that this machine has no room for one more file, process or
    thread; None for any other.
    """
    if isinstance(error, FileNotFoundError) and "No usable temporary directory" in str(error):
        return f"no temporary file can be written: {LET_TMPDIR}"
    if isinstance(error, OSError) and error.errno in _NO_ROOM:
        return f"this machine has no room: {error.strerror}; `ulimit -a` shows its limits"
    if isinstance(error, RuntimeError) and str(error) == "can't start new thread":
        return f"this machine has no room: {error}; `ulimit -a` shows its limits"
    return None


LET_TMPDIR = "let TMPDIR name a folder with some space"
"""What helps where temporary files find no space."""

_NO_ROOM = {errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM}


def _prepare_streams() -> None:
    """Make the standard streams fit for use: none is closed, and none raises for a character.

    A closed standard error is replaced by nothing. Reading a closed standard input and writing to a
    closed standard output stay errors. Either way no file that is opened later takes the place of a
    standard stream.
    """
    for number, flags in ((0, os.O_WRONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            # it takes the smallest number, which is this one; our processes need it, too
            os.set_inheritable(os.open(os.devnull, flags), True)
    if sys.stdin is None:
        sys.stdin = open(0)  # noqa: SIM115
    if sys.stdout is None:
        sys.stdout = open(1, "w")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(2, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors=IN_PLACE_OF_LACKING)


def is_terminal(stream: object) -> bool:
    """Whether a standard stream is a terminal. A program that calls us may have closed it, or have
    put something else in its place.
    """
    with suppress(AttributeError, ValueError):
        return stream.isatty()  # type: ignore[attr-defined]
    return False


def drop_output() -> None:
    """Discard the output that is still buffered; the interpreter would fail to write it when it
    ends.
    """
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
