"""The search: batches of boards go to workers, and each new kind of fault is shrunk and handed
on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, replace
from math import isinf
from time import monotonic, time
from typing import TypeVar

import puzzles
from compare.commands.fuzz.batch import (
    LONG_S,
    Batch,
    BatchKind,
    BatchResult,
    FailingBoard,
    Tried,
    Unfinished,
)
from compare.commands.fuzz.schedule import FIRST_LARGE, Schedule, UnderWay
from compare.commands.fuzz.shrinking import BestSoFar, Shrunk, shrink_fault
from compare.commands.fuzz.trial import (
    NO_WRONG_ANSWER,
    TOGETHER_SHARE,
    get_ready,
    try_batch,
    try_boards,
)
from compare.engine.campaign.plan import Settings
from compare.engine.campaign.running import collect, executor
from compare.engine.isolate.outcome import Status
from compare.engine.work.ask import Ask, DatasetCase
from compare.engine.work.asking import carry_out
from compare.engine.work.pool import Executor, Lost
from compare.engine.work.result import CONFLICT, REFUTED, Fault, Result
from puzzles.instance import Instance
from puzzles.shell.time_limits import Deadline
from puzzles.text import UserError, counted

T = TypeVar("T")

READY_S = 180.0
"""Seconds, before those of the search, within which each worker should have loaded and compiled
everything.
"""

GRACE_S = 10.0
"""Seconds after the end of the search that a batch may still take to notice it; on a busy machine
that is not at once.
"""

SHRINK_S = 60.0
"""Seconds that shrinking one failing board may take, unless the user says otherwise."""

INTERRUPTED_S = 2.0
"""Seconds that each contender has for its answer to the smallest board after an interruption."""

TICK_S = 0.5
"""Seconds after which whoever waits for a call says how far the search is."""


@dataclass(frozen=True)
class Discovery:
    """A failing board of the stream, what it was shrunk to, and what each contender says of the
    smallest board.

    Attributes:
        answers: by contender, its answer to the smallest board, or how it fails.
        kind: of the batch that showed it.
        proved: the contenders whose answers to the smallest board are PROVED, if the fault is a
            conflict.
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
        shrinking_s: the seconds in which they were shrunk.
        broken: what was raised outside of every child, each once.
        cut_off: the starts of the generator that the end of the search cut off.
    """

    def __init__(
        self,
        batches: Sequence[Batch],
        *,
        cases: int | None,
        seconds: float | None,
        keep_going: bool,
        noticed: Callable[[FailingBoard, Fault, frozenset[str]], None],
        discovered: Callable[[Discovery], None],
        progress: Callable[[int, str], object],
        shrink_seconds: float = SHRINK_S,
    ) -> None:
        """`noticed` is called with each new kind of fault and whose answers are PROVED, and
        `discovered` once it is shrunk.

        Args:
            progress: is called with the boards of each batch of the main kind, and now and then
                with 0; and with what the search is doing.
            batches: what is tried, a batch for each kind, the main one first; the search sets their
                boards and their seconds.
            cases: boards of the main kind to try; None for any number.
            seconds: when to stop, from the moment on when everything is loaded and compiled; None
                for never.
            keep_going: whether to go on after the first fault.
            shrink_seconds: how long shrinking one failing board may take; it may go on after the
                search's own seconds.
        """
        self.batches = {batch.kind: batch for batch in batches}
        self.schedule = Schedule(batches, cases, seconds)
        self.shrink_seconds = shrink_seconds
        self.seconds, self.keep_going = seconds, keep_going
        self.noticed, self.discovered, self.progress = noticed, discovered, progress
        self.tried = {batch.kind: Tried() for batch in batches}
        self.discoveries = 0
        self.shrinking_s = 0.0
        self.broken: list[str] = []
        self.cut_off: list[str] = []
        self._puzzle = batches[0].puzzle
        self._known: list[Fault] = []
        self._wrong: set[str] = set()
        self._start()

    def _start(self) -> None:
        """From now on time counts; nobody waits for a batch once the patience is over."""
        self._started, self.deadline = monotonic(), Deadline(self.seconds)
        self._patience = Deadline(None if self.seconds is None else self.seconds + GRACE_S)

    @property
    def _enough(self) -> bool:
        """A fault was found, and one is enough."""
        return bool(self._known) and not self.keep_going

    @property
    def unfinished(self) -> list[Unfinished]:
        """The calls that came to no end, those alone that were busy for long: a batch that the time
        cuts off is no news.
        """
        calls = [call for tried in self.tried.values() for call in tried.unfinished.values()]
        several_s = max(LONG_S, TOGETHER_SHARE * self.batches[self.schedule.main].limits.seconds)
        return [
            call
            for call in calls
            if call.at_limit or call.seconds >= (LONG_S if len(call.boards) == 1 else several_s)
        ]

    @property
    def open_names(self) -> list[str]:
        """The contenders that came to no end somewhere, or did not know an answer."""
        names = [name for call in self.unfinished for name in call.names]
        for tried in self.tried.values():
            names += [name for name, theirs in tried.responses.items() if theirs.unknown]
        return list(dict.fromkeys(names))

    @property
    def search_s(self) -> float:
        """The seconds since everything was loaded, without those of shrinking."""
        return monotonic() - self._started - self.shrinking_s

    @property
    def rate(self) -> float:
        """Boards a second of the search."""
        return sum(each.boards for each in self.tried.values()) / self.search_s

    def run(self, settings: Settings) -> None:
        """Search until the boards or the seconds are used up, or a fault is found."""
        with executor(settings) as workers:
            self._get_ready(workers, settings.jobs)
            self._start()
            under_way = UnderWay()
            try:
                while not self._enough:
                    self._submit(under_way, workers, settings.jobs)
                    ended = self._within(under_way.next, self._patience)
                    if ended is None:
                        break
                    self.take(*ended, workers)
            except TimeUp:
                for batch, pending in under_way.take_ended():
                    with suppress(TimeUp):
                        self.take(batch, pending, workers)
            workers.stop()

    def _submit(self, under_way: UnderWay, workers: Executor, jobs: int) -> None:
        """Hand out batches, some in advance; large boards and those of a generator only as many as
        begin at once, since each may take long.
        """
        at_once = self.schedule.large_first or self.batches[self.schedule.main].generator
        while under_way.running < (jobs if at_once else workers.width // 4 + 1):
            left = self.deadline.left
            batch = self.schedule.next(left) if left else None
            if batch is None:
                return
            under_way.add(batch, workers.submit(try_batch, batch, time() + left))

    def _where(self) -> str:
        """How far the search is, for people."""
        left = self.deadline.left
        large = self.tried.get(BatchKind.LARGE, Tried())
        largest = max((tried.largest for tried in self.tried.values()), key=lambda each: each.size)
        parts = [] if isinf(left) else [f"{left:.0f} s left"]
        if self.schedule.large_first:
            parts.append(f"{large.boards} of {FIRST_LARGE} large {puzzles.get(self._puzzle).noun}s")
        return ", ".join([*parts, f"up to {largest.shown}"])

    def _get_ready(self, workers: Executor, count: int) -> None:
        """Have every worker load and compile; what goes wrong there is found by the first batch."""
        batch = self.batches[self.schedule.main]
        deadline = Deadline(READY_S)
        for pending in [workers.submit(get_ready, batch) for _ in range(count)]:
            with suppress(Lost, TimeUp):
                self._within(pending.result, deadline, "loading")

    def take(self, batch: Batch, pending: Future[BatchResult], workers: Executor) -> None:
        """Take in a batch; each kind of fault not seen before is shrunk."""
        result = self._result(pending)
        if result.broken and result.broken not in self.broken:
            self.broken.append(result.broken)
        if result.cut_off:
            self.cut_off.append(result.cut_off)
        self.schedule.took(batch, result)
        self.tried[batch.kind].add(result.tried)
        for call in result.tried.unfinished.values():
            if call.at_limit:
                self.schedule.limit(call.names[0], call.boards[0].size)
        self.progress(result.tried.boards if batch.kind is self.schedule.main else 0, self._where())
        for failing in result.failing:
            for fault in failing.faults:
                if self._enough or self._is_known(fault):
                    continue
                asked = (
                    self._runs(batch, fault, failing.board, workers)
                    if fault.kind == CONFLICT
                    else {}
                )
                self.discoveries += 1
                best = BestSoFar(Shrunk(failing, fault, 0, cut_short=True))
                try:
                    self.noticed(failing, fault, _proved(batch, asked))
                    shrunk = self._shrunk(batch, failing, fault, best, workers)
                    if fault.kind in NO_WRONG_ANSWER and shrunk.chance is None:
                        shrunk = self._wrong_answer(batch, shrunk, workers) or shrunk
                    runs = dict[str, Result]()
                    if shrunk.chance is None:  # else one more answer says nothing
                        runs = self._runs(batch, shrunk.fault, shrunk.smallest.board, workers)
                except (KeyboardInterrupt, UserError) as ended:  # what was found is kept
                    shrunk, runs = best.shrunk, dict[str, Result]()
                    if not isinstance(ended, UserError):  # that is of the user's puzzle
                        quick = replace(batch, limits=replace(batch.limits, seconds=INTERRUPTED_S))
                        runs = self._runs(quick, shrunk.fault, shrunk.smallest.board, workers)
                    self.discovered(_discovery(batch, failing, shrunk, runs))
                    raise
                self._known += [fault, shrunk.fault, *shrunk.smallest.faults]
                discovery = _discovery(batch, failing, shrunk, runs)
                self._wrong |= wrong_by(shrunk.smallest_fault, discovery.proved)
                self.discovered(discovery)

    def _is_known(self, fault: Fault) -> bool:
        """Whether it is of a kind seen before, or a wrong answer of a contender that is known to
        answer wrongly.
        """
        if any(fault.same(known) for known in self._known):
            return True
        if fault.kind == CONFLICT:
            return not self._wrong.isdisjoint(fault.names)
        return fault.kind == REFUTED and any(
            replace(known, together=()).same(fault) for known in self._known
        )

    def _result(self, pending: Future[BatchResult]) -> BatchResult:
        """What came of a batch."""
        try:
            return self._within(pending.result, self._patience)
        except Lost as lost:
            return BatchResult([], 0.0, broken=str(lost))

    def _within(
        self,
        wait: Callable[[float], T],
        deadline: Deadline,
        doing: str | Callable[[], str] = "",
    ) -> T:
        """What comes of a call; raises `TimeUp` if it does not come by then.

        Args:
            wait: waits for it so many seconds, or raises `TimeoutError`.
            doing: what is said while it is under way; by default how far the search is.
        """
        while True:
            try:
                return wait(min(TICK_S, deadline.left))
            except TimeoutError:
                self.progress(0, doing() if callable(doing) else doing or self._where())
                if deadline.over:
                    raise TimeUp from None

    def _shrunk(
        self, batch: Batch, failing: FailingBoard, fault: Fault, best: BestSoFar, workers: Executor
    ) -> Shrunk:
        """What a failing board shrinks to in the time that it has."""
        batch = replace(batch, seconds=self.shrink_seconds)
        started = monotonic()

        def doing() -> str:
            shrunk = best.shrunk
            boards = shrunk.smallest_fault.together or (shrunk.smallest.board,)
            largest = max(boards, key=lambda board: board.size).shown_size
            seconds = f"{monotonic() - started:.0f} of {self.shrink_seconds:g} s"
            return f"shrinking, {seconds}: {largest}, {counted(shrunk.tries, 'run')}"

        deadline = Deadline(self.shrink_seconds + GRACE_S)
        try:
            shrinking = workers.submit(shrink_fault, batch, failing.board, fault, best)
            return self._within(shrinking.result, deadline, doing)
        except (Lost, TimeUp):
            return best.shrunk
        finally:
            self.shrinking_s += monotonic() - started

    def _wrong_answer(self, batch: Batch, shrunk: Shrunk, workers: Executor) -> Shrunk | None:
        """The smallest board of a fault that is no wrong answer, if some answer to it is wrong as
        well: that counts more, and is shrunk in its place.
        """
        board, deadline = shrunk.smallest.board, Deadline(batch.limits.seconds + GRACE_S)
        alone = replace(batch, thorough=True)
        try:
            failing = self._within(workers.submit(try_boards, alone, [board]).result, deadline)
        except (Lost, TimeUp):
            return None
        for each in failing:
            for fault in each.faults:
                if fault.kind in (CONFLICT, REFUTED) and not self._is_known(fault):
                    best = BestSoFar(Shrunk(each, fault, 0, cut_short=True))
                    smaller = self._shrunk(batch, each, fault, best, workers)
                    return replace(smaller, tries=shrunk.tries + smaller.tries)
        return None

    def _runs(
        self, batch: Batch, fault: Fault, board: Instance, workers: Executor
    ) -> dict[str, Result]:
        """The result of each contender on the board alone, checked in a conflict; nothing if the
        fault is about something else.

        Whoever is still busy when the seconds are over is left out.
        """
        if fault.kind not in (CONFLICT, REFUTED) or fault.together:
            return {}
        runs: dict[str, Result] = {}
        for each in batch.contenders:
            ask = Ask(
                contender=each,
                cases=[DatasetCase(board)],
                format=batch.format,
                limits=batch.limits,
                check=fault.kind == CONFLICT,
            )
            broken = None if each.extended else each.does_not_take(board)
            if broken is not None:
                runs[each.name] = Result.of(ask, status=Status.SPARED, reason=broken)
                continue
            pending = workers.submit(carry_out, ask)
            with suppress(TimeUp):
                with suppress(Lost):
                    self._within(
                        pending.result,
                        Deadline(ask.limits.seconds + ask.check_s),
                        "asking all once more",
                    )
                (runs[each.name],) = collect(ask, pending)
        return runs


def _discovery(
    batch: Batch, failing: FailingBoard, shrunk: Shrunk, runs: dict[str, Result]
) -> Discovery:
    """A failing board with what each contender says of the smallest one, in these runs."""
    answers = {name: run.answer or f"{run.status}: {run.reason}" for name, run in runs.items()}
    return Discovery(failing, shrunk, answers, batch.kind, _proved(batch, runs))


def _proved(batch: Batch, runs: dict[str, Result]) -> frozenset[str]:
    """The contenders whose answers are PROVED; none if somebody's answer was not waited for, for
    then the others are not blamed.
    """
    if len(runs) < len(batch.contenders):
        return frozenset()
    return frozenset(name for name, run in runs.items() if run.is_proved)


def wrong_by(fault: Fault, proved: frozenset[str]) -> frozenset[str]:
    """Who is known to answer wrongly: whom a check refutes, or who contradicts a proved answer;
    empty if nobody is.
    """
    if fault.kind == REFUTED:
        return frozenset(fault.names)
    others = frozenset(fault.names) - proved
    return others if fault.kind == CONFLICT and len(others) == 1 < len(fault.names) else frozenset()
