"""A command line in a process of its own, which an interruption ends whatever its solver is about.

Solvers are C++ behind Python: some leap out of a search when they are interrupted, and then now and then hang or crash; some do
not listen for long.
"""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress

import psutil


def run_apart(main: Callable[[], int]) -> int:
    """Run `main` in a fork; returns its exit status, 130 where it was interrupted, 1 with a message where it was killed."""
    pid = os.fork()
    if pid == 0:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        os._exit(_status(main))
    try:
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    except KeyboardInterrupt:
        _kill(pid)
        print("interrupted", file=sys.stderr)
        return 130
    if code < 0:
        print(f"the solver's process was killed by {signal.Signals(-code).name}", file=sys.stderr)
        return 1
    return code


def _status(main: Callable[[], int]) -> int:
    """The exit status of `main`, as the interpreter would give it; all output is written."""
    try:
        status = main()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    except BaseException:
        traceback.print_exc()
        status = 1
    with suppress(OSError, ValueError):
        sys.stdout.flush()
        sys.stderr.flush()
    return status


def _kill(pid: int) -> None:
    """Kill the process and the programs that it runs."""
    process = psutil.Process(pid)
    for each in (*process.children(recursive=True), process):
        with suppress(psutil.NoSuchProcess):
            each.kill()
    os.waitpid(pid, 0)
