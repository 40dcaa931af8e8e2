"""Certificates: for what is certain, few clues near the cell that force it; for what is not, layouts of the mines.

A cell's core is searched among the clues nearest to it, twice as many each time, by propagation and branching; the clues
that the refutation used are kept, then left out one by one. Cells that a core forces as well share it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from direct.kernel import Array, kernel
from direct.minesweeper.closure import MINE, NO_MINE, UNKNOWN, around, field
from direct.minesweeper.counted import layouts
from direct.minesweeper.layouts import lay_out
from direct.minesweeper.order import split
from puzzles.backend import Unsupported
from puzzles.minesweeper.board import COVERED, Certificate, Core
from puzzles.minesweeper.board import MINE as FLAG
from puzzles.text import Grid

_CLUES = np.frombuffer(b".012345678", np.uint8)

FIRST_REGION, LAST_REGION = 2, 4096
"""Clues in the first and in the last region that is searched for a core."""

MOST_LEFT_OUT = 40
"""Clues of a core above which they are not left out one by one."""

MOST_BRANCHES = 2000
"""Branches after which a region is taken to force nothing."""

PLACE, WHY, HOT, ACTIVE, USED, SEEN, QUEUE, TRAIL = range(8)
"""Rows of the refuter's scratch: per cell its place on the trail, why it is there (a clue, or one of the next three), and
whether a contradiction depends on it; per clue whether it belongs to the region and whether it was used."""

ASSUMED, BRANCHED, TURNED = -1, -2, -3
"""Reasons that are no clue: the claim to refute, a branch, and a branch turned round."""

Field = tuple[NDArray[np.int8], NDArray[np.int8], NDArray[np.int8]]


def certificate(grid: Grid, shown: Grid, clash: int, closed: Field | None) -> Certificate:
    """The certificate of an answer.

    Args:
        grid: the board.
        shown: the board as answered.
        clash: a clue near the contradiction (padded) where the board is inconsistent, or 0.
        closed: the closure's field where the answer is complete and consistent: then layouts are laid out.
    """
    rows, columns = grid.shape
    stride = columns + 1
    goal = np.full((rows + 2) * stride + 1, UNKNOWN, np.int8)
    inside = goal[stride : stride * (rows + 1)].reshape(rows, stride)[:, 1:]
    decided = (grid == COVERED) & (shown != COVERED)
    inside[decided] = np.where(shown[decided] == FLAG, MINE, NO_MINE)
    clues, start, of_cell = cores.at(grid.size)(*field.at(grid.size)(grid.copy(), np.array([0, rows])), stride, goal, clash)
    flat = (clues // stride - 1) * columns + clues % stride - 1
    cells: list[list[int]] = [[] for _ in range(start.size - 1)]
    inner = of_cell[stride : stride * (rows + 1)].reshape(rows, stride)[:, 1:].ravel()
    for cell in np.flatnonzero(inner >= 0).tolist():
        cells[inner[cell]].append(cell)
    found = tuple(
        Core(tuple(sorted(flat[begin:end].tolist())), tuple(forced))
        for begin, end, forced in zip(start[:-1], start[1:], cells, strict=True)
    )
    return Certificate(found, () if clash or closed is None else _layouts(grid, shown, closed))


def counted_certificate(grid: Grid, shown: Grid | None, closed: Field, mines: int) -> Certificate:
    """The certificate where the board's number of mines is told; `shown` is None where no layout has that number.

    What the clues do not force alone is forced by all of them and the number of mines.
    """
    every = tuple(np.flatnonzero(np.isin(grid.ravel(), _CLUES)).tolist())
    if shown is None:
        return Certificate((Core(every, (), True),))
    rows, columns = grid.shape
    stride = columns + 1
    found = certificate(grid, shown, 0, None).cores
    by_clues = {cell for core in found for cell in core.cells}
    decided = np.flatnonzero((grid == COVERED) & (shown != COVERED)).tolist()
    by_count = tuple(cell for cell in decided if cell not in by_clues)
    inside = np.arange(closed[0].size)[stride : stride * (rows + 1)].reshape(rows, stride)[:, 1:].ravel()
    beside = split.at(grid.size)(closed[0], closed[2], stride)[3]
    unknown = closed[0] == UNKNOWN
    free = inside[unknown[inside] & (beside[inside] < 0)].tolist()
    undecided = inside[(shown == COVERED).ravel()].tolist()
    left = mines - int((closed[0][inside] == MINE).sum())
    laid = _laid(closed, stride, inside, undecided, free, left)
    return Certificate((*found, Core(every, by_count, True)) if by_count else found, laid)


def _layouts(grid: Grid, shown: Grid, closed: Field) -> tuple[bytes, ...]:
    """Layouts that together give each undecided cell both values; one at least."""
    rows, columns = grid.shape
    stride = columns + 1
    know, need, left = closed
    parts = split.at(grid.size)(know, left, stride)[:4]
    layout = know.astype(np.uint8)
    wanted = np.zeros(layout.size, np.uint8)
    undecided = shown == COVERED
    wanted[stride : stride * (rows + 1)].reshape(rows, stride)[:, 1:][undecided] = 3
    free = know == UNKNOWN
    free[parts[0]] = False
    wanted[free] = 0
    made: list[bytes] = []
    lacking = 1
    while lacking:
        lacking = lay_out.at(grid.size)(know, need, left, stride, *parts, layout, wanted)
        if lacking < 0:
            inside = np.arange(know.size)[stride : stride * (rows + 1)].reshape(rows, stride)[:, 1:].ravel()
            return _laid(closed, stride, inside, inside[undecided.ravel()].tolist(), inside[free[inside]].tolist(), None)
        layout[free] = 1 if made else 0
        made.append(layout[stride : stride * (rows + 1)].reshape(rows, stride)[:, 1:].tobytes())
        lacking = lacking or (len(made) == 1 and bool(free.any()))
    return tuple(made)


def _laid(
    closed: Field, stride: int, inside: NDArray[np.int64], undecided: list[int], free: list[int], mines: int | None
) -> tuple[bytes, ...]:
    """`counted.layouts` as bytes of the board's cells (`inside`, padded); none where a component is too wide even for them."""
    try:
        return tuple(each[inside].tobytes() for each in layouts(*closed, stride, undecided, free, mines))
    except Unsupported:
        return ()


