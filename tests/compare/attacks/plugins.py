"""Hostile plugins. The variable `TWOFOLD_ATTACK_NAME` says which one this file is; `test_gallery`
says what must come of it.

Each attack is a function that is called when the file is imported, and its docstring is the promise
that it tries to break. Each ends by itself after a while, so that nothing stays even where a
promise is broken.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import pickle
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from puzzles.answer import Check, Claims, Effort, Verdict
from puzzles.backend import backend
from puzzles.beams.board import Beams, Layout
from puzzles.geography.board import Geography, Losing

FOLDER = Path(os.environ.get("TWOFOLD_ATTACK", "."))
ONCE, HARMED = FOLDER / "once", FOLDER / "harmed"


def answers(name: str, solve: Callable[[Beams], Any]) -> None:
    """Register a backend of beams that answers by a function."""

    @backend("beams", name, side="direct", source="an attack")
    def solve_board(board: Beams, *, certify: bool = False) -> Layout:
        return solve(board)


def impossible(name: str, before: Callable[[], object]) -> None:
    """Register a backend of beams that does something before it calls the board impossible."""

    def solve(board: Beams) -> Layout:
        before()
        return Layout(False)

    answers(name, solve)


class LookAlike(NamedTuple):
    """Looks like an answer, and is none."""

    possible: bool
    board: None = None


def no_answers() -> None:
    """A plugin's answer that is no answer is a row ERROR with a sentence."""
    answers("none", lambda board: None)
    answers("text", lambda board: "POSSIBLE")
    answers("number", lambda board: 1)
    answers("pair", lambda board: LookAlike(False))
    answers("class", lambda board: Layout)


def wrong_fields() -> None:
    """A plugin's answer with a field of a wrong type or value is a row ERROR that names the
    field.
    """
    square = Beams.unchecked(grid=np.full((1, 1), 7, np.uint8))
    wide = Beams.unchecked(grid=np.full((1, 1), 35, np.int64))
    rest: dict[str, Any] = {"certificate": None, "effort": Effort()}
    malformed = {
        "no-truth": Layout.unchecked(possible="yes", board=None, **rest),
        "no-board": Layout.unchecked(possible=True, board="#", **rest),
        "bad-grid": Layout(possible=True, board=square),
        "wrong-dtype": Layout(possible=True, board=wide),
        "no-field": Layout.unchecked(board=None),
        "effort": Layout(possible=False, effort=Effort(build_s="quick")),  # pyright: ignore[reportArgumentType]
        "not-finite": Layout(possible=False, effort=Effort(build_s=float("nan"))),
        "certificate": Layout.unchecked(
            possible=False, board=None, certificate=object(), effort=Effort()
        ),
    }
    for name, answer in malformed.items():
        answers(name, lambda board, answer=answer: answer)


def off_the_board() -> None:
    """A plugin's answer about cells that the board does not have is a row ERROR."""
    for name, cell in (("beyond", 10**6), ("before", -1)):

        @backend("geography", name, side="direct", source="an attack")
        def solve(board: Geography, *, certify: bool = False, cell: int = cell) -> Losing:
            return Losing(board, np.array([cell], np.int32))


def proved(*arguments: object) -> Check:
    return Check(Verdict.PROVED, "because I say so")


def other_check() -> None:
    """A plugin that replaces the check in memory gets nothing PROVED by it."""
    import puzzles
    import puzzles.beams.check

    def solve(board: Beams) -> Layout:
        puzzles.beams.check.check = proved
        type(puzzles.get("beams")).check = proved  # pyright: ignore[reportAttributeAccessIssue]
        return Layout(False, certificate=(0,))

    answers("other-check", solve)


class Nowhere(int):
    """A cell that is every cell and none, and replaces the check where it is used."""

    def __le__(self, other: int) -> bool:
        return True

    __ge__ = __lt__ = __le__

    def __index__(self) -> int:
        import puzzles.beams.check

        puzzles.beams.check.check = proved
        return 0


def odd_number() -> None:
    """A number of a plugin's own type in a certificate is refused: a certificate has plain
    numbers.
    """
    answers("odd-number", lambda board: Layout(False, certificate=(Nowhere(0),)))


class TwoFaced(Layout):
    """Shows a board, and claims that there is none."""

    @property
    def claims(self) -> Claims:
        return np.array([0], np.int64)


def two_faces() -> None:
    """An answer of a plugin's own class, whose claims differ from what is checked, is refused."""
    answers("two-faced", lambda board: TwoFaced(True, Beams(board.grid)))


class LeavesFile:
    """Leaves a file where it is unpickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (HARMED,)


def unpickled() -> None:
    """A plugin's object runs no code where its answer is read: nothing of a plugin is unpickled."""
    answers("unpickled", lambda board: Layout(False, certificate=LeavesFile()))  # pyright: ignore[reportArgumentType]


def descriptors() -> None:
    """A plugin that writes to every descriptor of its process reaches neither our results nor the
    terminal.
    """

    def write_everywhere() -> None:
        data = pickle.dumps(LeavesFile())
        for descriptor in range(256):
            with contextlib.suppress(OSError):
                os.write(descriptor, len(data).to_bytes(8, "little") + data)
                os.write(descriptor, b"\nALL AGREE\n")

    impossible("descriptors", write_everywhere)


