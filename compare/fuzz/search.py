"""The search: batches of boards go to workers, and each new kind of fault is shrunk and handed on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as Late
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any, TypeVar

import puzzles
from compare.campaign.running import attempt, collect, executor
from compare.campaign.tasks import Settings
from compare.fuzz.batch import Batch, BatchKind, BatchResult, FailingBoard, Tried, boards_of
from compare.fuzz.fewer_boards import shrink_fault
from compare.fuzz.schedule import Schedule, UnderWay
from compare.fuzz.shrinking import BestSoFar, Shrunk
from compare.fuzz.trials.halving import ENOUGH
from compare.fuzz.trials.observed import CONFLICT, REFUTED, Fault
from compare.fuzz.trials.trial import get_ready, try_batch, try_boards
from compare.work.contenders import Contender
from compare.work.job import UNWATCHED_S, Job, Run
from compare.work.pool.executors import Executor, Lost
from puzzles.instance import Instance
from puzzles.verdict import Verdict

T = TypeVar("T")

READY_S = 180.0
"""Seconds, before those of the search, within which each worker should have loaded and compiled everything."""

FIRST_SHARE = 0.6
"""The share of the seconds that a batch may take while no board has been tried, so that what it tries still counts."""

GRACE_S = 1.5
"""Seconds after the end of the search that a batch may still take to notice it."""

SHRINKING_SHARE = 0.4
"""Shrinking may go on after the seconds of the search, by this share of them."""


@dataclass(frozen=True)
class Discovery:
    """A failing board of the stream, what it was shrunk to, and what each contender says of the smallest board.

    Attributes:
        answers: by contender, its answer to the smallest board, or how it fails.
        kind: of the batch that showed it.
        proved: the contenders whose answers to the smallest board are PROVED, if the fault is a conflict.
    """

    original: FailingBoard
    shrunk: Shrunk
    answers: dict[str, str]
    kind: BatchKind
    proved: frozenset[str] = frozenset()


class TimeUp(Exception):
    """The seconds of the search are over, and a call has not come back."""


class FuzzSearch:
    """One search.

    Attributes:
        tried: what was tried so far, by kind of batch.
        spent: the seconds of workers that each kind of batch took.
        discoveries: how many kinds of faults were found so far.
        broken: what was raised outside of every sandbox, each once.
    """

    def __init__(
        self,
        batches: Sequence[Batch],
        *,
        cases: int | None,
        seconds: float | None,
        keep_going: bool,
        noticed: Callable[[FailingBoard, Fault], None],
        discovered: Callable[[Discovery], None],
        progress: Callable[[int, Tried], object],
    ) -> None:
        """`noticed` is called with each new kind of fault, and `discovered` once it is shrunk.

        Args:
            progress: is called with the boards of each batch of the main kind.
            batches: what is tried, a batch for each kind, the main one first; the search sets their boards and their seconds.
            cases: boards of the main kind to try; None for any number.
            seconds: when to stop, from the moment on when everything is loaded and compiled; None for never.
            keep_going: whether to go on after the first fault.
        """
        self.batches = {batch.kind: batch for batch in batches}
        self.schedule = Schedule(batches, cases)
        self.seconds, self.keep_going = seconds, keep_going
        self.noticed, self.discovered, self.progress = noticed, discovered, progress
        self.tried = {batch.kind: Tried() for batch in batches}
        self.discoveries = 0
        self.broken: list[str] = []
        self._known: list[Fault] = []
        self._started = monotonic()

    @property
    def over(self) -> bool:
        """A fault was found, and one is enough; or the time is up."""
        return (bool(self._known) and not self.keep_going) or self.left() == 0

    def left(self, share: float = 1.0) -> float | None:
        """The seconds that are left of this share of all; None if there is no limit."""
        return None if self.seconds is None else max(0.0, self._started + share * self.seconds - monotonic())

    def _affordable(self) -> float | None:
        """The seconds that the next batch may take."""
        left = self.left()
        return left if left is None or self.tried[self.schedule.main].boards else FIRST_SHARE * left

    @property
    def seconds_spent(self) -> float:
        """The seconds since everything was loaded."""
        return monotonic() - self._started

    def run(self, settings: Settings) -> None:
        """Search until the boards or the seconds are used up, or a fault is found."""
        with executor(settings) as workers:
            self._get_ready(workers, settings.jobs)
            self._started = monotonic()
            under_way = UnderWay()
            try:
                while not self.over:
                    while under_way.running <= workers.width // 4 and (batch := self.schedule.next(self._affordable())) is not None:
                        under_way.add(batch, workers.submit(try_batch, batch))
                    ended = self._next(under_way)
                    if ended is None:
                        break
                    self._take(*ended, workers)
            except TimeUp:
                for batch, pending in under_way.take_ended():
                    with suppress(TimeUp):
                        self._take(batch, pending, workers)
            workers.stop()

    def _next(self, under_way: UnderWay) -> tuple[Batch, Future[BatchResult]] | None:
        """The next batch that has ended, None if there is none; raises `TimeUp` if it does not come within the seconds."""
        left = self.left()
        try:
            return under_way.next(None if left is None else left + GRACE_S)
        except TimeoutError:
            raise TimeUp from None

    def _get_ready(self, workers: Executor, count: int) -> None:
        """Have every worker load and compile; what goes wrong there is found by the first batch."""
        batch = self.batches[self.schedule.main]
        for pending in [workers.submit(get_ready, batch) for _ in range(count)]:
            with suppress(Lost, Late):
                pending.result(READY_S)

    def _take(self, batch: Batch, pending: Future[BatchResult], workers: Executor) -> None:
        """Take in a batch; each kind of fault not seen before is shrunk."""
        result = self._result(batch, pending, workers)
        if result.broken and result.broken not in self.broken:
            self.broken.append(result.broken)
        self.schedule.took(batch, result)
        self.tried[batch.kind].add(result.tried)
        self.progress(result.tried.boards if batch.kind is self.schedule.main else 0, self.tried[self.schedule.main])
        for failing in result.failing:
            for fault in failing.faults:
                if (self._known and not self.keep_going) or any(fault.same(known) for known in self._known):
                    continue
                self.noticed(failing, fault)
                self.discoveries += 1
                with TemporaryDirectory(prefix="twofold-") as folder:
                    best = BestSoFar(Path(folder) / "boards.json")
                    try:
                        shrunk = self._shrunk(batch, failing, fault, best, workers)
                    except KeyboardInterrupt:
                        self.discovered(Discovery(failing, _best(batch, failing, fault, best), {}, batch.kind))
                        raise
                self._known += [fault, *shrunk.smallest.faults]
                runs = self._runs(batch, shrunk, workers)
                answers = {name: run.answer or f"{run.status}: {run.detail}" for name, run in runs.items()}
                proved = [name for name, run in runs.items() if run.check is not None and run.check.verdict is Verdict.PROVED]
                self.discovered(Discovery(failing, shrunk, answers, batch.kind, frozenset(proved)))

    def _result(self, batch: Batch, pending: Future[BatchResult], workers: Executor) -> BatchResult:
        """What came of a batch. If its worker was lost, its boards are tried in parts, until those that lose one are known."""
        try:
            return self._within(pending)
        except Lost as lost:
            if self.left() == 0:
                raise TimeUp from lost
        started, stream = monotonic(), boards_of(batch)
        failing: list[FailingBoard] = []
        parts: list[Sequence[Instance]] = [stream]
        while parts and len(failing) < ENOUGH:
            part = parts.pop()
            try:
                failing += self._within(workers.submit(try_boards, batch, part))
            except Lost as lost:
                if len(part) == 1:
                    failing.append(FailingBoard(part[0], self._faults(batch, part[0], lost, workers)))
                    break
                parts += [part[len(part) // 2 :], part[: len(part) // 2]]
        tried = Tried(len(stream) - sum(map(len, parts)))
        return BatchResult(failing, monotonic() - started, tried)

    def _within(self, pending: Future[T], share: float = 1.0) -> T:
        """The value of a call; raises `TimeUp` if it does not come within the seconds of the search."""
        left = self.left(share)
        try:
            return pending.result(None if left is None else left + GRACE_S)
        except Late:
            raise TimeUp from None

    def _faults(self, batch: Batch, board: Instance, lost: Lost, workers: Executor) -> tuple[Fault, ...]:
        """A fault of each contender that loses its worker alone; one of them all if none does. A single contender lost it."""
        names = tuple(contender.name for contender in batch.contenders)
        programs = [contender for contender in batch.contenders if contender.kind != "backend" or not _ours(contender)]
        if len(programs) == 1:
            return (Fault(lost.status, (programs[0].name,), lost.detail),)
        faults: list[Fault] = []
        for contender in batch.contenders:
            try:
                self._within(workers.submit(try_boards, replace(batch, contenders=(contender,)), [board]))
            except Lost as alone:
                faults.append(Fault(alone.status, (contender.name,), alone.detail))
        return tuple(faults) or (Fault(lost.status, names, lost.detail),)

    def _shrunk(self, batch: Batch, failing: FailingBoard, fault: Fault, best: BestSoFar, workers: Executor) -> Shrunk:
        """What a failing board shrinks to in the time that is left for it, or until its worker is lost."""
        share = 1.0 + SHRINKING_SHARE
        batch = replace(batch, seconds=self.left(share))
        try:
            return self._within(workers.submit(shrink_fault, batch, failing.board, fault, best), share)
        except (Lost, TimeUp):
            return _best(batch, failing, fault, best)

    def _runs(self, batch: Batch, shrunk: Shrunk, workers: Executor) -> dict[str, Run]:
        """The run of each contender on the smallest board, checked in a conflict; nothing if the fault is about something else.

        Whoever is still busy when the seconds are over is left out.
        """
        if shrunk.fault.kind not in (CONFLICT, REFUTED) or shrunk.fault.together:
            return {}
        runs: dict[str, Run] = {}
        checked = shrunk.fault.kind == CONFLICT
        for each in batch.contenders:
            job = Job(contender=each, instance=shrunk.smallest.board, format=batch.format, limits=batch.limits, check=checked)
            with suppress(TimeUp):
                runs[each.name] = self._run(job, workers)
        return runs

    def _run(self, job: Job, workers: Executor) -> Run:
        """One run in a worker; raises `TimeUp`."""
        pending = workers.submit(attempt, job, timeout=UNWATCHED_S)
        with suppress(Lost):
            self._within(pending, 1.0 + SHRINKING_SHARE)
        return collect(pending)


def _best(batch: Batch, failing: FailingBoard, fault: Fault, best: BestSoFar) -> Shrunk:
    """What a shrinking that does not come to its end has reached; the failing board itself if it has reached nothing."""
    boards, tries = best.kept(puzzles.get(batch.puzzle))
    if not boards:
        return Shrunk(failing, fault, tries, cut_short=True)
    smallest = replace(fault, together=tuple(boards)) if fault.together else fault
    return Shrunk(FailingBoard(boards[0], (smallest,)), fault, tries, cut_short=True)


def _ours(contender: Contender) -> Any:
    return getattr(contender, "ours", False)
