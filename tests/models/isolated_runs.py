"""Seeded runs of a command line in a process of its own: how it ends, how it is interrupted, and what makes the status right."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import psutil

from models.isolation import run_isolated

_LONG_S = 3.0
"""Seconds that a run takes which is to be interrupted."""

_GONE_S = 5.0
"""Seconds after which a killed process must be gone."""

_SAYS, _COMPLAINS = "an answer", "a complaint without an end of the line"


@dataclass(frozen=True)
class Run:
    """One run of one kind; the kinds come in turn."""

    number: int
    seed: int

    @property
    def rng(self) -> Random:
        return Random(f"{self.seed} {self.number}")


@dataclass(frozen=True)
class Ended:
    """How the process with the command line ended.

    Attributes:
        status: its exit status; below 0 for the signal that killed it.
        out, err: what it wrote.
        alone: whether every process that it started is gone, and waited for.
    """

    status: int
    out: str
    err: str
    alone: bool


def cases(seed: int, count: int) -> list[Run]:
    """The kinds of runs in turn, each with other numbers every time."""
    return [Run(number, seed) for number in range(count)]


def examine(case: Run) -> None:
    """Raise `AssertionError` unless the run ends as it should."""
    _KINDS[case.number % len(_KINDS)](case.rng)


def _examine_returned(rng: Random) -> None:
    status = rng.randrange(6)
    assert _ended(lambda: _say(status)) == Ended(status, _SAYS, _COMPLAINS, True)


def _examine_left(rng: Random) -> None:
    """`sys.exit` with a number, with nothing, with words: the status that the interpreter would give."""
    code, status = rng.choice([(3, 3), (0, 0), (None, 0), ("words", 1)])
    assert _ended(lambda: sys.exit(code if _say(0) == 0 else 9)) == Ended(status, _SAYS, _COMPLAINS, True)


def _examine_raised(rng: Random) -> None:
    number = rng.randrange(100)
    ended = _ended(lambda: [_say(0), 1][number])
    assert (ended.status, ended.out, ended.alone) == ((1, _SAYS, True) if number > 1 else (number, _SAYS, True))
    assert number < 2 or ended.err.endswith("IndexError: list index out of range\n")


def _examine_killed(rng: Random) -> None:
    """The solver's process dies: one sentence names the signal, which may have no name of its own."""
    named = {each: each.name for each in (signal.SIGSEGV, signal.SIGTERM, signal.SIGKILL)}
    number, name = rng.choice([*named.items(), (40, "signal 40")])

    def main() -> int:
        os.kill(os.getpid(), number)
        return 0

    assert _ended(main) == Ended(1, "", f"the solver's process was killed by {name}\n", True)


def _examine_interrupted(rng: Random) -> None:
    """The user presses Ctrl-C, or somebody ends the process: the programs below it are gone too."""
    number = rng.choice([signal.SIGINT, signal.SIGTERM])
    assert _ended(_work, number) == Ended(130, "", "interrupted\n", True)


def _examine_interrupted_at_once(rng: Random) -> None:
    """The signal comes right after the fork."""
    number, fork = rng.choice([signal.SIGINT, signal.SIGTERM]), os.fork

    def fork_and_interrupt() -> int:
        pid = fork()
        if pid:
            os.kill(os.getpid(), number)
        return pid

    def prepare() -> None:
        os.fork = fork_and_interrupt

    assert _ended(_work, prepare=prepare) == Ended(130, "", "interrupted\n", True)


def _examine_ignored(rng: Random) -> None:
    """A run whose caller ignores Ctrl-C goes on to its end."""
    status = rng.randrange(6)

    def main() -> int:
        _announce()
        time.sleep(0.2)
        return _say(status)

    ended = _ended(main, signal.SIGINT, prepare=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
    assert ended == Ended(status, _SAYS, _COMPLAINS, True)


def _say(status: int) -> int:
    """Write without an end of the line, which stays in the buffers."""
    sys.stdout.write(_SAYS)
    sys.stderr.write(_COMPLAINS)
    return status


def _work() -> int:
    """Take long, with a program below that has another one below."""
    with subprocess.Popen(["sh", "-c", f"sleep {10 * _LONG_S} & wait"]) as program:
        while not psutil.Process(program.pid).children():
            time.sleep(0.01)
        _announce()
        time.sleep(_LONG_S)
    return 0


def _announce() -> None:
    """Say that the signal may come."""
    Path("ready").touch()


def _ended(main: Callable[[], int], number: int | None = None, prepare: Callable[[], object] = lambda: None) -> Ended:
    """How `run_isolated(main)` ends in a process of its own, to which the signal is sent when it says that it is ready.

    Args:
        number: of the signal; SIGINT reaches every process of the group, as Ctrl-C does.
        prepare: what the process does before.
    """
    with TemporaryDirectory() as name:
        folder = Path(name)
        pid = os.fork()
        if pid == 0:
            _run(folder, main, prepare)
        try:
            if number is not None:
                while not (folder / "ready").exists():
                    time.sleep(0.01)
                (os.killpg if number == signal.SIGINT else os.kill)(pid, number)
            status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            alone = (folder / "alone").exists() and _gone(pid)
            return Ended(status, (folder / "out").read_text(), (folder / "err").read_text(), alone)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGKILL)


def _run(folder: Path, main: Callable[[], int], prepare: Callable[[], object]) -> None:
    """The process itself: a session of its own in the folder, with files for its output."""
    status = 99
    try:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.setsid()
        os.chdir(folder)
        for descriptor, file in ((1, "out"), (2, "err")):
            os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT), descriptor)
        sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w", buffering=1)
        prepare()
        status = run_isolated(main)
        sys.stderr.flush()
        try:
            os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            Path("alone").touch()
    finally:
        os._exit(status)


def _gone(group: int) -> bool:
    """Whether every process of the group is gone, or will be at once."""
    end = time.monotonic() + _GONE_S
    while time.monotonic() < end:
        if not any(_of_group(each, group) for each in psutil.process_iter()):
            return True
        time.sleep(0.01)
    return False


def _of_group(process: psutil.Process, group: int) -> bool:
    with suppress(psutil.NoSuchProcess, ProcessLookupError):
        return os.getpgid(process.pid) == group and process.status() != psutil.STATUS_ZOMBIE
    return False


_KINDS: tuple[Callable[[Random], None], ...] = (
    _examine_returned,
    _examine_left,
    _examine_raised,
    _examine_killed,
    _examine_interrupted,
    _examine_interrupted_at_once,
    _examine_ignored,
)
