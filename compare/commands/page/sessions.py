"""The browser tabs that the server knows: a newer board of a tab cancels what its older boards have
under way.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

MAX_SESSIONS = 64
"""Tabs that are remembered; the one that was silent longest is forgotten first."""


def tab_of(session: str) -> str:
    """The tab of a session: its name up to a slash, behind which the part of the tab is named."""
    return session.partition("/")[0]


class Superseded(Exception):
    """A newer board or question came, or the user pressed Stop."""


@dataclass
class TabSession:
    """A tab, or a part of it that asks for itself: its game, its race, its questions.

    Attributes:
        edition: the newest edition of what it asks about.
        under_way: what runs for this edition; to cancel it, its time is made to run out.
    """

    edition: int = -1
    under_way: set[asyncio.Timeout] = field(default_factory=set)

    def cancel(self) -> None:
        """Cancel all that is under way."""
        while self.under_way:
            self.under_way.pop().reschedule(0)


class Sessions:
    """The sessions by name."""

    def __init__(self) -> None:
        self._known: dict[str, TabSession] = {}

    @asynccontextmanager
    async def begun(self, name: str, edition: int) -> AsyncIterator[None]:
        """Within, a session has something under way. What its older editions have is cancelled.

        Raises:
            Superseded: this is cancelled, or a newer edition was there before.
        """
        session = self._of(name)
        if edition < session.edition:
            raise Superseded
        if edition > session.edition:
            session.edition = edition
            session.cancel()
        work = asyncio.timeout(None)
        try:
            async with work:
                session.under_way.add(work)
                yield
        except TimeoutError:
            raise (Superseded if work.expired() else TimeoutError) from None
        finally:
            session.under_way.discard(work)

    def cancel(self, name: str) -> None:
        """Cancel all that a session has under way."""
        self._of(name).cancel()

    def end(self) -> None:
        """Cancel everything: the server ends."""
        for session in self._known.values():
            session.cancel()

    def _of(self, name: str) -> TabSession:
        session = self._known.pop(name, None) or TabSession()
        self._known[name] = session
        while len(self._known) > MAX_SESSIONS:
            self._known.pop(next(iter(self._known))).cancel()
        return session
