"""The one search: blocks of instances are asked, and what fails is made smaller, then said.

`Search.run` reads from top to bottom. A kind of search (of `fuzz`, `stress`, `equivalent`, ...)
says which block is next, how it is asked, what of it fails, and how that is made smaller.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import AbstractContextManager
from time import monotonic
from typing import Generic, TypeVar

from compare.engine.work.pool import Executor
from puzzles.shell.time_limits import Deadline
from puzzles.text import UserError

T = TypeVar("T")
BlockT = TypeVar("BlockT")
TriedT = TypeVar("TriedT")
FailureT = TypeVar("FailureT")
FoundT = TypeVar("FoundT")

GRACE_S = 10.0
"""Seconds after the deadline until which a call is waited for that knows it; on a busy machine it
does not end at once.
"""

TICK_S = 0.5
"""Seconds after which whoever waits for a call says how far the search is."""

HOLD_S = 2.0
"""Seconds that a block in which something fails waits for those submitted before it.

So the same seed mostly reports the same failure.
"""


class TimeUp(Exception):
    """The seconds of the search are over, and a call has not come back."""


class Search(ABC, Generic[BlockT, TriedT, FailureT, FoundT]):
    """One search.

    Attributes:
        grace_s: seconds after the deadline until which the blocks under way are waited for.
        deadline: when no more blocks are asked.
        failure_count: how many failures were found so far.
        shrinking_s: the seconds in which they were made smaller.
    """

    grace_s = GRACE_S

    def __init__(
        self,
        *,
        seconds: float | None,
        progress: Callable[[int, str], object],
        discovered: Callable[[FoundT], object],
        keep_going: bool = False,
        in_order: bool = False,
    ) -> None:
        """A search that has not begun.

        Args:
            seconds: when to stop, from the moment on when everything is ready; None for never.
            progress: is called with how many instances were tried since the last call, and with
                what the search is doing.
            discovered: is called with each failure that was made smaller.
            keep_going: whether to go on after the first failure.
            in_order: whether all blocks are taken in their order; else see `UnderWay`.
        """
        self.seconds, self.progress, self.discovered = seconds, progress, discovered
        self.keep_going = keep_going
        self.failure_count = 0
        self.shrinking_s = 0.0
        self._under_way = UnderWay[BlockT, TriedT](self.fails, in_order=in_order)
        self.start()

    @abstractmethod
    def next_block(self, left_s: float) -> BlockT | None:
        """What is asked next, in so many seconds; None if there is nothing, or not yet."""

    @abstractmethod
    def ask(self, workers: Executor, block: BlockT, left_s: float) -> Future[TriedT]:
        """Have a block tried."""

    @abstractmethod
    def failures(self, block: BlockT, tried: TriedT) -> Iterator[FailureT]:
        """Take in what came of a block; yields what is wrong and not yet known."""

    @abstractmethod
    def smaller(self, failure: FailureT, workers: Executor) -> FoundT:
        """The failure on the smallest input that is found."""

    @abstractmethod
    def cut_short(self, failure: FailureT, why: BaseException, workers: Executor) -> FoundT:
        """What `smaller` had come to when an exception ended it."""

    def notice(self, failure: FailureT, workers: Executor) -> None:
        """Say what was found, before it is made smaller; by default nothing."""

    def fails(self, tried: TriedT) -> bool:
        """Whether a block waits for those before it, since something fails in it."""
        return False

    def get_ready(self, workers: Executor) -> None:
        """Do what has to be done before time counts."""

    def at_once(self, workers: Executor) -> int:
        """How many blocks are under way at most; by default each waits for the one before."""
        return 1

    def lost(self, block: BlockT, error: Exception) -> TriedT:
        """What came of a block whose call raised this; by default it ends the search."""
        raise error

    def where(self) -> str:
        """How far the search is, for people."""
        return ""

    def start(self) -> None:
        """From now on time counts; nobody waits for a block once the patience is over."""
        self._started, self.deadline = monotonic(), Deadline(self.seconds)
        self._patience = Deadline(None if self.seconds is None else self.seconds + self.grace_s)

    @property
    def enough(self) -> bool:
        """Whether nothing more is asked: a failure was found, and one is enough."""
        return self.failure_count > 0 and not self.keep_going

    @property
    def search_s(self) -> float:
        """The seconds since everything was ready, without those of making smaller."""
        return monotonic() - self._started - self.shrinking_s

    def run(self, executor: AbstractContextManager[Executor]) -> None:
        """Search until there is nothing more to ask, the seconds are over, or enough was found.

        What was found before an interruption, or a user's mistake, is said before that is raised.
        """
        with executor as workers:
            self.get_ready(workers)
            self.start()
            try:
                while not self.enough:
                    self._hand_out(workers)
                    ended = self.within(self._under_way.next, self._patience)
                    if ended is None:
                        break
                    self.take(*ended, workers)
            except TimeUp:
                for block, pending in self._under_way.take_ended():
                    self.take(block, pending, workers)
            workers.stop()

    def _hand_out(self, workers: Executor) -> None:
        while self._under_way.count < self.at_once(workers):
            left_s = self.deadline.seconds_left
            block = self.next_block(left_s) if left_s else None
            if block is None:
                return
            pending = self.ask(workers, block, left_s)
            self._under_way.add(block, pending)
            if pending.done():  # it was asked in this thread: what came of it decides what is next
                return

    def take(self, block: BlockT, pending: Future[TriedT], workers: Executor) -> None:
        """Take in a block that was asked: each failure is made smaller, and said."""
        try:
            tried = self._try(block, pending)
        except TimeUp:
            return
        for failure in self.failures(block, tried):
            if self.enough:
                return
            self.failure_count += 1
            discovery, ended = self._made_smaller(failure, workers)
            self.discovered(discovery)
            if ended is not None:
                raise ended

    def _made_smaller(
        self, failure: FailureT, workers: Executor
    ) -> tuple[FoundT, BaseException | None]:
        """What a failure comes to, and what has ended that; None if it has come to its end."""
        began = monotonic()
        try:
            self.notice(failure, workers)
            return self.smaller(failure, workers), None
        except (KeyboardInterrupt, UserError) as ended:
            return self.cut_short(failure, ended, workers), ended
        finally:
            self.shrinking_s += monotonic() - began

    def _try(self, block: BlockT, pending: Future[TriedT]) -> TriedT:
        """What came of a block."""
        try:
            return self.within(pending.result, self._patience)
        except (UserError, TimeUp):
            raise
        except Exception as error:
            return self.lost(block, error)

    def within(
        self,
        wait_for: Callable[[float], T],
        deadline: Deadline,
        doing: str | Callable[[], str] = "",
    ) -> T:
        """What comes of a call; raises `TimeUp` if it does not come by then.

        Args:
            wait_for: waits for it so many seconds, or raises `TimeoutError`.
            doing: what is said while it is under way; by default how far the search is.
        """
        while True:
            try:
                return wait_for(min(TICK_S, deadline.seconds_left))
            except TimeoutError:
                self.progress(0, doing() if callable(doing) else doing or self.where())
                if deadline.over:
                    raise TimeUp from None


class UnderWay(Generic[BlockT, TriedT]):
    """Blocks in the order in which they were submitted.

    A block in which nothing fails is taken in as soon as it has ended. One in which something fails
    waits for those before it, but not for long: no slow worker holds it up.
    """

    def __init__(self, fails: Callable[[TriedT], bool], *, in_order: bool = False) -> None:
        """`in_order`: whether each block waits for those before it, however long they take."""
        self._fails, self._in_order = fails, in_order
        self._waiting: list[tuple[BlockT, Future[TriedT]]] = []
        self._failed_since: dict[Future[TriedT], float] = {}

    @property
    def count(self) -> int:
        """How many have not ended; with `in_order` also those that have, and were not taken."""
        return sum(self._in_order or not pending.done() for _, pending in self._waiting)

    def add(self, block: BlockT, pending: Future[TriedT]) -> None:
        self._waiting.append((block, pending))

    def next(self, seconds: float | None) -> tuple[BlockT, Future[TriedT]] | None:
        """Take out the block that is next; None if there is none.

        Raises:
            TimeoutError: none has come within `seconds`.
        """
        deadline = Deadline(seconds)
        while self._waiting:
            ready = self._ready()
            if ready is not None:
                block, pending = self._waiting.pop(ready)
                self._failed_since.pop(pending, None)
                return block, pending
            if deadline.over:
                raise TimeoutError
            running = [pending for _, pending in self._waiting if not pending.done()]
            wait(running, min(deadline.seconds_left, HOLD_S), FIRST_COMPLETED)
        return None

    def take_ended(self) -> list[tuple[BlockT, Future[TriedT]]]:
        """Take out all that have ended."""
        ended = [each for each in self._waiting if each[1].done()]
        self._waiting = [each for each in self._waiting if each not in ended]
        return ended

    def _ready(self) -> int | None:
        """The index of the block that is next, None if none has ended that need not wait."""
        now, earlier_ended = monotonic(), True
        for k, (_, pending) in enumerate(self._waiting):
            if not pending.done():
                earlier_ended = False
            elif earlier_ended or self._need_not_wait(pending, now):
                return k
        return None

    def _need_not_wait(self, pending: Future[TriedT], now: float) -> bool:
        """Whether a block that has ended is taken before others that have not."""
        if self._in_order:
            return False
        lost = pending.cancelled() or pending.exception() is not None
        if not lost and not self._fails(pending.result()):
            return True
        return now - self._failed_since.setdefault(pending, now) >= HOLD_S
