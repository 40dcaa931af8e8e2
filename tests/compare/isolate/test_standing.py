"""Standing forks: many calls, each with its own limits, its own use of memory and its own output; and when they end."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator

import psutil
import pytest

from compare.isolate.outcome import Limits, Outcome, Status
from compare.isolate.standing import MOST_GROWTH, StandingFork
from puzzles.backend import Unsupported
from tests.processes import LONGEST_S

SOON = Limits(0.7)
LONG = Limits(30.0)

kept: list[int] = []


@pytest.fixture
def fork() -> Iterator[StandingFork]:
    standing = StandingFork()
    yield standing
    standing.close()


def once(fork: StandingFork, function: object, *args: object, limits: Limits = LONG) -> Outcome:
    (outcome,) = fork.call_in_turn([(function, limits)], *args, endings={Unsupported: Status.SKIPPED})  # pyright: ignore[reportArgumentType]
    return outcome


def remember(number: int) -> list[int]:
    kept.append(number)
    return list(kept)


def fail(error: Exception) -> None:
    raise error


def use_memory(megabytes: int) -> int:
    return len(bytearray(megabytes << 20))


def say(text: str) -> None:
    print(text)


def leave_a_child() -> int:
    return subprocess.Popen(["sleep", "60"]).pid


def grow() -> None:
    kept.extend(range(MOST_GROWTH // 16))


def test_one_process_takes_all_calls(fork: StandingFork) -> None:
    first = once(fork, os.getpid)
    assert [once(fork, remember, number).value for number in (1, 2, 3)] == [[1], [1, 2], [1, 2, 3]]
    assert once(fork, os.getpid).value == first.value != os.getpid()
    assert kept == []


def test_each_call_prints_for_itself(fork: StandingFork) -> None:
    assert [once(fork, say, text).printed for text in ("one", "two")] == ["one", "two"]
    assert once(fork, os.getpid).printed == ""


def test_each_call_has_its_own_peak_and_its_own_seconds(fork: StandingFork) -> None:
    small, large, again = [once(fork, use_memory, megabytes).usage for megabytes in (1, 300, 1)]
    assert (large.peak_bytes or 0) - (small.peak_bytes or 0) > 250 << 20
    assert (large.peak_bytes or 0) - (again.peak_bytes or 0) > 250 << 20
    assert (once(fork, sum, range(5_000_000)).usage.cpu_s or 0) > (once(fork, os.getpid).usage.cpu_s or 0) + 0.01


def test_steps_run_in_turn_until_one_does_not_end_well(fork: StandingFork) -> None:
    steps = [(abs, LONG), (Unsupported, LONG), (str, LONG)]
    assert [each.value for each in fork.call_in_turn([steps[0], steps[2]], -4)] == [4, "-4"]
    outcomes = fork.call_in_turn([(len, LONG), (fail, LONG), (len, LONG)], [1])
    assert [each.status for each in outcomes] == [Status.OK, Status.CRASH]
    assert not fork.running


@pytest.mark.parametrize(
    ("function", "argument", "limits", "status", "detail"),
    [
        (time.sleep, 60, SOON, Status.TIMEOUT, "stopped at 0.7 s"),
        (fail, ValueError("x y"), LONG, Status.CRASH, "raised ValueError: x y"),
        (fail, Unsupported("too wide"), LONG, Status.SKIPPED, "too wide"),
        (use_memory, 400, Limits(30.0, 200 << 20), Status.MEMORY, "more than 200 MB resident"),
        (os._exit, 3, LONG, Status.CRASH, "exit status 3"),
    ],
)
def test_a_call_that_does_not_end_well_ends_the_fork(
    fork: StandingFork, function: object, argument: object, limits: Limits, status: Status, detail: str
) -> None:
    assert once(fork, abs, -1).value == 1
    ended = once(fork, function, argument, limits=limits)
    assert (ended.status, ended.detail, fork.running) == (status, detail, False)


def test_what_is_left_behind_ends_the_fork_and_is_killed(fork: StandingFork) -> None:
    child = once(fork, leave_a_child).value
    assert not fork.running
    deadline = time.monotonic() + LONGEST_S
    while psutil.pid_exists(child) and psutil.Process(child).status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_growth_ends_the_fork(fork: StandingFork) -> None:
    assert once(fork, os.getpid).ok
    assert once(fork, grow).ok
    assert not fork.running


def test_large_values_pass_both_ways(fork: StandingFork) -> None:
    data = os.urandom(1 << 20)
    assert once(fork, bytes, data).value == data
