"""Shrinking a fault: the board that shows it alone, or else the call that solves several boards.

A call is shrunk to fewer boards, and each of them to a smaller one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import puzzles
from compare.commands.fuzz.batch import Batch, BatchKind, FailingBoard, Observed
from compare.commands.fuzz.shrinking import (
    ABOUT_ANSWERS,
    MAX_TRIES,
    RUNS,
    BestSoFar,
    Chance,
    Shrunk,
    chance_of,
    shows_alone,
    shrink,
)
from compare.commands.fuzz.small_boards import is_small, small_board
from compare.commands.fuzz.trial import all_boards_of, conflicting, observe, of_fault, try_boards
from compare.engine.isolate.outcome import Status
from compare.engine.search.reducer import Reducer
from compare.engine.work.pool import Pool
from compare.engine.work.result import (
    REFUTED,
    Fault,
    same_claims,
)
from puzzles.instance import Instance
from puzzles.shell.time_limits import Deadline
from puzzles.space import space_of

MAX_SMALLER = 300
"""Runs with a smaller board in place of one of the call, after which shrinking ends."""

BESIDE = (1, 4, 16, 64, 256)
"""How many boards of the stream on either side of a failing one are tried together with it."""


def shrink_call(pool: Pool, batch: Batch, fault: Fault, best: BestSoFar | None = None) -> Shrunk:
    """Leave out boards of the call, halves first, then make the others smaller, while the fault
    shows and the time is not over.

    Args:
        fault: has the boards of the call.
        best: keeps the boards of each smaller call.
    """
    search = _Calls(pool, batch, fault, best)
    chance = search.chance()
    if chance is not None:
        return replace(search.reached(fault), cut_short=False, chance=chance)
    if (
        len(search.batch.contenders) > 1
    ):  # they were stopped together: perhaps it is the fault of one of them
        for contender in search.batch.contenders:
            alone = _Calls(pool, batch, replace(fault, names=(contender.name,)), best)
            if alone.show(fault.together) is not None:
                search, fault = alone, alone.fault
                break
    reached = search.reached(search.smallest_of(fault))
    return replace(reached, cut_short=search.deadline.over)


def company_fault(
    pool: Pool, batch: Batch, stream: Sequence[Instance], place: int, fault: Fault
) -> Fault | None:
    """The fault of a board that passes alone, as the fault of a call that solves it together with
    boards beside it.

    It names the contender whose answers are others in company than alone. None if no contender's
    are.

    Args:
        stream: the boards among which it failed.
        place: the index of the board that failed.
    """
    named = of_fault(batch, fault).contenders
    searches = [_Calls(pool, batch, replace(fault, names=(each.name,))) for each in named]
    for count in BESIDE:
        boards = stream[max(0, place - count) : place + count + 1]
        for search in searches:
            shown = None if search.deadline.over else search.show(boards)
            if shown is not None:
                return shown
        if len(boards) == len(stream):
            break
    return None


class _Calls:
    """Calls of several boards by the contenders of one fault.

    A fault about answers shows if an answer in company is another one than alone, or is found wrong
    and the one alone is not. Then all answers are certified and checked.
    """

    def __init__(
        self, pool: Pool, batch: Batch, fault: Fault, best: BestSoFar | None = None
    ) -> None:
        self.pool, self.fault, self.tries, self.best = pool, fault, 0, best
        self.deadline = Deadline(batch.seconds)
        self.about_answers = fault.kind in ABOUT_ANSWERS
        self.batch = replace(of_fault(batch, fault), seconds=None)
        if self.about_answers:
            self.batch = replace(self.batch, thorough=True, together=True)
        self.foreign = len(self.batch.built_in) < len(self.batch.contenders)
        self.alone: dict[str, Observed] = {}

    def smallest_of(self, fault: Fault) -> Fault:
        """The fault with as few boards as leaving out finds, then with smaller boards in place of
        these.
        """
        most = MAX_TRIES
        reducer = Reducer(
            fault,
            lambda calls: None if (shown := self.show(calls[0].together)) is None else (0, shown),
            over=lambda: self.tries >= most or self.deadline.over,
            key=lambda call: tuple(board.digest for board in call.together),
        )
        size = len(fault.together) // 2
        while size:
            if not reducer.take(_with_fewer(reducer.smallest, size)):
                size //= 2
            size = min(size, len(reducer.smallest.together) // 2)
        most = self.tries + MAX_SMALLER
        place = passed = 0
        while passed < len(reducer.smallest.together):
            if reducer.take(
                self.with_smaller(reducer.smallest, place % len(reducer.smallest.together))
            ):
                passed = 0
            else:
                place, passed = place + 1, passed + 1
        return reducer.smallest

    def chance(self) -> Chance | None:
        """How often the call fails, the first time included, if not each time; None if it does, or
        if one cannot know.
        """
        if self.fault.kind in (Status.TIMEOUT, Status.MEMORY) or self.batch.built_in:
            return None
        times = sum(self.show(self.fault.together) is not None for _ in range(RUNS))
        if times == RUNS or self.deadline.over:
            return None
        return Chance(times + 1, RUNS + 1, self.fault.names[0])

    def with_smaller(self, call: Fault, place: int) -> Iterator[Fault]:
        """A smaller board in place of the one at an index."""
        boards = call.together
        for board in space_of(puzzles.get(self.batch.puzzle)).smaller(boards[place]):
            yield replace(call, together=(*boards[:place], board, *boards[place + 1 :]))

    def show(self, boards: Sequence[Instance]) -> Fault | None:
        """The fault as these boards show it, or as some of them do."""
        self.tries += 1
        if self.about_answers:
            fault = self.otherwise_than_alone(boards)
        else:
            failing = try_boards(
                self.pool, replace(self.batch, seconds=self.deadline.seconds_left), boards
            )
            fault = next(
                (each for one in failing for each in one.faults if self.fault.same(each)), None
            )
        if fault is not None and self.best is not None:
            self.best.reach(self.reached(fault))
        return fault

    def reached(self, fault: Fault) -> Shrunk:
        """The fault with the boards of the smallest call so far."""
        return Shrunk(FailingBoard(fault.together[0], (fault,)), self.fault, self.tries, True)

    def otherwise_than_alone(self, boards: Sequence[Instance]) -> Fault | None:
        for k, each in enumerate(self.observe(boards)):
            suspect = each.faults or (
                self.foreign and not each.untried
            )  # a built-in answer is set against its certified one
            what = _difference(each, self.observe_alone(boards[k])) if suspect else ""
            noun = puzzles.get(self.batch.puzzle).noun
            if what and len(boards) == 1:
                what = f"it does not always say the same of one {noun}: {what}"
            if what:
                return replace(
                    self.fault,
                    kind=self.kind_of(each, boards[k]),
                    detail=f"{noun} {k + 1}: {what}",
                    together=tuple(boards),
                )
        return None

    def kind_of(self, company: Observed, board: Instance) -> str:
        """Of two answers of one contender to one board that cannot both be right, one is wrong,
        whoever else answers what.
        """
        answers = [
            each
            for each in (company.claiming_answer, self.observe_alone(board).claiming_answer)
            if each is not None
        ]
        return REFUTED if conflicting(answers) else self.fault.kind

    def observe_alone(self, board: Instance) -> Observed:
        if board.digest not in self.alone:
            (self.alone[board.digest],) = self.observe([board])
        return self.alone[board.digest]

    def observe(self, boards: Sequence[Instance]) -> list[Observed]:
        return observe(self.pool, self.batch, boards, Deadline(self.deadline.seconds_left))


def _with_fewer(call: Fault, size: int) -> Iterator[Fault]:
    """Calls without so many boards in a row."""
    boards = call.together
    for start in range(0, len(boards), size):
        yield replace(call, together=boards[:start] + boards[start + size :])


def _difference(company: Observed, alone: Observed) -> str:
    """What is wrong with an answer in company and not with the one alone; empty for nothing."""
    if alone.untried:
        return ""
    there, here = (
        None if each is None else each.claims
        for each in (company.claiming_answer, alone.claiming_answer)
    )
    if not same_claims(there, here):
        return "it answers otherwise than alone"
    return next(
        (
            fault.detail
            for fault in company.faults
            if not any(fault.same(other) for other in alone.faults)
        ),
        "",
    )


def shrink_fault(
    pool: Pool, batch: Batch, board: Instance, fault: Fault, best: BestSoFar | None = None
) -> Shrunk:
    """Shrink the board if it fails alone; else the call that made it fail, with other boards of its
    batch.

    If a small board shows the fault of one that is not small, it is shrunk in its place.

    Args:
        batch: where the fault showed; its boards are generated anew if they are needed.
        best: keeps the smallest board while this goes on.
    """
    if fault.together:
        return shrink_call(pool, batch, fault, best)
    deadline = Deadline(batch.seconds)

    def rest(batch: Batch) -> Batch:
        return replace(batch, seconds=deadline.seconds_left)

    small = None if is_small(board) else small_board(pool, rest(batch), board, fault)
    if small is not None:
        best = best or BestSoFar(Shrunk(FailingBoard(board, (fault,)), fault, 0, cut_short=True))
        best.reach(
            replace(
                best.shrunk,
                smallest=FailingBoard(small.board, (small.fault,)),
                fault=small.fault,
                tries=small.runs,
                by_way_of=small.board,
            )
        )
        if batch.kind is BatchKind.LARGE:
            batch = replace(batch, kind=BatchKind.ORDINARY)
        shrunk = shrink(pool, rest(batch), small.board, small.fault, best, alone_s=small.alone_s)
        return replace(shrunk, tries=small.runs + shrunk.tries, by_way_of=small.board)
    alone_s = shows_alone(pool, batch, board, fault) if fault.kind in ABOUT_ANSWERS else 0.0
    if alone_s is None:
        once = Shrunk(FailingBoard(board, (fault,)), fault, 0)
        chance = chance_of(pool, rest(batch), once)
        if chance is not None:
            return replace(once, tries=chance.runs, chance=chance)
        stream = all_boards_of(pool, batch)
        if board in stream:
            place = stream.index(board)
            in_company = company_fault(pool, rest(batch), stream, place, fault)
            if in_company is not None:
                return shrink_call(pool, rest(batch), in_company, best)
    return shrink(pool, rest(batch), board, fault, best, alone_s=alone_s or 0.0)
