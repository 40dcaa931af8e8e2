"""Every task becomes a record, whatever its run does."""

from __future__ import annotations

import json
import signal
from dataclasses import replace
from pathlib import Path

import puzzles
from compare.engine.campaign.datasets import bundled
from compare.engine.campaign.running import record_of
from compare.engine.campaign.tasks import EXPECTED, Settings, Task
from compare.engine.isolate.outcome import Status
from compare.engine.work.attempt import attempt
from compare.engine.work.contenders import GivenAnswers, choose
from compare.engine.work.job import Job, Run
from tests.pools import in_pool
from tests.processes import CompareHere
from tests.records import read_file

BEAMS = puzzles.get("beams")


def test_a_program_may_be_killed_by_any_signal(sample: Path, compare_here: CompareHere) -> None:
    """Case by case another one; real-time signals have no names of their own."""
    script, out = sample / "dies.sh", sample / "runs.jsonl"
    script.write_text("read -r cases; read -r rows columns; kill -$((rows + columns + 33)) $$\n")
    words = [
        "run",
        "beams",
        str(sample),
        "-b",
        "direct",
        "--program",
        f"dies=sh {script}",
        "--out",
        str(out),
        "--no-check",
    ]
    assert "5 boards of 1 puzzle" in compare_here(*words, status=1).stdout
    records = [record for record in read_file(str(out)).records if record.task.contender == "dies"]
    assert [record.run.status for record in records] == [Status.CRASH] * 5
    assert all(
        int(record.run.detail.removeprefix("killed by signal ")) > signal.SIGRTMIN
        for record in records
    )


def test_an_error_outside_of_the_sandbox_is_a_row() -> None:
    instance = BEAMS.parse(BEAMS.example, "<example>")[0]
    run = in_pool(
        attempt, Job(contender=GivenAnswers(puzzle="beams", name=EXPECTED), instance=instance)
    )
    assert (run.status, run.detail) == (
        Status.ERROR,
        "malformed answer: CRASH raised AssertionError: ",
    )


def test_a_run_that_no_record_can_keep_is_a_row() -> None:
    (dataset, *_) = bundled(BEAMS)
    task = Task(choose(BEAMS, ["direct"], {})[0], dataset, 0)
    good = in_pool(attempt, task.job(Settings()))
    bad = replace(good, answer=3)  # type: ignore[arg-type]
    record = record_of(task, bad, Settings())
    assert (record.run.status, record.run.claims) == (Status.CRASH, None)
    assert record.run.detail.startswith("raised TypeError outside of its sandbox: ")
    assert json.loads(record.line())["status"] == "CRASH"
    assert record_of(task, Run(status=Status.OK), Settings()).run == Run(status=Status.OK)
