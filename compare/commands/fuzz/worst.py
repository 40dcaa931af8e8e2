"""How far a contender's solution of a board is from the best one: what the search for the worst
board measures; and a smaller board on which it is as far.

Only boards count whose optimum is PROVED: by somebody's certificate, or by the check itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import time

import puzzles
from compare.commands.fuzz.batch import Batch, Observed
from compare.commands.fuzz.small_boards import SHARE
from compare.commands.fuzz.trial import observe
from compare.engine.campaign.optimum import Optimum, relative_gap, solution_value
from compare.engine.isolate.outcome import Status
from compare.engine.search.reducer import Reducer, from_place
from compare.engine.work.contenders import Contender
from compare.engine.work.pool import Pool
from compare.engine.work.result import Result
from puzzles.instance import Instance
from puzzles.shell.time_limits import Deadline
from puzzles.space import space_of

_TOGETHER, _MAX_TINY = 64, 2000
"""Smaller boards that are tried at once at most, and of the smallest ones of all."""


@dataclass(frozen=True)
class WorstBoard:
    """How far a solution is from the best one.

    Attributes:
        value: what the contender's solution is worth.
        best: the optimum, which is PROVED.
        results: of all contenders that answered.
    """

    board: Instance
    value: int
    best: int
    results: tuple[Result, ...]

    @property
    def status(self) -> Status:
        return Status.OK

    @property
    def score(self) -> float:
        """The gap, relative to the optimum."""
        return relative_gap(self.value, self.best)


def worse(
    pool: Pool,
    batch: Batch,
    contender: Contender,
    boards: Sequence[Instance],
    beaten: float | None,
    until: float,
) -> WorstBoard | None:
    """The board of these with the largest gap; None if it is no larger than `beaten`."""
    measured = [each for each in gaps(pool, batch, contender, boards, until) if each is not None]
    worst = max(measured, key=lambda each: each.score, default=None)
    return worst if worst is not None and (beaten is None or worst.score > beaten) else None


def gaps(
    pool: Pool, batch: Batch, contender: Contender, boards: Sequence[Instance], until: float
) -> list[WorstBoard | None]:
    """The gap on each of some boards; None where no optimum is PROVED, or the contender has no
    solution.
    """
    thorough = replace(batch, thorough=True, keep_going=True)
    deadline = Deadline(max(0.0, until - time()))
    observed = observe(pool, thorough, boards, deadline)
    pairs = zip(boards, observed, strict=True)
    return [_gap(board, each, contender.name) for board, each in pairs]


def _gap(board: Instance, observed: Observed, name: str) -> WorstBoard | None:
    known = Optimum.of(observed.answers)
    own = next((each for each in observed.answers if each.contender == name), None)
    value = None if own is None else solution_value(own)
    if known is None or known.solution is None or not known.is_proved or value is None:
        return None
    return WorstBoard(board, value, known.solution.value, tuple(observed.answers))


def smallest_worst(
    pool: Pool, batch: Batch, contender: Contender, worst: WorstBoard, seconds: float
) -> WorstBoard:
    """The smallest board that is found in so many seconds with a gap at least as large.

    The small boards come first, for a share of the time: going down step by step from a large one
    may take all of it, and may end where no step leads further.
    """
    end, space = time() + seconds, space_of(puzzles.get(batch.puzzle))
    until = time() + SHARE * seconds
    measured = {worst.board.digest: worst}

    def first_failing(boards: Sequence[Instance]) -> tuple[int, Instance] | None:
        for k, each in enumerate(gaps(pool, batch, contender, boards, end)):
            if each is not None and each.score >= worst.score:
                measured[each.board.digest] = each
                return k, each.board
        return None

    reducer = Reducer(
        worst.board,
        first_failing,
        over=lambda: time() >= until,
        key=lambda board: board.digest,
        at_first=8,
        most_at_once=_TOGETHER,
    )
    reducer.take(space.small(worst.board, _MAX_TINY))
    until, going = end, True
    while going:
        reducer.descend(from_place(space.smaller))
        board = reducer.smallest
        going = reducer.take(space.small(board, _MAX_TINY)) or reducer.take(
            space.tiny(board, _MAX_TINY).instances
        )
    return measured[reducer.smallest.digest]
