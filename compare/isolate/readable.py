"""Waiting until something can be read. `multiprocessing` takes ten times as long to ask: it makes a selector for each question."""

from __future__ import annotations

import select
from math import ceil
from typing import Protocol

_MOST_MS = 2**31 - 1


class _HasDescriptor(Protocol):
    def fileno(self) -> int: ...


def readable(*sources: int | _HasDescriptor, within: float | None) -> bool:
    """Whether one of these can be read, or is closed at its other end; waits for that up to `within` seconds, None for any time."""
    poll = select.poll()
    for source in sources:
        poll.register(source, select.POLLIN)
    return bool(poll.poll(None if within is None else min(ceil(1000 * within), _MOST_MS)))
