"""Two PROVED answers that contradict one another are made again, each in a process that has solved nothing before.

Runs in a standing process may be spoiled by what was solved there before. One that is PROVED counts all the same, unless another
PROVED answer to the same instance differs.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace

from compare.campaign.tasks import Task
from compare.isolate.outcome import Status
from compare.work.contenders import BackendContender
from compare.work.job import Run
from compare.work.standing_runs import difference, same_claims
from puzzles.verdict import Verdict


class Contradictions:
    """What was PROVED of the last instances; one answer to each is kept.

    Args:
        most: how many instances are kept.
        again: makes the run of a task in a process that has solved nothing before.
    """

    def __init__(self, most: int, again: Callable[[Task], Run]) -> None:
        self._most, self._again = most, again
        self._proved: OrderedDict[str, tuple[Task, Run]] = OrderedDict()

    def settled(self, task: Task, run: Run) -> Run:
        """The run; if it contradicts an earlier one, what came of it in a new process. `printed` then says what differs."""
        if not _is_proved(task, run):
            return run
        other, before = self._proved.setdefault(task.instance.digest, (task, run))
        if len(self._proved) > self._most:
            self._proved.popitem(last=False)
        if same_claims(before, run):
            return run
        note = difference(before, self._again(other))
        alone = self._again(task)
        notes = [f"{other.contender.name}: {note}" if note else "", difference(run, alone), alone.printed]
        return replace(alone, printed="\n".join(filter(None, notes)))


def _is_proved(task: Task, run: Run) -> bool:
    """Whether a backend has answered all of the instance, and the check has proved it."""
    checked = run.status is Status.OK and run.check is not None and run.check.verdict is Verdict.PROVED
    return checked and isinstance(task.contender, BackendContender) and task.contender.complete
