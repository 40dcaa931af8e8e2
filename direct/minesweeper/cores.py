"""The eighth step, cores: for each certain cell few clues near it that force it, by propagation and
branching within bounds.

The clues nearest to the cell are tried, twice as many each time, until they refute the other value
of the cell. The clues that the refutation used are kept, then left out one by one (`reduce_core`).
A core also serves the other cells that it forces.

A refutation (`is_refuted`) takes what single clues force (`force_waiting`). When nothing is forced
any more, it supposes a value for a cell (`branching_cell`). A contradiction shows which
suppositions it depends on (`depends_on`): the last of these is turned to its other value, and all
later ones are dropped, since they take no part. If it depends on none, the region is refuted.

A small core may take exponential time to find, so all of this stops at limits (`thresholds`). A
core is then larger than it has to be, at worst all clues of the board.

Sources: for going back to the last branch that takes part R. M. Stallman, G. J. Sussman, "Forward
reasoning and dependency-directed backtracking", 1977; for the choice of a branch, at the clue with
the fewest unknown cells for its weight, "dom/wdeg" of F. Boussemart, F. Hemery, C. Lecoutre, L.
Sais, "Boosting systematic search by weighting constraints", 2004.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from direct.kernel import Array, inner_kernel, kernel
from direct.minesweeper import thresholds
from direct.minesweeper.closure import (
    HAS_MINE,
    NO_MINE,
    UNKNOWN,
    Constraints,
    constraints_of,
    longer,
    offsets_around,
)

FIRST_REGION = 2
"""Clues in the first region that is searched for a core."""

ROWS = 9
TRAIL_PLACE, WHY, HOT, ACTIVE, USED, SEEN, QUEUE, TRAIL, WEIGHT = range(ROWS)
"""Rows of `Refutation.rows`, each as long as the padded board.

- By cell: TRAIL_PLACE, its place on the trail (-1 if none); WHY, its reason (a clue, or one of the
  three below); HOT, whether the contradiction depends on it.
- By clue: ACTIVE, whether it belongs to the region, and is in the queue; USED, whether a refutation
  used it; WEIGHT, 1 more than the number of contradictions that were met at it.
- By cell or clue: SEEN, whether the search for the nearest clues has met it.
- Lists: QUEUE, the cells and clues to be looked at; TRAIL, the cells in the order in which they got
  values.
