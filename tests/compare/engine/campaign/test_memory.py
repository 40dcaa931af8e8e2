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
from compare.engine.campaign.plan import (
    EXPECTED,
    Dataset,
    Settings,
    bundled_datasets,
    plan,
    read_dataset,
)
from compare.engine.isolate.outcome import Status, Usage
from compare.engine.work.contenders import Ask, GivenAnswers, choose
from compare.engine.work.result import Result
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


def results(planned: list[Ask]) -> Iterator[Result]:
    """A made-up result of each ask; no two have the same numbers."""
    for number, ask in enumerate(planned, 2**30):
        yield Result.of(
            ask,
            status=Status.OK,
            usage=Usage(wall_s=number / 7, cpu_s=number / 9, peak_bytes=number),
            effort=Effort(number / 11, number / 13, number + 1, number + 2),
            claims=np.array([1]),
            check=Check(Verdict.PROVED),
        )


def campaign(dataset: Dataset) -> tuple[list[Ask], Comparison]:
    planned = plan([dataset], choose(BEAMS, [], {}), Settings())
    comparison = Comparison(run for ask in planned for run in ask.run_keys)
    for result in results(planned):
        comparison.add(result)
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
    every = [each for each in comparison.instances for _ in each.summaries]
    for each, ask, record in zip(every, planned, results(planned), strict=True):
        result, number = each.of(record.contender), ask.cases[0].number
        assert result is not None
        assert (each.case, each.number, each.dataset) == (
            number,
            str(number),
            "long",
        )
        assert (result.variables, result.clauses) == (
            record.effort.variables,
            record.effort.clauses,
        )
        assert result.timing is not None
        assert result.timing.wall_s == record.usage.wall_s
        assert (result.timing.build_s, result.timing.solve_s) == (
            record.effort.build_s,
            record.effort.solve_s,
        )
        assert result.peak_bytes == record.usage.peak_bytes
        assert (result.timing.lower_bound, result.timing.spread) == (False, None)
        assert result.rare.recall is None


def test_a_plan_asks_all_in_turn() -> None:
    """Expected answers are not repeated."""
    sample = next(each for each in bundled_datasets(BEAMS) if each.answers)
    direct, cnf = choose(BEAMS, ["direct", "cnf"], {})
    expected = GivenAnswers(puzzle="beams", name=EXPECTED)
    planned = plan([sample], [direct, cnf], Settings(repeats=2))
    turns = [(direct, 1), (cnf, 1), (expected, 1), (direct, 2), (cnf, 2)]
    assert [(ask.contender, ask.instance, ask.repeat) for ask in planned] == [
        (contender, instance, repeat)
        for instance in sample.instances
        for contender, repeat in turns
    ]
