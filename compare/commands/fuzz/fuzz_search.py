"""The search of `fuzz`: batches of boards go to workers, and each new kind of fault is made smaller
and handed on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field, replace
from math import isinf
from time import monotonic, time
from typing import NamedTuple

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
from compare.commands.fuzz.fault_shrinking import shrink_fault
from compare.commands.fuzz.halving import TOGETHER_SHARE
from compare.commands.fuzz.schedule import FIRST_LARGE, Schedule
from compare.commands.fuzz.shrinking import BestSoFar, Shrunk
from compare.commands.fuzz.trial import (
    NO_WRONG_ANSWER,
    get_ready,
    try_batch,
    try_boards,
)
from compare.engine.campaign.optimum import Optimum
from compare.engine.campaign.plan import collect
from compare.engine.isolate.outcome import Status
from compare.engine.search.search import GRACE_S, Search, TimeUp
from compare.engine.work.asking import carry_out
from compare.engine.work.contenders import Ask, DatasetCase
from compare.engine.work.pool import Executor, Lost
from compare.engine.work.result import CONFLICT, REFUTED, Fault, Result
from puzzles.instance import Instance
from puzzles.shell.time_limits import Deadline
from puzzles.text import count_noun

_READY_S = 180.0
"""Seconds, before those of the search, within which each worker should have loaded and compiled
everything.
"""

SHRINK_S = 60.0
"""Seconds that shrinking one failing board may take, unless the user says otherwise."""

INTERRUPTED_S = 2.0
"""Seconds that each contender has for its answer to the smallest board after an interruption."""


class BoardFault(NamedTuple):
    """A failing board of a batch, and one of its faults."""

    batch: Batch
    failing: FailingBoard
    fault: Fault


@dataclass(frozen=True)
class Discovery:
    """A failing board of the stream, what it was shrunk to, and what each contender says of the
    smallest board.

    Attributes:
        kind: of the batch that showed it.
        results: by contender, what came of the smallest board, if the fault is about answers.
        proved: the contenders whose answers to the smallest board are PROVED, if the fault is about
            answers.
    """

    original: FailingBoard
    shrunk: Shrunk
    kind: BatchKind
    results: dict[str, Result] = field(default_factory=dict)
    proved: frozenset[str] = frozenset()

    @property
    def beaten(self) -> dict[str, str]:
        """By contender, which better solution another one shows to the smallest board."""
        results = list(self.results.values())
        known = Optimum.of(results)
        if known is None or self.shrunk.smallest_fault.kind != CONFLICT:
            return {}
        reasons = {each.contender: known.refutation(each) for each in results}
        return {name: reason for name, reason in reasons.items() if reason}

    @property
    def answers(self) -> dict[str, str]:
        """By contender, its answer to the smallest board, or how it fails."""
        return {
            name: each.answer or f"{each.status}: {each.reason}"
            for name, each in self.results.items()
        }


class FuzzSearch(Search[Batch, BatchResult, BoardFault, Discovery]):
    """One search.

    Attributes:
        batches: what is tried, by kind.
        tried: what was tried so far, by kind of batch.
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
        jobs: int = 1,
        first_large: int = FIRST_LARGE,
        best_so_far: Callable[[Shrunk], BestSoFar] = BestSoFar,
    ) -> None:
        """For the other arguments see `Search`.

        Args:
            batches: what is tried, a batch for each kind, the main one first; the search sets their
                boards and their seconds.
            cases: boards of the main kind to try; None for any number.
            noticed: is called with each new kind of fault, and whose answers are PROVED.
            progress: gets the boards of the main kind alone.
            shrink_seconds: how long shrinking one failing board may take; it may go on after the
                search's own seconds.
            jobs: how many batches are tried at once.
            first_large: large boards that come before all others.
            best_so_far: makes what keeps the smallest board while a failing one is shrunk.
        """
        super().__init__(
            seconds=seconds, progress=progress, discovered=discovered, keep_going=keep_going
        )
        self.batches = {batch.kind: batch for batch in batches}
        self.schedule = Schedule(batches, cases, seconds, first_large)
        self.shrink_seconds, self.jobs, self.noticed = shrink_seconds, jobs, noticed
        self._best_so_far = best_so_far
        self.tried = {batch.kind: Tried() for batch in batches}
        self.broken: list[str] = []
        self.cut_off: list[str] = []
        self._puzzle = batches[0].puzzle
        self._under_test = {
            each.name
            for batch in batches
            for each in batch.contenders
            if each not in batch.built_in
        }
        """Whose faults come first: all that are not built in."""
        self._known: list[Fault] = []
        self._wrong: set[str] = set()
        self._best: BestSoFar | None = None

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
            names += [name for name, each in tried.responses.items() if each.counts["unknown"]]
        return list(dict.fromkeys(names))

    @property
    def unproved(self) -> Counter[str]:
        """By reason, on how many boards an answer is not proved."""
        return sum((each.unproved for each in self.tried.values()), Counter[str]())

    @property
    def only_unproved(self) -> bool:
        """Whether no two answers were compared, and not every answer is proved."""
        compared = any(each.compared for each in self.tried.values())
        return not compared and bool(self.unproved)

    @property
    def boards(self) -> int:
        """How many boards of all kinds were tried."""
        return sum(each.boards for each in self.tried.values())

    @property
    def rate(self) -> float:
        """Boards a second of the search."""
        return self.boards / self.search_s

    def get_ready(self, workers: Executor) -> None:
        """Have every worker load and compile; what goes wrong there is found by the first batch."""
        batch = self.batches[self.schedule.main]
        deadline = Deadline(_READY_S)
        for pending in [workers.submit(get_ready, batch) for _ in range(self.jobs)]:
            with suppress(Lost, TimeUp):
                self.within(pending.result, deadline, "loading")

    def at_once(self, workers: Executor) -> int:
        """Some batches are submitted in advance; large boards and those of a generator only as many
        as begin at once, since each may take long.
        """
        if self.schedule.large_first or self.batches[self.schedule.main].generator:
            return self.jobs
        return workers.width // 4 + 1

    def next_block(self, left_s: float) -> Batch | None:
        return self.schedule.next(left_s)

    def ask(self, workers: Executor, block: Batch, left_s: float) -> Future[BatchResult]:
        return workers.submit(try_batch, block, time() + left_s)

    def lost(self, block: Batch, error: Exception) -> BatchResult:
        if isinstance(error, Lost):
            return BatchResult([], 0.0, broken=str(error))
        raise error

    def where(self) -> str:
        left = self.deadline.seconds_left
        large = self.tried.get(BatchKind.LARGE, Tried())
        largest = max((tried.largest for tried in self.tried.values()), key=lambda each: each.size)
        parts = [] if isinf(left) else [f"{left:.0f} s left"]
        if self.schedule.large_first:
            noun = puzzles.get(self._puzzle).noun
            parts.append(f"{large.boards} of {self.schedule.first_large} large {noun}s")
        if largest.size:
            parts.append(f"up to {largest.shown}")
        return ", ".join(parts)

    def fails(self, tried: BatchResult) -> bool:
        return bool(tried.failing)

    def failures(self, block: Batch, tried: BatchResult) -> Iterator[BoardFault]:
        if tried.broken and tried.broken not in self.broken:
            self.broken.append(tried.broken)
        if tried.cut_off:
            self.cut_off.append(tried.cut_off)
        self.schedule.took(block, tried)
        self.tried[block.kind].add(tried.tried)
        for call in tried.tried.unfinished.values():
            if call.at_limit:
                self.schedule.limit(call.names[0], call.boards[0].size)
        is_main = block.kind is self.schedule.main
        self.progress(tried.tried.boards if is_main else 0, self.where())
        pairs = [(failing, fault) for failing in tried.failing for fault in failing.faults]
        pairs.sort(key=lambda pair: self._under_test.isdisjoint(pair[1].names))
        for failing, fault in pairs:
            if not self._is_known(fault):
                yield BoardFault(block, failing, fault)

    def notice(self, failure: BoardFault, workers: Executor) -> None:
        batch, failing, fault = failure
        self._best = self._best_so_far(Shrunk(failing, fault, 0, cut_short=True))
        results = dict[str, Result]()
        if fault.kind == CONFLICT:
            results = self._results(batch, fault, failing.board, workers)
        self.noticed(failing, fault, _proved_contenders(batch, results))

    def smaller(self, failure: BoardFault, workers: Executor) -> Discovery:
        batch, failing, fault = failure
        shrunk = self._shrunk(batch, failing, fault, workers)
        if fault.kind in NO_WRONG_ANSWER and shrunk.chance is None:
            shrunk = self._wrong_answer(batch, shrunk, workers) or shrunk
        results = dict[str, Result]()
        if shrunk.chance is None:  # else one more answer says nothing
            results = self._results(batch, shrunk.fault, shrunk.smallest.board, workers)
        discovery = Discovery(
            failing, shrunk, batch.kind, results, _proved_contenders(batch, results)
        )
        wrong = wrong_by(shrunk.smallest_fault, discovery.proved)
        whose = wrong or frozenset(shrunk.fault.names)  # others' faults are still to be said
        self._known += [fault, shrunk.fault]
        self._known += [each for each in shrunk.smallest.faults if not whose.isdisjoint(each.names)]
        self._wrong |= wrong | discovery.beaten.keys()
        return discovery

    def cut_short(self, failure: BoardFault, why: BaseException, workers: Executor) -> Discovery:
        batch, failing, fault = failure
        best = self._best
        shrunk = Shrunk(failing, fault, 0, cut_short=True) if best is None else best.shrunk
        results = dict[str, Result]()
        if isinstance(why, KeyboardInterrupt):  # else what the user has made does not work
            quick = replace(batch, limits=replace(batch.limits, seconds=INTERRUPTED_S))
            results = self._results(quick, shrunk.fault, shrunk.smallest.board, workers)
        return Discovery(failing, shrunk, batch.kind, results, _proved_contenders(batch, results))

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

    def _shrunk(
        self, batch: Batch, failing: FailingBoard, fault: Fault, workers: Executor
    ) -> Shrunk:
        """What a failing board shrinks to in the time that it has."""
        batch = replace(batch, seconds=self.shrink_seconds)
        best = self._best = self._best_so_far(Shrunk(failing, fault, 0, cut_short=True))
        started = monotonic()

        def doing() -> str:
            shrunk = best.shrunk
            boards = shrunk.smallest_fault.together or (shrunk.smallest.board,)
            largest = max(boards, key=lambda board: board.size).shown_size
            seconds = f"{monotonic() - started:.0f} of {self.shrink_seconds:g} s"
            return f"shrinking, {seconds}: {largest}, {count_noun(shrunk.tries, 'run')}"

        deadline = Deadline(self.shrink_seconds + GRACE_S)
        try:
            shrinking = workers.submit(shrink_fault, batch, failing.board, fault, best)
            return self.within(shrinking.result, deadline, doing)
        except (Lost, TimeUp):
            return best.shrunk

    def _wrong_answer(self, batch: Batch, shrunk: Shrunk, workers: Executor) -> Shrunk | None:
        """The smallest board of a fault that is no wrong answer, if some answer to it is wrong as
        well: that counts more, and is shrunk in its place.
        """
        board, deadline = shrunk.smallest.board, Deadline(batch.limits.seconds + GRACE_S)
        alone = replace(batch, thorough=True)
        try:
            failing = self.within(workers.submit(try_boards, alone, [board]).result, deadline)
        except (Lost, TimeUp):
            return None
        for each in failing:
            for fault in each.faults:
                if fault.kind in (CONFLICT, REFUTED) and not self._is_known(fault):
                    smaller = self._shrunk(batch, each, fault, workers)
                    return replace(smaller, tries=shrunk.tries + smaller.tries)
        return None

    def _results(
        self, batch: Batch, fault: Fault, board: Instance, workers: Executor
    ) -> dict[str, Result]:
        """The result of each contender on the board alone, checked; nothing if the fault is about
        something else.

        Whoever is still busy when the seconds are over is left out.
        """
        if fault.kind not in (CONFLICT, REFUTED) or fault.together:
            return {}
        results: dict[str, Result] = {}
        for each in batch.contenders:
            ask = Ask(
                contender=each,
                cases=[DatasetCase(board)],
                format=batch.format,
                limits=batch.limits,
            )
            broken = None if each.extended else each.does_not_take(board)
            if broken is not None:
                results[each.name] = Result.of(ask, status=Status.SPARED, reason=broken)
                continue
            pending = workers.submit(carry_out, ask)
            with suppress(TimeUp):
                with suppress(Lost):
                    self.within(
                        pending.result,
                        Deadline(ask.limits.seconds + ask.check_s),
                        "asking all once more",
                    )
                (results[each.name],) = collect(ask, pending)
        return results


def _proved_contenders(batch: Batch, results: dict[str, Result]) -> frozenset[str]:
    """The contenders whose answers are PROVED; none if somebody's answer was not waited for, for
    then the others are not blamed.
    """
    if len(results) < len(batch.contenders):
        return frozenset()
    return frozenset(name for name, each in results.items() if each.is_proved)


def wrong_by(fault: Fault, proved: frozenset[str]) -> frozenset[str]:
    """Who is known to answer wrongly: whom a check refutes, or who contradicts a proved answer;
    empty if nobody is.
    """
    if fault.kind == REFUTED:
        return frozenset(fault.names)
    others = frozenset(fault.names) - proved
    return others if fault.kind == CONFLICT and len(others) == 1 < len(fault.names) else frozenset()
