"""The search: batches of boards go to workers, and each new kind of fault is shrunk and handed on."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from time import monotonic

from compare.campaign.running import attempt, collect, executor
from compare.campaign.tasks import Settings
from compare.fuzz.observed import Fault
from compare.fuzz.shrinking import Shrunk, shrink
from compare.fuzz.trial import ENOUGH, Batch, BatchResult, FailingBoard, boards_of, try_batch, try_boards
from compare.work.contenders import Contender
from compare.work.executors import Executor, Lost
from compare.work.job import UNWATCHED_S, Job
from puzzles.grid import Board

BLOCK, LARGE_BLOCK = 512, 32
"""Boards in a block; fewer if boards are large."""

LARGE_SIZE = 20
"""The `--size` above which boards are large."""

MOST_BLOCKS, BRIEF_S = 8, 0.5
"""A batch has at most this many blocks; their number doubles after each batch that takes less than `BRIEF_S` seconds.

A sandbox costs some 20 ms, which should be little beside the batch.
"""


@dataclass(frozen=True)
class Discovery:
    """A failing board of the stream, what it was shrunk to, and what each contender says of the smallest board."""

    original: FailingBoard
    shrunk: Shrunk
    answers: dict[str, str]


class FuzzSearch:
    """One search.

    Attributes:
        tried: how many boards were tried so far.
        discoveries: how many kinds of faults were found so far.
    """

    def __init__(
        self,
        batch: Batch,
        *,
        cases: int | None,
        seconds: float | None,
        keep_going: bool,
        discovered: Callable[[Discovery], None],
        progress: Callable[[int], object],
    ) -> None:
        """`discovered` is called with each new kind of fault, `progress` with the number of boards of each batch.

        Args:
            batch: what is tried; its index, count and blocks are set by the search.
            cases: boards to try; None for any number.
            seconds: when to stop; None for never.
            keep_going: whether to go on after the first fault.
        """
        self.batch, self.cases, self.seconds, self.keep_going = batch, cases, seconds, keep_going
        self.discovered, self.progress = discovered, progress
        self.tried = self.discoveries = 0
        self._blocks = 1
        self._known: list[Fault] = []

    @property
    def over(self) -> bool:
        """A fault was found, and one is enough."""
        return bool(self._known) and not self.keep_going

    def run(self, settings: Settings) -> None:
        """Search until the boards or the seconds are used up, or a fault is found."""
        started = monotonic()
        with executor(settings) as workers:
            waiting: deque[tuple[Batch, Future[BatchResult]]] = deque()
            for batch in self._batches():
                waiting.append((batch, workers.submit(try_batch, batch)))
                if len(waiting) > workers.width // 4:
                    self._take(*waiting.popleft(), workers)
                if self.over or (self.seconds and monotonic() - started > self.seconds):
                    break
            while waiting and not self.over:
                self._take(*waiting.popleft(), workers)
            workers.stop()

    def _batches(self) -> Iterator[Batch]:
        """Batches of consecutive blocks, together of `cases` boards."""
        block = BLOCK if self.batch.size <= LARGE_SIZE else LARGE_BLOCK
        index, left = 0, self.cases
        while left is None or left >= block:
            blocks = self._blocks if left is None else min(self._blocks, left // block)
            yield replace(self.batch, index=index, count=block, blocks=blocks)
            index += blocks
            left = None if left is None else left - blocks * block
        if left:
            yield replace(self.batch, index=index, count=left)

    def _take(self, batch: Batch, pending: Future[BatchResult], workers: Executor) -> None:
        """Take in a batch; each kind of fault not seen before is shrunk."""
        result = _result(batch, pending, workers)
        self.progress(result.boards)
        self.tried += result.boards
        if result.seconds < BRIEF_S * batch.blocks / self._blocks:
            self._blocks = min(2 * self._blocks, MOST_BLOCKS)
        for failing in result.failing:
            for fault in failing.faults:
                if self.over or any(fault.same(known) for known in self._known):
                    continue
                try:
                    shrunk = workers.submit(shrink, batch, failing.board, fault).result()
                except Lost:
                    shrunk = Shrunk(failing, fault, 0)
                answers = {each.name: _answer(batch, each, shrunk.smallest.board, workers) for each in batch.contenders}
                self.discoveries += 1
                self._known += [fault, *shrunk.smallest.faults]
                self.discovered(Discovery(failing, shrunk, answers))


def _result(batch: Batch, pending: Future[BatchResult], workers: Executor) -> BatchResult:
    """What came of a batch. If its worker was lost, its boards are tried in parts, until those that lose a worker are known."""
    try:
        return pending.result()
    except Lost:
        pass
    started, stream = monotonic(), boards_of(batch)
    failing: list[FailingBoard] = []
    parts: list[Sequence[Board]] = [stream]
    while parts and len(failing) < ENOUGH:
        part = parts.pop()
        try:
            failing += workers.submit(try_boards, batch, part).result()
        except Lost as lost:
            if len(part) == 1:
                failing.append(FailingBoard(part[0], _faults(batch, part[0], lost, workers)))
            else:
                parts += [part[len(part) // 2 :], part[: len(part) // 2]]
    return BatchResult(len(stream), failing, monotonic() - started)


def _faults(batch: Batch, board: Board, lost: Lost, workers: Executor) -> tuple[Fault, ...]:
    """A fault of each contender that loses its worker alone; one of them all if none does."""
    faults: list[Fault] = []
    for contender in batch.contenders:
        try:
            workers.submit(try_boards, replace(batch, contenders=(contender,)), [board]).result()
        except Lost as alone:
            faults.append(Fault(alone.status, (contender.name,), alone.detail))
    names = tuple(contender.name for contender in batch.contenders)
    return tuple(faults) or (Fault(lost.status, names, lost.detail),)


def _answer(batch: Batch, contender: Contender, board: Board, workers: Executor) -> str:
    """What a contender answers to one board, or how it fails."""
    job = Job(contender=contender, instance=board, format=batch.format, limits=batch.limits, check=False)
    run = collect(workers.submit(attempt, job, timeout=UNWATCHED_S))
    return run.answer or f"{run.status}: {run.detail}"
