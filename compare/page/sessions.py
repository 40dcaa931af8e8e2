"""The browser tabs that the server knows: a newer board of a tab cancels what its older boards have under way."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

T = TypeVar("T")

MAX_SESSIONS = 64
"""Tabs that are remembered; the one that was silent longest is forgotten first."""


class Superseded(Exception):
    """A newer board or question came."""


class TabSession:
    """What one tab has under way.

    Attributes:
        edition: the newest edition of its board.
    """

    def __init__(self) -> None:
        self.edition = -1
        self._under_way: dict[str, set[asyncio.Event]] = {}

    def cancel(self, *kinds: str) -> None:
        """Cancel what is under way of these kinds; of all, if none is named."""
        for kind in kinds or tuple(self._under_way):
            for event in self._under_way.pop(kind, ()):
                event.set()

    @contextmanager
    def begun(self, kind: str, edition: int | None = None) -> Iterator[asyncio.Event]:
        """Within, something of this kind is under way; the event says that it is cancelled.

        Args:
            edition: of the board that it is about. Others about the same edition go on, and it is cancelled at once if there is a
                newer edition. None: it cancels what was under way of its kind.
        """
        if edition is None:
            self.cancel(kind)
        event = asyncio.Event()
        if edition is not None and edition < self.edition:
            event.set()
        self._under_way.setdefault(kind, set()).add(event)
        try:
            yield event
        finally:
            self._under_way.get(kind, set()).discard(event)


SOLVING, ASKING, RACING = "solving", "asking", "racing"
"""What a session may have under way: the answers to its newest board, one question, one race."""


async def unless(cancelled: asyncio.Event, work: Coroutine[Any, Any, T]) -> T:
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


class Sessions:
    """The sessions by name."""

    def __init__(self) -> None:
        self._known: dict[str, TabSession] = {}

    def of(self, name: str) -> TabSession:
        """The session of this name; a new one if there is none."""
        session = self._known.pop(name, None) or TabSession()
        self._known[name] = session
        while len(self._known) > MAX_SESSIONS:
            self._known.pop(next(iter(self._known))).cancel()
        return session

    def end(self) -> None:
        """Cancel everything: the server ends."""
        for session in self._known.values():
            session.cancel()

    def at_edition(self, name: str, edition: int) -> TabSession:
        """The session, now at this edition of its board; what older editions have under way is cancelled.

        Raises:
            Superseded: a newer edition was there before.
        """
        session = self.of(name)
        if edition < session.edition:
            raise Superseded
        if edition > session.edition:
            session.edition = edition
            session.cancel(SOLVING, ASKING)
        return session
