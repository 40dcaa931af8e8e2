"""What a run of a long campaign takes in memory: its board, its place in the plan, its result."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import puzzles
from compare.campaign.comparing.comparison import Comparison
from compare.campaign.comparing.missing_runs import MissingRuns
from compare.campaign.compressed import Compressed
from compare.campaign.datasets import bundled, read_dataset
from compare.campaign.record import InstanceKey, Record
from compare.campaign.tasks import EXPECTED, Plan, Task, plan
from compare.isolate.outcome import Status, Usage
from compare.work.contenders import GivenAnswers, choose
from compare.work.job import Run
from puzzles.answer import Effort
from puzzles.verdict import Check, Verdict

BEAMS = puzzles.get("beams")

BOARDS = 2500

MOST_BYTES = 200
"""A run takes about 130."""


@pytest.fixture
def long_file(tmp_path: Path) -> Path:
    """Boards of 12x12."""
    family = next(iter(BEAMS.families.values()))
    path = tmp_path / "long.in"
    path.write_text(BEAMS.print_instances([family.board(12, seed) for seed in range(1, BOARDS + 1)]))
    return path


def records(planned: Plan) -> Iterator[Record]:
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


def campaign(path: Path) -> tuple[Plan, Comparison]:
    planned = plan([read_dataset(BEAMS, str(path))], choose(BEAMS, ["direct", "cnf"], {}))
    comparison = Comparison(task.identity for task in planned)
    for record in records(planned):
        comparison.add(record)
    return planned, comparison


def test_a_run_takes_few_bytes(long_file: Path) -> None:
    campaign(long_file)  # what is imported and cached at the first time does not count
    tracemalloc.start()
    try:
        planned, comparison = campaign(long_file)
        gc.collect()  # what nobody holds does not count
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(planned) == comparison.tally.runs == 2 * BOARDS
    assert taken < MOST_BYTES * len(planned)


def test_what_is_kept_is_what_came(long_file: Path) -> None:
    planned, comparison = campaign(long_file)
    every = [each for each in comparison.instances for _ in each.results]
    for each, task, record in zip(every, planned, records(planned), strict=True):
        result = each.of(record.task.contender)
        assert result is not None
        assert (each.case, each.number, each.place.dataset) == (task.index + 1, str(task.index + 1), "long")
        assert (result.variables, result.clauses) == (record.run.effort.variables, record.run.effort.clauses)
        assert list(result.seconds) == [record.run.usage.wall_s]
        assert result.efforts == [(record.run.effort.build_s, record.run.effort.solve_s)]
        assert result.peak_bytes == record.run.usage.peak_bytes
        assert (list(result.stopped_s), result.recall) == ([], None)


class Stubborn:
    """A value that cannot be pickled."""

    def __reduce__(self) -> str:
        raise RuntimeError("never")


@pytest.mark.parametrize("count", [0, 1, 63, 64, 65, 200])
def test_compressed_values_come_back_in_their_order(count: int) -> None:
    values = [f"value {k}" for k in range(count)]
    compressed = Compressed(values)
    assert len(compressed) == count
    assert list(compressed) == [compressed[k] for k in range(count)] == compressed[:] == values
    assert compressed[-3:] == values[-3:]
    with pytest.raises(IndexError):
        compressed[count]


def test_values_that_cannot_be_pickled_are_kept_as_they_are() -> None:
    values = [*map(str, range(100)), Stubborn()]
    compressed = Compressed(values)
    assert compressed[100] is values[100]
    assert list(compressed) == values


def test_a_large_value_has_a_block_of_its_own() -> None:
    values = ["x" * 2**k for k in range(20)]
    assert list(Compressed(values)) == values


def test_a_plan_gives_every_task_in_turn() -> None:
    """Expected answers are not repeated."""
    sample = next(each for each in bundled(BEAMS) if each.answers)
    direct, cnf = choose(BEAMS, ["direct", "cnf"], {})
    expected = GivenAnswers(puzzle="beams", name=EXPECTED)
    planned = plan([sample], [direct, cnf], repeats=2)
    turns = [(direct, 1), (cnf, 1), (expected, 1), (direct, 2), (cnf, 2)]
    tasks = [Task(contender, sample, index, repeat) for index in range(len(sample.instances)) for contender, repeat in turns]
    assert list(planned) == [planned[k] for k in range(len(planned))] == tasks
    assert list(planned[3:9]) == tasks[3:9]


def test_instances_of_one_hash_wait_for_each_other() -> None:
    one, other = InstanceKey("beams", "some", -1, ""), InstanceKey("beams", "some", -2, "")
    assert hash(one) == hash(other)
    missing = MissingRuns([one, other, one])
    assert [missing.take(key) for key in (one, one, other, other)] == [False, False, True, False]
    assert missing.total == 0
