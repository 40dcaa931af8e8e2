"""The search for the board on which something is largest of one contender: how much longer it takes
than the others, or how far its solution is from the best.

Rounds take turns: boards of the next block, then the most extreme board so far with a few cells
changed. What is measured, and how, is said by whoever searches.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import replace
from itertools import count, islice
from math import inf
from time import time
from typing import Protocol, TypeVar

import puzzles
from compare.commands.fuzz.batch import Batch, BatchKind
from compare.commands.fuzz.schedule import FIRST_LARGE
from compare.commands.fuzz.streams import LARGE_BLOCK, MAX_SMALL_SIZE
from compare.commands.fuzz.trial import all_boards_of, get_ready
from compare.engine.isolate.outcome import Status
from compare.engine.search.search import Search
from compare.engine.work.contenders import Contender
from compare.engine.work.pool import Executor, Lost
from puzzles.instance import Instance
from puzzles.space import space_of

ROUND = 16
"""Boards of a round."""


class Extreme(Protocol):
    """A board, and what was measured there."""

    @property
    def board(self) -> Instance: ...

    @property
    def status(self) -> Status:
        """How the run of the contender ended; the search ends if that is not OK."""
        ...

    @property
    def score(self) -> float:
        """What is to be largest."""
        ...


ExtremeT = TypeVar("ExtremeT", bound=Extreme)

Measure = Callable[..., ExtremeT | None]
"""(pool, batch, contender, boards, beaten, until) -> the most extreme of some boards; None if none
has a larger score than `beaten`, the largest so far (None: there is none). `until`: when the search
ends, in seconds since the epoch.
"""


class ExtremeSearch(Search[Sequence[Instance], ExtremeT | None, ExtremeT, ExtremeT]):
    """One search. The next boards depend on what came of those before.

    Attributes:
        extreme: the most extreme board so far; None before any was measured.
        tried: how many boards were tried.
    """

    def __init__(
        self,
        batch: Batch,
        contender: Contender,
        measure: Measure[ExtremeT],
        *,
        large: bool,
        cases: int | None,
        seconds: float,
        progress: Callable[[int, str], object],
    ) -> None:
        """For `seconds` and `progress` see `Search`.

        Args:
            batch: who takes part, and which boards are drawn.
            contender: the one that is measured; one of those of the batch.
            measure: gets one board of a round at a time if `large`, else a whole round.
            large: whether large boards come first, and of other blocks the largest; else boards
                come as they are drawn.
            cases: boards to try; None for any number.
        """
        super().__init__(seconds=seconds, progress=progress, discovered=lambda found: None)
        self.batch, self.contender, self.cases = batch, contender, cases
        self.measure, self.large = measure, large
        self.extreme: ExtremeT | None = None
        self.tried = 0
        self._boards: Iterator[Instance] = iter(())

    grace_s = inf  # a board under way is measured to its end

    @property
    def enough(self) -> bool:
        return super().enough or (self.cases is not None and self.tried >= self.cases)

    def get_ready(self, workers: Executor) -> None:
        workers.submit(get_ready, self.batch).result()
        self._boards = self._rounds(workers)

    def next_block(self, left_s: float) -> Sequence[Instance] | None:
        most = 1 if self.large else ROUND
        if self.cases is not None:
            most = min(most, self.cases - self.tried)
        return list(islice(self._boards, most)) or None

    def ask(
        self, workers: Executor, block: Sequence[Instance], left_s: float
    ) -> Future[ExtremeT | None]:
        beaten = None if self.extreme is None else self.extreme.score
        until = time() + left_s
        return workers.submit(self.measure, self.batch, self.contender, block, beaten, until)

    def lost(self, block: Sequence[Instance], error: Exception) -> ExtremeT | None:
        if isinstance(error, Lost):
            return None
        raise error

    def failures(self, block: Sequence[Instance], tried: ExtremeT | None) -> Iterator[ExtremeT]:
        self.tried += len(block)
        self.progress(len(block), "")
        if tried is not None:
            self.extreme = tried
            if tried.status is not Status.OK:  # it passed a limit, and nothing is slower
                yield tried

    def smaller(self, failure: ExtremeT, workers: Executor) -> ExtremeT:
        return failure

    def cut_short(self, failure: ExtremeT, why: BaseException, workers: Executor) -> ExtremeT:
        return failure

    def _rounds(self, workers: Executor) -> Iterator[Instance]:
        """The boards of each block, and after them the most extreme board so far with a few cells
        changed.
        """
        rng = random.Random(f"slowest {self.batch.seed}")
        space = space_of(puzzles.get(self.batch.puzzle))
        for block in self._blocks():
            if self.deadline.over:
                return
            drawn = workers.submit(all_boards_of, block).result()
            stream = [board for board in drawn if self.contender.does_not_take(board) is None]
            if self.large:
                stream = sorted(stream, key=lambda board: -board.size)[:ROUND]
            for start in range(0, len(stream), ROUND):
                yield from stream[start : start + ROUND]
                if self.extreme is not None:
                    board = self.extreme.board
                    variants = (space.vary(board, rng) for _ in range(ROUND))
                    yield from (each for each in variants if each is not None)

    def _blocks(self) -> Iterator[Batch]:
        """The blocks of large boards, unless the user has chosen the boards, or wants small ones;
        then the ordinary ones.
        """
        batch = self.batch
        chosen = batch.families or batch.generator or batch.size <= MAX_SMALL_SIZE
        if self.large and not chosen:
            large = replace(batch, kind=BatchKind.LARGE, count=LARGE_BLOCK)
            yield from (replace(large, index=k) for k in range(FIRST_LARGE // LARGE_BLOCK))
        yield from (replace(batch, index=index) for index in count())
