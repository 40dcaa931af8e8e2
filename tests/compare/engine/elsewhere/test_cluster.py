"""Runs on a real Dask cluster of this machine, of which a worker is killed half-way: nothing lost,
nothing twice.
"""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import files
from pathlib import Path
from typing import Any

import psutil
import pytest

import puzzles
from compare.engine.campaign.plan import bundled_datasets
from compare.engine.elsewhere.cluster import dask
from compare.engine.work.asking import carry_out
from compare.engine.work.contenders import Ask, DatasetCase, programs
from compare.engine.work.source_programs import folder_of_programs, removing_programs
from tests.installed import needs
from tests.places import ROOT
from tests.processes import LONGEST_S, CompareHere, compare, environment, start_module
from tests.records import read_file

needs("distributed")


@pytest.fixture
def cluster() -> Iterator[Any]:
    distributed = import_module("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, processes=True
    ) as made:
        yield made


def slow(folder: Path) -> str:
    """A program that takes a moment, and says on whose behalf it ran."""
    path = folder / "slow.sh"
    path.write_text(f"sleep .3; echo $PPID >> {folder}/ran; echo 'Case #1: IMPOSSIBLE'\n")
    return f"slow=sh {path}"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None, reason="no C++ compiler here")
def test_boards_and_a_compiled_program_travel_to_a_worker_that_does_not_have_them(
    cluster: Any, tmp_path: Path, compare_here: CompareHere
) -> None:
    words = "fuzz beams -b direct -b cnf --cases 200"
    assert (
        "; 200 ordinary boards and 24 of other kinds in"
        in compare_here(f"{words} --scheduler", cluster.scheduler_address).stdout
    )
    source = tmp_path / "mine.cpp"
    source.write_text('#include <cstdio>\nint main() { puts("Case #1: IMPOSSIBLE"); }\n')
    with removing_programs():
        (mine,) = programs(puzzles.get("beams"), [f"mine={source}"], [])
        folder = folder_of_programs()
        assert folder is not None
        with dask(cluster.scheduler_address) as executor:
            shutil.rmtree(folder)
            board = puzzles.get("beams").family("sparse").board(3, 1)
            ask = Ask(contender=mine, cases=[DatasetCase(board)])
            (result,) = executor.submit(carry_out, ask).result(LONGEST_S)
            assert (result.status, result.answer) == ("OK", "Case #1: IMPOSSIBLE\n")
        cluster.close()
        assert not folder.exists()


def dask_command(*words: str) -> list[str]:
    """The words that start the console script `dask`:

    Python then looks for modules in the folder of scripts first.
    """
    (script,) = (
        path.locate()
        for path in files("dask") or ()
        if path.name == "dask" and path.parent.name == "bin"
    )
    assert (Path(str(script)).parent / "models.py").exists()
    return [sys.executable, str(script), *words]


@dataclass
class Started:
    """A cluster that was started by command lines."""

    address: str
    scheduler: subprocess.Popen[bytes]
    workers: list[subprocess.Popen[bytes]]


def everybody(process: subprocess.Popen[bytes]) -> list[psutil.Process]:
    """A process and all that it has started, itself first."""
    own = psutil.Process(process.pid)
    return [own, *own.children(recursive=True)]


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Started]:
    """A scheduler and two workers, as a user starts them."""
    where = tmp_path / "scheduler.json"
    processes: list[subprocess.Popen[bytes]] = []

    def start(*words: str) -> None:
        with (tmp_path / f"{len(processes)}.log").open("wb") as log:
            process = subprocess.Popen(
                dask_command(*words), stdout=log, stderr=log, env=environment(), cwd=tmp_path
            )
        processes.append(process)

    try:
        start(
            "scheduler",
            "--host",
            "127.0.0.1",
            "--port",
            "0",
            "--no-dashboard",
            "--scheduler-file",
            str(where),
        )
        for _ in range(1200):
            if where.exists() and where.read_bytes().endswith(b"}"):
                break
            time.sleep(0.05)
        address = json.loads(where.read_text())["address"]
        for _ in range(2):
            start("worker", address, "--nthreads", "1", "--no-dashboard")
        with import_module("distributed").Client(address, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=60)
        yield Started(address, processes[0], processes[1:])
    finally:
        family = [
            each for process in processes if process.poll() is None for each in everybody(process)
        ]
        for process in processes:
            process.terminate()
        _, alive = psutil.wait_procs(family, 20)
        for each in alive:
            each.kill()
        for process in processes:
            process.wait()


