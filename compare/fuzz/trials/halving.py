"""Trying many boards at once, and fewer and fewer where that fails, until the board that makes it fail is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import monotonic

import puzzles
from compare.fuzz.batch import Batch, BatchKind, Deadline
from compare.fuzz.trials.observed import Fault, Observed, Unfinished
from compare.isolate.outcome import Limits, Outcome, Status
from compare.work.contenders import BackendContender, Contender
from compare.work.job import Run
from puzzles.instance import Instance

ENOUGH = 3
"""The failing boards of one batch that are tracked down if a contender fails as a whole."""

TOGETHER_SHARE = 0.25
"""The share of the time limit that a call of foreign code on several boards gets, to find a board on which it hangs sooner."""

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
                self.note_unfinished(part, results, started)
            return results
        stopped = monotonic()
        middle = len(part) // 2
        observed = self.observe(part[:middle]) + self.observe(part[middle:])
        explained = any(
            each.untried or each.unfinished or any(fault.kind == results.status for fault in each.faults) for each in observed
        )
        hangs = results.status is Status.TIMEOUT and QUICKER * (monotonic() - stopped) < stopped - started
        if not explained and (results.whole or (hangs and self.fails_again(part))):
            observed[0].faults.append(Fault(results.status, results.names, results.detail, tuple(part)))
            self.failing += 1
        elif results.status is Status.TIMEOUT and self.deadline.over and any(each.untried for each in observed):
            self.note_unfinished(part, observed, started)
        return observed

    def note_unfinished(self, part: Sequence[Instance], observed: Sequence[Observed], started: float) -> None:
        """Note that the time was over before it was known what these boards show.

        It is noted once for a call and its halves: with the fewest boards that are known to hold the slow
        one, and with the time since the first call.
        """
        within = [call for each in observed for call in each.unfinished if not call.at_limit]
        call = min(within, key=lambda call: len(call.boards), default=Unfinished(0.0, tuple(part), self.names))
        for each in observed:
            each.unfinished = [other for other in each.unfinished if other.at_limit]
        observed[0].unfinished.append(call._replace(seconds=monotonic() - started, begun=len(part)))

    def fails_again(self, part: Sequence[Instance]) -> bool:
        """Whether a call that was stopped is stopped again, so that a busy machine was not the cause."""
        again = None if self.deadline.over else self.attempt(part)
        return isinstance(again, FailedCall) and again.status is Status.TIMEOUT and not self.deadline.over


def limits_of(limits: Limits, boards: int) -> Limits:
    """The limits of a call of foreign code on so many boards, of those of a call on one."""
    if boards == 1:
        return limits
    return replace(limits, seconds=TOGETHER_SHARE * limits.seconds)


def failed_alone(batch: Batch, contender: Contender, board: Instance, outcome: Outcome | Run, allowed: Limits) -> Observed:
    """What a call of one contender on one board shows that did not end well.

    A backend of ours, one that is declared slow, and on a large board the reference of a puzzle of one's
    own may reach the limit: that is UNFINISHED, and no fault.

    Args:
        allowed: the limits of this call; smaller than those of the batch if the search was nearly over.
    """
    fault = Fault(outcome.status, (contender.name,), outcome.detail)
    if outcome.status is not Status.TIMEOUT:
        return Observed(faults=[fault])
    at_limit = allowed.seconds >= batch.limits.seconds
    if at_limit and not _may_be_slow(batch, contender):
        return Observed(faults=[fault])
    seconds = outcome.usage.wall_s or allowed.seconds
    unfinished = Unfinished(seconds, (board,), (contender.name,), at_limit)
    return Observed(untried=not at_limit, unfinished=[unfinished])


def _may_be_slow(batch: Batch, contender: Contender) -> bool:
    if not isinstance(contender, BackendContender):
        return False
    if contender.ours or contender.slow:
        return True
    complete = [each.name for each in batch.contenders if each.complete]
    is_reference = len(batch.contenders) > 1 and contender.name in complete[:1]
    return is_reference and batch.kind is BatchKind.LARGE and batch.puzzle in puzzles.user_files()
