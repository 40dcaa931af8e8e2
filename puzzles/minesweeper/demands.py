"""A small search for the check: can sums of cells hold together? It only propagates and branches, and has a limit.

A set of cells is an integer with a bit for each cell, so a step on one sum is a few operations. Nothing here is shared with
`direct` or `models`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from puzzles.cardinality import LimitReached


class Demand(NamedTuple):
    """Exactly this number of the cells are mines."""

    cells: int
    mines: int


def possible(demands: Sequence[Demand], mines: int = 0, safe: int = 0, most_branches: int = 20_000) -> bool:
    """Whether some layout meets all demands if these cells are mines and those are safe.

    A branch costs at most a few operations on each demand for each cell that follows.

    Raises:
        LimitReached: more than `most_branches` branches were tried.
    """
    branches = 0
    waiting = [(mines, safe, -1)]
    while waiting:
        known = _followed(demands, *waiting.pop())
        if known is None:
            continue
        mines, safe = known
        known_cells = mines | safe
        unsettled = [(left == cells, left.bit_count(), left) for cells, _ in demands if (left := cells & ~known_cells)]
        if not unsettled:
            return True
        branches += 1
        if branches > most_branches:
            raise LimitReached(f"no refutation within {most_branches} branches")
        _, _, left = min(unsettled)  # a sum that is partly known refutes sooner, and a short one has few branches
        cell = left & -left
        waiting += [(mines, safe | cell, cell), (mines | cell, safe, cell)]
    return False


def _followed(demands: Sequence[Demand], mines: int, safe: int, changed: int) -> tuple[int, int] | None:
    """All mines and safe cells that follow, one demand at a time; None on a contradiction.

    `changed`: the cells that became known since the last time; -1 for the first time.
    """
    while changed:
        due, changed = changed, 0
        for cells, number in demands:
            if cells and not cells & due:
                continue
            left = cells & ~(mines | safe)
            missing, room = number - (cells & mines).bit_count(), left.bit_count()
            if not 0 <= missing <= room:
                return None
            if left and (missing == 0 or missing == room):
                if missing:
                    mines |= left
                else:
                    safe |= left
                changed |= left
    return mines, safe