@kernel
def cores(know: Array, need: Array, left: Array, stride: int, goal: Array, clash: int) -> tuple[Array, Array, Array]:
    """Cores for the unknown cells that `goal` decides; or, with a clash, one core near that clue that contradicts itself.

    Args:
        know, need, left: the board's field before any deduction.
        goal: int8 per padded cell, the value to be forced, or UNKNOWN.
        clash: a padded clue, or 0.

    Returns:
        clues: int32, the cores' clues (padded), core after core.
        start: int32 (cores + 1), where each core begins.
        of_cell: int32 per padded cell, its core, or -1 where none is asked for or found.
    """
    size = know.size
    steps = around(stride)
    value = know.copy()
    work = np.zeros((8, size), np.int32)
    work[PLACE] = -1
    region = np.empty(size, np.int32)
    tick = np.zeros(2, np.int32)
    of_cell = np.full(size, -1, np.int32)
    clues = np.empty(64, np.int32)
    start = np.zeros(2, np.int32)
    found = 0
    open_cells = np.empty(size, np.int32)
    count = 0
    for cell in range(size):
        if goal[cell] != UNKNOWN:
            open_cells[count] = cell
            count += 1
    if clash:
        open_cells[0] = clash
        count = 1
    stamp = 0
    most = FIRST_REGION
    while count > 0 and most <= 2 * LAST_REGION:
        remaining = 0
        for k in range(count):
            cell = open_cells[k]
            if of_cell[cell] >= 0:
                continue
            stamp += 1
            chosen = nearest(know, left, steps, cell, most, stamp, work[SEEN], region, work[QUEUE])
            against = 1 - goal[cell] if not clash else UNKNOWN
            if not refuted(region[:chosen], cell, against, need, value, work, tick, steps):
                if chosen == most:
                    open_cells[remaining] = cell
                    remaining += 1
                continue
            core = shrunk(region, chosen, cell, against, need, value, work, tick, steps)
            while start[found] + core > clues.size:
                longer = np.empty(2 * clues.size, np.int32)
                longer[: clues.size] = clues
                clues = longer
            clues[start[found] : start[found] + core] = region[:core]
            if found + 2 == start.size:
                farther = np.zeros(2 * start.size, np.int32)
                farther[: start.size] = start
                start = farther
            start[found + 1] = start[found] + core
            if not clash:
                of_cell[cell] = found
                for i in range(core):
                    for j in range(8):
                        near = region[i] + steps[j]
                        if goal[near] != UNKNOWN and of_cell[near] < 0 and value[near] == UNKNOWN:
                            against = 1 - goal[near]
                            if refuted(region[:core], near, against, need, value, work, tick, steps):
                                of_cell[near] = found
            found += 1
        count = remaining
        most *= 2
    return clues[: start[found]], start[: found + 1], of_cell