"""

ASSUMED, BRANCHED, TURNED = -1, -2, -3
"""Reasons that are no clue: the claim to refute, a branch, and a branch whose other value is
refuted.
"""


class Refutation(NamedTuple):
    """What a refutation needs besides its region.

    Attributes:
        need: int8 per padded cell, the mines that a clue needs among its unknown cells, before any
            deduction.
        value: int8 per padded cell, what is known; a refutation restores it.
        steps: the offsets of the eight neighbours.
        rows: int32 (9, padded cells), scratch; the row TRAIL_PLACE is -1 before and after.
        tick: int64 (2), stamps that grow with each use of ACTIVE and USED, and of HOT.
    """

    need: Array
    value: Array
    steps: Array
    rows: Array
    tick: Array


@kernel
def cores_of(grid: Array, goal: Array, clash: int) -> tuple[Array, Array, Array]:
    """Cores for the unknown cells that `goal` decides; or, with a clash, one contradictory core
    near that clue.

    Args:
        grid: the board's character codes, uint8 (rows, columns).
        goal: int8 per padded cell, the value to be forced, or UNKNOWN.
        clash: a padded clue, or 0.

    Returns:
        clues: int64, the cores' clues (padded), core after core.
        start: int64 (cores + 1), where each core begins.
        of_cell: int32 per padded cell, its core; -1 if `goal` is UNKNOWN or no core was found.
    """
    constraints = constraints_of(grid)
    size = constraints.known.size
    steps = offsets_around(constraints.stride)
    value = constraints.known.copy()
    rows = np.zeros((ROWS, size), np.int32)
    search = Refutation(constraints.need, value, steps, rows, np.zeros(2, np.int64))
    region = np.empty(size, np.int32)
    of_cell = np.empty(size, np.int32)
    clues = np.empty(64, np.int64)
    start = np.zeros(2, np.int64)
    cores = 0
    goals = np.empty(size, np.int64)  # as `near` below: Numba would compile `is_refuted` for both
    count = 0
    for cell in range(size):
        rows[TRAIL_PLACE, cell] = -1
        of_cell[cell] = -1
        if goal[cell] != UNKNOWN:
            goals[count] = cell
            count += 1
    if clash:
        goals[0] = clash
        count = 1
    stamp = 0
    most: Any = np.int64(FIRST_REGION)
    while count > 0 and most <= thresholds.LAST_REGION:
        remaining = 0
        for k in range(count):
            cell = goals[k]
            if of_cell[cell] >= 0:
                continue
            stamp += 1
            chosen = nearest(constraints, search, cell, most, stamp, region)
            negation = 1 - goal[cell] if not clash else UNKNOWN
            if not is_refuted(search, region, chosen, cell, negation):
                if chosen == most:
                    goals[remaining] = cell
                    remaining += 1
                continue
            core = reduce_core(search, region, chosen, cell, negation)
            if start[cores] + core > clues.size:
                clues = longer(clues, start[cores] + core)
            for i in range(core):
                clues[start[cores] + i] = region[i]
            if cores + 2 == start.size:
                start = longer(start, 0)
            start[cores + 1] = start[cores] + core
            if not clash:
                of_cell[cell] = cores
                for i in range(core):
                    for j in range(8):
                        near = region[i] + steps[j]
                        served = (
                            goal[near] == UNKNOWN or of_cell[near] >= 0 or value[near] != UNKNOWN
                        )
                        if not served and is_refuted(search, region, core, near, 1 - goal[near]):
                            of_cell[near] = cores
            cores += 1
        count = remaining
        most *= 2
    return clues[: start[cores]], start[: cores + 1], of_cell


@inner_kernel
def nearest(
    constraints: Constraints, search: Refutation, first: int, most: int, stamp: int, region: Array
) -> int:
    """Put the clues nearest to a cell or clue into `region`, breadth-first from cell to clue to
    cell; returns their number.
    """
    known, _, unknown_beside, _ = constraints
    steps, seen, queue = search.steps, search.rows[SEEN], search.rows[QUEUE]
    queue[0] = first
    seen[first] = stamp
    head, tail, chosen = 0, 1, 0
    if known[first] != UNKNOWN:
        region[0] = first
        chosen = 1
    while head < tail and chosen < most:
        at = queue[head]
        head += 1
        for k in range(8):
            near = at + steps[k]
            if seen[near] == stamp:
                continue
            if known[at] == UNKNOWN:
                if unknown_beside[near] == 0:
                    continue
                region[chosen] = near
                chosen += 1
            elif known[near] != UNKNOWN:
                continue
            seen[near] = stamp
            queue[tail] = near
            tail += 1
            if chosen == most:
                break
    return chosen


@inner_kernel
def is_refuted(search: Refutation, region: Array, size: int, first: int, negation: int) -> bool:
    """Whether the first `size` clues of a region contradict the value `negation` of the cell
    `first`, or (UNKNOWN) themselves.

    Propagates and branches; a contradiction takes the search back to the last branch that it
    depends on. If the answer is yes, the clues that were used are those whose row USED holds
    tick[0]. With too many branches the answer is no.
    """
    value, steps, tick = search.value, search.steps, search.tick
    place, why, trail = search.rows[TRAIL_PLACE], search.rows[WHY], search.rows[TRAIL]
    active, queue, weight = search.rows[ACTIVE], search.rows[QUEUE], search.rows[WEIGHT]
    tick[0] += 1
    now = tick[0]  # a clue's ACTIVE is now, or -now while it waits in the queue
    for k in range(size):
        active[region[k]] = -now
        weight[region[k]] = 1
        queue[size - 1 - k] = region[k]
    waiting, tail, branches = size, 0, 0
    answer = False
    if negation != UNKNOWN:
        value[first] = negation
        place[first] = 0
        why[first] = ASSUMED
        trail[0] = first
        tail = 1
    while True:
        failed, waiting, tail = force_waiting(search, waiting, tail)
        if failed == 0:
            branch = branching_cell(search, region, size)
            branches += 1
            if branch < 0 or branches > thresholds.MAX_BRANCHES:
                break  # all cells have values, or the search gives up
            value[branch] = NO_MINE
            why[branch] = BRANCHED
        else:
            back = depends_on(search, failed, tail)
            if back < 0:
                answer = True
                break
            branch = trail[back]
            other = 1 - value[branch]
            take_back(search, back, tail)
            tail = back
            value[branch] = other
            why[branch] = TURNED
        place[branch] = tail
        trail[tail] = branch
        tail += 1
        # Only the clues beside the branch can say something new.
        for k in range(waiting):
            active[queue[k]] = now
        waiting = 0
        for j in range(8):
            near = branch + steps[j]
            if active[near] == now:
                active[near] = -now
                queue[waiting] = near
                waiting += 1
    take_back(search, 0, tail)
    return answer


@inner_kernel
def force_waiting(search: Refutation, waiting: int, tail: int) -> tuple[int, int, int]:
    """Take what the waiting clues force by themselves, until none waits or one cannot hold.

    Returns that clue or 0, how many clues wait, and the new length of the trail.
    """
    need, value, steps, now = search.need, search.value, search.steps, search.tick[0]
    place, why, trail = search.rows[TRAIL_PLACE], search.rows[WHY], search.rows[TRAIL]
    active, queue = search.rows[ACTIVE], search.rows[QUEUE]
    while waiting > 0:
        waiting -= 1
        clue = queue[waiting]
        active[clue] = now
        needed, unknown = int(need[clue]), 0
        for i in range(8):
            cell = clue + steps[i]
            if value[cell] == UNKNOWN:
                unknown += 1
            elif place[cell] >= 0:
                needed -= value[cell]
        if needed < 0 or needed > unknown:
            return int(clue), waiting, tail
        if unknown > 0 and (needed == 0 or needed == unknown):
            for i in range(8):
                cell = clue + steps[i]
                if value[cell] == UNKNOWN:
                    value[cell] = NO_MINE if needed == 0 else HAS_MINE
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
    return 0, waiting, tail


@inner_kernel
def branching_cell(search: Refutation, region: Array, size: int) -> int:
    """An unknown cell beside the clue that has the fewest for its weight; -1 if none is unknown."""
    value, steps, weight = search.value, search.steps, search.rows[WEIGHT]
    fewest, heaviest, branch = 9, 1, -1
    for k in range(size):
        unknown, cell = 0, -1
        for i in range(8):
            if value[region[k] + steps[i]] == UNKNOWN:
                unknown += 1
                cell = region[k] + steps[i]
        if unknown > 0 and unknown * heaviest < fewest * weight[region[k]]:
            fewest, heaviest, branch = unknown, weight[region[k]], cell
    return branch


@inner_kernel
def depends_on(search: Refutation, failed: int, tail: int) -> int:
    """The place on the trail of the last branch that a contradiction at a clue depends on; -1 if
    there is none. Marks the clues that it used.

    From the end of the trail to its beginning: a value that takes part has a clue as its reason,
    and then all earlier values beside this clue take part.
    """
    rows, steps, now = search.rows, search.steps, search.tick[0]
    place, why, hot, used, trail = rows[TRAIL_PLACE], rows[WHY], rows[HOT], rows[USED], rows[TRAIL]
    search.tick[1] += 1
    mark = search.tick[1]
    used[failed] = now
    rows[WEIGHT, failed] += 1
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
        elif why[cell] == TURNED:
            # The refutation of its other value used the branches that were open below it.
            for below in range(k):
                if why[trail[below]] == BRANCHED:
                    hot[trail[below]] = mark
    return back


@inner_kernel
def take_back(search: Refutation, begin: int, end: int) -> None:
    """Take back the values on this part of the trail."""
    for k in range(begin, end):
        cell = search.rows[TRAIL, k]
        search.value[cell] = UNKNOWN
        search.rows[TRAIL_PLACE, cell] = -1


@inner_kernel
def reduce_core(search: Refutation, region: Array, chosen: int, first: int, negation: int) -> int:
    """Keep in `region` only clues that the last refutation used, then try to do without each;
    returns the number left.
    """
    core = keep_used(region, chosen, search.rows[USED], search.tick[0])
    while is_refuted(search, region, core, first, negation):
        fewer = keep_used(region, core, search.rows[USED], search.tick[0])
        if fewer == core:
            break
        core = fewer
    if core > thresholds.MAX_LEFT_OUT:
        return core
    k = core - 1
    while k >= 0 and core > 1:
        last = region[core - 1]
        out = region[k]
        region[k] = last
        if is_refuted(search, region, core - 1, first, negation):
            core = keep_used(region, core - 1, search.rows[USED], search.tick[0])
            if k > core:
                k = core
        else:
            region[k] = out
        k -= 1
    return core


@inner_kernel
def keep_used(region: Array, count: int, used: Array, now: int) -> int:
    """Move the clues that were used to the front; returns their number."""
    tail = 0
    for k in range(count):
        if used[region[k]] == now:
            region[tail] = region[k]
            tail += 1
    return tail
