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
            print(INTERRUPTED_WORD, file=sys.stderr)
            return INTERRUPTED
        except BrokenPipeError:
            drop_output()
            return 0
        except OSError as error:
            if error.errno not in _OUTPUT_FULL or error.filename is not None:
                raise
            drop_output()
            print(f"the output cannot be written: {error.strerror}", file=sys.stderr)
            return BAD_USAGE
        except Exception as error:
            fault = error if isinstance(error, UserError) else fault_of_own(error)
            if fault is None:
                raise
            print(visible(str(fault)), file=sys.stderr)
            return BAD_USAGE
        return status

    return with_exit_status


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
            os.open(os.devnull, flags)  # takes the smallest number, which is this one
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


def drop_output() -> None:
    """Discard the output that is still buffered; the interpreter would fail to write it when it
    ends.
    """
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
