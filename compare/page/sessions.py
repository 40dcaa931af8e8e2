"""The browser tabs that the server knows: a newer board of a tab cancels what its older boards have
under way.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeVar

T = TypeVar("T")

MAX_SESSIONS = 64
"""Tabs that are remembered; the one that was silent longest is forgotten first."""


class Superseded(Exception):
    """A newer board or question came, or somebody pressed Stop."""


class Work(Enum):
    """What a tab may have under way: the answers to its newest board, by some contenders or more;
    one question; one race.
    """

    SOLVING = "solving"
    ASKING = "asking"
    RACING = "racing"


@dataclass
class TabSession:
    """What one tab has under way.

    Attributes:
        edition: the newest edition of its board.
        cancelled: of all work that is under way the event that cancels it.
    """

    edition: int = -1
    cancelled: dict[asyncio.Event, Work] = field(default_factory=dict)

    def cancel(self, *kinds: Work) -> None:
        """Cancel what is under way of these kinds."""
        for event, kind in self.cancelled.items():
            if kind in kinds:
                event.set()


class Sessions:
    """The sessions by name."""

    def __init__(self) -> None:
        self._known: dict[str, TabSession] = {}

    @contextmanager
    def begun(self, name: str, kind: Work, edition: int | None = None) -> Iterator[asyncio.Event]:
        """Within, a tab has something of this kind under way; the event says that it is cancelled.

        Args:
            edition: of the board that it is about. What older editions have under way is cancelled.
                None: it is about no board.

        Raises:
            Superseded: a newer edition was there before.
        """
        session = self._of(name)
        if edition is not None and edition < session.edition:
            raise Superseded
        if edition is not None and edition > session.edition:
            session.edition = edition
            session.cancel(Work.SOLVING, Work.ASKING)
        if kind is not Work.SOLVING:
            session.cancel(kind)
        event = asyncio.Event()
        session.cancelled[event] = kind
        try:
            yield event
        finally:
            del session.cancelled[event]

    def cancel(self, name: str) -> None:
        """Cancel all that a tab has under way."""
        self._of(name).cancel(*Work)

    def end(self) -> None:
        """Cancel everything: the server ends."""
        for session in self._known.values():
            session.cancel(*Work)

    def _of(self, name: str) -> TabSession:
        session = self._known.pop(name, None) or TabSession()
        self._known[name] = session
        while len(self._known) > MAX_SESSIONS:
            self._known.pop(next(iter(self._known))).cancel(*Work)
        return session


async def unless(cancelled: asyncio.Event, work: Awaitable[T]) -> T:
    """What the work returns; raises `Superseded`, and gives the work up, once the event is set."""
    task, stop = asyncio.ensure_future(work), asyncio.ensure_future(cancelled.wait())
    try:
        await asyncio.wait({task, stop}, return_when=asyncio.FIRST_COMPLETED)
        if cancelled.is_set():
            raise Superseded
        return task.result()
    finally:
        task.cancel()
        stop.cancel()
