"""Shrinking a fault of a batch: first of all, is it the fault of one board, or of a call that solves several boards?"""

from __future__ import annotations

from dataclasses import replace

from compare.fuzz.batch import Batch, Deadline, boards_of
from compare.fuzz.best_so_far import BestSoFar
from compare.fuzz.fewer_boards import company_fault, shrink_call
from compare.fuzz.shrinking import ABOUT_ANSWERS, Shrunk, shows_alone, shrink
from compare.fuzz.trials.observed import Fault
from puzzles.instance import Instance


def shrink_fault(batch: Batch, board: Instance, fault: Fault, best: BestSoFar | None = None) -> Shrunk:
    """Shrink the board if it fails alone; else the call that made it fail, with other boards of its batch.

    Args:
        batch: where the fault showed; its boards are generated anew if they are needed.
        best: keeps the smallest board while this goes on.
    """
    deadline = Deadline(batch.seconds)
    if fault.together:
        return shrink_call(batch, fault, best)
    alone_s = shows_alone(batch, board, fault) if fault.kind in ABOUT_ANSWERS else 0.0
    if alone_s is None:
        stream = boards_of(batch)
        left = replace(batch, seconds=deadline.left)
        in_company = company_fault(left, stream, stream.index(board), fault) if board in stream else None
        if in_company is not None:
            return shrink_call(replace(batch, seconds=deadline.left), in_company, best)
    return shrink(replace(batch, seconds=deadline.left), board, fault, best, alone_s=alone_s or 0.0)
