"""Maximum matching of a board in rounds of push-relabel, each after a search that labels all cells with their distances.

Sources: A. V. Goldberg, R. Kennedy, "Global price updates help", 1997; K. Kaya, J. Langguth, F. Manne, B. Ucar, "Push-relabel based
algorithms for the maximum transversal problem", 2013. Layout and codes are those of `direct.geography.field`.

On a large board the search waits for memory more than for anything else. So a step of it touches one array only, and takes four
cells at a time, from the four quarters of those that are at the same distance. Cells that follow each other in the queue are often
close together; then a processor that works on several at a time has to wait until what one of them wrote can be read by the next.
"""

from __future__ import annotations

import numpy as np

from direct import thresholds
from direct.geography.field import DISTANCES, FAR, FREE, NATURAL, ONWARD
from direct.kernel import Array, inner_kernel


@inner_kernel
def measure(goals: Array, colour: int, code: Array, label: Array, way: Array, queue: Array, moves: Array) -> bool:
    """Label each cell of the goals' colour with its distance in matched pairs to an exposed goal, or FAR if no path leads to one.

    If the distance is greater than `thresholds.FARTHEST`, it is FAR too. Returns whether there is surely no such cell.

    The search goes over the cells of the other colour, which are the mates. In `way`, each has the label of its mate and the
    direction to it, as 4 * label + direction. A wall leads nowhere, nor does an exposed cell: it has 0, as if it had a label.
    """
    first, double, unlabelled = np.uint64(1 - colour), np.uint64(2), 4 * FAR
    way[way.size - 1] = 0
    for cell in range(np.uint64((code.size + colour) // 2)):  # unsigned, as in `lay_out`
        direction = np.uint16(code[double * cell + first])
        way[cell] = (direction < FREE) * (unlabelled | direction)
    begin, end, entry = 0, 0, 4
    for goal in goals:
        if code[goal] == FREE:
            for k in range(4):
                end = reach((goal + moves[k]) >> 1, entry, way, queue, end)
    while begin < end and entry < 4 * thresholds.FARTHEST:
        entry += 4
        part, last = (end - begin) // 4, end
        for k in range(begin, begin + part):
            a, b = int(queue[k & NATURAL]) & NATURAL, int(queue[(k + part) & NATURAL]) & NATURAL
            c, d = int(queue[(k + 2 * part) & NATURAL]) & NATURAL, int(queue[(k + 3 * part) & NATURAL]) & NATURAL
            from_a, from_b = ONWARD + 4 * (way[a] & 3), ONWARD + 4 * (way[b] & 3)
            from_c, from_d = ONWARD + 4 * (way[c] & 3), ONWARD + 4 * (way[d] & 3)
            for other in range(3):
                end = reach(a + moves[from_a + other], entry, way, queue, end)
                end = reach(b + moves[from_b + other], entry, way, queue, end)
                end = reach(c + moves[from_c + other], entry, way, queue, end)
                end = reach(d + moves[from_d + other], entry, way, queue, end)
        for k in range(begin + 4 * part, last):
            cell = int(queue[k]) & NATURAL
            for other in range(3):
                end = reach(cell + moves[ONWARD + 4 * (way[cell] & 3) + other], entry, way, queue, end)
        begin = last
    label[label.size - 1] = FAR
    for cell in range((code.size + 1 - colour) // 2):
        at = (2 * cell + colour) & NATURAL
        direction = np.int64(code[at])
        ahead = np.int64(way[((at + moves[direction]) & NATURAL) >> 1]) >> 2
        label[cell & NATURAL] = ahead if direction < FREE else (direction - FREE) * FAR
    return begin == end


@inner_kernel
def reach(cell: int, entry: int, way: Array, queue: Array, end: int) -> int:
    """Label a cell's mate and queue the cell, unless it has a label, without a branch; returns the queue's new end."""
    at = cell & NATURAL
    old = np.int64(way[at])
    way[at] = min(old, entry | old & 3)
    queue[end & NATURAL] = at
    return end + int(old >= 4 * FAR)


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
    new search costs less. For the same reason all that are left give up at once when too many pushes were in vain. The first cell
    never gives up. Returns the number of those that did, and puts them in the place of those that started; in the place of the
    others it puts 0, a wall.
    """
    up, left, right, down = step[0], step[1], step[2], step[3]
    share = code.size // (4 * cells.size) + 16
    spare = code.size // thresholds.CELLS_A_VAIN_PUSH
    failed = 0
    for at in range(cells.size):
        if spare < 0:
            failed += 1
            continue
        v = int(cells[at])
        pushes, most = -1, 0
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
                pushes = most = 3 * nearest + share
            if nearest == FAR or pushes == 0:
                failed += 1
                spare -= most - pushes
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
