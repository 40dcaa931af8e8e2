"""The browser tabs that the server knows: a newer board of a tab cancels what its older boards have under way."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

MOST_SESSIONS = 64
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
        self._under_way: dict[str, asyncio.Event] = {}

    def cancel(self, *kinds: str) -> None:
        """Cancel what is under way of these kinds."""
        for kind in kinds:
            event = self._under_way.pop(kind, None)
            if event is not None:
                event.set()

    @contextmanager
    def begun(self, kind: str) -> Iterator[asyncio.Event]:
        """Within, something of this kind is under way, and what was before is cancelled; the event says that it is itself."""
        self.cancel(kind)
        event = self._under_way[kind] = asyncio.Event()
        try:
            yield event
        finally:
            if self._under_way.get(kind) is event:
                del self._under_way[kind]


SOLVING, ASKING, RACING = "solving", "asking", "racing"
"""What a session may have under way, one of each kind."""


class Sessions:
    """The sessions by name."""

    def __init__(self) -> None:
        self._known: dict[str, TabSession] = {}

    def of(self, name: str) -> TabSession:
        """The session of this name; a new one if there is none."""
        session = self._known.pop(name, None) or TabSession()
        self._known[name] = session
        while len(self._known) > MOST_SESSIONS:
            forgotten = self._known.pop(next(iter(self._known)))
            forgotten.cancel(SOLVING, ASKING, RACING)
        return session

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
