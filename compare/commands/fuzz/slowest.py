"""How long a board takes one contender, set against the others: what the search for the slowest
board measures.

It starts from the large boards that fuzzing tries first. Every board is a run of its own, timed as
in a comparison. A board counts as slower only if a second run agrees, or if no time is left for
one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import time

from compare.commands.fuzz.batch import Batch
from compare.engine.isolate.outcome import Status
from compare.engine.work.ask import Ask, DatasetCase
from compare.engine.work.asking import carry_out
from compare.engine.work.contenders import Contender
from compare.engine.work.pool import Pool
from compare.engine.work.result import Result
from puzzles.instance import Instance

_TIMED = (Status.OK, Status.TIMEOUT, Status.MEMORY)

FLOOR_S = 0.01
"""Seconds below which a time says more about the machine than about the board."""


@dataclass(frozen=True)
class SlowBoard:
    """How long a board takes.

    Attributes:
        own: of the contender in question.
        others: of the other contenders that answered, the fastest first.
    """

    board: Instance
    own: Result
    others: tuple[Result, ...]

    @property
    def status(self) -> Status:
        """How the run of the contender ended."""
        return self.own.status

    @property
    def seconds(self) -> float:
        """What it took."""
        return self.own.usage.wall_s or 0.0

    @property
    def score(self) -> float:
        """How many times longer it takes than the fastest other one; without others, the
        seconds.
        """
        if not self.others:
            return self.seconds
        fastest = self.others[0].usage.wall_s or 0.0
        return max(self.seconds, FLOOR_S) / max(fastest, FLOOR_S)


def slower(
    pool: Pool,
    batch: Batch,
    contender: Contender,
    boards: Sequence[Instance],
    beaten: float | None,
    until: float,
) -> SlowBoard | None:
    """The times of all on the one board, if the contender is slower there than it was before, in
    two runs; else None.

    Args:
        beaten: the score of the slowest board so far; None if there is none.
        until: when no time is left for a second run, in seconds since the epoch.
    """
    (board,) = boards
    first = timed(pool, batch, contender, board)
    if first is None or (beaten is not None and first.score <= beaten):
        return None
    again = timed(pool, batch, contender, board) if time() < until else first
    least = first if again is None else min(first, again, key=lambda each: each.score)
    return least if again is not None and (beaten is None or least.score > beaten) else None


def timed(pool: Pool, batch: Batch, contender: Contender, board: Instance) -> SlowBoard | None:
    """The times of all contenders on a board, one after the other; None if the one in question
    cannot be timed.
    """
    results: dict[str, Result] = {}
    for each in sorted(batch.contenders, key=lambda each: each.name != contender.name):
        if each.does_not_take(board) is not None:
            continue
        ask = Ask(
            contender=each,
            cases=[DatasetCase(board)],
            format=batch.format,
            limits=batch.limits,
            check=False,
        )
        (results[each.name],) = carry_out(pool, ask)
        if each.name == contender.name and results[each.name].status not in _TIMED:
            return None
    own = results.pop(contender.name, None)
    if own is None:
        return None
    others = (each for each in results.values() if each.status is Status.OK)
    return SlowBoard(board, own, tuple(sorted(others, key=lambda each: each.usage.wall_s or 0.0)))
