"""The progress bar of a campaign: how many runs have ended, and which one is under way."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from tqdm import tqdm

from compare.campaign.record import TaskIdentity
from compare.campaign.tasks import Task
from compare.work.contenders import Kind

_FORMAT = "{n_fmt}/{total_fmt} runs |{bar}| [{elapsed}{postfix}]"
"""No estimate of the time left: one run may take a million times as long as another."""


class RunBar:
    """A bar on stderr, if that is a terminal. Answers that exist already, and what is skipped, are no runs."""

    def __init__(self, tasks: Sequence[Task], *, quiet: bool = False) -> None:
        runs = [task for task in tasks if task.contender.kind is not Kind.GIVEN and not task.reason_to_skip]
        self._bar = tqdm(total=len(runs), disable=True if quiet else None, leave=False, bar_format=_FORMAT)
        self._waiting = deque(runs if not self._bar.disable else [])
        self._ended: set[TaskIdentity] = set()
        self._counted = {task.identity for task in self._waiting}
        self._name_the_oldest()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._bar.close()

    def ended(self, task: TaskIdentity) -> None:
        """Note that this task has ended."""
        if task in self._counted:
            self._ended.add(task)
            self._bar.update()
            self._name_the_oldest()

    def write(self, text: str) -> None:
        """Print lines on stderr, above the bar."""
        self._bar.write(text, file=sys.stderr)

    def _name_the_oldest(self) -> None:
        """Name the run that has been under way for longest."""
        while self._waiting and self._waiting[0].identity in self._ended:
            self._ended.remove(self._waiting.popleft().identity)
        if self._waiting:
            oldest = self._waiting[0].identity
            self._bar.set_postfix_str(f"{oldest.puzzle} {oldest.dataset} {oldest.contender}")
