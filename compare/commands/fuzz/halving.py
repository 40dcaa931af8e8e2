"""Calls of several boards: one that fails as a whole is halved until the failing board is known.

If no board fails by itself, the call is the fault.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import monotonic

import puzzles
from compare.commands.fuzz.batch import (
    Batch,
    BatchKind,
    Observed,
    Unfinished,
)
from compare.engine.isolate.outcome import Limits, Status
from compare.engine.search.reducer import split
from compare.engine.work.contenders import BackendContender, Contender
from compare.engine.work.result import (
    Fault,
    Result,
)
from puzzles.instance import Instance
from puzzles.shell.time_limits import Deadline

ENOUGH = 3
"""The failing boards of one batch that are tracked down if a contender fails as a whole. A search
that keeps going counts those alone that cost the whole limit of time or memory.
"""


TOGETHER_SHARE = 0.25
"""The share of the time limit that a call of foreign code on several boards gets, to find a board
on which it hangs sooner.
"""


QUICKER = 4
"""If a call is stopped and its halves take less than one part in this many of its time, together it
hangs.
"""


@dataclass(frozen=True)
class FailedCall:
    """How a call of several boards failed, and whose it was.

    Attributes:
        began, ended: the moments, as of `monotonic`.
    """

    status: Status
    names: tuple[str, ...]
    detail: str
    began: float = 0.0
    ended: float = 0.0

    @property
    def whole(self) -> bool:
        """Whether something is wrong even if each board passes by itself: many boards may take too
        long or too much memory.
        """
        return self.status in (Status.CRASH, Status.ERROR)


Attempt = Callable[[Sequence[Instance]], list[Observed] | FailedCall]
"""Tries some boards.

A failure is of more than one board; what is wrong with a single one is a fault.
"""


def halving(
    attempt: Attempt,
    names: tuple[str, ...],
    stream: Sequence[Instance],
    deadline: Deadline,
    *,
    keep_going: bool = False,
) -> list[Observed]:
    """What `attempt` observes on all boards. If it fails as a whole, it is tried on both halves,
    down to single boards.

    If a call fails and none of its boards does, its first board gets a fault that holds all boards
    of the call. A call that is stopped counts only if both halves together are far quicker and it
    is stopped a second time. Once a few boards have failed (see `ENOUGH`), the halves not yet tried
    are given up, and noted as such. What the deadline leaves no time for is not tried either, and
    the call that the deadline cuts off is noted with its first board.

    Args:
        names: the contenders that `attempt` tries.
        keep_going: whether failures that cost little end nothing: other faults are looked for.
    """
    failing = 0

    def counts(fault: Fault) -> bool:
        return not keep_going or fault.kind in (Status.TIMEOUT, Status.MEMORY)

    def tried(part: Sequence[Instance]) -> list[Observed] | FailedCall:
        nonlocal failing
        if deadline.over:
            return [Observed(untried=True) for _ in part]
        if failing >= ENOUGH:
            return [Observed(given_up=[*names]) for _ in part]
        began = monotonic()
        results = attempt(part)
        if isinstance(results, FailedCall):
            return replace(results, began=began, ended=monotonic())
        failing += sum(any(map(counts, each.faults)) for each in results)
        if any(each.untried for each in results):
            note_unfinished(part, results, began)
        return results

    def settle(part: Sequence[Instance], call: FailedCall, observed: list[Observed]) -> None:
        nonlocal failing
        stopped = call.status is Status.TIMEOUT
        explained = any(
            each.untried
            or each.given_up
            or each.unfinished
            or each.unknown
            or any(fault.kind == call.status for fault in each.faults)
            for each in observed
        )
        hangs = stopped and QUICKER * (monotonic() - call.ended) < call.ended - call.began
        if not explained and (call.whole or (hangs and is_stopped_again(part))):
            fault = Fault(call.status, call.names, call.detail, tuple(part))
            observed[0].faults.append(fault)
            failing += counts(fault)
        elif stopped and deadline.over and any(each.untried for each in observed):
            note_unfinished(part, observed, call.began)

    def is_stopped_again(part: Sequence[Instance]) -> bool:
        """Whether a run is stopped at its limit once more, so no busy machine was the cause."""
        again = None if deadline.over else attempt(part)
        return (
            isinstance(again, FailedCall) and again.status is Status.TIMEOUT and not deadline.over
        )

    def note_unfinished(
        part: Sequence[Instance], observed: Sequence[Observed], began: float
    ) -> None:
        """Note that the time was over before it was known what these boards show.

        It is noted once for a call and its halves: with the fewest boards that are known to hold
        the slow one, and with the time since the first call.
        """
        within = [call for each in observed for call in each.unfinished if not call.at_limit]
        call = min(
            within, key=lambda call: len(call.boards), default=Unfinished(0.0, tuple(part), names)
        )
        for each in observed:
            each.unfinished = [other for other in each.unfinished if other.at_limit]
        observed[0].unfinished.append(call._replace(seconds=monotonic() - began, begun=len(part)))

    return split(tried, stream, settle)


def limits_of(limits: Limits, boards: int) -> Limits:
    """The limits of a call of foreign code on so many boards, of those of a call on one.

    What it may answer adds up. Its seconds do not: a call that takes longer is made in halves.
    """
    if boards == 1:
        return limits
    return replace(limits.together(boards), seconds=TOGETHER_SHARE * limits.seconds)


def failed_alone(
    batch: Batch, contender: Contender, board: Instance, result: Result, allowed: Limits
) -> Observed:
    """What a call of one contender on one board shows that did not end well.

    A built-in backend, one that is declared slow, and on a large board the reference of a
    user's puzzle may reach the limit: that is UNFINISHED, and no fault.

    Args:
        allowed: the limits of this call; smaller than those of the batch if the search was nearly
            over.
    """
    printed = {contender.name: result.printed} if result.printed else {}
    fault = Fault(result.status, (contender.name,), result.reason)
    if result.status is not Status.TIMEOUT:
        return Observed(faults=[fault], printed=printed)
    at_limit = allowed.seconds >= batch.limits.seconds
    if at_limit and not _may_be_slow(batch, contender):
        return Observed(faults=[fault], printed=printed)
    seconds = result.usage.wall_s or allowed.seconds
    unfinished = Unfinished(seconds, (board,), (contender.name,), at_limit)
    return Observed(untried=not at_limit, unfinished=[unfinished], printed=printed)


def _may_be_slow(batch: Batch, contender: Contender) -> bool:
    if not isinstance(contender, BackendContender):
        return False
    if contender.ours or contender.slow:
        return True
    complete = [each.name for each in batch.contenders if each.complete]
    is_reference = len(batch.contenders) > 1 and contender.name in complete[:1]
    return is_reference and batch.kind is BatchKind.LARGE and batch.puzzle in puzzles.user_files()
