"""Whose turn it is: tabs that want the solvers at the same time are served in turn, one question
each.

A tab that asks twenty solvers at once so does not keep out a tab that asks two. All of this belongs
to the event loop.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from itertools import count

from puzzles.text import count_noun


class Turns:
    """Turns at the workers, as many at once as there are of these.

    Attributes:
        free: how many more questions may begin at once.
    """

    def __init__(self, workers: int) -> None:
        self.free = workers
        self._at_work = Counter[str]()
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}
        """By tab, its questions in their order."""
        self._served: dict[str, int] = {}
        """By tab, when it was served last: the number of that turn."""
        self._numbers = count()

    async def wait(self, tab: str) -> None:
        """Wait until a question of this tab has its turn; `end` gives the turn to another one. What
        no tab asks is of a tab without a name.
        """
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(tab, deque()).append(turn)
        self._hand_on()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.cancelled():
                self._leave(tab, turn)
            else:  # its turn had come in the same moment
                self.end(tab)
            raise

    def end(self, tab: str) -> None:
        """A question of this tab has had its turn."""
        self._at_work[tab] -= 1
        if not self._at_work[tab]:
            del self._at_work[tab]
        self.free += 1
        self._hand_on()
        if tab not in self._at_work and tab not in self._waiting:
            self._served.pop(tab, None)

    def sentence(self, tab: str) -> str:
        """What the questions of this tab wait for; empty if none waits, or if it is for others of
        the same tab.
        """
        others = {*self._at_work, *self._waiting} - {tab, ""}
        if tab not in self._waiting or not others:
            return ""
        sharing = count_noun(len(others), "other tab")
        return f"This tab waits for its turn: it shares the solvers with {sharing}."

    def _hand_on(self) -> None:
        """Let the tab begin that has the fewest questions at work; of several, the one that was
        served longest ago.
        """
        while self.free and self._waiting:
            tab = min(
                self._waiting, key=lambda tab: (self._at_work[tab], self._served.get(tab, -1))
            )
            turn = self._waiting[tab].popleft()
            if not self._waiting[tab]:
                del self._waiting[tab]
            if not turn.cancelled():
                self.free -= 1
                self._at_work[tab] += 1
                self._served[tab] = next(self._numbers)
                turn.set_result(None)

    def _leave(self, tab: str, turn: asyncio.Future[None]) -> None:
        """A question of this tab is dropped; it may have been passed over already."""
        questions = self._waiting.get(tab, deque())
        if turn in questions:
            questions.remove(turn)
        if not questions:
            self._waiting.pop(tab, None)
