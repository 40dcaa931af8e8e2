"""Programs in starters: whatever a program does is a status, and nothing of it stays."""

from __future__ import annotations

import os
import signal
import sys
import time

import pytest

from compare.isolate.outcome import Limits, Outcome, Status
from compare.work.attempt import start_program
from compare.work.pool import Pool
from tests.installed import slow
from tests.processes import LONGEST_S, running, wait_until

LONG = Limits(LONGEST_S)

PARENT = "parent() { cut -d ' ' -f 4 < /proc/$1/stat; }\n"
"""How a shell script begins that asks for the parent of a process."""


def shell(pool: Pool, script: str, limits: Limits = LONG) -> Outcome:
    return start_program(pool, ["sh", "-c", PARENT + script], b"", limits)


def test_a_program_reads_and_prints(pool: Pool) -> None:
    ended = start_program(pool, ["tr", "a", "b"], b"banana\n" * 50_000, LONG)
    assert (ended.status, ended.value) == (Status.OK, b"bbnbnb\n" * 50_000)
    ended = start_program(pool, ["/no/such/program"], b"", LONG)
    assert (ended.status, ended.detail) == (
        Status.CRASH,
        "could not be started: No such file or directory",
    )


@pytest.mark.parametrize(
    ("script", "status", "detail"),
    [
        ("sleep 600", Status.TIMEOUT, "stopped at 0.7 s"),
        ("exec >&- 2>&-; sleep 600", Status.TIMEOUT, "stopped at 0.7 s"),
        ("while :; do :; done", Status.TIMEOUT, "stopped at 0.7 s"),
        ("trap '' TERM INT; sleep 600", Status.TIMEOUT, "stopped at 0.7 s"),
        ("kill -STOP $$", Status.TIMEOUT, "stopped at 0.7 s"),
        ("cat /dev/zero >&2", Status.TIMEOUT, "stopped at 0.7 s"),
        ("echo no good >&2; exit 7", Status.CRASH, "exit status 7: no good"),
        ("exec >&- 2>&-; sleep 0.2; exit 7", Status.CRASH, "exit status 7"),
        ("kill -9 $$", Status.CRASH, "killed by SIGKILL"),
        ("cat /dev/zero", Status.ERROR, "printed more than 1000000 bytes"),
        ("head -c 1000001 /dev/zero", Status.ERROR, "printed more than 1000000 bytes"),
        ("head -c 1000000 /dev/zero", Status.OK, ""),
        ("head -c 5000000 /dev/zero >&2", Status.OK, ""),
        ("true", Status.OK, ""),
    ],
)
def test_whatever_a_program_does_is_a_status(
    pool: Pool, script: str, status: Status, detail: str
) -> None:
    started = time.monotonic()
    seconds = 0.7 if status is Status.TIMEOUT else LONG.seconds
    ended = shell(pool, script, Limits(seconds, None, 10**6))
    assert (ended.status, ended.detail) == (status, detail)
    assert (
        time.monotonic() - started < 6 + 5
    )  # also on a busy machine, and where the forkserver starts first


def test_a_starter_is_kept_from_program_to_program(pool: Pool) -> None:
    first, second = (shell(pool, "echo $PPID").value for _ in range(2))
    assert first == second


def test_memory_is_that_of_the_whole_tree_and_the_peak_is_the_programs_own(pool: Pool) -> None:
    eater = (
        f"{sys.executable} -c 'x = bytearray(300 * 2**20); import time; "
        f"time.sleep({2 * LONGEST_S})' "
        "& wait"
    )
    ended = shell(pool, eater, Limits(LONGEST_S, 200 * 2**20))
    assert (ended.status, ended.detail) == (Status.MEMORY, "more than 200 MB resident")
    ended = start_program(pool, ["sleep", "0.3"], b"", LONG)
    assert 2**18 < (ended.usage.peak_bytes or 0) < 2**25
    assert (ended.usage.wall_s or 0) >= 0.3


@pytest.mark.parametrize(
    ("script", "status"),
    [
        ("sleep {0} & sleep {0}", Status.TIMEOUT),
        slow("(setsid sleep {0} &); sleep {0}", Status.TIMEOUT),
        ("setsid sleep {0} & exit 0", Status.OK),
        ("env -i setsid sleep {0} > /dev/null 2>&1 & exit 0", Status.OK),
        ("setsid sleep {0} & kill -KILL $PPID; setsid sleep {0}", Status.CRASH),
        slow("env -i setsid sleep {0} & kill -SEGV $PPID; sleep {0}", Status.CRASH),
        slow("setsid sleep {0} & kill -KILL $(parent $PPID); sleep {0}", Status.CRASH),
        ("env -i setsid sleep {0} & kill -KILL $(parent $PPID) $PPID; sleep {0}", Status.CRASH),
        slow("setsid sleep {0} & kill -STOP $PPID; sleep {0}", Status.TIMEOUT),
        ("env -i setsid sleep {0} & kill -STOP $PPID $(parent $PPID); sleep {0}", Status.TIMEOUT),
    ],
)
def test_nothing_is_left_running_whomever_it_kills_or_stops(
    pool: Pool, script: str, status: Status
) -> None:
    marker = f"63.{os.getpid()}"
    ended = shell(
        pool, script.format(marker), Limits(LONGEST_S if status is not Status.TIMEOUT else 0.7)
    )
    assert ended.status is status, ended
    wait_until(lambda: not running(marker))
    assert shell(pool, "echo well").value == b"well\n"


def test_stopping_the_pool_ends_a_program(pool: Pool) -> None:
    from threading import Timer

    Timer(0.5, pool.stop).start()
    ended = shell(pool, "trap '' TERM; sleep 600")
    assert ended.status is Status.CRASH


def test_signals_are_named(pool: Pool) -> None:
    for number in (signal.SIGTERM, signal.SIGSEGV, signal.SIGRTMIN + 6):
        name = signal.Signals(number).name if number < signal.SIGRTMIN else f"signal {number}"
        assert shell(pool, f"kill -{int(number)} $$").detail == f"killed by {name}"
