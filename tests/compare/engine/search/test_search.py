"""The one search: in which order blocks are asked and taken, and where it stops."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import nullcontext
from typing import Any

from compare.engine.search.search import Search
from compare.engine.work.pool import Executor, Inline


class Counting(Search[int, int, int, int]):
    """Numbers are asked one after the other; the multiples of 5 fail, and are halved."""

    def __init__(self, *, keep_going: bool = False) -> None:
        self.told: list[str] = []
        super().__init__(
            seconds=None,
            progress=lambda tried, doing: None,
            discovered=lambda found: self.told.append(f"found {found}"),
            keep_going=keep_going,
        )
        self._numbers = iter(range(1, 12))

    def next_block(self, left_s: float) -> int | None:
        return next(self._numbers, None)

    def ask(self, workers: Executor, block: int, left_s: float) -> Future[int]:
        self.told.append(f"ask {block}")
        return workers.submit(lambda pool, number: number, block)

    def failures(self, block: int, tried: int) -> Iterator[int]:
        self.told.append(f"take {tried}")
        if tried % 5 == 0:
            yield tried

    def smaller(self, failure: int, workers: Executor) -> int:
        return failure // 2

    def cut_short(self, failure: int, why: BaseException, workers: Executor) -> int:
        return failure


def searched(search: Counting) -> list[str]:
    pool: Any = None  # nobody asks it for a child
    search.run(nullcontext(Inline(pool)))
    return search.told


def test_a_block_is_taken_before_the_next_one_is_asked() -> None:
    steps = [each for k in (1, 2, 3, 4, 5) for each in (f"ask {k}", f"take {k}")]
    assert searched(Counting()) == [*steps, "found 2"]


def test_a_search_that_keeps_going_ends_with_its_blocks() -> None:
    told = searched(Counting(keep_going=True))
    assert [each for each in told if each.startswith("found")] == ["found 2", "found 5"]
    assert told[-2:] == ["ask 11", "take 11"]
