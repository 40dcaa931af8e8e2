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

from compare.engine.isolate.outcome import Status
from compare.engine.work.result import Result
from tests.processes import command, environment
from tests.records import read_file

ENDS = 15
"""Kills a test."""

BOARDS, RUNS = 5, 5 * (6 * 2 + 2)
"""The boards of the sample; their runs: two contenders six times, the program with all of them, and
the expected answer.
"""

WORDS = ["-b", "direct", "--program", "mine=sh mine.sh", "--repeat", "6", "--out", "runs.jsonl"]

PROGRAM = """sleep .03
read -r cases
for case in $(seq $cases); do echo "Case #$case: IMPOSSIBLE"; done
"""
"""It takes a moment and is wrong."""


def start(folder: Path, jobs: int) -> subprocess.Popen[str]:
    """Start the command, or go on with it, in a process group of its own."""
    words = ["run", "beams", "official.in", *WORDS, "--jobs", str(jobs), "--resume"]
    return subprocess.Popen(
        command("compare", *words),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env=environment(),
        start_new_session=True,
    )


def everything(pid: int) -> list[list[psutil.Process]]:
    """The command, its forkservers, and their children; fewer where it has ended."""
    with suppress(psutil.NoSuchProcess):
        own = psutil.Process(pid)
        forkservers = own.children()
        return [[own], forkservers, [each for some in forkservers for each in some.children()]]
    return []


def recorded(path: Path) -> tuple[Result, ...]:
    """What the file holds: no run twice, and none that ended otherwise than well or in CRASH."""
    if not path.exists() or b"\n" not in path.read_bytes():
        return ()
    records = read_file(str(path)).records
    runs = Counter((each.case, each.contender, each.repeat, each.together) for each in records)
    assert set(runs.values()) <= {1}
    assert {record.status for record in records} <= {Status.OK, Status.CRASH}
    return records


def is_complete(records: tuple[Result, ...]) -> bool:
    """A program that has crashed on a board alone does not get all of them at once."""
    crashed = any(
        record.contender == "mine" and record.status is Status.CRASH for record in records
    )
    together = sum(record.together > 1 for record in records)
    return len(records) == (RUNS - BOARDS + together if crashed else RUNS)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_killed_at_random_moments_every_run_has_one_record(seed: int, sample: Path) -> None:
    """The command, a forkserver or a child is killed.

    A run that lost two children is CRASH, all others end well.
    """
    (sample / "mine.sh").write_text(PROGRAM)
    path = sample / "runs.jsonl"
    rng, kills, completed = random.Random(seed), Counter[int](), 0
    order = rng.sample(range(3), 3)
    while kills.total() < ENDS or not completed:
        if is_complete(recorded(path)):
            path.unlink()
        with start(sample, 1 + seed % 2) as process:
            everybody = everything(process.pid)
            while kills.total() < ENDS and process.poll() is None:
                time.sleep(rng.uniform(0, 1.5))
                everybody = everything(process.pid)
                kind = min(order, key=lambda kind: kills[kind])  # waits for one of this kind
                if len(everybody) > kind and everybody[kind]:
                    with suppress(psutil.NoSuchProcess):
                        rng.choice(everybody[kind]).kill()
                        kills[kind] += 1
            everybody = everything(process.pid) or everybody
            _, complained = process.communicate(timeout=120)
        below = [each for some in everybody for each in some if each.pid != process.pid]
        _, alive = psutil.wait_procs(below, timeout=30)
        assert alive == []
        assert "Traceback" not in complained, complained
        assert process.returncode in (1, -signal.SIGKILL)
        if process.returncode == 1:
            completed += 1
            assert is_complete(recorded(path))
    assert set(kills) == {0, 1, 2}
