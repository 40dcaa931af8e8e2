"""Seeded runs of a command line in a process of its own: how it ends, how it is interrupted, and what makes the status right."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil

from models.isolation import run_isolated
from models.solvers.solver_process import printed_by

_LONG_S = 300.0
"""Seconds that a run takes which is to be interrupted."""

_GONE_S = 5.0
"""Seconds after which a killed process must be gone."""

_PROGRAMS = 3000
"""Programs that a program starts, seconds long: it has not started all of them when it is stopped."""

_BRIEF_S = 0.2
"""Seconds that each of these programs takes."""

_INTERRUPTING = (signal.SIGINT, signal.SIGTERM)

_SAYS, _COMPLAINS = "an answer", "a complaint without an end of the line"


@dataclass(frozen=True)
class Ended:
    """How the process with the command line ended.

    Attributes:
        status: its exit status; below 0 for the signal that killed it.
        out, err: what it wrote.
        gone: whether every process that it started is gone.
        waited_for: whether it waited for those that it started itself.
        in_time: whether the program below it was stopped while it still started others.
    """

    status: int
    out: str
    err: str
    gone: bool = True
    waited_for: bool = True
    in_time: bool = True


def cases(seed: int, count: int) -> range:
    """The numbers of runs, from the seed on."""
    return range(seed, seed + count)


def examine(case: int) -> None:
    """Raise `AssertionError` unless the run of this number ends as it should. The kinds come in turn, each in its variants."""
    turn, kind = divmod(case, len(_KINDS))
    _KINDS[kind](turn)


def _examine_returned(turn: int) -> None:
    status = turn % 6
    assert _ended(lambda: _say(status)) == Ended(status, _SAYS, _COMPLAINS)


def _examine_left(turn: int) -> None:
    """`sys.exit` with a number, with nothing, with words: the status that the interpreter would give."""
    code, status = [(3, 3), (0, 0), (None, 0), ("words", 1)][turn % 4]
    assert _ended(lambda: sys.exit(code if _say(0) == 0 else 9)) == Ended(status, _SAYS, _COMPLAINS)


def _examine_raised(turn: int) -> None:
    number = turn % 4
    ended = _ended(lambda: [_say(0), 1][number])
    assert (ended.status, ended.out, ended.gone) == (min(number, 1), _SAYS, True)
    assert number < 2 or ended.err.endswith("IndexError: list index out of range\n")


def _examine_killed(turn: int) -> None:
    """The solver's process dies: one sentence names the signal, which may have no name of its own."""
    named = {each: each.name for each in (signal.SIGSEGV, signal.SIGTERM, signal.SIGKILL)}
    number, name = [*named.items(), (40, "signal 40")][turn % 4]

    def main() -> int:
        os.kill(os.getpid(), number)
        return 0

    assert _ended(main) == Ended(1, "", f"the solver's process was killed by {name}\n")


def _examine_interrupted(turn: int) -> None:
    """The user presses Ctrl-C, or somebody ends the process: the programs below it are gone too."""
    number = _INTERRUPTING[turn % 2]
    assert _ended(_work, number) == Ended(130, "", "interrupted\n")


def _examine_interrupted_at_once(turn: int) -> None:
    """The signal comes right after the fork."""
    number, fork = _INTERRUPTING[turn % 2], os.fork

    def fork_and_interrupt() -> int:
        pid = fork()
        if pid:
            os.kill(os.getpid(), number)
        return pid

    def prepare() -> None:
        os.fork = fork_and_interrupt

    assert _ended(_work, prepare=prepare) == Ended(130, "", "interrupted\n")


def _examine_parent_killed(turn: int) -> None:
    """Nobody can catch the signal that kills the first process: the system ends the second, and a solver's program."""
    with_program = shutil.which("setpriv") is not None and turn % 2 == 1

    def main() -> int:
        if not with_program:
            _announce()
            time.sleep(_LONG_S)
            return 0
        printed_by(["sh", "-c", f"touch ready; exec sleep {_LONG_S}"], {}, 100)
        return 0

    ended = _ended(main, signal.SIGKILL)
    assert (ended.status, ended.out, ended.err) == (-signal.SIGKILL, "", "")
    assert ended.gone or sys.platform != "linux"


def _examine_ignored(turn: int) -> None:
    """A run whose caller ignores Ctrl-C goes on to its end."""
    status = turn % 6

    def main() -> int:
        _announce()
        time.sleep(0.2)
        return _say(status)

    ended = _ended(main, signal.SIGINT, prepare=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
    assert ended == Ended(status, _SAYS, _COMPLAINS)


def _say(status: int) -> int:
    """Write without an end of the line, which stays in the buffers."""
    sys.stdout.write(_SAYS)
    sys.stderr.write(_COMPLAINS)
    return status


def _work() -> int:
    """Take long, with a program below that starts one after the other, and ignores Ctrl-C."""
    starting = f"for i in $(seq {_PROGRAMS}); do sleep {_BRIEF_S} & echo >> started; done"
    with subprocess.Popen(["sh", "-c", f"trap '' INT; sleep {_LONG_S} & {starting}; wait"]) as program:
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
            started = folder / "started"
            return Ended(
                status,
                (folder / "out").read_text(),
                (folder / "err").read_text(),
                gone=_gone(pid),
                waited_for=(folder / "waited for").exists(),
                in_time=not started.exists() or started.stat().st_size < _PROGRAMS,
            )
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
            Path("waited for").touch()
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


_KINDS: tuple[Callable[[int], None], ...] = (
    _examine_returned,
    _examine_left,
    _examine_raised,
    _examine_killed,
    _examine_interrupted,
    _examine_interrupted_at_once,
    _examine_ignored,
    _examine_parent_killed,
)

KINDS = len(_KINDS)
"""The kinds of runs; the same kind comes again after this number of runs, in another variant."""
