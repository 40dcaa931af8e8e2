"""Runs that are killed at random moments: each run has one record in the end, and nothing is left
running.
"""

from __future__ import annotations

import random
import signal
import subprocess
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from compare.isolate.outcome import Status
from tests.processes import command, environment
from tests.records import read_file

ENDS = 25
"""Kills a test."""

BOARDS, RUNS = 5, 5 * (6 * 2 + 2)
"""The boards of the sample; their runs: two contenders six times, the program with all of them, and
the expected answer.
"""

WORDS = [
    "run",
    "beams",
    "official.in",
    "-b",
    "direct",
    "--program",
    "mine=sh mine.sh",
    "--repeat",
    "6",
    "--out",
    "runs.jsonl",
]
"""The command line of all runs."""


@pytest.fixture
def folder(sample: Path) -> Path:
    """The sample, and a program that takes a moment and is wrong."""
    says = 'for case in $(seq $cases); do echo "Case #$case: IMPOSSIBLE"; done'
    (sample / "mine.sh").write_text(f"sleep .03\nread -r cases\n{says}\n")
    return sample


def start(folder: Path, jobs: int) -> subprocess.Popen[str]:
    """Start the command, or go on with it, in a process group of its own."""
    return subprocess.Popen(
        command("compare", *WORDS, "--jobs", str(jobs), "--resume"),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env=environment(),
        start_new_session=True,
    )


def below(pid: int) -> list[psutil.Process]:
    """The descendants of a process."""
    try:
        return psutil.Process(pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def assert_gone(processes: list[psutil.Process]) -> None:
    _, alive = psutil.wait_procs(processes, timeout=30)
    assert alive == []


def recorded(folder: Path, statuses: set[Status]) -> int:
    """How many records there are; no run has two, and no status is another one."""
    if not (folder / "runs.jsonl").exists() or b"\n" not in (folder / "runs.jsonl").read_bytes():
        return 0
    records = read_file(str(folder / "runs.jsonl")).records
    tasks = [record.task for record in records]
    runs = Counter((task.case, task.contender, task.repeat, task.together) for task in tasks)
    assert set(runs.values()) <= {1}
    assert {record.run.status for record in records} <= statuses
    return len(records)


def due(folder: Path) -> int:
    """How many records a complete file has: a program that has crashed on a board alone does not
    get all of them at once.
    """
    path = folder / "runs.jsonl"
    records = read_file(str(path)).records if path.exists() and b"\n" in path.read_bytes() else ()
    crashed = any(
        record.task.contender == "mine" and record.run.status is Status.CRASH for record in records
    )
    together = sum(record.task.together > 1 for record in records)
    return RUNS - BOARDS + together if crashed else RUNS


def begin_anew_if_complete(folder: Path, records: int) -> None:
    assert records <= RUNS
    if records == due(folder):
        (folder / "runs.jsonl").unlink()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_killed_at_random_moments_every_run_has_one_record(seed: int, folder: Path) -> None:
    """The command, a child or a forkserver is killed.

    A run that lost two children is CRASH, all others end well.
    """
    rng, kills, completed = random.Random(seed), 0, 0
    victims: Counter[str] = Counter()
    while kills < ENDS or not completed:
        begin_anew_if_complete(folder, recorded(folder, {Status.OK, Status.CRASH}))
        with start(folder, 1 + seed % 2) as process:
            while kills < ENDS and process.poll() is None:
                time.sleep(rng.uniform(0, 1.5))
                kind = rng.choice(["command", "child", "forkserver"])
                everything: list[psutil.Process] = []
                victim: list[psutil.Process] = []
                while (
                    not victim and process.poll() is None
                ):  # on a busy machine a child is long in coming
                    everything = below(process.pid)
                    forkservers = [each for each in everything if parent(each) == process.pid]
                    children = [
                        each
                        for each in everything
                        if parent(each) in {forkserver.pid for forkserver in forkservers}
                    ]
                    victim = {
                        "command": [psutil.Process(process.pid)],
                        "child": children,
                        "forkserver": forkservers,
                    }[kind]
                    time.sleep(0 if victim else 0.02)
                if victim:
                    with suppress(psutil.NoSuchProcess):
                        rng.choice(victim).kill()
                        kills += 1
                        victims[kind] += 1
                if kind == "command":
                    assert_gone(everything)
                    break
            everything = below(process.pid)
            _, complained = process.communicate(timeout=120)
        assert_gone(everything)
        assert "Traceback" not in complained, complained
        assert process.returncode in (1, -signal.SIGKILL)
        if process.returncode == 1:
            completed += 1
            assert recorded(folder, {Status.OK, Status.CRASH}) == due(folder)
    assert set(victims) == {"command", "child", "forkserver"}


def parent(process: psutil.Process) -> int | None:
    try:
        return process.ppid()
    except psutil.NoSuchProcess:
        return None