def other_encoder() -> None:
    """A plugin that replaces the plain format in which answers cross gets no class built that is
    not the puzzle's.
    """
    from compare.engine.work import solving

    def replace_format() -> None:
        solving.pack_answer = lambda board, answer: '{"class": "Popen", "fields": {"args": "true"}}'

    impossible("encoder", replace_format)


def prints() -> None:
    """What a plugin prints never stands in our output."""
    print("ALL AGREE")

    def print_again() -> None:
        print("ALL AGREE", file=sys.stdout, flush=True)
        print("\x1b[2JALL AGREE", file=sys.__stdout__, flush=True)

    impossible("prints", print_again)


def raises() -> None:
    """A plugin that raises when it is imported is bad usage, with a sentence and exit status 2."""
    raise RuntimeError("not today")


def exits() -> None:
    """A plugin that ends Python with status 0 when it is imported does not end the command."""
    sys.exit(0)


def aborts() -> None:
    """A plugin that kills the process which imports it is bad usage, with a sentence and exit
    status 2.
    """
    os.abort()


def raises_later() -> None:
    """A plugin that can be imported once and never again makes rows CRASH, and the other runs go
    on.
    """
    if ONCE.exists():
        raise RuntimeError("not twice")
    ONCE.touch()
    impossible("raises-later", bool)


def kills_its_parent() -> None:
    """A plugin that kills the process above it, when it is imported for a run, is a row CRASH."""
    if ONCE.exists():
        os.kill(os.getppid(), signal.SIGKILL)
    ONCE.touch()
    impossible("kills-parent", bool)


def deletes_the_place() -> None:
    """A plugin that deletes the working directory ends no run but its own."""

    def delete() -> None:
        shutil.rmtree(FOLDER / "here", ignore_errors=True)
        os.abort()

    impossible("deletes-folder", delete)


def long_answer() -> None:
    """An answer that is too long is a row ERROR that says so."""
    answers("long-answer", lambda board: Layout(False, certificate=("x" * 2**26,)))


def endless_loop() -> None:
    """A plugin that never answers is stopped at its limit, even if it changes the handlers of all
    signals.
    """

    def loop() -> None:
        for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(number, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        end = time.monotonic() + 60
        while time.monotonic() < end:
            pass

    impossible("endless-loop", loop)


def leaves_processes() -> None:
    """What a plugin leaves running in sessions of its own is killed when its run ends."""

    def leave() -> None:
        sleep = [sys.executable, "-c", "import time; time.sleep(60)", str(FOLDER)]
        subprocess.Popen(sleep, start_new_session=True, env={})
        if os.fork() == 0:
            os.setsid()
            signal.alarm(60)
            time.sleep(60)

    impossible("leaves-processes", leave)


ATTACH, DETACH, WAIT_FOR_ALL = 16, 17, 0x40000000

Attempt = Callable[[int], bool]


def ours() -> Iterator[int]:
    """The forkserver and the command: the parent of this process, its parent, and so on.

    Only Linux can hide them.
    """
    if sys.platform != "linux":
        return
    pid, words = os.getppid(), [b"compare.engine.isolate.forkserver"]
    while b"compare.engine.isolate.forkserver" in b" ".join(words):
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        yield pid
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def reaches(attempt: Attempt, pid: int) -> bool:
    with contextlib.suppress(OSError):
        return attempt(pid)
    return False


def by_descriptors(pid: int) -> bool:
    reached = False
    for path in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(OSError), path.open("wb", buffering=0) as file:
            file.write(b"\nPROVED\n")
            reached = True
    return reached


def by_memory(pid: int) -> bool:
    with Path(f"/proc/{pid}/mem").open("r+b"):
        return True


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
    """Whether process_vm_readv(2) or process_vm_writev(2) would work.

    Address 0 is an error that only those see who may.
    """
    content = ctypes.create_string_buffer(8)
    here, there = Vector(ctypes.addressof(content), 8), Vector(0, 8)
    libc = ctypes.CDLL(None, use_errno=True)
    copied = getattr(libc, function)(pid, ctypes.byref(here), 1, ctypes.byref(there), 1, 0)
    return copied < 0 and ctypes.get_errno() == errno.EFAULT


ATTEMPTS: dict[str, Attempt] = {
    "by-descriptors": by_descriptors,
    "by-memory": by_memory,
    "as-tracer": as_tracer,
    "by-reading": lambda pid: may_copy("process_vm_readv", pid),
    "by-writing": lambda pid: may_copy("process_vm_writev", pid),
}


def reaches_for_us() -> None:
    """No plugin reaches into a process of ours, by its descriptors, its memory, or as its
    tracer.
    """

    def reach(name: str, attempt: Attempt) -> None:
        for number, pid in enumerate(ours(), 1):
            through = reaches(attempt, pid)
            with (FOLDER / "reached").open("a") as file:
                file.write(f"{name} {'reaches' if through else 'does not reach'} {number}\n")
            if through:
                HARMED.touch()

    for name, attempt in ATTEMPTS.items():
        impossible(name, lambda name=name, attempt=attempt: reach(name, attempt))


if _attack := os.environ.get("TWOFOLD_ATTACK_NAME"):
    globals()[_attack]()
