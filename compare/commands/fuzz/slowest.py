"""The search for the board that takes one contender longest, set against the others.

It starts from the large boards that fuzzing tries first. Then rounds take turns: the largest boards
of the next block, then the slowest board so far with a few cells changed. Every board is a run of
its own, timed as in a comparison. A board counts as slower only if a second run agrees, or if no
time is left for one.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count

import puzzles
from compare.commands.fuzz.batch import Batch, BatchKind
from compare.commands.fuzz.schedule import FIRST_LARGE
from compare.commands.fuzz.trial import all_boards_of, get_ready
from compare.engine.campaign.plan import Settings
from compare.engine.campaign.running import collect, executor
from compare.engine.isolate.outcome import Status
from compare.engine.search.boards import LARGE_BLOCK, SMALL
from compare.engine.work.ask import Ask, DatasetCase
from compare.engine.work.asking import carry_out
from compare.engine.work.contenders import Contender
from compare.engine.work.pool import Executor
from compare.engine.work.result import Result
from puzzles.instance import Instance
from puzzles.shell.time_limits import Deadline
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
        status: of the run of the contender in question.
        seconds: what it took.
        others: (name, seconds) of the other contenders that answered, the fastest first.
    """

    board: Instance
    status: Status
    seconds: float
    others: tuple[tuple[str, float], ...]

    @property
    def score(self) -> float:
        """How many times longer it takes than the fastest other one; without others, the
        seconds.
        """
        return (
            max(self.seconds, FLOOR_S) / max(self.others[0][1], FLOOR_S)
            if self.others
            else self.seconds
        )


class SlowestSearch:
    """One search.

    Attributes:
        slowest: the board that took longest so far; None before any was timed.
        tried: how many boards were timed.
    """

    def __init__(
        self,
        batch: Batch,
        contender: Contender,
        *,
        cases: int | None,
        seconds: float,
        progress: Callable[[int], object],
    ) -> None:
        """`progress` is called with the number of boards of each round; the other arguments are as
        in `FuzzSearch`.

        Args:
            contender: the one that is to be slow; one of those of the batch.
        """
        self.batch, self.contender, self.cases, self.seconds, self.progress = (
            batch,
            contender,
            cases,
            seconds,
            progress,
        )
        self.slowest: SlowBoard | None = None
        self.tried = 0

    def run(self, settings: Settings) -> None:
        """Search until the boards or the seconds are used up, or the contender passes a limit:
        nothing is slower than that.
        """
        rng = random.Random(f"slowest {self.batch.seed}")
        puzzle = puzzles.get(self.batch.puzzle)
        blocks = chain(
            self._large_blocks(), (replace(self.batch, index=index) for index in count())
        )
        with executor(settings) as workers:
            workers.submit(get_ready, self.batch).result()
            deadline = Deadline(self.seconds)
            for block in blocks:
                if self._over(deadline):
                    break
                stream = [
                    board
                    for board in workers.submit(all_boards_of, block).result()
                    if self.contender.does_not_take(board) is None
                ]
                self._round(
                    sorted(stream, key=lambda board: -board.size)[:ROUND], workers, deadline
                )
                if self.slowest is not None and not self._over(deadline):
                    space, board = space_of(puzzle), self.slowest.board
                    variants = (space.varied(board, rng) for _ in range(ROUND))
                    self._round([each for each in variants if each is not None], workers, deadline)
            workers.stop()

    def _large_blocks(self) -> list[Batch]:
        """The blocks of the large boards that come first; none if the user has chosen the boards,
        or wants small ones.
        """
        if self.batch.families or self.batch.generator or self.batch.size <= SMALL:
            return []
        large = replace(self.batch, kind=BatchKind.LARGE, count=LARGE_BLOCK)
        return [replace(large, index=index) for index in range(FIRST_LARGE // LARGE_BLOCK)]

    def _over(self, deadline: Deadline) -> bool:
        used = deadline.over or (self.cases is not None and self.tried >= self.cases)
        return used or (self.slowest is not None and self.slowest.status is not Status.OK)

    def _round(self, boards: Sequence[Instance], workers: Executor, deadline: Deadline) -> None:
        for board in boards:
            if self._over(deadline):
                return
            slow = self._timed(board, workers)
            self.tried += 1
            self.progress(1)
            if slow is None or (self.slowest is not None and slow.score <= self.slowest.score):
                continue
            again = self._timed(board, workers) if not deadline.over else slow
            if again is not None:
                slow = min(slow, again, key=lambda each: each.score)
                if self.slowest is None or slow.score > self.slowest.score:
                    self.slowest = slow

    def _timed(self, board: Instance, workers: Executor) -> SlowBoard | None:
        """The times of all contenders on a board, one after the other; None if the one in question
        cannot be timed.
        """

        def timed(contender: Contender) -> Result | None:
            if contender.does_not_take(board):
                return None
            ask = Ask(
                contender=contender,
                cases=[DatasetCase(board)],
                format=self.batch.format,
                limits=self.batch.limits,
                check=False,
            )
            (result,) = collect(ask, workers.submit(carry_out, ask))
            return result if result.status in _TIMED else None

        own = timed(self.contender)
        if own is None:
            return None
        others = {
            each.name: timed(each) for each in self.batch.contenders if each is not self.contender
        }
        times = [
            (name, run.usage.wall_s or 0.0)
            for name, run in others.items()
            if run is not None and run.status is Status.OK
        ]
        times.sort(key=lambda each: each[1])
        return SlowBoard(board, own.status, own.usage.wall_s or 0.0, tuple(times))
