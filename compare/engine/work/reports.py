"""What a backend reports while it searches for the best (`puzzles.backend.report`), in the process
in which it runs: the best solution and the best bound so far, and when they got better.

A backend may report as often as it likes. Only what is better is kept, and of that a few a second
are passed on.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from operator import index
from threading import Lock, Timer
from time import perf_counter

from compare.engine.work.result import MAX_TRACE, SearchTrace, TracePoint
from puzzles.answer import Answer, Worth
from puzzles.case_solution import CaseSolution

_AT_ONCE, _PER_SECOND = 20, 4
"""Reports that are passed on as they come, and those of each further second."""


class Reports:
    """What one call of a backend reports.

    Args:
        better: which of two values is; see `Puzzle.better`.
        send: passes on the best answer so far, and the trace. It is called in any thread, one call
            at a time.
    """

    def __init__(self, better: str, send: Callable[[Answer, SearchTrace], object]) -> None:
        self._sign = 1 if better == "less" else -1
        self._send = send
        self._started = perf_counter()
        self._lock = Lock()  # a solver may report from several threads, and the timer is one
        self._solution: Answer | None = None
        self._only_bound: Answer | None = None
        self._known = Worth()
        self._trace: list[TracePoint] = []
        self._sent = 0
        self._timer: Timer | None = None
        self._open = True

    def add(self, answer: Answer) -> None:
        """Take in what was reported. What is no better than before changes nothing."""
        with self._lock:
            if self._open and self._take(answer):
                self._add_to_trace(perf_counter() - self._started)
                self._send_in_turn()

    def _take(self, answer: Answer) -> bool:
        """Keep what the answer says; returns whether any of it is news."""
        value, bound = (None if each is None else index(each) for each in answer.worth)
        known = self._known
        better = value is not None and (
            known.value is None or self._sign * value < self._sign * known.value
        )
        tighter = bound is not None and (
            known.bound is None or self._sign * bound > self._sign * known.bound
        )
        shown = value is not None and value == known.value and self._shows_more(answer)
        if better or shown:
            self._solution = answer
        elif tighter and value is None:
            self._only_bound = answer
        self._known = Worth(value if better else known.value, bound if tighter else known.bound)
        return better or tighter or shown

    def _shows_more(self, answer: Answer) -> bool:
        """Whether an answer shows a solution where the best one so far was only a value."""
        before = self._solution
        return (
            isinstance(answer, CaseSolution)
            and isinstance(before, CaseSolution)
            and answer.witness is not None
            and before.witness is None
        )

    def _add_to_trace(self, seconds: float) -> None:
        if len(self._trace) == MAX_TRACE:  # every second one is left out, but not the first
            del self._trace[1::2]
        self._trace.append(TracePoint(seconds, *self._known))

    def _send_in_turn(self) -> None:
        """Send what is known now, or a little later if much was sent before."""
        if self._timer is not None:
            return
        seconds = perf_counter() - self._started
        if self._sent < _AT_ONCE + _PER_SECOND * seconds:
            self._send_now()
        else:
            self._timer = Timer(1 / _PER_SECOND, self._send_late)
            self._timer.daemon = True
            self._timer.start()

    def _send_late(self) -> None:
        with self._lock:
            self._timer = None
            if self._open:
                self._send_now()

    def _send_now(self) -> None:
        self._sent += 1
        self._send(self._best(), tuple(self._trace))

    def _best(self) -> Answer:
        """The best solution with the best bound, as one answer."""
        solution, bound = self._solution, self._known.bound
        if solution is None:
            assert self._only_bound is not None
            return self._only_bound
        if isinstance(solution, CaseSolution) and solution.worth.bound != bound:
            return replace(solution, bound=bound, complete=False)
        return solution

    def trace_with(self, answer: Answer) -> SearchTrace:
        """The trace of a call that ends now, with this answer; empty if nothing was reported."""
        with self._lock:
            if self._trace:
                with suppress(Exception):  # the judge says what is wrong with an answer
                    self._take(answer)
                self._add_to_trace(perf_counter() - self._started)
            return tuple(self._trace)

    def close(self) -> None:
        """Pass on nothing more."""
        with self._lock:
            self._open = False
            if self._timer is not None:
                self._timer.cancel()
