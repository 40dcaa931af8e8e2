"""Which batch is tried next.

The first large boards come before all others, then one for each `LARGE_EVERY` boards of the main
kind. The other kinds get shares of the time. A batch has as many boards as take a good half second;
which boards a stream holds does not depend on that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf

from compare.commands.fuzz.batch import SHARES, Batch, BatchKind, BatchResult
from compare.commands.fuzz.streams import limited
from compare.engine.work.contenders import BackendContender, ProgramContender

FIRST, FIRST_OF_PROGRAMS = 8, 1
"""Boards in a first batch.

A program, or a generator, may take seconds to start, so the first of all batches has a single one
then.
"""

FASTER = 16
"""How many times as many boards a batch may have as the one before."""

BATCH_S, OTHER_BATCH_S = 0.5, 0.25
"""Seconds that a batch of the main kind should take, and one of another kind.

A sandbox costs some 20 ms, little beside that.
"""

_MAX_BOARDS = 4096
"""Boards in a batch, at most."""

FIRST_LARGE, LARGE_EVERY = 24, 1024
"""Large boards that come first; later ones follow, one for so many boards of the main kind."""

LARGE_AT_ONCE = 4
"""Large boards in a batch.

It is one where foreign code takes part, which may take its whole limit for each.
"""

LARGE_SHARE = 1 / 3
"""No large board begins once large boards have had this share of the seconds of the search."""


class _Stream:
    """The batches of one kind.

    Attributes:
        boards: how many boards the next batch should have.
        start_s: the seconds of the quickest batch: what a batch costs, however few boards it has,
            such as a program's start. Nothing with a generator, whose starts cost more than that.
        board_s: the seconds of the last batch for each of its boards.
        estimate_s: the seconds that the next batch should take.
        spent: the seconds that its batches took, those under way by their estimate.
    """

    def __init__(self, batch: Batch, target_s: float, boards: int) -> None:
        self.batch, self.target_s = batch, target_s
        self.position = 0
        self.spent = 0.0
        self.boards = boards
        self.start_s = 0.0 if batch.generator else inf
        self.board_s = 0.0
        self.estimate_s = target_s

    def next(self, most: int | None, seconds: float | None) -> Batch:
        """The next boards of the stream, `most` at most, and as many as `seconds` allow; a batch
        ends where a block ends, unless it holds whole blocks.
        """
        count = self.batch.count
        boards = self.boards
        if seconds is not None and self.estimate_s > seconds:  # no more than can be tried to an end
            boards = max(1, min(boards, int(self.boards * seconds / self.estimate_s)))
        if self.batch.kind is BatchKind.LARGE:
            is_ours = len(self.batch.built_in) == len(self.batch.contenders)
            boards = LARGE_AT_ONCE if is_ours else 1
        boards = boards if most is None else min(boards, most)
        index, start = divmod(self.position, count)
        blocks = 1
        if start == 0 and boards >= count:
            blocks = boards // count
            boards = blocks * count
        else:
            boards = min(boards, count - start)
        self.position += boards
        self.spent += self.estimate_s
        return replace(
            self.batch,
            index=index,
            blocks=blocks,
            start=start,
            stop=start + boards,
            seconds=seconds,
        )

    def took(self, batch: Batch, result: BatchResult) -> None:
        """Learn from what came of a batch how many boards the next one should have."""
        self.spent += result.seconds - self.estimate_s
        boards = (batch.stop or 0) - batch.start
        self.start_s = min(self.start_s, result.seconds)
        self.board_s = result.seconds / boards
        room = max(
            self.target_s - self.start_s, self.target_s / 2, self.start_s
        )  # a costly start pays only with much work
        affordable = int(boards * room / max(result.seconds - self.start_s, 1e-6))
        self.boards = max(1, min(affordable, FASTER * boards, _MAX_BOARDS))
        self.estimate_s = min(self.boards / boards * result.seconds, self.start_s + room)


class Schedule:
    """Chooses batches.

    Attributes:
        main: the kind whose boards are counted; the other kinds get their shares of the time beside
            it.
        first_large: large boards that come before all others.
    """

    def __init__(
        self,
        batches: Sequence[Batch],
        cases: int | None,
        seconds: float | None = None,
        first_large: int = FIRST_LARGE,
    ) -> None:
        """`batches`: one of each kind, the main one first; `cases`: boards of the main kind, None
        for any number.

        Args:
            seconds: those of the search; None for any number.
            first_large: large boards that come before all others.
        """
        self.main = batches[0].kind
        self._left = cases
        self._seconds = seconds
        self.first_large = first_large
        programs = bool(batches[0].generator) or any(
            isinstance(each, ProgramContender) for each in batches[0].contenders
        )
        self._streams = {
            self.main: _Stream(batches[0], BATCH_S, FIRST_OF_PROGRAMS if programs else FIRST)
        }
        self._streams |= {batch.kind: _Stream(batch, OTHER_BATCH_S, FIRST) for batch in batches[1:]}

    @property
    def spent(self) -> dict[BatchKind, float]:
        """The seconds that each kind of batch took so far."""
        return {kind: stream.spent for kind, stream in self._streams.items()}

    @property
    def large_first(self) -> bool:
        """Whether boards that come before all others are still to be handed out."""
        large = self._streams.get(BatchKind.LARGE)
        return (
            large is not None
            and self.main is not BatchKind.LARGE
            and large.position < self.first_large
        )

    def limit(self, name: str, size: int) -> None:
        """From now on the contender of this name gets only instances that are smaller than
        `size`.
        """
        for stream in self._streams.values():
            contenders = tuple(
                limited(each, size - 1)
                if each.name == name and isinstance(each, BackendContender)
                else each
                for each in stream.batch.contenders
            )
            stream.batch = replace(stream.batch, contenders=contenders)

    def _large_is_next(self, seconds: float | None) -> bool:
        """Whether a large board is due, and there is time for it."""
        large, main = self._streams.get(BatchKind.LARGE), self._streams[self.main]
        if large is None or large is main:
            return False
        if large.position >= self.first_large + main.position // LARGE_EVERY:
            return False
        if self._seconds is None or seconds is None:
            return True
        if main.position == 0:
            return self._seconds - seconds < LARGE_SHARE * self._seconds
        return large.spent < LARGE_SHARE * sum(self.spent.values())

    def next(self, seconds: float | None) -> Batch | None:
        """The next batch, which may take `seconds`; None if all boards of the main kind were handed
        out.
        """
        main = self._streams[self.main]
        if self._large_is_next(seconds):
            return self._streams[BatchKind.LARGE].next(None, seconds)
        for kind, stream in self._streams.items():
            if kind in (self.main, BatchKind.LARGE):
                continue
            if stream.spent == 0:  # no less than as many ordinary boards
                stream.estimate_s = max(OTHER_BATCH_S, stream.boards * main.board_s)
            if stream.spent + stream.estimate_s <= main.spent * SHARES[kind] / SHARES[self.main]:
                return stream.next(None, seconds)
        if self._left == 0:
            return None
        batch = main.next(self._left, seconds)
        if self._left is not None:
            assert batch.stop is not None
            self._left -= batch.stop - batch.start
        return batch

    def took(self, batch: Batch, result: BatchResult) -> None:
        """Note what came of a batch."""
        self._streams[batch.kind].took(batch, result)
