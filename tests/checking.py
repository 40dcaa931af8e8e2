"""A standing checker for tests that try contenders in their own process, as a worker has one: a check then needs no new fork."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import Pipe

import pytest

from compare.isolate.processes import standing_forks
from compare.work.pool import checker
from compare.work.pool.keeper import _keep_checkers


@contextmanager
def standing_checker() -> Iterator[None]:
    """Until the end of the block answers are checked in one process, which knows what has been loaded so far."""
    ours, theirs = Pipe()
    pid = os.fork()
    if pid == 0:
        ours.close()
        _keep_checkers(theirs)
    theirs.close()
    standing_forks.add(pid)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checker, "_checker", checker.Checker(ours))
        yield
    ours.close()
    os.waitpid(pid, 0)
    standing_forks.discard(pid)
