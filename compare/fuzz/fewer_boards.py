"""Shrinking a fault that shows only if one call solves several boards: to fewer boards, and each of them to a smaller one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import puzzles
from compare.campaign.relation import same_claims
from compare.fuzz.batch import BLOCK, Batch, BatchKind, Deadline, FailingBoard, boards_of
from compare.fuzz.shrinking import ABOUT_ANSWERS, MOST_TRIES, BestSoFar, Shrunk, shows_alone, shrink
from compare.fuzz.trials.observed import Fault, Observed
from compare.fuzz.trials.trial import NO_WRONG_ANSWER, observe, try_boards
from compare.isolate.outcome import Status
from compare.work.contenders import Contender, ProgramContender
from puzzles.answer import Claims
from puzzles.instance import Instance
from puzzles.space import space_of

MOST_SMALLER = 300
"""Runs with a smaller board in place of one of the call, after which shrinking ends."""

BESIDE = (1, 4, 16, 64, 256)
"""How many boards of the stream on either side of a failing one are tried together with it."""


def shrink_call(batch: Batch, fault: Fault, best: BestSoFar | None = None) -> Shrunk:
    """Leave out boards of the call, halves first, then make the others smaller, while the fault shows and the time is not over.

    Args:
        fault: has the boards of the call.
        best: keeps the boards of each smaller call.
    """
    contenders = [each for each in batch.contenders if each.name in fault.names]
    search = _Calls(batch, contenders, fault, best)
    if len(contenders) > 1:  # they were stopped together: perhaps it is the fault of one of them
        for contender in contenders:
            alone = _Calls(batch, [contender], replace(fault, names=(contender.name,)), best)
            if alone.shown(fault.together) is not None:
                search, fault = alone, alone.fault
                break
    smallest = search.smaller_boards(search.fewer_boards(fault))
    return Shrunk(FailingBoard(smallest.together[0], (smallest,)), fault, search.tries, cut_short=search.deadline.over)


def company_fault(batch: Batch, stream: Sequence[Instance], place: int, fault: Fault) -> Fault | None:
    """The fault of a board that passes alone, as the fault of a call that solves it together with boards beside it.

    It names the contender whose answers are others in company than alone. None if no contender's are.

    Args:
        stream: the boards among which it failed.
        place: the index of the board that failed.
    """
    named = [each for each in batch.contenders if each.name in fault.names]
    searches = [_Calls(batch, [each], replace(fault, names=(each.name,))) for each in named]
    for count in BESIDE:
        boards = stream[max(0, place - count) : place + count + 1]
        for search in searches:
            shown = None if search.deadline.over else search.shown(boards)
            if shown is not None:
                return shown
        if len(boards) == len(stream):
            break
    return None


class _Calls:
    """Calls of several boards by the contenders of one fault.

    A fault about answers shows if an answer in company is another one than alone, or is found wrong and the one alone is not. Then
    all answers are certified and checked.
    """

    def __init__(self, batch: Batch, contenders: Sequence[Contender], fault: Fault, best: BestSoFar | None = None) -> None:
        self.fault, self.tries, self.best = fault, 0, best
        self.deadline = Deadline(batch.seconds)
        self.about_answers = fault.kind in ABOUT_ANSWERS
        kind = BatchKind.ORDINARY if batch.kind is BatchKind.LARGE else batch.kind  # several boards in a start
        self.batch = replace(batch, contenders=tuple(contenders), seconds=None, kind=kind)
        if self.about_answers:
            self.batch = replace(self.batch, thorough=True, together=True)
        self.program = any(isinstance(each, ProgramContender) for each in contenders)
        self.alone: dict[str, Observed] = {}

    def fewer_boards(self, smallest: Fault) -> Fault:
        """The fault with as few boards as leaving out finds."""
        size = len(smallest.together) // 2
        while size and not self.over(MOST_TRIES):
            for start in range(0, len(smallest.together), size):
                boards = smallest.together[:start] + smallest.together[start + size :]
                fewer = None if self.over(MOST_TRIES) else self.shown(boards)
                if fewer is not None:
                    smallest = fewer
                    size = min(size, len(smallest.together) // 2)
                    break
            else:
                size //= 2
        return smallest

    def smaller_boards(self, smallest: Fault) -> Fault:
        """The fault with smaller boards in place of the boards of the call, as long as there are any."""
        most = self.tries + MOST_SMALLER
        at = passed = 0
        while passed < len(smallest.together) and not self.over(most):
            smaller = self.first_shown(smallest.together, at % len(smallest.together), most)
            if smaller is None:
                at, passed = at + 1, passed + 1
            else:
                smallest, passed = smaller, 0
        return smallest

    def first_shown(self, boards: tuple[Instance, ...], at: int, most: int) -> Fault | None:
        """The fault with the first smaller board in place of the board at an index."""
        for board in space_of(puzzles.get(self.batch.puzzle)).smaller(boards[at]):
            if self.over(most):
                return None
            shown = self.shown([*boards[:at], board, *boards[at + 1 :]])
            if shown is not None:
                return shown
        return None

    def over(self, most: int) -> bool:
        return self.tries >= most or self.deadline.over

    def shown(self, boards: Sequence[Instance]) -> Fault | None:
        """The fault as these boards show it, or as some of them do."""
        self.tries += 1
        fault = self.otherwise_than_alone(boards) if self.about_answers else self.failed_call(boards)
        if fault is not None and self.best is not None:
            self.best.keep(fault.together, self.tries)
        return fault

    def failed_call(self, boards: Sequence[Instance]) -> Fault | None:
        failing = try_boards(replace(self.batch, seconds=self.deadline.left), boards)
        return next((fault for each in failing for fault in each.faults if self.fault.same(fault)), None)

    def otherwise_than_alone(self, boards: Sequence[Instance]) -> Fault | None:
        for k, each in enumerate(self.observe(boards)):
            suspect = each.faults or (self.program and not each.untried)  # a backend's answer is set against its certified one
            what = _difference(each, self.observe_alone(boards[k])) if suspect else ""
            noun = puzzles.get(self.batch.puzzle).noun
            if what and len(boards) == 1:
                what = f"it does not always say the same of one {noun}: {what}"
            if what:
                return replace(self.fault, detail=f"{noun} {k + 1}: {what}", together=tuple(boards))
        return None

    def observe_alone(self, board: Instance) -> Observed:
        if board.digest not in self.alone:
            (self.alone[board.digest],) = self.observe([board])
        return self.alone[board.digest]

    def observe(self, boards: Sequence[Instance]) -> list[Observed]:
        return observe(self.batch, boards, Deadline(self.deadline.left))


def _difference(company: Observed, alone: Observed) -> str:
    """What is wrong with an answer in company and not with the one alone; empty for nothing."""
    if alone.untried:
        return ""
    if not same_claims(_claims(company), _claims(alone)):
        return "it answers otherwise than alone"
    return next((fault.detail for fault in company.faults if not any(fault.same(other) for other in alone.faults)), "")


def _claims(observed: Observed) -> Claims | None:
    return next((each.stance.claims for each in observed.answers if each.stance is not None), None)


def shrink_fault(batch: Batch, board: Instance, fault: Fault, best: BestSoFar | None = None) -> Shrunk:
    """Shrink the board if it fails alone; else the call that made it fail, with other boards of its batch.

    If a small board shows the fault of a large one, it is shrunk in its place: that is far sooner done.

    Args:
        batch: where the fault showed; its boards are generated anew if they are needed.
        best: keeps the smallest board while this goes on.
    """
    deadline = Deadline(batch.seconds)
    if fault.together:
        return shrink_call(batch, fault, best)
    if batch.kind is BatchKind.LARGE and fault.kind not in (Status.TIMEOUT, Status.MEMORY):
        small = replace(batch, kind=BatchKind.ORDINARY, index=0, count=BLOCK, start=0, stop=None, seconds=deadline.left)
        on_small = _on_small_board(small, fault)
        if on_small is not None:
            board, fault = on_small
            if best is not None:
                best.keep([board], 1)
            return shrink_fault(replace(small, seconds=deadline.left), board, fault, best)
    alone_s = shows_alone(batch, board, fault) if fault.kind in ABOUT_ANSWERS else 0.0
    if alone_s is None:
        stream = boards_of(batch)
        left = replace(batch, seconds=deadline.left)
        in_company = company_fault(left, stream, stream.index(board), fault) if board in stream else None
        if in_company is not None:
            return shrink_call(replace(batch, seconds=deadline.left), in_company, best)
    return shrink(replace(batch, seconds=deadline.left), board, fault, best, alone_s=alone_s or 0.0)


def _on_small_board(small: Batch, fault: Fault) -> tuple[Instance, Fault] | None:
    """A board of a batch that shows a fault of these contenders; None if there is none.

    A wrong answer goes before anything else, then this very fault, then the smallest board.
    """
    contenders = tuple(each for each in small.contenders if each.name in fault.names)
    failing = try_boards(replace(small, contenders=contenders), boards_of(small))
    shown = [(each.board, other) for each in failing for other in each.faults]

    def rank(pair: tuple[Instance, Fault]) -> tuple[bool, bool, int]:
        board, other = pair
        return other.kind in NO_WRONG_ANSWER, not fault.same(other), board.size

    return min(shown, key=rank, default=None)
