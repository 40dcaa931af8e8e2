"""Shrinking a failing board while the same fault persists; all of it happens inside a worker."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from math import inf
from time import monotonic

import puzzles
from compare.fuzz.batch import Batch, Deadline, FailingBoard
from compare.fuzz.best_so_far import BestSoFar
from compare.fuzz.trials.observed import CONFLICT, REFUSED, REFUTED, UNPROVED, Fault
from compare.fuzz.trials.promises import LACKING
from compare.fuzz.trials.trial import try_boards
from compare.isolate.outcome import Status
from compare.work.contenders import ProgramContender
from puzzles.instance import Instance
from puzzles.space import space_of

MOST_TRIES = 2000
"""Runs, each of one board or of many, after which shrinking ends."""

ABOUT_ANSWERS = (CONFLICT, REFUTED, UNPROVED, REFUSED, LACKING)
"""Kinds of faults that do not spoil the answers to other boards of the same run, and cost no time limit."""

FIRST_TOGETHER, MOST_TOGETHER = 8, 256
"""Boards in one run: at first, and after many runs in which none failed."""

RUN_S = 2.0
"""Seconds that the boards of a run should take, beside the start. A slow program gets few at once, so its runs end in time."""

MOST_TINY, MOST_TINY_ALONE, MOST_RANDOM = 5000, 100, 4096
"""At the end, this many tiny boards are tried (fewer if each needs a run of its own), then random changes of the smallest."""


@dataclass(frozen=True)
class Shrunk:
    """The smallest board on which the fault persists, and how many runs it took to find it.

    Attributes:
        cut_short: whether it was interrupted, or the time was over, before nothing smaller was left to try.
    """

    smallest: FailingBoard
    fault: Fault
    tries: int
    cut_short: bool = False

    @property
    def smallest_fault(self) -> Fault:
        """The fault as the smallest board shows it, with its own details."""
        return next((each for each in self.smallest.faults if each.same(self.fault)), self.fault)


def shrink(batch: Batch, board: Instance, fault: Fault, best: BestSoFar | None = None, *, alone_s: float = 0.0) -> Shrunk:
    """Go to a smaller board on which the same fault (same kind, same contenders) shows, until there is none or the time is over.

    At the end every board with fewer cells is tried, if those are few; else random boards with a line less. If the smallest board
    fails only among the others of its run, the search begins anew with one board a run. `best` keeps each smaller board.
    `alone_s`: seconds that a run of one board took, if that is known.
    """
    search = _Shrinking(batch, board, fault, best)
    search.most_together = FIRST_TOGETHER if alone_s <= RUN_S else 1
    search.go_down()
    last = search.tried_alone(batch)
    if last is None and not search.one_by_one and not search.late:
        search.begin_anew(board)
        search.go_down()
        last = search.tried_alone(batch)
    return Shrunk(last or FailingBoard(search.smallest, (fault,)), fault, search.tries, cut_short=search.late)


def shows_alone(batch: Batch, board: Instance, fault: Fault) -> float | None:
    """The seconds of a run in which the same fault shows and nobody gets another board; None if it does not show."""
    search = _Shrinking(batch, board, fault)
    return search.quickest_s if search.failing([board]) else None


class _Shrinking:
    """The state of one shrinking.

    Only the contenders of the fault are run, on more and more boards at once until one board fails. Boards are tried one by one
    if each costs a start, or if a fault spoils the answers to the others.

    Attributes:
        quickest_s: seconds of the quickest run: what a run costs, however few boards it has.
        most_together: boards in the next run, at most.
    """

    def __init__(self, batch: Batch, board: Instance, fault: Fault, best: BestSoFar | None = None) -> None:
        self.puzzle = puzzles.get(batch.puzzle)
        self.space = space_of(self.puzzle)
        thorough = fault.kind in (REFUTED, UNPROVED) or bool(fault.detail)
        contenders = tuple(each for each in batch.contenders if each.name in fault.names)
        self.batch = replace(batch, contenders=contenders, thorough=thorough, seconds=None)
        self.deadline = Deadline(batch.seconds)
        self.fault = fault
        one_a_start = not self.puzzle.many_instances and any(isinstance(each, ProgramContender) for each in contenders)
        self.one_by_one = one_a_start or fault.kind not in ABOUT_ANSWERS
        self.smallest, self.tries, self.best = board, 0, best
        self.passed: set[str] = set()
        self.quickest_s = inf
        self.most_together = FIRST_TOGETHER

    @property
    def late(self) -> bool:
        """Whether no time is left for one more run; a run of a contender that hangs takes its whole limit."""
        hangs = self.fault.kind == Status.TIMEOUT
        return self.deadline.within(self.batch.limits) != self.batch.limits if hangs else self.deadline.over

    def begin_anew(self, board: Instance) -> None:
        """Go back to this board, and try one board a run from now on."""
        self.smallest, self.one_by_one = board, True
        self.passed.clear()
        if self.best is not None:
            self.best.keep([board], self.tries)

    def go_down(self) -> None:
        """All steps, in their order."""
        self.cut_down()
        self.try_parts()
        self.descend()
        while not self.try_tiny() and self.try_random():
            self.descend()

    def tried_alone(self, batch: Batch) -> FailingBoard | None:
        """What all contenders show of the smallest board; None if the fault does not show, or no time is left."""
        if self.late:
            return None
        whole = replace(batch, thorough=self.batch.thorough, seconds=self.deadline.left)
        failing = try_boards(whole, [self.smallest])
        return next((each for each in failing if any(self.fault.same(other) for other in each.faults)), None)

    def cut_down(self) -> None:
        """While the instance is large, take the big steps."""
        while self.first_failing(enumerate(self.space.cut_down(self.smallest))) is not None:
            pass

    def try_parts(self) -> None:
        """Go straight to a tiny part of the instance, if one fails by itself."""
        if not self.one_by_one:
            self.first_failing(enumerate(self.space.tiny_parts(self.smallest)))

    def descend(self) -> None:
        """Go down step by step. After a success go on at the same place, since the steps before it have just been tried."""
        at: int | None = 0
        while at is not None:
            steps = enumerate(self.space.smaller(self.smallest))
            before = islice(enumerate(self.space.smaller(self.smallest)), at)
            at = self.first_failing(chain(islice(steps, at, None), before))

    def try_tiny(self) -> bool:
        """Try the smallest instances of all; whether nothing is left to do, since all smaller ones pass or a run costs too much."""
        if self.fault.kind in (Status.TIMEOUT, Status.MEMORY):
            return True
        tiny = self.space.tiny(self.smallest, MOST_TINY_ALONE if self.one_by_one else MOST_TINY)
        return self.first_failing(enumerate(tiny.instances)) is not None or tiny.complete

    def try_random(self) -> bool:
        """Try random changes that make the instance smaller; whether one fails."""
        if self.one_by_one:
            return False
        changed = self.space.changed(self.smallest, MOST_RANDOM, random.Random(self.smallest.digest))
        return self.first_failing(enumerate(changed)) is not None

    def first_failing(self, candidates: Iterator[tuple[int, Instance]]) -> int | None:
        """The number of the first candidate that fails, which becomes the smallest; None if all pass."""
        new = ((number, board) for number, board in candidates if board.digest not in self.passed)
        size = FIRST_TOGETHER
        while self.tries < MOST_TRIES and not self.late:
            run = list(islice(new, 1 if self.one_by_one else min(size, self.most_together)))
            if not run:
                break
            self.tries += 1
            failing = self.failing([board for _, board in run])
            for number, board in run:
                if board in failing:
                    self.smallest = board
                    if self.best is not None:
                        self.best.keep([board], self.tries)
                    return number
                self.passed.add(board.digest)
            size = 2 * len(run)
        return None

    def failing(self, boards: Sequence[Instance]) -> set[Instance]:
        """The boards on which the same fault shows."""
        started = monotonic()
        failing = try_boards(replace(self.batch, seconds=self.deadline.left), boards)
        seconds = monotonic() - started
        self.quickest_s = min(self.quickest_s, seconds)
        if seconds - self.quickest_s > RUN_S:
            self.most_together = max(1, len(boards) // 2)
        else:
            self.most_together = max(self.most_together, min(2 * len(boards), MOST_TOGETHER))
        return {each.board for each in failing if any(self.fault.same(other) for other in each.faults)}
