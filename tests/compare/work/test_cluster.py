"""Runs on a real Dask cluster of this machine, of which a worker is killed half-way: nothing lost, nothing twice."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

import puzzles
from compare.campaign import journal
from compare.command_line import main

distributed = pytest.importorskip("distributed")


@pytest.fixture
def cluster() -> Iterator[Any]:
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, processes=True) as made:
        yield made


def slow(folder: Path) -> str:
    """A program that takes a moment, and says on whose behalf it ran."""
    path = folder / "slow.sh"
    path.write_text(f"sleep .3; echo $PPID >> {folder}/ran; echo 'Case #1: IMPOSSIBLE'\n")
    return f"slow=sh {path}"


def test_a_worker_is_killed_half_way(cluster: Any, tmp_path: Path) -> None:
    out = tmp_path / "runs.jsonl"
    pids = [worker.process.pid for worker in cluster.workers.values()]
    orphans: list[psutil.Process] = []

    def kill() -> None:
        for _ in range(600):
            if out.exists() and out.read_bytes().count(b"\n") > 8:
                break
            time.sleep(0.05)
        orphans.extend(psutil.Process(pids[0]).children(recursive=True))
        os.kill(pids[0], signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    words = ["run", "beams", "-k", "sample or sparse", "-b", "direct", "--program", slow(tmp_path), "--repeat", "3", "--no-check"]
    status = main([*words, "--executor", "dask", "--scheduler", cluster.scheduler_address, "--out", str(out)])
    killer.join()
    assert status == 1  # the program's answers are wrong on purpose
    found = journal.read(str(out)).records
    runs = Counter((record.task.dataset, record.task.case, record.task.contender, record.task.repeat) for record in found)
    boards = 5 + len(puzzles.get("beams").family("sparse").bundled)
    assert len(runs) == boards * 2 * 3 + 5
    assert set(runs.values()) == {1}
    assert {record.run.status for record in found} == {"OK"}
    assert all(record.parallel for record in found)
    assert orphans
    _, alive = psutil.wait_procs(orphans, 20)
    assert alive == []


def test_fuzz_sends_its_boards_to_the_cluster(cluster: Any, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["fuzz", "beams", "-b", "direct", "-b", "cnf", "--cases", "200"]
    assert main([*words, "--executor", "dask", "--scheduler", cluster.scheduler_address]) == 0
    assert "nothing found; 200 boards in" in capsys.readouterr().out


def test_nobody_there_is_said(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("compare.work.cluster._CONNECT_S", 0.5)
    assert main(["run", "beams", "-k", "sample", "--executor", "dask", "--scheduler", "tcp://127.0.0.1:9"]) == 2
    assert "--scheduler tcp://127.0.0.1:9: " in capsys.readouterr().err
    assert main(["run", "beams", "--executor", "dask"]) == 2
    assert "--executor dask and --scheduler ADDRESS go together" in capsys.readouterr().err
