"""Limits of time inside a process."""

from __future__ import annotations

import signal
from math import inf
from threading import Thread
from time import sleep

import pytest

from puzzles.shell.time_limits import Deadline, TooLong, at_most
from tests.processes import run_python


def endless() -> None:
    while True:
        try:
            sleep(10)
        except Exception:
            continue


def within_an_inner_limit() -> None:
    with at_most(10):
        pass
    sleep(10)


def test_what_takes_too_long_is_ended_though_it_catches_exceptions() -> None:
    before, (timer_s, _) = signal.getsignal(signal.SIGALRM), signal.getitimer(signal.ITIMER_REAL)
    with pytest.raises(TooLong, match=r"^it did not end within 0\.02 s$"), at_most(0.02):
        endless()
    assert signal.getsignal(signal.SIGALRM) == before
    assert signal.getitimer(signal.ITIMER_REAL)[0] <= timer_s  # 0, unless others had set one


def test_a_limit_within_a_limit_does_not_end_the_outer_one() -> None:
    with pytest.raises(TooLong, match=r"within 0\.05 s"), at_most(0.05):
        within_an_inner_limit()


def test_a_hard_limit_ends_the_process_in_a_c_function() -> None:
    code = """if True:
        from puzzles.shell.time_limits import at_most
        with at_most(0.05, hard=True):
            sum(range(10**12))
    """
    assert run_python("-c", code).returncode == -signal.SIGALRM


def test_another_thread_than_the_main_one_has_no_limit() -> None:
    ended: list[bool] = []

    def run() -> None:
        with at_most(0.01):
            sleep(0.05)
            ended.append(True)

    thread = Thread(target=run)
    thread.start()
    thread.join()
    assert ended


def test_a_deadline() -> None:
    assert Deadline(0).over
    assert Deadline(0).seconds_left == 0
    assert Deadline(-1).seconds_left == 0
    assert not Deadline().over
    assert Deadline().seconds_left == inf
    soon = Deadline(0.05)
    assert not soon.over
    assert 0 < soon.seconds_left <= 0.05
    sleep(0.06)
    assert soon.over
