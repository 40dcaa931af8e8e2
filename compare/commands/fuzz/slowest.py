"""The search for the board that takes one contender longest, set against the others.

It starts from the large boards that fuzzing tries first. Then rounds take turns: the largest boards
of the next block, then the slowest board so far with a few cells changed. Every board is a run of
its own, timed as in a comparison. A board counts as slower only if a second run agrees, or if no
time is left for one.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, replace
from itertools import count
from math import inf
from time import time

import puzzles
from compare.commands.fuzz.batch import Batch, BatchKind
from compare.commands.fuzz.schedule import FIRST_LARGE
from compare.commands.fuzz.trial import all_boards_of, get_ready
from compare.engine.isolate.outcome import Status
from compare.engine.search.boards import LARGE_BLOCK, MAX_SMALL_SIZE
from compare.engine.search.search import Search
from compare.engine.work.ask import Ask, DatasetCase
from compare.engine.work.asking import carry_out
from compare.engine.work.contenders import Contender
from compare.engine.work.pool import Executor, Lost, Pool
from compare.engine.work.result import Result
from puzzles.instance import Instance
from puzzles.space import space_of

ROUND = 16
"""Boards of a round."""

_TIMED = (Status.OK, Status.TIMEOUT, Status.MEMORY)

FLOOR_S = 0.01
"""Seconds below which a time says more about the machine than about the board."""


@dataclass(frozen=True)
class SlowBoard:
    """How long a board takes.

    Attributes:
        own: of the contender in question.
        others: of the other contenders that answered, the fastest first.
    """

    board: Instance
    own: Result
    others: tuple[Result, ...]

    @property
    def status(self) -> Status:
        """How the run of the contender ended."""
        return self.own.status

    @property
    def seconds(self) -> float:
        """What it took."""
        return self.own.usage.wall_s or 0.0

    @property
    def score(self) -> float:
        """How many times longer it takes than the fastest other one; without others, the
        seconds.
        """
        if not self.others:
            return self.seconds
        fastest = self.others[0].usage.wall_s or 0.0
        return max(self.seconds, FLOOR_S) / max(fastest, FLOOR_S)


class SlowestSearch(Search[Instance, SlowBoard | None, SlowBoard, SlowBoard]):
    """One search. A block is one board, and the next one depends on what came of those before.

    A board on which the contender passes a limit ends the search, for nothing is slower.

    Attributes:
        slowest: the board that took longest so far; None before any was timed.
        timed: how many boards were timed.
    """

    def __init__(
        self,
        batch: Batch,
        contender: Contender,
        *,
        cases: int | None,
        seconds: float,
        progress: Callable[[int, str], object],
    ) -> None:
        """For `seconds` and `progress` see `Search`.

        Args:
            batch: who takes part, and which boards are drawn.
            contender: the one that is to be slow; one of those of the batch.
            cases: boards to time; None for any number.
        """
        super().__init__(seconds=seconds, progress=progress, discovered=lambda found: None)
        self.batch, self.contender, self.cases = batch, contender, cases
        self.slowest: SlowBoard | None = None
        self.timed = 0
        self._boards: Iterator[Instance] = iter(())

    grace_s = inf  # a board under way is timed to its end

    @property
    def enough(self) -> bool:
        return super().enough or (self.cases is not None and self.timed >= self.cases)

    def get_ready(self, workers: Executor) -> None:
        workers.submit(get_ready, self.batch).result()
        self._boards = self._rounds(workers)

    def next_block(self, left_s: float) -> Instance | None:
        return next(self._boards, None)

    def ask(self, workers: Executor, block: Instance, left_s: float) -> Future[SlowBoard | None]:
        beaten = None if self.slowest is None else self.slowest.score
        until = time() + left_s
        return workers.submit(slower, self.batch, self.contender, block, beaten, until)

    def lost(self, block: Instance, error: Exception) -> SlowBoard | None:
        if isinstance(error, Lost):
            return None
        raise error

    def failures(self, block: Instance, tried: SlowBoard | None) -> Iterator[SlowBoard]:
        self.timed += 1
        self.progress(1, "")
        if tried is not None:
            self.slowest = tried
            if tried.status is not Status.OK:
                yield tried

    def smaller(self, failure: SlowBoard, workers: Executor) -> SlowBoard:
        return failure

    def cut_short(self, failure: SlowBoard, why: BaseException, workers: Executor) -> SlowBoard:
        return failure

    def _rounds(self, workers: Executor) -> Iterator[Instance]:
        """The large boards that come first. Then rounds in turn: the largest boards of the next
        block, and the slowest board so far with a few cells changed.
        """
        rng = random.Random(f"slowest {self.batch.seed}")
        space = space_of(puzzles.get(self.batch.puzzle))
        for block in self._blocks():
            if self.deadline.over:
                return
            drawn = workers.submit(all_boards_of, block).result()
            stream = [board for board in drawn if self.contender.does_not_take(board) is None]
            yield from sorted(stream, key=lambda board: -board.size)[:ROUND]
            if self.slowest is not None:
                board = self.slowest.board
                variants = (space.vary(board, rng) for _ in range(ROUND))
                yield from (each for each in variants if each is not None)

    def _blocks(self) -> Iterator[Batch]:
        """The blocks of large boards, unless the user has chosen the boards, or wants small ones;
        then the ordinary ones.
        """
        batch = self.batch
        if not (batch.families or batch.generator or batch.size <= MAX_SMALL_SIZE):
            large = replace(batch, kind=BatchKind.LARGE, count=LARGE_BLOCK)
            yield from (replace(large, index=k) for k in range(FIRST_LARGE // LARGE_BLOCK))
        yield from (replace(batch, index=index) for index in count())


def slower(
    pool: Pool,
    batch: Batch,
    contender: Contender,
    board: Instance,
    beaten: float | None,
    until: float,
) -> SlowBoard | None:
    """The times of all on a board, if the contender is slower there than it was before, in two
    runs; else None.

    Args:
        beaten: the score of the slowest board so far; None if there is none.
        until: when no time is left for a second run, in seconds since the epoch.
    """
    first = timed(pool, batch, contender, board)
    if first is None or (beaten is not None and first.score <= beaten):
        return None
    again = timed(pool, batch, contender, board) if time() < until else first
    least = first if again is None else min(first, again, key=lambda each: each.score)
    return least if again is not None and (beaten is None or least.score > beaten) else None


def timed(pool: Pool, batch: Batch, contender: Contender, board: Instance) -> SlowBoard | None:
    """The times of all contenders on a board, one after the other; None if the one in question
    cannot be timed.
    """
    results: dict[str, Result] = {}
    for each in sorted(batch.contenders, key=lambda each: each.name != contender.name):
        if each.does_not_take(board) is not None:
            continue
        ask = Ask(
            contender=each,
            cases=[DatasetCase(board)],
            format=batch.format,
            limits=batch.limits,
            check=False,
        )
        (results[each.name],) = carry_out(pool, ask)
        if each.name == contender.name and results[each.name].status not in _TIMED:
            return None
    own = results.pop(contender.name, None)
    if own is None:
        return None
    others = (each for each in results.values() if each.status is Status.OK)
    return SlowBoard(board, own, tuple(sorted(others, key=lambda each: each.usage.wall_s or 0.0)))
