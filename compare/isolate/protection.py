"""What keeps foreign code out of the memory and the open files of our processes.

Linux lets a process open another one of the same user by `/proc/PID/mem` and `/proc/PID/fd`, and trace it, as long as that one can
be dumped (prctl(2), ptrace(2), proc(5)). So ours cannot be dumped, and forks for foreign code give up the rights of root to reach
them all the same. Signals stay possible: they end a process, but put no word into its mouth. Other systems have none of this.
"""

from __future__ import annotations

import ctypes
import sys
from contextlib import suppress

from compare.isolate.processes import prctl

_SET_DUMPABLE, _DROP_FROM_BOUND, _NO_NEW_PRIVILEGES = 4, 24, 38
"""Options of prctl(2)."""

_CAPABILITIES = {"module": 16, "rawio": 17, "ptrace": 19, "admin": 21, "perfmon": 38, "bpf": 39, "checkpoint": 40}
"""The rights of root, by their numbers in capabilities(7), that lead into the memory of other processes or of the system."""

_VERSION = 0x20080522
"""Of the structures of capset(2) that hold 64 capabilities."""


class _CapHeader(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _CapWord(ctypes.Structure):
    """One of two halves: 32 capabilities."""

    _fields_ = (("effective", ctypes.c_uint32), ("permitted", ctypes.c_uint32), ("inheritable", ctypes.c_uint32))


def close_to_others() -> None:
    """Forbid other processes of the same user to read or write this one's memory and descriptors, and to trace it.

    Forks inherit this; what a fork executes does not.
    """
    prctl(_SET_DUMPABLE, 0)


def give_up_rights() -> None:
    """Give up, for good and in all that this process starts, what would open other processes to it."""
    if sys.platform != "linux":
        return
    for number in _CAPABILITIES.values():
        prctl(_DROP_FROM_BOUND, number)
    prctl(_NO_NEW_PRIVILEGES, 1)
    header, words = _CapHeader(_VERSION, 0), (_CapWord * 2)()
    with suppress(AttributeError):  # a C library without these two functions
        libc = ctypes.CDLL(None)
        libc.capget(ctypes.byref(header), ctypes.byref(words))
        for number in _CAPABILITIES.values():
            word, kept = words[number // 32], ~(1 << number % 32)
            word.effective &= kept
            word.permitted &= kept
            word.inheritable &= kept
        libc.capset(ctypes.byref(header), ctypes.byref(words))
