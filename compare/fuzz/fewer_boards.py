"""Shrinking a call that fails on several boards, although each of them passes by itself: to fewer boards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from compare.fuzz.batch import Batch, Deadline, FailingBoard
from compare.fuzz.observed import Fault
from compare.fuzz.shrinking import MOST_TRIES, Shrunk
from compare.fuzz.trial import try_boards
from puzzles.grid import Board


def shrink_call(batch: Batch, board: Board, fault: Fault) -> Shrunk:
    """Leave out boards of the call, halves first, while the same fault shows and the time is not over.

    Args:
        board: the first of the call.
        fault: has the boards of the call.
    """
    contenders = tuple(each for each in batch.contenders if each.name in fault.names)
    search, deadline = replace(batch, contenders=contenders), Deadline(batch.seconds)
    smallest, tries = fault, 0
    size = len(fault.together) // 2
    while size and tries < MOST_TRIES and not deadline.over:
        for start in range(0, len(smallest.together), size):
            if tries >= MOST_TRIES or deadline.over:
                break
            tries += 1
            boards = smallest.together[:start] + smallest.together[start + size :]
            fewer = _same_fault(replace(search, seconds=deadline.left), boards, fault)
            if fewer is not None:
                smallest = fewer
                size = min(size, len(smallest.together) // 2)
                break
        else:
            size //= 2
    return Shrunk(FailingBoard(smallest.together[0], (smallest,)), fault, tries)


def _same_fault(batch: Batch, boards: Sequence[Board], fault: Fault) -> Fault | None:
    """The same fault on these boards, or on some of them."""
    for failing in try_boards(batch, boards):
        for other in failing.faults:
            if fault.same(other):
                return other
    return None
