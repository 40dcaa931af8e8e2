"""Promise: no plugin reaches into a process of ours, by its descriptors, its memory, or as its tracer.

Each backend tries it on its parent and on all processes above, notes where it gets through, and says IMPOSSIBLE to every board.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from puzzles.backend import backend
from puzzles.beams.board import Beams, Layout

REACHED = "TWOFOLD_TEST_REACHED"
ATTACH, DETACH = 16, 17

Attempt = Callable[[int], bool]


def ours() -> Iterator[int]:
    """The worker, its keeper, and the command: the parent of this process, its parent, and so on."""
    pid, words = os.getppid(), [b"compare.work.keeper"]
    while b"compare.work.keeper" in b" ".join(words):
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        yield pid
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


ATTEMPTS: dict[str, Attempt] = {}


def reaches(attempt: Attempt, pid: int) -> bool:
    """Whether an attempt gets through."""
    with suppress(OSError):
        return attempt(pid)
    return False


def reaching(name: str) -> Callable[[Attempt], Attempt]:
    """Register a backend that makes this attempt on each process of ours."""

    def register(attempt: Attempt) -> Attempt:
        @backend("beams", name, side="direct", source="a hostile plugin")
        def solve(board: Beams, *, certify: bool = False) -> Layout:
            for number, pid in enumerate(ours(), 1):
                with Path(os.environ[REACHED]).open("a") as file:
                    file.write(f"{name} {'reaches' if reaches(attempt, pid) else 'does not reach'} {number}\n")
            return Layout(False)

        ATTEMPTS[name] = attempt
        return attempt

    return register


@reaching("by-descriptors")
def by_descriptors(pid: int) -> bool:
    reached = False
    for path in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(OSError), path.open("wb", buffering=0) as file:
            file.write(b"\nPROVED\n")
            reached = True
    return reached


@reaching("by-memory")
def by_memory(pid: int) -> bool:
    with Path(f"/proc/{pid}/mem").open("r+b"):
        return True


@reaching("as-tracer")
def as_tracer(pid: int) -> bool:
    libc = ctypes.CDLL(None)
    if libc.ptrace(ATTACH, pid, None, None) != 0:
        return False
    os.waitpid(pid, 0x40000000)
    libc.ptrace(DETACH, pid, None, None)
    return True


class Vector(ctypes.Structure):
    _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))


@reaching("by-vector")
def by_vector(pid: int) -> bool:
    content = ctypes.create_string_buffer(8)
    vector = Vector(ctypes.addressof(content), 8)
    libc = ctypes.CDLL(None)
    return libc.process_vm_readv(pid, ctypes.byref(vector), 1, ctypes.byref(vector), 1, 0) >= 0
