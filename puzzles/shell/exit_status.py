"""The end of a command line: all output is written, and every exception has its exit status."""

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
from puzzles.shell.streams import prepare, visible
from puzzles.text import UserError

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
        prepare()
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


def drop_output() -> None:
    """Discard the output that is still buffered; the interpreter would fail to write it when it
    ends.
    """
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
