"""A standing fork takes one call after another, so that not every call has to pay for a fork.

Only code that is trusted to keep nothing from one call to the next may run in it. Each call has its own limits. After a call that
does not end well, that leaves a process behind, or after which the fork has grown, the fork is killed.
"""

from __future__ import annotations

import os
import pickle
import resource
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import Any, BinaryIO

from compare.isolate.coordination import is_silent_at_most
from compare.isolate.forking import flush, fork
from compare.isolate.outcome import Limits, Outcome, Status, Usage
from compare.isolate.processes import (
    close_to_others,
    forget_peak,
    has_children,
    how_it_failed,
    kill_orphans,
    kill_tree,
    peak_bytes,
    resident_bytes,
    standing_forks,
)
from compare.isolate.sandbox import MAXRSS_UNIT, NO_ENDINGS, Endings, outcome_here, read_outcomes
from compare.isolate.watch import END_OF_CALL, HEADER_BYTES, Ears, frame, watch

MOST_GROWTH = 2**26
"""Bytes by which a fork may grow over its calls."""

Step = tuple[Callable[..., Any], Limits]


class StandingFork:
    """A fork of this process that takes calls until it is closed.

    Attributes:
        running: whether it still takes calls.
    """

    def __init__(self) -> None:
        close_to_others()
        requests, self._requests = os.pipe()
        self._pid, self._out, self._err = fork(partial(_serve, requests, self._requests), alone=False)
        os.close(requests)
        self._ears = Ears(self._pid, self._out, self._err)
        standing_forks.add(self._pid)
        self.running = True
        self._cpu_s = 0.0
        self._first_bytes: int | None = None

    def call_in_turn(self, steps: Sequence[Step], *args: Any, endings: Endings = NO_ENDINGS) -> list[Outcome]:
        """Call functions one after the other on the same arguments, as `compare.isolate.sandbox.call_in_turn` does."""
        started, limits = monotonic(), [replace(each, output=sys.maxsize) for _, each in steps]
        is_silent_at_most(limits[0].seconds)
        request = pickle.dumps(([function for function, _ in steps], args, dict(endings)), protocol=5)
        with suppress(BrokenPipeError):  # it has died; that is seen below
            _write(self._requests, frame(request))
        try:
            watched = watch(self._ears, started, limits, standing=True)
        except BaseException:
            self.close()
            raise
        ended = Outcome(Status.OK, bytes(watched.stdout.removesuffix(frame(END_OF_CALL))), printed=watched.printed)
        if not watched.complete:
            wait_status, used = self._end()
            status, detail = watched.stopped or how_it_failed(wait_status, watched.stderr) or (Status.CRASH, "the answer was lost")
            usage = Usage(monotonic() - started, max(0.0, _cpu_s(used) - self._cpu_s), used.ru_maxrss * MAXRSS_UNIT)
            ended = replace(ended, status=status, detail=detail, usage=usage)
        outcomes = read_outcomes(ended, pickle.loads, limits)
        self._cpu_s += sum(outcome.usage.cpu_s or 0.0 for outcome in outcomes)
        if self.running and (not outcomes[-1].ok or has_children(self._pid) or self._has_grown()):
            self.close()
        return [*outcomes[:-1], replace(outcomes[-1], printed=watched.printed)] if watched.stderr else outcomes

    def close(self) -> None:
        """Kill it and whatever it has started."""
        if self.running:
            self._end()

    def _end(self) -> tuple[int, resource.struct_rusage]:
        """Kill the fork; returns its wait status and what it used."""
        self.running = False
        self._ears.close()
        for descriptor in (self._requests, self._out, self._err):
            os.close(descriptor)
        kill_tree(self._pid)
        _, wait_status, used = os.wait4(self._pid, 0)
        standing_forks.discard(self._pid)
        kill_orphans()
        return wait_status, used

    def _has_grown(self) -> bool:
        resident = resident_bytes(self._pid)
        if self._first_bytes is None:
            self._first_bytes = resident
        return resident - self._first_bytes > MOST_GROWTH


def _serve(requests: int, other_end: int, out: int) -> None:
    """In the fork: take calls until nobody can send any."""
    os.close(other_end)
    with os.fdopen(requests, "rb") as source, os.fdopen(out, "wb") as stream:
        while header := source.read(HEADER_BYTES):
            functions, args, endings = pickle.loads(_exactly(source, int.from_bytes(header, "little")))  # noqa: S301 - our parent wrote it
            for function in functions:
                outcome = _measured(function, args, endings)
                flush()
                stream.write(frame(pickle.dumps(outcome, protocol=5)))
                stream.flush()
                if not outcome.ok:
                    break
            stream.write(frame(END_OF_CALL))
            stream.flush()


def _exactly(source: BinaryIO, size: int) -> bytes:
    data = source.read(size)
    if len(data) < size:
        os._exit(1)  # our parent is gone
    return data


def _measured(function: Callable[..., Any], args: Sequence[Any], endings: Endings) -> Outcome:
    """The outcome of a call, with what this call alone has used."""
    with suppress(OSError):
        forget_peak()
    before = sum(_cpu_s(resource.getrusage(whose)) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    outcome = outcome_here(function, args, endings)
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * MAXRSS_UNIT
    peak = max(peak_bytes(os.getpid()), children) or outcome.usage.peak_bytes
    cpu_s = max(0.0, (outcome.usage.cpu_s or 0.0) - before)
    return replace(outcome, usage=replace(outcome.usage, cpu_s=cpu_s, peak_bytes=peak))


def _cpu_s(used: resource.struct_rusage) -> float:
    return used.ru_utime + used.ru_stime


def _write(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
