"""The checker of a worker: what it knows, how long it stands, and what becomes of a check that does not end well."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

import puzzles
from compare.fuzz.batch import Batch
from compare.fuzz.trials.trial import try_batch
from compare.isolate.outcome import Limits, Outcome, Status
from compare.work.contenders import choose
from compare.work.job import Job
from compare.work.pool.checker import call_apart
from compare.work.pool.executors import Local, local
from compare.work.worker import perform
from puzzles.verdict import Verdict

LIMITS = Limits(20)
SOLVING = {"pysat", "ortools", "numba", "flint"}
"""Packages that come with solving."""


def apart(workers: Local, function: Callable[..., object], *args: object, limits: Limits = LIMITS) -> Outcome:
    """The outcome of a call in the checker of a worker."""
    return workers.submit(_apart, function, args, limits).result()


def _apart(function: Callable[..., object], args: tuple[object, ...], limits: Limits) -> Outcome:
    return call_apart(function, *args, limits=limits)


def loaded() -> set[str]:
    return {name.partition(".")[0] for name in sys.modules}


def die_once(marker: Path) -> str:
    """Kill the own process, but only the first time."""
    if not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return "alive"


def until_ended(process: psutil.Process) -> None:
    """Wait for a process that is not our child, which may stay as a zombie."""
    for _ in range(600):
        if not process.is_running() or process.status() == psutil.STATUS_ZOMBIE:
            return
        time.sleep(0.05)
    raise AssertionError(f"{process} goes on")


def test_no_backend_solves_where_answers_are_checked() -> None:
    puzzle = puzzles.get("beams")
    contenders = tuple(choose(puzzle, ["two-sat", "cnf"], {}))
    with local() as workers:
        worker = workers.submit(os.getpid).result()
        for contender in contenders:
            run = workers.submit(perform, Job(contender=contender, instance=puzzle.parse(puzzle.example)[0])).result()
            assert run.check is not None
            assert run.check.verdict is Verdict.PROVED
        batch = Batch(puzzle="beams", contenders=contenders, seed=1, count=64, size=6, limits=LIMITS, thorough=True)
        assert workers.submit(try_batch, batch).result().failing == []
        assert workers.submit(loaded).result() & SOLVING == {"pysat", "numba"}
        assert apart(workers, loaded).value & SOLVING == set()
        checker = apart(workers, os.getpid).value
        assert worker not in {checker, apart(workers, os.getppid).value}


def test_a_checker_stands_until_a_call_does_not_end_well() -> None:
    with local() as workers:
        worker = workers.submit(os.getpid).result()
        first = apart(workers, os.getpid).value
        assert apart(workers, os.getpid).value == first
        outcomes = [
            apart(workers, int, "x"),
            apart(workers, time.sleep, 60, limits=Limits(0.3)),
            apart(workers, bytearray, 2**28, limits=Limits(20, 2**20)),
            apart(workers, ctypes.string_at, 0),
        ]
        assert [(each.status, each.detail) for each in outcomes] == [
            (Status.CRASH, "raised ValueError: invalid literal for int() with base 10: 'x'"),
            (Status.TIMEOUT, "stopped at 0.3 s"),
            (Status.MEMORY, "more than 1 MB resident"),
            (Status.CRASH, "killed by SIGSEGV"),
        ]
        assert not psutil.pid_exists(first)
        second = apart(workers, os.getpid).value
        assert second != first
        assert workers.submit(os.getpid).result() == worker
    assert not psutil.pid_exists(second)


def test_a_check_whose_checker_is_killed_is_made_again(tmp_path: Path) -> None:
    with local() as workers:
        outcome = apart(workers, die_once, tmp_path / "marker")
        assert (outcome.status, outcome.value) == (Status.OK, "alive")
        os.kill(apart(workers, os.getpid).value, signal.SIGKILL)
        assert apart(workers, abs, -3).value == 3


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_worker_without_a_keeper_of_checkers_is_replaced(number: int) -> None:
    with local() as workers:
        worker = workers.submit(os.getpid).result()
        checker = psutil.Process(apart(workers, os.getpid).value)
        os.kill(apart(workers, os.getppid).value, number)
        until_ended(checker)
        assert apart(workers, abs, -3).value == 3
        assert workers.submit(os.getpid).result() != worker