def start_run(started: Started, folder: Path) -> subprocess.Popen[str]:
    """Five boards ten times, by a program and a backend; returns when some runs are in
    `runs.jsonl`.
    """
    line = (
        f"run beams -k sample -b direct --program '{slow(folder)}' --repeat 10 --no-check "
        f"--scheduler {started.address} --out runs.jsonl"
    )
    process = start_module("compare", line, cwd=folder)
    out = folder / "runs.jsonl"
    for _ in range(1200):
        if process.poll() is not None or (out.exists() and out.read_bytes().count(b"\n") > 8):
            break
        time.sleep(0.05)
    return process


@pytest.mark.slow
def test_a_worker_that_a_command_line_started_is_killed(started: Started, tmp_path: Path) -> None:
    process = start_run(started, tmp_path)
    nanny, worker, *below = everybody(started.workers[0])
    for each in (nanny, worker):
        each.kill()
    _, stderr = process.communicate(timeout=LONGEST_S)
    _, alive = psutil.wait_procs(below, 20)
    assert alive == []
    assert process.returncode == 1, stderr  # the program's answers are wrong on purpose
    assert "Traceback" not in stderr
    records = read_file(str(tmp_path / "runs.jsonl")).records
    runs = Counter(
        (record.case, record.contender, record.repeat, record.together) for record in records
    )
    assert (
        len(runs) == len(records) == 5 * (2 * 10 + 1) + 5
    )  # the last five: the program on the whole file
    alone = [
        record for record in records if record.together == 1
    ]  # the program answers one case of a file
    assert {record.status for record in alone} == {"OK"}


@pytest.mark.slow
def test_a_lost_scheduler_is_a_message_and_the_records_stay(
    started: Started, tmp_path: Path
) -> None:
    process = start_run(started, tmp_path)
    started.scheduler.kill()
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 2, stderr
    assert (
        stderr
        == f"--scheduler {started.address}: the scheduler is gone; what has ended before is kept\n"
    )
    records = read_file(str(tmp_path / "runs.jsonl")).records
    assert 8 <= len(records) < 5 * (2 * 10 + 1)
    assert {record.status for record in records} == {"OK"}


@pytest.mark.slow
def test_an_interruption_ends_a_run_on_a_cluster(started: Started, tmp_path: Path) -> None:
    process = start_run(started, tmp_path)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 130, stderr
    assert "UNFINISHED: interrupted, " in stdout.splitlines()[-1]
    assert stderr.splitlines()[-1] == "interrupted"
    assert "Traceback" not in stderr


@pytest.mark.slow
def test_what_a_plugin_prints_comes_back_from_the_cluster(cluster: Any, tmp_path: Path) -> None:
    (tmp_path / "plugin.py").write_text(
        "from puzzles.backend import backend\nfrom puzzles.beams.board import Layout\n"
        "@backend('beams', 'speaks', side='direct', source='a plugin')\n"
        "def solve(board, *, certify=False):\n    print(board.rows, 'rows')\n    return "
        "Layout(False)\n"
    )
    words = f"run beams -k sample -b speaks --plugin {tmp_path}/plugin.py --no-check -q"
    ended = compare(f"{words} --scheduler", cluster.scheduler_address, cwd=tmp_path)
    boards = next(
        each.instances for each in bundled_datasets(puzzles.get("beams")) if each.name == "sample"
    )
    rows = sorted(f"direct:speaks: {board.shape[0]} rows" for board in boards if board.shape)
    assert sorted(ended.stderr.splitlines()) == rows
    assert " rows" not in ended.stdout


def test_nobody_there_is_said(compare_here: CompareHere, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("compare.engine.elsewhere.cluster._CONNECT_S", 0.5)
    assert (
        "--scheduler tcp://127.0.0.1:9: "
        in compare_here("run beams -k sample --scheduler tcp://127.0.0.1:9", status=2).stderr
    )


@pytest.mark.parametrize("address", ["nope", "tcp://", "foo://host:1", "tcp://host:port"])
def test_no_client_begins_with_an_address_that_is_none(
    address: str, compare_here: CompareHere, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("distributed.Client", lambda *_, **__: pytest.fail("a client begins"))
    ended = compare_here(f"run beams -k sample -b direct -q --scheduler {address}", status=2)
    assert ended.stderr.startswith(f"--scheduler {address}: ")


@pytest.mark.slow
def test_the_text_of_a_puzzle_of_ones_own_travels_to_the_cluster(
    cluster: Any, tmp_path: Path, compare_here: CompareHere
) -> None:
    file = tmp_path / "lights.py"
    text = (ROOT / "examples" / "lights.py").read_text()
    file.write_text(
        text.replace(
            "PUZZLE = ",
            "Path = __import__('pathlib').Path\nPath(__file__).unlink(missing_ok=True)\nPUZZLE = ",
        )
    )
    ended = compare_here(f"run {file} --scheduler", cluster.scheduler_address)
    assert not file.exists()
    assert "14 of 14 answers PROVED" in ended.stdout
