"""Shrinking a failing board while the same fault persists; all of it happens inside a worker.

What does not come back each time on the same board is by chance, and it is counted how often it
does.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from time import monotonic
from typing import NamedTuple

import puzzles
from compare.commands.fuzz.batch import Batch, FailingBoard, Observed
from compare.commands.fuzz.trial import observe, of_fault, try_boards
from compare.engine.isolate.outcome import Limits, Status
from compare.engine.search.reducer import Reducer, from_place
from compare.engine.work.contenders import BackendContender
from compare.engine.work.pool import Pool
from compare.engine.work.result import (
    CONFLICT,
    LACKING,
    REFUSED,
    REFUTED,
    UNPROVED,
    Fault,
)
from compare.show.table import seconds
from puzzles.instance import Instance
from puzzles.shell.time_limits import Deadline
from puzzles.space import space_of

MAX_TRIES = 2000
"""Runs, each of one board or of many, after which shrinking ends."""

ABOUT_ANSWERS = (CONFLICT, REFUTED, UNPROVED, REFUSED, LACKING)
"""Kinds of faults that do not spoil the answers to other boards of the same run, and cost no time
limit.
"""

_FIRST_TOGETHER, _MAX_TOGETHER = 8, 256
"""Boards in one run: at first, and after many runs in which none failed."""

RUN_S = 2.0
"""Seconds that the boards of a run should take, beside the start.

