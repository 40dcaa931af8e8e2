"""Limits that hold: hanging, forking, eating, aborting, flooding, silent functions and programs, tried for real."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from compare.isolate.outcome import Limits, Outcome, Status
from compare.isolate.processes import signal_name
from compare.isolate.sandbox import call, call_in_turn, execute
from puzzles.backend import Unsupported
from tests.processes import LONGEST_S, environment, run_python, wait_until

SOON = Limits(0.7)
"""For what never ends."""

LONG = Limits(LONGEST_S)
"""For what ends by itself, on a busy machine too."""


A_WHILE = f"601.{os.getpid()}"
"""Seconds to sleep, in which no other process on this machine sleeps."""


def shell(script: str) -> list[str]:
    return ["sh", "-c", script]


def wall_s(ended: Outcome) -> float:
    assert ended.usage.wall_s is not None
    return ended.usage.wall_s


def running(marker: str) -> list[str]:
    """The command lines of the processes with a marker in them."""
    seen = []
    for process in psutil.process_iter(["cmdline", "status"]):
        words = process.info["cmdline"] or []
        if marker in words and process.info["status"] != psutil.STATUS_ZOMBIE:
            seen.append(" ".join(words))
    return seen


def test_a_value_comes_back_with_what_it_used() -> None:
    ended = call(lambda: list(range(5)), limits=LONG)
    assert (ended.status, ended.value) == (Status.OK, [0, 1, 2, 3, 4])
    assert 0 < wall_s(ended) < LONG.seconds
    assert (ended.usage.peak_bytes or 0) > 2**20


def raising(error: Exception) -> None:
    raise error


@pytest.mark.parametrize(
    ("function", "arguments", "status", "detail"),
    [
        (time.sleep, (2 * LONGEST_S,), Status.TIMEOUT, "stopped at 0.7 s"),
        (raising, (ValueError("x y"),), Status.CRASH, "raised ValueError: x y"),
        (raising, (MemoryError(),), Status.MEMORY, "MemoryError"),
        (raising, (Unsupported("too wide"),), Status.SKIPPED, "too wide"),
        (ctypes.string_at, (0,), Status.CRASH, "killed by SIGSEGV"),
        (os.abort, (), Status.CRASH, "killed by SIGABRT"),
        (os._exit, (3,), Status.CRASH, "exit status 3"),
        (os._exit, (0,), Status.CRASH, "the answer was lost"),
    ],
)
def test_whatever_a_function_does_is_a_status(function: object, arguments: tuple[object, ...], status: Status, detail: str) -> None:
    assert callable(function)
    limits = SOON if status is Status.TIMEOUT else LONG
    ended = call(function, *arguments, limits=limits, endings={Unsupported: Status.SKIPPED})
    assert ended.status is status
    assert ended.detail.startswith(detail)
    assert ended.value is None


def test_memory_is_that_of_the_whole_tree() -> None:
    eater = f"{sys.executable} -c 'x = bytearray(300 * 2**20); import time; time.sleep({2 * LONGEST_S})' & wait"
    ended = execute(shell(eater), b"", limits=Limits(LONGEST_S, 200 * 2**20))
    assert (ended.status, ended.detail) == (Status.MEMORY, "more than 200 MB resident")


def test_a_program_reads_and_prints() -> None:
    ended = execute(["tr", "a", "b"], b"banana\n" * 50_000, limits=LONG)
    assert (ended.status, ended.value) == (Status.OK, b"bbnbnb\n" * 50_000)


@pytest.mark.parametrize(
    ("script", "status", "detail"),
    [
        ("sleep 600", Status.TIMEOUT, "stopped at 0.7 s"),
        ("exec >&- 2>&-; sleep 600", Status.TIMEOUT, "stopped at 0.7 s"),
        ("while :; do :; done", Status.TIMEOUT, "stopped at 0.7 s"),
        ("trap '' TERM INT; sleep 600", Status.TIMEOUT, "stopped at 0.7 s"),
        ("echo no good >&2; exit 7", Status.CRASH, "exit status 7: no good"),
        ("kill -9 $$", Status.CRASH, "killed by SIGKILL"),
        ("cat /dev/zero", Status.ERROR, "printed more than 1000000 bytes"),
        ("true", Status.OK, ""),
    ],
)
def test_whatever_a_program_does_is_a_status(script: str, status: Status, detail: str) -> None:
    started = time.monotonic()
    seconds = SOON.seconds if status is Status.TIMEOUT else LONG.seconds
    ended = execute(shell(script), b"", limits=Limits(seconds, None, 10**6))
    assert (ended.status, ended.detail) == (status, detail)
    assert time.monotonic() - started < SOON.seconds + 5


HARMLESS = {signal.SIGCHLD, signal.SIGCONT, signal.SIGURG, signal.SIGWINCH}
"""Signals that a process ignores unless it asks for them."""

STOPPING = {signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU}
"""Signals that stop a process. A group without a terminal is stopped by the first of them only."""


def die_of(number: int) -> None:
    """Send this process a signal, whatever an earlier test of this process has made of it."""
    if number != signal.SIGKILL:
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def test_a_function_killed_by_any_signal_is_a_status() -> None:
    ignored = {*HARMLESS, *STOPPING, signal.SIGXFSZ, 32, 33}  # Python ignores SIGXFSZ, and the C library keeps two for itself
    for number in sorted(set(range(1, 65)) - ignored):
        ended = call(die_of, number, limits=LONG)
        assert (ended.status, ended.detail) == (Status.CRASH, f"killed by {signal_name(number)}")


@pytest.mark.parametrize("error", [AttributeError("no such function"), OSError(38, "Function not implemented")])
def test_where_the_system_tells_of_no_end_it_is_looked_for(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(pid: int) -> int:
        raise error

    monkeypatch.setattr(os, "pidfd_open", refuse, raising=False)
    ended = execute(["tr", "a", "b"], b"banana\n", limits=LONG)
    assert (ended.status, ended.value) == (Status.OK, b"bbnbnb\n")
    ended = execute(shell("exec >&- 2>&-; sleep 0.2; exit 7"), b"", limits=LONG)
    assert (ended.status, ended.detail) == (Status.CRASH, "exit status 7")
    assert execute(shell("sleep 600"), b"", limits=Limits(0.4)).status is Status.TIMEOUT
    assert call(abs, -3, limits=LONG).value == 3


def test_flooding_the_complaints_neither_blocks_nor_fills_anything() -> None:
    ended = execute(shell("head -c 5000000 /dev/zero >&2; echo fine"), b"", limits=LONG)
    assert (ended.status, ended.value) == (Status.OK, b"fine\n")


@pytest.mark.parametrize(
    ("script", "limits", "status"),
    [
        ("sleep {0} & sleep {0}", SOON, Status.TIMEOUT),
        ("(setsid sleep {0} &); sleep {0}", SOON, Status.TIMEOUT),
        ("setsid sleep {0} & exit 0", LONG, Status.OK),
    ],
)
def test_nothing_is_left_running(script: str, limits: Limits, status: Status) -> None:
    code = (
        "from compare.isolate.processes import *; from compare.isolate.sandbox import *; import sys; adopt_orphans();"
        "print(execute(['sh', '-c', sys.argv[1]], b'', limits=Limits(float(sys.argv[2]))).status)"
    )
    ended = run_python("-c", code, script.format(A_WHILE), str(limits.seconds))
    assert (ended.returncode, ended.stdout) == (0, f"{status}\n"), ended.stderr
    assert running(A_WHILE) == []


def test_a_run_dies_with_the_process_that_watches_it() -> None:
    code = f"from compare.isolate.sandbox import *; execute(['sleep', '{A_WHILE}'], b'', limits=Limits(900))"
    with subprocess.Popen([sys.executable, "-c", code], env=environment()) as watcher:
        wait_until(lambda: running(A_WHILE))
        watcher.kill()
        watcher.wait()
    wait_until(lambda: not running(A_WHILE))


@pytest.mark.slow
def test_the_overrun_stays_below_half_a_second() -> None:
    late = [wall_s(execute(shell("sleep 60 & sleep 60"), b"", limits=Limits(0.4))) - 0.4 for _ in range(5)]
    late += [wall_s(call(time.sleep, 60, limits=Limits(0.4))) - 0.4 for _ in range(5)]
    assert sorted(late)[len(late) // 2] < 0.5


def test_steps_of_one_fork_have_limits_of_their_own() -> None:
    """What the first step told stays, whatever becomes of the second; the second has its own time from then on."""
    shorter = Limits(1.5)
    for steps in ([(str, shorter), (time.sleep, LONG)], [(time.sleep, LONG), (str, shorter)]):
        outcomes = call_in_turn(steps, 1.6)
        assert [each.status for each in outcomes] == [Status.OK, Status.OK]
        assert [wall_s(each) >= 1.6 for each in outcomes] == [function is time.sleep for function, _ in steps]
    first, second = call_in_turn([(len, LONG), (time.sleep, LONG)], (1, 2, 3))
    assert (first.status, first.value) == (Status.OK, 3)
    assert (second.status, second.detail) == (Status.CRASH, "raised TypeError: 'tuple' object cannot be interpreted as an integer")
    first, second = call_in_turn([(str, LONG), (time.sleep, SOON)], 600)
    assert (first.status, first.value) == (Status.OK, "600")
    assert (second.status, second.detail) == (Status.TIMEOUT, "stopped at 0.7 s")
    (only,) = call_in_turn([(time.sleep, SOON), (str, LONG)], 600)
    assert (only.status, only.detail) == (Status.TIMEOUT, "stopped at 0.7 s")
    (only,) = call_in_turn([(raising, LONG), (str, LONG)], MemoryError())
    assert only.status is Status.MEMORY


def test_what_a_step_told_survives_the_death_of_the_next() -> None:
    first, second = call_in_turn([(str, Limits(60.0)), (os._exit, Limits(60.0))], 3)
    assert (first.status, first.value) == (Status.OK, "3")
    assert (second.status, second.detail) == (Status.CRASH, "exit status 3")
    (only,) = call_in_turn([(os._exit, Limits(60.0)), (str, Limits(60.0))], 0)
    assert (only.status, only.detail) == (Status.CRASH, "the answer was lost")


def test_memory_that_nobody_saw_counts_in_the_end() -> None:
    """A run that is over before anyone looks is over its limit all the same."""
    ended = call(len, (1, 2), limits=Limits(60.0, 2**20))
    assert (ended.status, ended.value, ended.detail) == (Status.MEMORY, None, "more than 1 MB resident")
    most = psutil.Process().memory_info().rss + 2**26
    first, second = call_in_turn([(len, Limits(60.0, most)), (bytes, Limits(60.0, most))], bytes(2**20))
    assert (first.status, second.status) == (Status.OK, Status.OK)


def test_the_peak_of_a_program_is_its_own() -> None:
    """And not ours, of which it is told on the way."""
    eaten = bytearray(2**27)
    ended = execute(["sleep", "0.2"], b"", limits=Limits(60.0))
    assert len(eaten) == 2**27
    assert 2**18 < (ended.usage.peak_bytes or 0) < 2**25
