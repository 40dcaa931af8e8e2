"""No plugin reaches into a process of ours, by its descriptors, its memory, or as its tracer."""

import ctypes
import errno
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from puzzles.backend import backend
from puzzles.beams.board import Beams, Layout

FOLDER = Path(os.environ["TWOFOLD_ATTACK"])
ATTACH, DETACH, WAIT_FOR_ALL = 16, 17, 0x40000000

Attempt = Callable[[int], bool]
ATTEMPTS: dict[str, Attempt] = {}


def ours() -> Iterator[int]:
    """The worker, its keeper, and the command: the parent of this process, its parent, and so on. Only Linux can hide them."""
    if sys.platform != "linux":
        return
    pid, words = os.getppid(), [b"compare.work.pool.keeper"]
    while b"compare.work.pool.keeper" in b" ".join(words):
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        yield pid
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def reaches(attempt: Attempt, pid: int) -> bool:
    with suppress(OSError):
        return attempt(pid)
    return False


def reaching(name: str) -> Callable[[Attempt], Attempt]:
    """Register a backend that makes this attempt on each process of ours, and notes where it gets through."""

    def register(attempt: Attempt) -> Attempt:
        @backend("beams", name, side="direct", source="an attack")
        def solve(board: Beams, *, certify: bool = False) -> Layout:
            for number, pid in enumerate(ours(), 1):
                through = reaches(attempt, pid)
                with (FOLDER / "reached").open("a") as file:
                    file.write(f"{name} {'reaches' if through else 'does not reach'} {number}\n")
                if through:
                    (FOLDER / "harmed").touch()
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
    os.waitpid(pid, WAIT_FOR_ALL)
    libc.ptrace(DETACH, pid, None, None)
    return True


class Vector(ctypes.Structure):
    _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))


def may_copy(function: str, pid: int) -> bool:
    """Whether process_vm_readv(2) or process_vm_writev(2) would work. Address 0 is an error that only those see who may."""
    content = ctypes.create_string_buffer(8)
    here, there = Vector(ctypes.addressof(content), 8), Vector(0, 8)
    libc = ctypes.CDLL(None, use_errno=True)
    copied = getattr(libc, function)(pid, ctypes.byref(here), 1, ctypes.byref(there), 1, 0)
    return copied < 0 and ctypes.get_errno() == errno.EFAULT


@reaching("by-reading")
def by_reading(pid: int) -> bool:
    return may_copy("process_vm_readv", pid)


@reaching("by-writing")
def by_writing(pid: int) -> bool:
    return may_copy("process_vm_writev", pid)
