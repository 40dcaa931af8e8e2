"""Workers that die, hang, are stopped or cannot start: their calls are made again or are lost, and all others go on."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import psutil
import pytest

from compare.isolate.coordination import end_turn, take_turn
from compare.isolate.outcome import Limits, Status
from compare.isolate.sandbox import execute
from compare.work.pool.executors import Local, Lost, local
from tests.processes import LONGEST_S

PARENT = "parent() { cut -d ' ' -f 4 < /proc/$1/stat; }\n"
"""How a shell script begins that asks for the parent of a process."""


def die_once(marker: Path, number: int) -> str:
    """Kill the own process, but only the first time."""
    if marker.exists():
        return "alive"
    marker.touch()
    os.kill(os.getpid(), number)
    return "not killed"


def run_script(script: str, seconds: float) -> Status:
    return execute(["sh", "-c", PARENT + script], b"", limits=Limits(seconds)).status


def running(marker: str) -> list[psutil.Process]:
    """The processes with a word in their command lines."""
    alive: list[psutil.Process] = []
    for process in psutil.process_iter(["cmdline", "status"]):
        if marker in (process.info["cmdline"] or []) and process.info["status"] != psutil.STATUS_ZOMBIE:
            alive.append(process)
    return alive


def test_a_call_returns_or_raises() -> None:
    with local() as workers:
        assert workers.submit(divmod, 17, 5).result() == (3, 2)
        with pytest.raises(ValueError, match="invalid literal for int"):
            workers.submit(int, "x").result()
        with pytest.raises(RuntimeError, match="SystemExit: 3"):
            workers.submit(exec, "raise SystemExit(3)").result()
        pid = workers.submit(os.getpid).result()
        assert workers.submit(os.getpid).result() == pid
    assert not psutil.pid_exists(pid)


def alone(folder: Path) -> tuple[int, bool]:
    """This process, and whether no other one had the turn while it had it."""
    take_turn()
    alone = not list(folder.iterdir())
    mine = folder / str(os.getpid())
    mine.touch()
    time.sleep(0.01)
    mine.unlink()
    end_turn()
    return os.getpid(), alone


def die_in_turn(marker: Path) -> str:
    take_turn()
    return die_once(marker, signal.SIGKILL)


def test_one_worker_at_a_time_has_the_turn(tmp_path: Path) -> None:
    with local(2, one_timed=True) as workers:
        calls = [(name, workers.submit(alone, tmp_path, of=name)) for name in "abc" * 20]
        turns = [(name, *call.result()) for name, call in calls]
    assert all(had_it_alone for _, _, had_it_alone in turns)
    pids = {name: {pid for other, pid, _ in turns if other == name} for name in "abc"}
    assert [len(each) for each in pids.values()] == [1, 1, 1]  # each has its worker
    assert len(set().union(*pids.values())) == 2


def test_a_worker_that_dies_gives_its_turn_back(tmp_path: Path) -> None:
    (turns := tmp_path / "turns").mkdir()
    with local(2, one_timed=True) as workers:
        dies = workers.submit(die_in_turn, tmp_path / "died", of="a")
        others = [workers.submit(alone, turns, of="b") for _ in range(3)]
        assert dies.result() == "alive"
        workers.submit(end_turn, of="a").result()
        assert all(had_it_alone for _, had_it_alone in (call.result() for call in others))


def test_the_call_of_a_worker_that_died_is_made_again(tmp_path: Path) -> None:
    with local() as workers:
        for number in (signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM):
            assert workers.submit(die_once, tmp_path / str(number), number).result() == "alive"


def test_a_call_that_kills_two_workers_is_lost_and_the_rest_goes_on() -> None:
    with local(2) as workers:
        before = [workers.submit(abs, -n) for n in range(20)]
        deadly = [workers.submit(os.abort), workers.submit(os._exit, 3)]
        after = [workers.submit(abs, -n) for n in range(20, 40)]
        assert [future.result() for future in before + after] == list(range(40))
        details = []
        for future in deadly:
            with pytest.raises(Lost) as lost:
                future.result()
            assert lost.value.status is Status.CRASH
            details.append(lost.value.detail)
        assert details == ["the worker died: killed by SIGABRT", "the worker died: exit status 3"]


def test_a_worker_that_is_silent_for_too_long_is_lost() -> None:
    with local() as workers:
        with pytest.raises(Lost) as lost:
            workers.submit(time.sleep, 60, timeout=0.3).result()
        assert (lost.value.status, lost.value.detail) == (Status.TIMEOUT, "the worker did not come back within 0.3 s")
        assert workers.submit(abs, -3).result() == 3


def test_the_limit_of_a_sandbox_is_added_to_the_silence() -> None:
    with local() as workers:
        workers.submit(run_script, "true", 10).result()  # imports this module there, which may take longer than what follows
        assert workers.submit(run_script, "sleep 4", 60, timeout=3).result() is Status.OK


@pytest.mark.slow
@pytest.mark.parametrize(
    "script",
    [
        "kill -STOP $PPID; sleep 60",
        pytest.param("kill -STOP $PPID; kill -KILL $(parent $PPID); sleep 60", marks=pytest.mark.slow),
    ],
    ids=["worker", "worker, keeper killed"],
)
def test_a_limit_holds_if_the_program_stops_its_worker(script: str) -> None:
    """The call may be silent for ten minutes, but not while the program runs, which has half a second."""
    with local() as workers:
        with pytest.raises(Lost) as lost:
            workers.submit(run_script, script, 0.5, timeout=600).result(LONGEST_S)
        assert lost.value.status is Status.TIMEOUT
        assert workers.submit(abs, -3).result() == 3


@pytest.mark.parametrize(
    ("script", "seconds"),
    [
        ("setsid sleep {0} & kill -KILL $PPID; setsid sleep {0}", "63.1"),
        ("env -i setsid sleep {0} & kill -SEGV $PPID; sleep {0}", "63.2"),
        ("setsid sleep {0} & kill -KILL $(parent $PPID); sleep {0}", "63.3"),
        ("setsid sleep {0} & kill -KILL $(parent $PPID) $PPID; sleep {0}", "63.4"),
        pytest.param("setsid sleep {0} & kill -STOP $PPID; sleep {0}", "63.5", marks=pytest.mark.slow),
        ("env -i setsid sleep {0} & kill -KILL $(parent $PPID) $PPID; sleep {0}", "63.6"),
        pytest.param(
            "env -i setsid sleep {0} & kill -STOP $PPID; kill -KILL $(parent $PPID); sleep {0}", "63.7", marks=pytest.mark.slow
        ),
    ],
    ids=[
        "worker",
        "worker, clean environment",
        "keeper",
        "worker and keeper",
        "stopped worker",
        "worker and keeper, clean environment",
        "stopped worker and keeper, clean environment",
    ],
)
def test_what_a_program_leaves_behind_dies_with_its_worker(script: str, seconds: str) -> None:
    seconds += str(os.getpid())  # no other process on this machine sleeps so long
    with local() as workers:
        with pytest.raises(Lost):
            workers.submit(run_script, script.format(seconds), 1, timeout=60).result(LONGEST_S)
        assert workers.submit(abs, -3).result() == 3
        assert running(seconds) == []


@pytest.mark.parametrize(
    ("code", "detail"),
    [
        ("raise RuntimeError('not here')", "a worker could not start: RuntimeError: not here"),
        ("import os; os._exit(7)", "a worker died at its start: its keeper died with it"),
    ],
)
def test_a_call_is_lost_if_no_worker_can_start(code: str, detail: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package that every worker imports is spoiled there; here it is imported already."""
    (tmp_path / "numpy.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    with local() as workers:
        for future in [workers.submit(abs, -3) for _ in range(3)]:
            with pytest.raises(Lost) as lost:
                future.result()
            assert (lost.value.status, lost.value.detail) == (Status.CRASH, detail)


def test_workers_that_are_killed_as_soon_as_they_start_are_replaced() -> None:
    with local() as workers:
        for _ in range(5):
            future = workers.submit(os.getpid)
            kill_below(os.getpid())
            assert isinstance(future.result(LONGEST_S), int)
            kill_below(os.getpid())


def kill_below(pid: int) -> None:
    """Wait until the process has a keeper; then kill the keepers and their workers."""
    keepers: list[psutil.Process] = []
    for _ in range(600):
        keepers = [child for child in psutil.Process(pid).children() if is_keeper(child)]
        if keepers:
            break
        time.sleep(0.005)
    victims = [process for keeper in keepers for process in (*keeper.children(), keeper)]
    for victim in victims:
        victim.kill()
    psutil.wait_procs(victims, 1)


def is_keeper(process: psutil.Process) -> bool:
    try:
        return any("compare.work.pool.keeper" in word for word in process.cmdline())
    except psutil.Error:
        return False


def test_stopping_ends_what_is_under_way() -> None:
    workers = Local(2)
    pid = workers.submit(os.getpid).result()
    calls = [workers.submit(time.sleep, 60) for _ in range(5)]
    workers.stop()
    workers.close()
    assert all(call.cancelled() or isinstance(call.exception(), Lost) for call in calls)
    assert not psutil.pid_exists(pid)