@kernel
def nearest(
    know: Array, left: Array, steps: Array, first: int, most: int, stamp: int, seen: Array, region: Array, queue: Array
) -> int:
    """The clues nearest to a cell or clue, going from cell to clue to cell: put in `region`; returns how many."""
    queue[0] = first
    seen[first] = stamp
    head, tail, chosen = 0, 1, 0
    if know[first] != UNKNOWN:
        region[0] = first
        chosen = 1
    while head < tail and chosen < most:
        at = queue[head]
        head += 1
        for k in range(8):
            near = at + steps[k]
            if seen[near] == stamp:
                continue
            if know[at] == UNKNOWN:
                if left[near] == 0:
                    continue
                region[chosen] = near
                chosen += 1
            elif know[near] != UNKNOWN:
                continue
            seen[near] = stamp
            queue[tail] = near
            tail += 1
            if chosen == most:
                break
    return chosen


@kernel
def refuted(
    region: Array,
    first: int,
    against: int,
    need: Array,
    value: Array,
    work: Array,
    tick: Array,
    steps: Array,
) -> bool:
    """Whether the clues of a region leave `first` no way to have the value `against` (UNKNOWN: no way to hold at all).

    Propagation and branching, going back to the last branch that the contradiction depends on. If so, the clues that were
    used are those whose row USED holds tick[0]. Too many branches count as no.

    Args:
        region: int32, padded clues.
        need: int8 per padded cell, the mines that a clue asks for among its unknown cells.
        value: int8 per padded cell, what is known; the same before and after.
        work: int32 (8, padded cells), rows of scratch; PLACE is -1 everywhere before and after.
        tick: int32 (2), stamps that grow with each use of ACTIVE and USED, and of HOT.
    """
    place, why, hot, active = work[PLACE], work[WHY], work[HOT], work[ACTIVE]
    used, queue, trail = work[USED], work[QUEUE], work[TRAIL]
    tick[0] += 1
    now = tick[0]  # a clue's ACTIVE is now, or -now while it waits in the queue
    waiting = region.size
    for k in range(waiting):
        active[region[k]] = -now
        queue[waiting - 1 - k] = region[k]
    tail = 0
    branches = 0
    answer = False
    if against != UNKNOWN:
        value[first] = against
        place[first] = 0
        why[first] = ASSUMED
        trail[0] = first
        tail = 1
    while True:
        failed = 0
        while waiting > 0 and failed == 0:
            waiting -= 1
            clue = queue[waiting]
            active[clue] = now
            asked = int(need[clue])
            unknown = 0
            for i in range(8):
                cell = clue + steps[i]
                if value[cell] == UNKNOWN:
                    unknown += 1
                elif place[cell] >= 0:
                    asked -= value[cell]
            if asked < 0 or asked > unknown:
                failed = clue
            elif unknown > 0 and (asked == 0 or asked == unknown):
                for i in range(8):
                    cell = clue + steps[i]
                    if value[cell] == UNKNOWN:
                        value[cell] = NO_MINE if asked == 0 else MINE
                        place[cell] = tail
                        why[cell] = clue
                        trail[tail] = cell
                        tail += 1
                        for j in range(8):
                            near = cell + steps[j]
                            if active[near] == now and near != clue:
                                active[near] = -now
                                queue[waiting] = near
                                waiting += 1
        if failed == 0:
            fewest, branch = 9, -1
            for k in range(region.size):
                unknown = 0
                cell = -1
                for i in range(8):
                    if value[region[k] + steps[i]] == UNKNOWN:
                        unknown += 1
                        cell = region[k] + steps[i]
                if 0 < unknown < fewest:
                    fewest, branch = unknown, cell
            branches += 1
            if branch < 0 or branches > MOST_BRANCHES:
                break
            value[branch] = NO_MINE
            why[branch] = BRANCHED
        else:
            tick[1] += 1
            mark = tick[1]
            used[failed] = now
            for i in range(8):
                hot[failed + steps[i]] = mark
            back = -1
            for k in range(tail - 1, -1, -1):
                cell = trail[k]
                if hot[cell] != mark:
                    continue
                if why[cell] >= 0:
                    used[why[cell]] = now
                    for i in range(8):
                        if place[why[cell] + steps[i]] < k:
                            hot[why[cell] + steps[i]] = mark
                elif why[cell] == BRANCHED:
                    back = max(back, k)
                elif why[cell] == TURNED:  # turned round once: that took whatever branches were open below it
                    for below in range(k):
                        if why[trail[below]] == BRANCHED:
                            hot[trail[below]] = mark
            if back < 0:
                answer = True
                break
            branch = trail[back]
            turned = 1 - value[branch]
            while tail > back:
                tail -= 1
                value[trail[tail]] = UNKNOWN
                place[trail[tail]] = -1
            value[branch] = turned
            why[branch] = TURNED
        place[branch] = tail
        trail[tail] = branch
        tail += 1
        while waiting > 0:
            waiting -= 1
            active[queue[waiting]] = now
        for j in range(8):
            near = branch + steps[j]
            if active[near] == now:
                active[near] = -now
                queue[waiting] = near
                waiting += 1
    while tail > 0:
        tail -= 1
        value[trail[tail]] = UNKNOWN
        place[trail[tail]] = -1
    return answer


@kernel
def shrunk(
    region: Array,
    chosen: int,
    first: int,
    against: int,
    need: Array,
    value: Array,
    work: Array,
    tick: Array,
    steps: Array,
) -> int:
    """Keep in `region` only clues that the last refutation used, then try to do without each; returns how many are left."""
    core = kept(region, chosen, work[USED], tick[0])
    while refuted(region[:core], first, against, need, value, work, tick, steps):
        fewer = kept(region, core, work[USED], tick[0])
        if fewer == core:
            break
        core = fewer
    if core > MOST_LEFT_OUT:
        return core
    k = core - 1
    while k >= 0 and core > 1:
        last = region[core - 1]
        out = region[k]
        region[k] = last
        if refuted(region[: core - 1], first, against, need, value, work, tick, steps):
            core = kept(region, core - 1, work[USED], tick[0])
            k = min(k, core)
        else:
            region[k] = out
        k -= 1
    return core


@kernel
def kept(region: Array, count: int, used: Array, now: int) -> int:
    """Move the clues that were used to the front; returns how many."""
    tail = 0
    for k in range(count):
        if used[region[k]] == now:
            region[tail] = region[k]
            tail += 1
    return tail
