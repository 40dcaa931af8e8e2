"""Runs a command line in a process of its own, so that Ctrl-C or SIGTERM ends it at once, even in the middle of a search.

Solvers are C++ behind Python. When they are interrupted, some jump out of their search and then sometimes hang or crash; others
react only after a long time. If the first process is killed, the system kills the second, and the programs that it runs.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress

import psutil

from models.solvers.solver_process import programs_end_with_us

_DIE_WITH_PARENT = 1  # an option of prctl(2)
_INTERRUPTING = (signal.SIGINT, signal.SIGTERM)


def run_isolated(main: Callable[[], int]) -> int:
    """Run `main` in a forked process. Returns its exit status; 130 if it was interrupted; 1, with a message, if it was killed."""
    signal.pthread_sigmask(signal.SIG_BLOCK, _INTERRUPTING)
    pid = os.fork()
    if pid == 0:
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
        programs_end_with_us()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})  # Ctrl-C reaches it too, but is for its parent
        os._exit(_status(main))
    for number in _INTERRUPTING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler)
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _INTERRUPTING)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    except KeyboardInterrupt:
        for number in _INTERRUPTING:
            signal.signal(number, signal.SIG_IGN)  # a second signal must not end the clearing up
        _kill(pid)
        print("interrupted", file=sys.stderr)
        return 130
    if code < 0:
        print(f"the solver's process was killed by {_signal_name(-code)}", file=sys.stderr)
        return 1
    return code


def _signal_name(number: int) -> str:
    """`SIGSEGV`; for a real-time signal, which has no name of its own, `signal 40`."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _status(main: Callable[[], int]) -> int:
    """Run `main` and return the exit status that the interpreter would give it; all output is flushed."""
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
    """Kill a process and the programs that it runs, and wait for it.

    All of them are stopped first: one that runs could start another program after its programs are listed.
    """
    process = psutil.Process(pid)
    process.suspend()
    below: set[psutil.Process] = set()
    while further := set(process.children(recursive=True)) - below:
        for each in further:
            with suppress(psutil.NoSuchProcess):
                each.suspend()
        below |= further
    for each in (*below, process):
        with suppress(psutil.NoSuchProcess):
            each.kill()
    os.waitpid(pid, 0)
