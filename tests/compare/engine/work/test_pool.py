"""The pool: which children are kept, whose turn it is to be timed, and how calls in threads end."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any, TypeVar

import psutil
import pytest

import puzzles
from compare.engine.isolate.outcome import Limits, Status
from compare.engine.work.asking import carry_out
from compare.engine.work.contenders import Ask, DatasetCase, choose
from compare.engine.work.pool import MAX_IDLE, Pool, Stopped, TimingTurn, local
from puzzles.answer import Verdict
from tests.processes import LONGEST_S, wait_until

T = TypeVar("T")

LIMITS = Limits(LONGEST_S)


class BadEnd(Exception):
    """A call in a child did not end well."""


def in_child(pool: Pool, function: Callable[..., T], *args: Any) -> T:
    """What `function(*args)` returns in a child that is kept."""
    with pool.solver() as child:
        outcome = child.call(function, *args, limits=Limits(inf))
    if not outcome.ok:
        raise BadEnd(outcome.status, outcome.detail)
    return outcome.value


def test_children_are_kept_by_what_they_are_for(pool: Pool) -> None:
    two_sat, cnf = choose(puzzles.get("beams"), ["two-sat", "cnf"], {})
    with (
        pool.judge() as judge,
        pool.solver(two_sat) as solver,
        pool.solver(cnf) as other,
        pool.judge() as second,
    ):
        pids = judge.pid, solver.pid, other.pid, second.pid
        assert len(set(pids)) == 4
    with pool.solver(two_sat) as solver, pool.solver(cnf) as other, pool.judge() as judge:
        assert (solver.pid, other.pid) == pids[1:3]
        assert judge.pid in (pids[0], pids[3])
        judge.call(os._exit, 3, limits=LIMITS)
    with pool.judge() as one, pool.judge() as two:
        assert judge.pid not in (one.pid, two.pid)
    with pool.solver(two_sat, new=True) as new:
        assert new.pid not in pids
    wait_until(lambda: not psutil.pid_exists(new.pid))


def test_a_child_that_died_while_it_was_idle_is_replaced_and_few_stay_idle(pool: Pool) -> None:
    with pool.judge() as judge:
        pid = judge.pid
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not psutil.pid_exists(pid))
    with pool.judge() as judge:
        assert judge.call(abs, -3, limits=LIMITS).value == 3
    from contextlib import ExitStack

    with ExitStack() as stack:
        lent = [stack.enter_context(pool.judge()).pid for _ in range(MAX_IDLE + 3)]
    assert sum(psutil.pid_exists(pid) for pid in lent) == MAX_IDLE


def test_one_is_timed_at_a_time_and_nobody_loads_meanwhile() -> None:
    turn, log, busy = TimingTurn(), list[tuple[str, int, int]](), {"timing": 0, "loading": 0}
    lock = threading.Lock()

    def take(kind: str) -> None:
        for _ in range(20):
            with getattr(turn, kind)():
                with lock:
                    busy[kind] += 1
                    log.append((kind, busy["timing"], busy["loading"]))
                time.sleep(0.002)
                with lock:
                    busy[kind] -= 1

    threads = [threading.Thread(target=take, args=(kind,)) for kind in ("timing", "loading") * 3]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LONGEST_S)
    assert len(log) == 120
    assert {(timed, loading) for kind, timed, loading in log if kind == "timing"} == {(1, 0)}
    assert all(timed == 0 for kind, timed, _ in log if kind == "loading")
    assert max(loading for _, _, loading in log) > 1


def test_a_call_returns_or_raises() -> None:
    with local() as workers:
        assert workers.submit(in_child, divmod, 17, 5).result() == (3, 2)
        with pytest.raises(BadEnd, match="raised ValueError: invalid literal for int"):
            workers.submit(in_child, int, "x").result()
        with pytest.raises(BadEnd, match="killed by SIGABRT") as ended:
            workers.submit(in_child, os.abort).result()
        assert ended.value.args[0] is Status.CRASH
        pid = workers.submit(in_child, os.getpid).result()
        assert workers.submit(in_child, os.getpid).result() == pid
    wait_until(lambda: not psutil.pid_exists(pid))


def test_stopping_ends_what_is_under_way() -> None:
    pids: list[int] = []
    calls: list[Future[None]] = []

    def interrupted() -> None:
        with local(2) as workers:
            pids.append(workers.submit(in_child, os.getpid).result())
            calls.extend(workers.submit(in_child, time.sleep, 60) for _ in range(5))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert all(
        call.cancelled() or isinstance(call.exception(), (BadEnd, CancelledError)) for call in calls
    )
    wait_until(lambda: not psutil.pid_exists(pids[0]))


def test_a_pool_that_was_stopped_gives_no_child() -> None:
    pool = Pool()
    with pool.judge() as judge:
        pool.stop()
        assert judge.call(abs, -3, limits=LIMITS).status is Status.CRASH
    for borrowed in (pool.judge(), pool.solver(), pool.starter()):
        with pytest.raises(Stopped), borrowed:
            pass
    pool.close()


def test_a_call_that_asks_for_a_child_after_the_end_counts_as_cancelled() -> None:
    begun, stopped = threading.Event(), threading.Event()

    def asks_late(pool: Pool) -> int:
        begun.set()
        stopped.wait(LONGEST_S)
        with pool.judge() as judge:
            return judge.pid

    with local() as workers:
        call = workers.submit(asks_late)
        begun.wait(LONGEST_S)
        workers.stop()
        stopped.set()
        assert isinstance(call.exception(), CancelledError)


def test_a_child_that_loads_is_stopped_too(tmp_path: Path) -> None:
    path, begun = tmp_path / "slow.py", tmp_path / "begun"
    path.write_text(
        f"import pathlib, time\npathlib.Path({str(begun)!r}).touch()\ntime.sleep(600)\n"
    )
    pool = Pool([str(path)])
    foreign = replace(choose(puzzles.get("beams"), ["two-sat"], {})[0], ours=False)
    endings: list[str] = []

    def borrow() -> None:
        with pool.foreign_solver(foreign) as solver:
            assert solver.ready
            endings.append(solver.ready.status)

    borrower = threading.Thread(target=borrow)
    borrower.start()
    wait_until(begun.exists)
    pool.stop()
    borrower.join(LONGEST_S)
    assert endings == [Status.CRASH]
    pool.close()


def test_calls_that_are_stopped_end_and_later_ones_get_new_children(pool: Pool) -> None:
    stopper = threading.Timer(0.5, pool.stop_calls)
    stopper.start()
    with pool.judge() as judge:
        assert judge.call(time.sleep, 600, limits=LIMITS).status is Status.CRASH
    with pool.judge() as judge:
        assert judge.call(abs, -3, limits=LIMITS).value == 3


def test_a_puzzle_of_ones_own_is_loaded_in_every_child() -> None:
    from tests.places import ROOT

    puzzle = puzzles.find(str(ROOT / "examples" / "lights.py"))
    pool = Pool()
    board = puzzle.parse(puzzle.example)[0]
    for contender in choose(puzzle, [], {}):
        (run,) = carry_out(pool, Ask(contender=contender, cases=[DatasetCase(board)]))
        assert (run.status, run.check and run.check.verdict) == (Status.OK, Verdict.PROVED)
    pool.close()
