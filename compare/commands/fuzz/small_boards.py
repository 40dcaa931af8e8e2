"""Small boards, then larger ones, in place of a large one that fails.

Whoever fails on a large board mostly fails on a small one in the same way, and that one is shrunk
in a few runs. The large one takes many, which a contender that takes a fraction of a second for
each has no time for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from time import monotonic

import puzzles
from compare.commands.fuzz.batch import BLOCK, Batch, BatchKind
from compare.commands.fuzz.streams import MAX_SMALL_SIZE
from compare.commands.fuzz.trial import NO_WRONG_ANSWER, all_boards_of, of_fault, try_boards
from compare.engine.isolate.outcome import Status
from compare.engine.work.pool import Pool
from compare.engine.work.result import REFUTED, Fault
from puzzles.instance import Instance
from puzzles.shell.time_limits import Deadline
from puzzles.space import space_of
from puzzles.text import UserError

SMALL_SIZE = 25
"""The largest size of a board that is shrunk without a look at small ones: 5 x 5 cells."""

SHARE = 1 / 3
"""The share of the time of shrinking that small boards may take."""

FIRST_ROUND, LAST_ROUND = 16, 256
"""Boards in the first round, and at most: each round has twice as many as the one before."""

_MAX_TINY, _MAX_TINY_ALONE, _MAX_ALONE = 1000, 100, 240
"""Of all tiny boards about so many are tried, fewer if each takes a run; and so many ordinary ones
that take a run each."""


@dataclass(frozen=True)
class SmallBoard:
    """A board that shows a fault when it is tried alone.

    Attributes:
        runs: how many runs it took to find it.
        alone_s: the seconds of a run of this board.
    """

    board: Instance
    fault: Fault
    runs: int
    alone_s: float


def is_small(board: Instance) -> bool:
    """Whether no smaller boards are looked for before this one is shrunk."""
    return board.size <= SMALL_SIZE


def small_board(pool: Pool, batch: Batch, board: Instance, fault: Fault) -> SmallBoard | None:
    """A smaller board that shows the same fault, or a wrong answer in place of a fault that says
    less; None if there is none, or none is found within a share of the batch's seconds.

    Of a program that takes one board a start, and of a fault that stops it, each run has one board.
    """
    deadline = Deadline(None if batch.seconds is None else SHARE * batch.seconds)
    checked = fault.kind == REFUTED or fault.kind in NO_WRONG_ANSWER or bool(fault.detail)
    of_the_fault = replace(of_fault(batch, fault), thorough=checked)
    alone = fault.kind in (Status.TIMEOUT, Status.MEMORY) or of_the_fault.one_a_start
    runs = 0

    def who_shows(boards: Sequence[Instance]) -> list[tuple[Instance, Fault]]:
        """Who shows the fault, the worst and smallest first."""
        nonlocal runs
        runs += 1
        failing = try_boards(pool, replace(of_the_fault, seconds=deadline.seconds_left), boards)
        pairs = [(each.board, other) for each in failing for other in each.faults]
        return sorted(
            ((each, other) for each, other in pairs if _is_like(other, fault)),
            key=lambda pair: (pair[1].kind in NO_WRONG_ANSWER, pair[0].size),
        )

    for boards in _runs(pool, of_the_fault, board, deadline, alone=alone):
        if deadline.over:
            return None
        for each, other in who_shows(boards):
            if other.together:
                continue
            began = monotonic()
            if len(boards) == 1 or any(other.same(again) for _, again in who_shows([each])):
                return SmallBoard(each, other, runs, monotonic() - began)
    return None


def _is_like(other: Fault, fault: Fault) -> bool:
    """Whether it is the same, or a wrong answer in place of a fault that says less."""
    return fault.same(other) or (fault.kind in NO_WRONG_ANSWER and other.kind == REFUTED)


def _runs(
    pool: Pool, batch: Batch, board: Instance, deadline: Deadline, *, alone: bool
) -> Iterator[list[Instance]]:
    """The boards of each run: edge cases and ordinary boards, in rounds, each with its smallest
    first; then the tiny ones; then larger ordinary ones, of twice the size again and again. All are
    smaller than this one. The smallest of all comes before them if it has a run of its own: a
    contender that always hangs needs no other one.
    """
    space, most = space_of(puzzles.get(batch.puzzle)), _MAX_TINY_ALONE if alone else _MAX_TINY
    tried = {board.digest}

    def new(boards: Iterable[Instance]) -> Iterator[Instance]:
        for each in boards:
            if each.digest not in tried and each.size < board.size:
                tried.add(each.digest)
                if all(contender.does_not_take(each) is None for contender in batch.contenders):
                    yield each

    def rounds(boards: Iterable[Instance], left: int) -> Iterator[list[Instance]]:
        size, unused = FIRST_ROUND, new(boards)
        while some := list(islice(unused, min(size, left))):
            some.sort(key=lambda each: each.size)
            yield from ([each] for each in some) if alone else [some]
            size, left = min(2 * size, LAST_ROUND), left - len(some)

    if alone:
        yield from ([each] for each in islice(new(space.tiny(board, most).instances), 1))
    size, many = min(batch.size, MAX_SMALL_SIZE), _MAX_ALONE if alone else BLOCK
    yield from rounds(_ordinary(pool, batch, board, deadline, size), many)
    tiny = new(space.tiny(board, most).instances)
    while some := list(islice(tiny, 1 if alone else LAST_ROUND)):
        yield some
    while (size := 2 * size) ** 2 < board.size:
        yield from rounds(_ordinary(pool, batch, board, deadline, size), many)


def _ordinary(
    pool: Pool, batch: Batch, board: Instance, deadline: Deadline, size: int
) -> Sequence[Instance]:
    """The first boards of a stream of this size; none if they cannot be drawn in time."""
    stream = replace(
        batch,
        kind=BatchKind.ORDINARY,
        # boards that the contest's format cannot say come in odd blocks
        index=0 if board.in_contest_format else 1,
        count=BLOCK,
        blocks=1,
        start=0,
        stop=None,
        size=size,
        generator=(),
        seconds=deadline.seconds_left,
    )
    with suppress(UserError, RuntimeError):  # a family that does not work is another fault
        if puzzles.get(batch.puzzle).families:
            return all_boards_of(pool, stream)
    return []
