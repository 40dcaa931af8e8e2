"""Kinds of batches: their shares of the time, and their boards."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import replace

import pytest

import puzzles
from compare.commands.fuzz.batch import (
    SHARES,
    Batch,
    BatchKind,
    BatchResult,
    FailingBoard,
    boards_of,
)
from compare.commands.fuzz.schedule import (
    BATCH_S,
    FIRST_LARGE,
    LARGE_AT_ONCE,
    LARGE_EVERY,
    Schedule,
)
from compare.commands.fuzz.streams import AT_ONCE, LARGE_BLOCK
from compare.commands.fuzz.trial import observe_boards
from compare.engine.isolate.outcome import DEFAULT_LIMITS
from compare.engine.search import search as search_module
from compare.engine.search.boards import boards
from compare.engine.search.search import UnderWay
from compare.engine.work.contenders import BackendContender, ProgramContender, of_backend
from compare.engine.work.result import Fault
from models import SIDE as MODELS
from puzzles.instance import Instance
from puzzles.shell.time_limits import Deadline
from tests.pools import in_pool

ONE = Batch(puzzle="beams", contenders=(), seed=3, count=64, size=6, limits=DEFAULT_LIMITS)


def test_every_kind_gets_its_share_of_the_time_and_batches_follow_the_speed() -> None:
    schedule = Schedule([replace(ONE, kind=kind) for kind in SHARES], None)
    cost = {BatchKind.ORDINARY: 0.001, BatchKind.CERTIFIED: 0.01}
    spent = dict.fromkeys(SHARES, 0.0)
    for _ in range(1000):
        batch = schedule.next(None)
        assert batch is not None
        assert batch.stop is not None
        seconds = (batch.stop - batch.start) * cost[batch.kind]
        spent[batch.kind] += seconds
        schedule.took(batch, BatchResult([], seconds))
        if batch.kind is BatchKind.ORDINARY and batch.index > 10:
            assert BATCH_S / 8 < seconds <= BATCH_S
    for kind, share in SHARES.items():
        assert spent[kind] / sum(spent.values()) == pytest.approx(share, abs=0.02)
    assert sum(SHARES.values()) == pytest.approx(1)


@pytest.mark.parametrize("board_s", [0.0001, 0.01, 1.0])
@pytest.mark.parametrize("foreign", [True, False])
def test_the_same_large_boards_come_first_whatever_the_speed(board_s: float, foreign: bool) -> None:
    mine = ProgramContender(puzzle="beams", name="mine", command=("mine",))
    ordinary = replace(ONE, contenders=(mine,) if foreign else (), count=512)
    large = replace(ordinary, kind=BatchKind.LARGE, count=LARGE_BLOCK)
    schedule = Schedule([ordinary, large], 2 * LARGE_EVERY)
    handed: list[Instance] = []
    kinds: list[BatchKind] = []
    while (batch := schedule.next(None)) is not None:
        assert batch.stop is not None
        if batch.kind is BatchKind.LARGE:
            handed += boards_of(batch)
        kinds += [batch.kind] * (
            (batch.stop - batch.start) // (1 if foreign else LARGE_AT_ONCE) or 1
        )
        schedule.took(batch, BatchResult([], board_s * (batch.stop - batch.start)))
    blocks = [board for index in range(3) for board in boards_of(replace(large, index=index))]
    assert handed[:FIRST_LARGE] == blocks[:FIRST_LARGE]
    assert handed == blocks[: len(handed)]
    later = 2 if foreign else LARGE_AT_ONCE
    assert len(handed) == FIRST_LARGE + later
    first = FIRST_LARGE if foreign else FIRST_LARGE // LARGE_AT_ONCE
    assert kinds[: first + 1] == [BatchKind.LARGE] * first + [BatchKind.ORDINARY]


def test_large_boards_begin_in_the_first_third_of_the_seconds_alone() -> None:
    """Each large board takes 4 of 30 seconds, and small ones next to nothing."""
    mine = ProgramContender(puzzle="beams", name="mine", command=("mine",))
    ordinary = replace(ONE, contenders=(mine,))
    schedule = Schedule(
        [ordinary, replace(ordinary, kind=BatchKind.LARGE, count=LARGE_BLOCK)], None, 30.0
    )
    now, began = 0.0, [0.0]
    while now < 30:
        batch = schedule.next(30 - now)
        assert batch is not None
        seconds = 4.0 if batch.kind is BatchKind.LARGE else 0.5
        began += [now] * (batch.kind is BatchKind.LARGE)
        schedule.took(batch, BatchResult([], seconds))
        now += seconds
    assert [each for each in began if each < 12] == [0.0, 0.0, 4.0, 8.0]
    assert 4 * len(began[1:]) <= 30 / 3 + 4 + 4


@pytest.mark.parametrize("start_s", [0.01, 0.1, 2.0])
def test_a_batch_has_as_many_starts_of_a_generator_as_its_time_and_the_rest_allow(
    start_s: float,
) -> None:
    schedule = Schedule([replace(ONE, count=AT_ONCE, generator=("gen",))], None, 20.0)
    sizes: list[int] = []
    now = 0.0
    while now < 20:
        batch = schedule.next(20 - now)
        assert batch is not None
        assert batch.stop is not None
        sizes.append(batch.stop - batch.start)
        now += sizes[-1] * start_s
        schedule.took(batch, BatchResult([], sizes[-1] * start_s))
    assert all(size * start_s <= max(BATCH_S, start_s) + 1e-9 for size in sizes[1:])
    assert now <= 20 + start_s


def test_a_backend_that_reached_its_limit_gets_smaller_boards_from_then_on() -> None:
    ours = of_backend(MODELS.get("beams", "cnf"), {})
    schedule = Schedule([replace(ONE, contenders=(ours,))], None)
    schedule.limit(ours.name, 100)
    schedule.limit(ours.name, 400)
    batch = schedule.next(None)
    assert batch is not None
    (contender,) = batch.contenders
    assert isinstance(contender, BackendContender)
    assert contender.limit == 99


def test_all_boards_of_the_main_kind_are_handed_out_once_and_no_more() -> None:
    schedule, handed = Schedule([ONE], 1000), []
    while (batch := schedule.next(None)) is not None:
        handed += boards_of(replace(batch, index=batch.index))
        schedule.took(batch, BatchResult([], 0.001))
    puzzle = puzzles.get("beams")
    whole = [board for index in range(16) for board in boards(puzzle, 3, index, 64, 6)][:1000]
    assert len(handed) == 1000
    assert handed[64:] == whole[64:]


def test_of_large_boards_alone_as_many_are_handed_out_as_asked_for() -> None:
    ours = of_backend(MODELS.get("beams", "cnf"), {})
    large = replace(ONE, kind=BatchKind.LARGE, count=LARGE_BLOCK, contenders=(ours,))
    schedule, handed = Schedule([large], 10), list[Instance]()
    for _ in range(20):
        batch = schedule.next(None)
        if batch is None:
            break
        handed += boards_of(batch)
        schedule.took(batch, BatchResult([], 0.001))
    assert handed == boards_of(large)[:10]


def test_each_kind_has_boards_of_its_own() -> None:
    streams = [[board.digest for board in boards_of(replace(ONE, kind=kind))] for kind in BatchKind]
    assert len({tuple(stream) for stream in streams}) == len(streams)


def test_what_the_deadline_leaves_no_time_for_is_not_counted() -> None:
    failing, tried = in_pool(observe_boards, ONE, boards_of(ONE), Deadline(0.0))
    assert (failing, tried.boards) == ([], 0)
    assert DEFAULT_LIMITS.until(Deadline(2.0)).seconds < 2.1
    assert DEFAULT_LIMITS.until(Deadline()) == DEFAULT_LIMITS


def test_a_failing_batch_waits_for_earlier_ones_but_not_for_a_slow_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fails = BatchResult([FailingBoard(boards_of(ONE)[0], (Fault("CRASH", ("mine",)),))], 0.1)
    under_way = UnderWay[Batch, BatchResult](lambda result: bool(result.failing))
    pending = [Future[BatchResult]() for _ in range(4)]
    for k, each in enumerate(pending):
        under_way.add(replace(ONE, index=k), each)
    pending[1].set_result(fails)
    pending[2].set_result(BatchResult([], 0.1))
    assert under_way.count == 2

    def taken(seconds: float | None = None) -> int:
        batch, _ = under_way.next(seconds) or pytest.fail("none is left")
        return batch.index

    assert taken() == 2
    with pytest.raises(TimeoutError):
        under_way.next(0.0)
    pending[0].set_result(fails)
    assert [taken(), taken()] == [0, 1]
    under_way.add(replace(ONE, index=4), Future[BatchResult]())
    pending[3].set_result(fails)
    assert taken() == 3
    last = Future[BatchResult]()
    last.set_result(fails)
    under_way.add(replace(ONE, index=5), last)
    monkeypatch.setattr(search_module, "HOLD_S", 0.01)
    assert taken() == 5
    assert under_way.count == 1
