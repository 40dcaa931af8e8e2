"""What a run of a long campaign takes in memory: its place in the plan, and its result."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import puzzles
from compare.engine.campaign.comparison import Comparison
from compare.engine.campaign.datasets import Dataset, bundled, read_dataset
from compare.engine.campaign.record import Record
from compare.engine.campaign.tasks import EXPECTED, Task, plan
from compare.engine.isolate.outcome import Status, Usage
from compare.engine.work.contenders import GivenAnswers, choose
from compare.engine.work.job import Run
from puzzles.answer import Check, Effort, Verdict

BEAMS = puzzles.get("beams")

BOARDS = 1250

MAX_BYTES = 600


@pytest.fixture
def long_file(tmp_path: Path) -> Path:
    """Boards of 12x12."""
    family = next(iter(BEAMS.families.values()))
    path = tmp_path / "long.in"
    path.write_text(
        BEAMS.print_instances([family.board(12, seed) for seed in range(1, BOARDS + 1)])
    )
    return path


def records(planned: list[Task]) -> Iterator[Record]:
    """A made-up record of each task; no two have the same numbers."""
    for number, task in enumerate(planned, 2**30):
        run = Run(
            status=Status.OK,
            usage=Usage(wall_s=number / 7, cpu_s=number / 9, peak_bytes=number),
            effort=Effort(number / 11, number / 13, number + 1, number + 2),
            claims=np.array([1]),
            check=Check(Verdict.PROVED),
        )
        yield Record.of(task.identity, run, task.instance, format=None, parallel=False)


def campaign(dataset: Dataset) -> tuple[list[Task], Comparison]:
    planned = plan([dataset], choose(BEAMS, [], {}))
    comparison = Comparison(task.identity for task in planned)
    for record in records(planned):
        comparison.add(record)
    return planned, comparison


@pytest.mark.slow
def test_a_run_takes_few_bytes(long_file: Path) -> None:
    dataset = read_dataset(BEAMS, str(long_file))
    campaign(dataset)  # what is imported and cached at the first time does not count
    tracemalloc.start()
    try:
        planned, comparison = campaign(dataset)
        gc.collect()  # what nobody holds does not count
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(planned) == comparison.tally.statuses.total() == 4 * BOARDS
    assert taken < MAX_BYTES * len(planned)


def test_what_is_kept_is_what_came(long_file: Path) -> None:
    planned, comparison = campaign(read_dataset(BEAMS, str(long_file)))
    every = [each for each in comparison.instances for _ in each.results]
    for each, task, record in zip(every, planned, records(planned), strict=True):
        result = each.of(record.task.contender)
        assert result is not None
        assert (each.case, each.number, each.dataset) == (
            task.index + 1,
            str(task.index + 1),
            "long",
        )
        assert (result.variables, result.clauses) == (
            record.run.effort.variables,
            record.run.effort.clauses,
        )
        assert result.timing is not None
        assert result.timing.wall_s == record.run.usage.wall_s
        assert (result.timing.build_s, result.timing.solve_s) == (
            record.run.effort.build_s,
            record.run.effort.solve_s,
        )
        assert result.peak_bytes == record.run.usage.peak_bytes
        assert (result.timing.lower_bound, result.timing.spread) == (False, None)
        assert result.recall is None


def test_a_plan_gives_every_task_in_turn() -> None:
    """Expected answers are not repeated."""
    sample = next(each for each in bundled(BEAMS) if each.answers)
    direct, cnf = choose(BEAMS, ["direct", "cnf"], {})
    expected = GivenAnswers(puzzle="beams", name=EXPECTED)
    planned = plan([sample], [direct, cnf], repeats=2)
    turns = [(direct, 1), (cnf, 1), (expected, 1), (direct, 2), (cnf, 2)]
    tasks = [
        Task(contender, sample, index, repeat)
        for index in range(len(sample.instances))
        for contender, repeat in turns
    ]
    assert planned == tasks
