"""Trying many boards at once, and fewer and fewer where that fails, until the board that makes it fail is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic

from compare.fuzz.batch import Deadline
from compare.fuzz.trials.observed import CutOff, Fault, Observed
from compare.isolate.outcome import Status
from puzzles.instance import Instance

ENOUGH = 3
"""The failing boards of one batch that are tracked down if a contender fails as a whole."""


QUICKER = 4
"""If a call is stopped and its halves take less than one part in this many of its time, together it hangs."""


@dataclass(frozen=True)
class FailedCall:
    """How a call of several boards failed, and whose it was."""

    status: Status
    names: tuple[str, ...]
    detail: str

    @property
    def whole(self) -> bool:
        """Whether something is wrong even if each board passes by itself: many boards may take too long or too much memory."""
        return self.status in (Status.CRASH, Status.ERROR)


Attempt = Callable[[Sequence[Instance]], list[Observed] | FailedCall]
"""Tries some boards. A failure is of more than one board; what is wrong with a single one is a fault."""


def halving(attempt: Attempt, names: tuple[str, ...], stream: Sequence[Instance], deadline: Deadline) -> list[Observed]:
    """What `attempt` observes on all boards. If it fails as a whole, it is tried on both halves, down to single boards.

    If a call fails and none of its boards does, its first board gets a fault that holds all boards of the call. A call that is
    stopped counts only if both halves together are far quicker and it is stopped a second time. Once a few
    boards have failed, the halves not yet tried are given up: more of the same faults help nobody. What the deadline leaves no
    time for is not tried either, and the call that the deadline cuts off is noted with its first board.

    Args:
        names: the contenders that `attempt` tries.
    """
    return _Halving(attempt, names, deadline).observe(stream)


class _Halving:
    """The state of one halving."""

    def __init__(self, attempt: Attempt, names: tuple[str, ...], deadline: Deadline) -> None:
        self.attempt, self.names, self.deadline = attempt, names, deadline
        self.failing = 0

    def observe(self, part: Sequence[Instance]) -> list[Observed]:
        if not part:
            return []
        if self.deadline.over or self.failing >= ENOUGH:
            return [Observed(untried=True) for _ in part]
        started = monotonic()
        results = self.attempt(part)
        if not isinstance(results, FailedCall):
            self.failing += sum(bool(each.faults) for each in results)
            if any(each.untried for each in results):
                self.cut_off(part, results, started)
            return results
        stopped = monotonic()
        middle = len(part) // 2
        observed = self.observe(part[:middle]) + self.observe(part[middle:])
        explained = any(each.untried or any(fault.kind == results.status for fault in each.faults) for each in observed)
        hangs = results.status is Status.TIMEOUT and QUICKER * (monotonic() - stopped) < stopped - started
        if not explained and (results.whole or (hangs and self.fails_again(part))):
            observed[0].faults.append(Fault(results.status, results.names, results.detail, tuple(part)))
            self.failing += 1
        elif results.status is Status.TIMEOUT and self.deadline.over and any(each.untried for each in observed):
            self.cut_off(part, observed, started)
        return observed

    def cut_off(self, part: Sequence[Instance], observed: Sequence[Observed], started: float) -> None:
        """Note that the time was over before it was known what these boards show; once for a call and its halves."""
        largest = max(part, key=lambda board: board.size)
        for each in observed:
            each.cut_off.clear()
        observed[0].cut_off.append(CutOff(monotonic() - started, len(part), largest.shown_size, self.names))

    def fails_again(self, part: Sequence[Instance]) -> bool:
        """Whether a call that was stopped is stopped again, so that a busy machine was not the cause."""
        again = None if self.deadline.over else self.attempt(part)
        return isinstance(again, FailedCall) and again.status is Status.TIMEOUT and not self.deadline.over
