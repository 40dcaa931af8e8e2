"""Every ask becomes a result, whatever its run does."""

from __future__ import annotations

import json
import signal
from concurrent.futures import Future
from pathlib import Path

import puzzles
from compare.engine.campaign.plan import EXPECTED, Settings, bundled_datasets, collect
from compare.engine.isolate.outcome import Status
from compare.engine.work.asking import carry_out
from compare.engine.work.contenders import Ask, DatasetCase, GivenAnswers, choose
from compare.engine.work.result import Result
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
    records = [record for record in read_file(str(out)).records if record.contender == "dies"]
    assert [record.status for record in records] == [Status.CRASH] * 5
    assert all(
        int(record.reason.removeprefix("killed by signal ")) > signal.SIGRTMIN for record in records
    )


def test_an_error_outside_of_the_sandbox_is_a_row() -> None:
    instance = BEAMS.parse(BEAMS.example, "<example>")[0]
    expected = GivenAnswers(puzzle="beams", name=EXPECTED)
    (result,) = in_pool(carry_out, Ask(contender=expected, cases=[DatasetCase(instance)]))
    assert (result.status, result.reason) == (
        Status.ERROR,
        "malformed answer: CRASH raised AssertionError",
    )


def test_what_our_own_code_raises_is_a_row() -> None:
    (dataset, *_) = bundled_datasets(BEAMS)
    ask = Settings().ask(choose(BEAMS, ["direct"], {})[0], dataset.cases()[:1])
    raised: Future[list[Result]] = Future()
    raised.set_exception(TypeError("no such text"))
    (result,) = collect(ask, raised)
    assert (result.status, result.claims) == (Status.CRASH, None)
    assert result.reason == "raised TypeError outside of its sandbox: no such text"
    assert json.loads(result.line())["status"] == "CRASH"
    good = in_pool(carry_out, ask)
    ended: Future[list[Result]] = Future()
    ended.set_result(good)
    assert collect(ask, ended) is good
