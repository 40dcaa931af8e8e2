"""Maximum matching of a board in rounds of push-relabel, each after a search that labels all cells with their distances.

Sources: A. V. Goldberg, R. Kennedy, "Global price updates help", 1997; K. Kaya, J. Langguth, F. Manne, B. Ucar, "Push-relabel based
algorithms for the maximum transversal problem", 2013. Layout and codes are those of `direct.geography.field`.

On a large board the search waits for memory more than for anything else. So it goes band by band, since a band and its part of
the search fit into the processor's cache. Each visit takes a band some steps farther. A label may thus be greater than the
distance, and then a round takes more pushes. No answer depends on it: a path leads along labels that go down by one to 0.
"""

from __future__ import annotations

import numpy as np

from direct import thresholds
from direct.geography.field import DISTANCES, FAR, FREE, JUMP, NATURAL
from direct.kernel import Array, inner_kernel

FIRST_REACH = 4
"""The greatest label at the first visit of the bands; each later visit goes farther by as much, or by a sixteenth if that is more.

Longer visits load a band less often, but more labels are too great, and then more rounds follow."""


@inner_kernel
def measure(goals: Array, code: Array, label: Array, queue: Array, table: Array, moves: Array) -> bool:
    """Label each cell of the goals' colour: 0 for an exposed goal, FAR if no alternating path leads to one.

    Any other label is one more than a label beside the cell's mate. It is the distance in matched pairs, or somewhat greater. If it
    would be greater than `thresholds.FARTHEST`, it is FAR too. Returns whether there is no such cell.
    """
    size = thresholds.BAND
    bands = (code.size >> size) + 1
    head, tail = table[:bands], table[bands : 2 * bands]
    for cell in range(label.size):
        label[cell] = FAR
    for band in range(bands):
        head[band] = tail[band] = band * ((1 << size - 1) + 1)
    for goal in goals:
        if code[goal] == FREE:
            label[goal >> 1] = 0
            queue[tail[goal >> size]] = goal
            tail[goal >> size] += 1
    margin = 2 * moves[3]
    reach, waiting, first, last, turn = 0, True, 0, bands - 1, 1
    while waiting and reach < thresholds.FARTHEST:
        reach = min(reach + max(FIRST_REACH, reach // 16), thresholds.FARTHEST)
        waiting = False
        for band in range(first, last + turn, turn):
            begin, end = int(head[band]), int(tail[band])
            inner_first, inner_last = (band << size) + margin, ((band + 1) << size) - margin
            while begin < end:
                cell = int(queue[begin])
                after = np.int64(label[cell >> 1]) + 1
                if after > reach:
                    waiting = True
                    break
                begin += 1
                if inner_first <= cell < inner_last:
                    for k in range(4):
                        near = (cell + moves[JUMP + 8 * k + code[(cell + moves[k]) & NATURAL]]) & NATURAL
                        old = label[near >> 1]
                        label[near >> 1] = min(old, after)
                        queue[end] = near
                        end += old == FAR
                else:
                    tail[band] = end
                    for k in range(4):
                        near = (cell + moves[JUMP + 8 * k + code[(cell + moves[k]) & NATURAL]]) & NATURAL
                        if label[near >> 1] == FAR:
                            label[near >> 1] = after
                            queue[tail[near >> size]] = near
                            tail[near >> size] += 1
                            waiting = True
                    end = int(tail[band])
            head[band], tail[band] = begin, end
        first, last, turn = last, first, -turn
    return not waiting


@inner_kernel
def nearest_first(cells: Array, code: Array, label: Array, scratch: Array, table: Array, moves: Array) -> int:
    """Sort exposed cells by distance, up to a distance of DISTANCES; leave out those that are matched now or have no path.

    Returns the number of those that remain.
    """
    most = min(DISTANCES, label.size)
    place = table[table.size - most - 1 :]
    for distance in range(place.size):
        place[distance] = 0
    number = 0
    for cell in cells:
        if code[cell] == FREE:
            distance = beside(cell, label, moves)
            if distance < FAR:
                place[min(distance + 1, most)] += 1
                cells[number] = cell
                number += 1
    for distance in range(1, place.size):
        place[distance] += place[distance - 1]
    for k in range(number):
        distance = min(beside(cells[k], label, moves), most - 1)
        scratch[place[distance]] = cells[k]
        place[distance] += 1
    for k in range(number):
        cells[k] = scratch[k]
    return number


@inner_kernel
def beside(cell: int, label: Array, step: Array) -> int:
    """The smallest label of a cell's neighbours."""
    vertical = min(label[(cell + step[0]) >> 1], label[(cell + step[3]) >> 1])
    sideways = min(label[(cell + step[1]) >> 1], label[(cell + step[2]) >> 1])
    return int(np.int64(min(vertical, sideways)))


@inner_kernel
def push_relabel(cells: Array, code: Array, label: Array, step: Array) -> int:
    """A round of push-relabel: each cell takes the neighbour with the lowest label, whose former mate goes on in the same way.

    That ends with an exposed neighbour. A neighbour that was taken is relabelled from the second lowest label. A cell gives up
    after a number of pushes that grows with its distance and its share of the board: earlier pushes have made labels stale, and a
    new search costs less. The first cell never gives up. Returns the number of those that did, and puts them in the place of those
    that started; in the place of the others it puts 0, a wall.
    """
    up, left, right, down = step[0], step[1], step[2], step[3]
    share = code.size // (3 * cells.size) + 16
    failed = 0
    for at in range(cells.size):
        v = int(cells[at])
        pushes = -1
        while True:
            # a label and a direction in one number, so that comparing needs no branch
            a = np.int64(label[((v + up) & NATURAL) >> 1]) << 2
            b = np.int64(label[((v + left) & NATURAL) >> 1]) << 2 | 1
            c = np.int64(label[((v + right) & NATURAL) >> 1]) << 2 | 2
            d = np.int64(label[((v + down) & NATURAL) >> 1]) << 2 | 3
            low, high = min(a, b), max(a, b)
            other_low, other_high = min(c, d), max(c, d)
            best = min(low, other_low)
            second = min(max(low, other_low), min(high, other_high)) >> 2
            nearest = best >> 2
            if pushes < 0:
                pushes = 3 * nearest + share
            if nearest == FAR or pushes == 0:
                failed += 1
                break
            pushes -= 1
            u = (v + step[best & 3]) & NATURAL
            mate = code[u]
            code[v], code[u] = best & 3, 3 - (best & 3)
            label[u >> 1] = min(second + 1, FAR)
            if mate == FREE:
                v = 0
                break
            v = (u + step[mate]) & NATURAL
            code[v] = FREE
        cells[at] = v
    return failed