A slow program gets few at once, so its runs end in time.
"""

MIN_SHARE, STARTS = 0.1, 3.0
"""While a TIMEOUT is shrunk, each board gets a share of the time limit, at least this one, and so
many times what a run of the smallest board takes beside it: a busy machine may start a program more
slowly."""

MARGIN = 1.25
"""While a TIMEOUT is shrunk, a smaller board counts if it takes this many times its limit: then the
replay shows it again.
"""

RUNS = 5
"""Runs at the end, to see whether a fault of foreign code comes back each time."""

CALLS, COPIES, MAX_ROUNDS = 10, 10, 3
"""Calls with so many copies of one board each, to count how often a fault shows by chance; again as
long as it does not show at all, up to this many times."""

_MAX_TINY, _MAX_TINY_ALONE, _MAX_RANDOM = 5000, 100, 4096
"""At the end, this many tiny boards are tried (fewer if each needs a run of its own), then random
changes of the smallest.
"""


class Chance(NamedTuple):
    """How often a fault shows on the same board, or in the same call.

    Attributes:
        contender: who answers otherwise, without having been given anything else.
    """

    times: int
    runs: int
    contender: str


@dataclass(frozen=True)
class Shrunk:
    """The smallest board on which the fault persists, and how many runs it took to find it.

    Attributes:
        cut_short: whether it was interrupted, or the time was over, before nothing smaller was left
            to try.
        limit_s: of a TIMEOUT, the seconds that the smallest board had; None if the limit was not
            changed.
        came_back: in how many of `RUNS` further runs the fault showed again; None if that was not
            tried.
        chance: how often it shows, if that is a matter of chance; else None.
        by_way_of: the small board that was shrunk in place of a large one; None if there was none.
    """

    smallest: FailingBoard
    fault: Fault
    tries: int
    cut_short: bool = False
    limit_s: float | None = None
    came_back: int | None = None
    chance: Chance | None = None
    by_way_of: Instance | None = None

    @property
    def smallest_fault(self) -> Fault:
        """The fault as the smallest board shows it, with its own details."""
        return next((each for each in self.smallest.faults if each.same(self.fault)), self.fault)


@dataclass
class BestSoFar:
    """What shrinking has reached, for whoever cannot wait for its end. Of a shrinking on another
    machine nothing is seen.
    """

    shrunk: Shrunk

    def reach(self, shrunk: Shrunk) -> None:
        """A smaller board fails, too. The thread of a worker calls this."""
        self.shrunk = shrunk


def shrink(
    pool: Pool,
    batch: Batch,
    board: Instance,
    fault: Fault,
    best: BestSoFar | None = None,
    *,
    alone_s: float = 0.0,
) -> Shrunk:
    """Go to a smaller board on which the same fault (same kind, same contenders) shows, until there
    is none or the time is over.

    At the end every board with fewer cells is tried, if those are few; else random boards with a
    line less. If the smallest board fails only among the others of its run, the search begins anew
    with one board a run. `best` keeps each smaller board. While a TIMEOUT is shrunk the limit
    shrinks with the size: a smaller board counts that takes at least as long for its size.
    `alone_s`: seconds that a run of one board took, if that is known.
    """
    search = _Shrinking(pool, batch, board, fault, best)
    if alone_s > RUN_S:
        search.reducer.most_at_once = 1
    if fault.kind != Status.TIMEOUT or not search.smallest_is_slow():
        search.go_down()
    last = search.tried_alone(batch)
    if last is None and not search.one_by_one and not search.late:
        search.one_by_one, search.reducer.most_at_once = True, 1
        search.begin_again()
        search.go_down()
        last = search.tried_alone(batch)
    if last is None and fault.kind in (Status.TIMEOUT, Status.MEMORY) and not search.late:
        return search.not_again(batch)
    reached = search.reached
    came_back, chance = search.came_back(), None
    if came_back is not None and came_back < RUNS:
        chance = chance_of(
            pool, replace(batch, seconds=search.deadline.seconds_left), search.reached
        )
        chance = chance or Chance(came_back, RUNS, fault.names[0])
    return replace(
        reached,
        smallest=last or reached.smallest,
        cut_short=search.late,
        came_back=came_back,
        chance=chance,
    )


def chance_of(pool: Pool, batch: Batch, shrunk: Shrunk) -> Chance | None:
    """How often the fault shows on the smallest board, if calls of the same contender with copies
    of it come out differently; None if they do not, or if the time is over before.

    What depends on earlier boards of a call comes out the same in each call. In a conflict the
    rarer answers count.
    """
    board, fault = shrunk.smallest.board, shrunk.fault
    if fault.kind in (Status.TIMEOUT, Status.MEMORY):
        return None  # a busy machine may be the cause
    for name in fault.names:
        one, deadline = replace(fault, names=(name,)), Deadline(batch.seconds)
        tried = replace(of_fault(batch, one), thorough=True, together=True, keep_going=True)
        if not tried.contenders or tried.built_in:
            continue
        calls: list[tuple[bytes | bool, ...]] = []
        for _ in range(MAX_ROUNDS):
            for _ in range(CALLS):
                copies = observe(pool, tried, [board] * COPIES, Deadline(deadline.seconds_left))
                if not any(each.untried or each.unfinished or each.unknown for each in copies):
                    calls.append(tuple(_outcome(each, one) for each in copies))
            if len({*calls}) > 1:
                outcomes = Counter(each for call in calls for each in call)
                usual = outcomes.most_common(1)[0][1]
                times = outcomes.total() - usual if fault.kind == CONFLICT else outcomes[True]
                return Chance(times, outcomes.total(), name)
            if deadline.over:
                break
    return None


def _outcome(observed: Observed, fault: Fault) -> bytes | bool:
    """Whether the fault shows; of an answer that is in conflict, what it claims."""
    if fault.kind != CONFLICT:
        return any(replace(each, together=fault.together).same(fault) for each in observed.faults)
    answer = observed.claiming_answer
    return b"" if answer is None or answer.claims is None else answer.claims.tobytes()


def shows_alone(pool: Pool, batch: Batch, board: Instance, fault: Fault) -> float | None:
    """The seconds of a run in which the same fault shows and nobody gets another board; None if it
    does not show.
    """
    search = _Shrinking(pool, batch, board, fault)
    return search.quickest_s if search.failing([board]) else None


class _Shrinking:
    """The state of one shrinking.

    Only the contenders of the fault are run, on more and more boards at once until one board fails.
    Boards are tried one by one if each costs a start, or if a fault spoils the answers to the
    others.

    Attributes:
        shown: the smallest board so far, with the faults that its own run has shown.
        quickest_s: seconds of the quickest run: what a run costs, however few boards it has.
        smallest_s: of a TIMEOUT, the seconds of a run of the smallest instance of all; infinite
            while that is not known.
    """

    def __init__(
        self, pool: Pool, batch: Batch, board: Instance, fault: Fault, best: BestSoFar | None = None
    ) -> None:
        self.pool, self.puzzle = pool, puzzles.get(batch.puzzle)
        self.space = space_of(self.puzzle)
        thorough = fault.kind in (REFUTED, UNPROVED) or bool(fault.detail)
        self.batch = replace(of_fault(batch, fault), thorough=thorough, seconds=None)
        self.deadline = Deadline(batch.seconds)
        self.fault, self.original = fault, board
        self.shown = FailingBoard(board, (fault,))
        self.one_by_one = self.batch.one_a_start or fault.kind not in ABOUT_ANSWERS
        self.best = best
        self.quickest_s = self.smallest_s = inf
        self.reducer = Reducer(
            board,
            self.first_failing,
            over=lambda: self.late or self.reducer.tries >= MAX_TRIES,
            key=lambda board: board.digest,
            keep=self.keep,
            at_first=_FIRST_TOGETHER,
            most_at_once=1 if self.one_by_one else _FIRST_TOGETHER,
        )

    @property
    def late(self) -> bool:
        """Whether no time is left for one more run; a run of a contender that hangs takes its whole
        limit.
        """
        if self.fault.kind != Status.TIMEOUT:
            return self.deadline.over
        return self.deadline.seconds_left < MIN_SHARE * self.batch.limits.seconds

    def limits_of(self, board: Instance) -> Limits:
        """The limits of a run of this board; while a TIMEOUT is shrunk they shrink with the
        size.
        """
        limits = self.batch.limits
        if self.fault.kind != Status.TIMEOUT:
            return limits
        share = max(MIN_SHARE, board.size / self.original.size)
        return replace(
            limits, seconds=min(limits.seconds, STARTS * self.smallest_s + share * limits.seconds)
        )

    def smallest_is_slow(self) -> bool:
        """Whether the smallest instance of all takes the whole limit, too.

        If not, it is known now what it takes.
        """
        tiny = next(
            self.candidates_for_all(self.space.tiny(self.original, _MAX_TINY_ALONE).instances), None
        )
        if tiny is None or self.late:
            return False
        started = monotonic()
        is_slow = self.reducer.take([tiny])
        self.smallest_s = monotonic() - started
        return is_slow

    @property
    def reached(self) -> Shrunk:
        """The smallest board so far."""
        smallest, limit_s = self.shown, None
        if self.fault.kind == Status.TIMEOUT:
            limits, fault = self.limits_of(smallest.board), self.fault
            if limits != self.batch.limits:
                limit_s = limits.seconds
                fault = replace(fault, detail=f"stopped at {seconds(limit_s)}")
            smallest = FailingBoard(smallest.board, (fault,))
        return Shrunk(smallest, self.fault, self.reducer.tries, True, limit_s)

    def begin_again(self) -> None:
        """Go back to the board that the search began with."""
        self.shown = FailingBoard(self.original, (self.fault,))
        self.reducer.restart(self.original)

    def not_again(self, batch: Batch) -> Shrunk:
        """What is said of a limit that the smallest board did not reach when it ran once more: a
        busy machine may be the cause. It is by chance if the first board does not reach it again
        either.
        """
        if self.reducer.smallest != self.original:
            self.begin_again()
            if self.tried_alone(batch) is not None or self.late:
                return replace(self.reached, cut_short=True)
        return replace(self.reached, cut_short=False, chance=Chance(0, 1, self.fault.names[0]))

    def keep(self, board: Instance) -> None:
        """Keep the board for whoever cannot wait for the end."""
        if self.best is not None:
            self.best.reach(replace(self.reached, by_way_of=self.best.shrunk.by_way_of))

    def go_down(self) -> None:
        """All steps, in their order."""
        reducer = self.reducer
        while reducer.take(self.near(reducer.smallest, self.space.cut_down)):
            pass  # big steps, while it is large
        if not self.one_by_one:  # straight to a tiny part, if one fails by itself
            reducer.take(self.near(reducer.smallest, self.space.tiny_parts))
        smaller = from_place(partial(self.near, step=self.space.smaller))
        reducer.descend(smaller)
        while not self.try_tiny() and self.try_random():
            reducer.descend(smaller)

    def candidates_for_all(self, candidates: Iterable[Instance]) -> Iterator[Instance]:
        """The candidates that all contenders of the fault get."""
        return (each for each in candidates if self.broken_promise(each) is None)

    def near(
        self, board: Instance, step: Callable[[Instance], Iterable[Instance]]
    ) -> Iterator[Instance]:
        """The candidates of a step from the board; in the place of one that breaks a promise, where
        a contender of the fault gets promised boards alone, those near it that are simpler than the
        board.
        """
        for candidate in step(board):
            broken = self.broken_promise(candidate)
            if broken is None:
                yield candidate
                continue
            format = self.puzzle.format(self.batch.format)
            rng = random.Random(candidate.digest)
            for near in self.puzzle.promised_near(candidate, format, rng):
                if self.space.weight(near) < self.space.weight(board):
                    yield near

    def broken_promise(self, board: Instance) -> str | None:
        """The promise that the board breaks for a contender that gets promised boards alone; None
        if there is none.
        """
        bound = next((each for each in self.batch.contenders if not each.extended), None)
        return None if bound is None else bound.does_not_take(board)

    def tried_alone(self, batch: Batch) -> FailingBoard | None:
        """What all contenders show of the smallest board; None if the fault does not show, or no
        time is left.
        """
        if self.late:
            return None
        smallest = self.reducer.smallest
        limits = self.limits_of(smallest)
        whole = replace(
            batch, thorough=self.batch.thorough, seconds=self.deadline.seconds_left, limits=limits
        )
        return next(iter(self.showing(try_boards(self.pool, whole, [smallest]))), None)

    def showing(self, failing: Sequence[FailingBoard]) -> list[FailingBoard]:
        """Those on which the same fault shows."""
        return [each for each in failing if any(self.fault.same(other) for other in each.faults)]

    def came_back(self) -> int | None:
        """In how many further runs the fault of foreign code shows on the smallest board; None if
        there is no time for all of them.
        """
        foreign = all(
            isinstance(each, BackendContender) and each.foreign for each in self.batch.contenders
        )
        if not foreign or self.fault.kind in (Status.TIMEOUT, Status.MEMORY) or self.late:
            return None
        times = sum(bool(self.failing([self.reducer.smallest])) for _ in range(RUNS))
        return times if times == RUNS or not self.late else None

    def try_tiny(self) -> bool:
        """Try the smallest instances of all; whether nothing is left to do, since all smaller ones
        pass or a run costs too much.
        """
        if self.fault.kind in (Status.TIMEOUT, Status.MEMORY):
            return True
        tiny = self.space.tiny(
            self.reducer.smallest, _MAX_TINY_ALONE if self.one_by_one else _MAX_TINY
        )
        return self.reducer.take(self.candidates_for_all(tiny.instances)) or tiny.complete

    def try_random(self) -> bool:
        """Try random changes that make the instance smaller; whether one fails."""
        if self.one_by_one:
            return False
        smallest = self.reducer.smallest
        rng = random.Random(smallest.digest)
        return self.reducer.take(
            self.near(smallest, lambda board: self.space.changes(board, _MAX_RANDOM, rng))
        )

    def first_failing(self, boards: Sequence[Instance]) -> tuple[int, Instance] | None:
        """The first board on which the same fault shows, with its index."""
        failing = self.failing(boards)
        if not failing:
            return None
        self.shown = failing[0]
        return boards.index(self.shown.board), self.shown.board

    def failing(self, boards: Sequence[Instance]) -> list[FailingBoard]:
        """The boards on which the same fault shows, in their order."""
        started = monotonic()
        limits = self.limits_of(boards[0])  # a contender that hangs gets one board a run
        if self.fault.kind == Status.TIMEOUT:
            limits = replace(limits, seconds=MARGIN * limits.seconds)
        failing = try_boards(
            self.pool,
            replace(self.batch, seconds=self.deadline.seconds_left, limits=limits),
            boards,
        )
        seconds = monotonic() - started
        self.quickest_s = min(self.quickest_s, seconds)
        if seconds - self.quickest_s > RUN_S:
            self.reducer.most_at_once = max(1, len(boards) // 2)
        elif not self.one_by_one:
            self.reducer.most_at_once = max(
                self.reducer.most_at_once, min(2 * len(boards), _MAX_TOGETHER)
            )
        return self.showing(failing)
