"""The batches that workers are trying, and which of them is taken in next."""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, Future, wait
from time import monotonic

from compare.fuzz.batch import Batch, BatchResult

HOLD_S = 2.0
"""Seconds that a failing batch waits for those submitted before it. So the same seed mostly reports the same failure."""


class UnderWay:
    """Batches in the order in which they were submitted.

    A batch in which nothing fails is taken in as soon as it has ended. One in which something fails waits for those before it, but
    not for long: no slow worker holds it up.
    """

    def __init__(self) -> None:
        self._waiting: list[tuple[Batch, Future[BatchResult]]] = []
        self._failed_since: dict[Future[BatchResult], float] = {}

    @property
    def running(self) -> int:
        """How many have not ended."""
        return sum(not pending.done() for _, pending in self._waiting)

    def add(self, batch: Batch, pending: Future[BatchResult]) -> None:
        self._waiting.append((batch, pending))

    def next(self, seconds: float | None) -> tuple[Batch, Future[BatchResult]] | None:
        """Take out the batch that is next; None if there is none.

        Raises:
            TimeoutError: none has come within `seconds`.
        """
        end = None if seconds is None else monotonic() + seconds
        while self._waiting:
            ready = self._ready()
            if ready is not None:
                batch, pending = self._waiting.pop(ready)
                self._failed_since.pop(pending, None)
                return batch, pending
            now = monotonic()
            if end is not None and now >= end:
                raise TimeoutError
            moments = [since + HOLD_S for since in self._failed_since.values()]
            until = min(moments if end is None else [*moments, end], default=None)
            running = [pending for _, pending in self._waiting if not pending.done()]
            wait(running, None if until is None else max(0.0, until - now), FIRST_COMPLETED)
        return None

    def take_ended(self) -> list[tuple[Batch, Future[BatchResult]]]:
        """Take out all that have ended."""
        ended = [each for each in self._waiting if each[1].done()]
        self._waiting = [each for each in self._waiting if each not in ended]
        return ended

    def _ready(self) -> int | None:
        """The index of the batch that is next, None if none has ended that need not wait."""
        now, earlier_ended = monotonic(), True
        for k, (_, pending) in enumerate(self._waiting):
            if not pending.done():
                earlier_ended = False
            elif earlier_ended or not _fails(pending) or now - self._failed_since.setdefault(pending, now) >= HOLD_S:
                return k
        return None


def _fails(pending: Future[BatchResult]) -> bool:
    """Whether a batch that has ended shows a failure, or was lost with its worker."""
    return pending.cancelled() or pending.exception() is not None or bool(pending.result().failing)
