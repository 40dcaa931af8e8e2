"""Maximum matching of a board, each cell with a neighbour: greedy pairs, then short searches, then
rounds of push-relabel.

The board has walls around it, and its rows are an odd number of entries apart. So the parity of a
cell's index is its colour on a chessboard, and a cell's neighbours have the other colour. The cells
of one colour have arrays of their own, with cell c at c >> 1. A cell takes one byte, and nothing
stores its neighbours.

Sources: R. M. Karp, M. Sipser, "Maximum matchings in sparse random graphs", 1981, for the greedy
step; A. V. Goldberg, R. Kennedy, "Global price updates help", 1997; K. Kaya, J. Langguth, F. Manne,
B. Ucar, "Push-relabel based algorithms for the maximum transversal problem", 2013.

On a large board the search of a round waits for memory more than for anything else. So a step of it
touches one array only, and takes four cells at a time, from the four quarters of those that are at
the same distance. Cells that follow each other in the queue are often close together; then a
processor that works on several at a time has to wait until what one of them wrote can be read by
the next.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from direct.geography import thresholds
from direct.geography.mates import OPEN_CELL, neighbour_offsets, row_length
from direct.kernel import NATURAL, Array, inner_kernel, kernel

FREE, WALL_CODE = 4, 5
"""Codes of an exposed (unmatched) cell and of a wall. The code of any other cell is the direction k
of its mate: 0 up, 1 left, 2 right, 3 down; 3 - k is the opposite one."""

EVEN = 8
"""Added to the code of a cell that some maximum matching leaves exposed."""

MATE = EVEN - 1
"""A mask for the other bits of a code."""

UNREACHED = 255
"""In place of a direction: a cell that no search has reached."""

FAR = 2**14 - 1
"""The label of a cell from which no augmenting path starts, or only one of more than
`thresholds.FARTHEST` matched pairs.

A label and a direction fit into 16 bits."""

DISTANCES = 4096
"""Exposed cells are sorted by their distance, up to this one."""

JUMP = 16
"""Where the second part of `offsets` begins."""

ONWARD = 48
"""Where the third part of `offsets` begins."""


class Parts(NamedTuple):
    """Where the parts of a board's memory end, in entries of four bytes. See `memory`."""

    exposed: int
    code: int
    label: int
    way: int
    queue: int
    table: int


def memory(rows: int, columns: int) -> NDArray[np.int32]:
    """Uninitialised memory for a board of this size, in one piece: a small board is solved sooner
    than many arrays are made.

    NumPy gives large arrays huge pages, which Numba does not. The parts, in this order:

    - exposed: int32, twice the cells of a colour.
    - code: uint8 per cell.
    - label: uint16 per cell of a colour. Before, the same memory is degree: uint8 per cell.
    - way: uint16 per cell of the other colour.
    - queue: int32, the cells of one colour, and one entry more.
    - table: int32: DISTANCES + 1 numbers.
    """
    return np.empty(parts((rows + 2) * row_length(columns)).table, np.int32)


@inner_kernel
def parts(cells: int) -> Parts:
    """The parts of the memory of a board that has so many cells with the walls around it."""
    half = cells // 2 + 1
    exposed = 2 * half
    code = exposed + (cells + 3) // 4
    label = code + (half + 1) // 2
    way = label + (half + 1) // 2
    queue = way + half + 1
    return Parts(exposed, code, label, way, queue, queue + DISTANCES + 1)


@lru_cache(maxsize=100)
def offsets(columns: int) -> NDArray[np.int64]:
    """At k the offset of a cell's neighbour in direction k, 0 from 4 on.

    At JUMP + 8 * k + code the offset of the mate of that neighbour if it has this code, 0 if it has
    no mate. From ONWARD + 4 * k on, half the offsets of the three other neighbours of the cell's
    mate in direction k. Not to be changed.
    """
    step, jump, onward = (
        np.zeros(JUMP, np.int64),
        np.zeros((4, 8), np.int64),
        np.zeros((4, 4), np.int64),
    )
    step[:4] = neighbour_offsets(columns)
    jump[:, :4] = step[:4, None] + step[:4]
    for k in range(4):
        onward[k, :3] = np.delete(jump[k, :4], 3 - k) // 2
    return np.concatenate([step, jump.ravel(), onward.ravel()])


@inner_kernel
def lay_out(grid: Array, code: Array, degree: Array) -> None:
    """Put a board into `code`, all cells FREE or WALL, and into `degree` the number of free
    neighbours of each free cell.
    """
    rows, columns = grid.shape
    # unsigned, so that the loops are done for many cells at a time
    down, size, one = np.uint64((columns + 1) | 1), np.uint64(code.size), np.uint64(1)
    for cell in range(down):
        code[cell] = code[size - one - cell] = WALL_CODE
        degree[cell] = degree[size - one - cell] = 0
    for row in range(np.uint64(rows)):
        at = (row + one) * down
        for column in range(np.uint64(columns)):
            code[at + column] = WALL_CODE - (grid[row, column] == OPEN_CELL)
        for column in range(np.uint64(columns), down):
            code[at + column] = WALL_CODE
    for cell in range(down, size - down):
        near = code[cell - down] + code[cell - one] + code[cell + one] + code[cell + down]
        degree[cell] = (WALL_CODE - code[cell]) * (4 * WALL_CODE - near)


@kernel
def losing_cells(grid: Array, memory: Array, moves: Array) -> int:
    """Put the cells from which the first mover loses (flat, ascending) to the start of `memory`;
    returns their number.

    Memory is that of `direct.geography.pairing`; `code` becomes a maximum matching.
    """
    rows, columns = grid.shape
    size = (rows + 2) * ((columns + 1) | 1)
    end = parts(size)
    exposed = memory[: end.exposed]
    code = memory[end.exposed : end.code].view(np.uint8)[:size]
    label = memory[end.code : end.label].view(np.uint16)[: size // 2 + 1]
    degree = memory[end.code : end.label].view(np.uint8)[:size]
    way = memory[end.label : end.way].view(np.uint16)[: size // 2 + 1]
    queue = memory[end.way : end.queue]
    table = memory[end.queue : end.table]
    half = exposed.size // 2
    lay_out(grid, code, degree)
    rounds_alone = size <= thresholds.ROUNDS_ALONE
    if not rounds_alone:
        match_greedily(code, degree, moves, exposed)
    even, odd = list_exposed(code, exposed)
    begin, number, others, other_number = (
        (0, even, half, odd) if even <= odd else (half, odd, 0, even)
    )
    goal_colour = 1 if begin == 0 else 0
    first, step = 0, 1
    if number > 0 and (
        rounds_alone
        or augment_shortly(
            code, moves, exposed[begin : begin + number], degree, queue, thresholds.SHORT_SEARCH
        )
    ):
        while True:
            all_labelled = measure(
                exposed[others : others + other_number], goal_colour, code, label, way, queue, moves
            )
            number = nearest_first(
                exposed[begin : begin + number], code, label, queue, table, moves
            )
            if (
                number == 0
                or push_relabel(exposed[begin : begin + number], code, label, moves) == 0
            ):
                break
        if not all_labelled:
            even, odd = list_exposed(code, exposed)
            number = even if begin == 0 else odd
            augment_shortly(code, moves, exposed[begin : begin + number], degree, queue, size)
        elif (
            number == 0
        ):  # the labels are of this matching: which cells of one colour are at even distance
            mark_labelled(code, label, goal_colour)
            first, step = begin // half, 2
    mark_even(code, queue, moves, first, step)
    return list_even(grid, code, moves, exposed)


@inner_kernel
def mark_labelled(code: Array, label: Array, colour: int) -> None:
    """Add EVEN to the code of each cell of a colour from which an alternating path leads to an
    exposed cell of this colour.
    """
    for at in range((code.size - colour + 1) // 2):
        code[2 * at + colour] |= (label[at] < FAR) * EVEN


@inner_kernel
def mark_even(code: Array, queue: Array, moves: Array, first: int, step: int) -> None:
    """Add EVEN to the code of each cell at even distance on an alternating path from an exposed one
    of first, first + step, ...
    """
    for source in range(first, code.size, step):
        if code[source] != FREE:
            continue
        code[source] = FREE | EVEN
        queue[0] = source
        head, tail = 0, 1
        while head < tail:
            cell = int(queue[head])
            head += 1
            for k in range(4):
                near = (
                    cell + moves[JUMP + 8 * k + (code[(cell + moves[k]) & NATURAL] & MATE)]
                ) & NATURAL
                mark = code[near]
                code[near] = mark | EVEN
                queue[tail] = near
                tail += mark < EVEN


@inner_kernel
def list_even(grid: Array, code: Array, moves: Array, cells: Array) -> int:
    """Put the cells marked EVEN into `cells`, as flat indices of the board; returns their
    number.
    """
    rows, columns = grid.shape
    number = 0
    for row in range(rows):
        at = (row + 1) * moves[3]
        for column in range(columns):
            cells[number] = row * columns + column
            number += int(code[at + column] >= EVEN)
    return number


@inner_kernel
def list_exposed(code: Array, exposed: Array) -> tuple[int, int]:
    """List the exposed cells in ascending order, even ones from the start of `exposed`, odd ones
    from its middle; count both.
    """
    even, odd, half = 0, 0, exposed.size // 2
    for cell in range(code.size):
        if code[cell] == FREE:
            if cell & 1 == 0:
                exposed[even] = cell
                even += 1
            else:
                exposed[half + odd] = cell
                odd += 1
    return even, odd


@inner_kernel
def match_greedily(code: Array, degree: Array, step: Array, stack: Array) -> None:
    """Karp and Sipser's matching: cells of degree one first, which is optimal, then each cell in
    turn with its rarest neighbour.

    After each pair, cells that now have degree one come first again.

    Args:
        code: FREE or WALL, changed in place.
        degree: per free cell the number of its free neighbours, else 0; overwritten.
        step: `offsets`.
        stack: int32 per cell, scratch.
    """
    for others in range(2):
        for first in range(degree.size):
            if degree[first] == 0 or (others == 0 and degree[first] != 1):
                continue
            v, height = first, 0
            while True:
                if degree[v] != 0:
                    best, fewest = 0, UNREACHED
                    for k in range(4):
                        rarity = (
                            np.int64(degree[(v + step[k]) & NATURAL]) - 1
                        ) & UNREACHED  # NONE for a neighbour that is not free
                        if rarity < fewest:
                            best, fewest = k, rarity
                    u = (v + step[best]) & NATURAL
                    code[v], code[u] = best, 3 - best
                    degree[v] = degree[u] = 0
                    for end in (v, u):
                        for k in range(4):
                            near = (end + step[k]) & NATURAL
                            left = degree[near]
                            if left > 0:
                                degree[near] = left - 1
                                if left == 2:
                                    stack[height] = near
                                    height += 1
                if height == 0:
                    break
                height -= 1
                v = int(stack[height]) & NATURAL


@inner_kernel
def augment_shortly(
    code: Array, step: Array, roots: Array, reached: Array, queue: Array, most: int
) -> bool:
    """Augment by breadth-first search from one root at a time; give up a search of over `most`
    cells, and all if many do.

    A search that ends without a path leaves its tree in `reached` (uint8 per cell of the other
    colour, the direction to the cell it was reached from): no later path leads through that tree.
    Returns whether a search was given up; if none was, the matching is maximum.
    """
    for at in range(code.size // 2 + 1):
        reached[at] = UNREACHED
    wasted = 0
    for root in roots:
        if wasted > code.size // 16:
            break
        v, end, head, tail = root, -1, 0, 0
        while True:
            for k in range(4):
                u = (v + step[k]) & NATURAL
                if code[u] == WALL_CODE or reached[u >> 1] != UNREACHED:
                    continue
                reached[u >> 1] = 3 - k
                queue[tail] = u
                tail += 1
                if code[u] == FREE:
                    end = u
                    break
            if end >= 0 or head == tail or tail > most:
                break
            u = int(queue[head]) & NATURAL
            head += 1
            v = (u + step[code[u]]) & NATURAL
        if end < 0 and head == tail:
            continue
        if end < 0:
            wasted += tail
        while end >= 0:
            k = reached[end >> 1]
            v = (end + step[k]) & NATURAL
            after = code[v]
            code[v], code[end] = 3 - k, k
            end = v + step[after] if after < FREE else -1
        for k in range(tail):
            reached[(int(queue[k]) & NATURAL) >> 1] = UNREACHED
    return wasted > 0


@inner_kernel
def measure(
    goals: Array, colour: int, code: Array, label: Array, way: Array, queue: Array, moves: Array
) -> bool:
    """Label each cell of the goals' colour with its distance in matched pairs to an exposed goal,
    or FAR if no path leads to one.

    If the distance is greater than `thresholds.FARTHEST`, it is FAR too. Returns whether there is
    surely no such cell.

    The search goes over the cells of the other colour, which are the mates. In `way`, each has the
    label of its mate and the direction to it, as 4 * label + direction. A wall leads nowhere, nor
    does an exposed cell: it has 0, as if it had a label.
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
            c, d = (
                int(queue[(k + 2 * part) & NATURAL]) & NATURAL,
                int(queue[(k + 3 * part) & NATURAL]) & NATURAL,
            )
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
                end = reach(
                    cell + moves[ONWARD + 4 * (way[cell] & 3) + other], entry, way, queue, end
                )
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
    """Label a cell's mate and queue the cell, unless it has a label, without a branch; returns the
    queue's new end.
    """
    at = cell & NATURAL
    old = np.int64(way[at])
    way[at] = min(old, entry | old & 3)
    queue[end & NATURAL] = at
    return end + int(old >= 4 * FAR)


@inner_kernel
def nearest_first(
    cells: Array, code: Array, label: Array, scratch: Array, table: Array, moves: Array
) -> int:
    """Sort exposed cells by distance, up to a distance of DISTANCES; leave out those that are
    matched now or have no path.

    Returns the number of those that remain.
    """
    most = min(DISTANCES, label.size)
    place = table[table.size - most - 1 :]
    for distance in range(place.size):
        place[distance] = 0
    number = 0
    for cell in cells:
        if code[cell] == FREE:
            distance = least_label_beside(cell, label, moves)
            if distance < FAR:
                place[min(distance + 1, most)] += 1
                cells[number] = cell
                number += 1
    for distance in range(1, place.size):
        place[distance] += place[distance - 1]
    for k in range(number):
        distance = min(least_label_beside(cells[k], label, moves), most - 1)
        scratch[place[distance]] = cells[k]
        place[distance] += 1
    for k in range(number):
        cells[k] = scratch[k]
    return number


@inner_kernel
def least_label_beside(cell: int, label: Array, step: Array) -> int:
    """The smallest label of a cell's neighbours."""
    vertical = min(label[(cell + step[0]) >> 1], label[(cell + step[3]) >> 1])
    sideways = min(label[(cell + step[1]) >> 1], label[(cell + step[2]) >> 1])
    return int(np.int64(min(vertical, sideways)))


@inner_kernel
def push_relabel(cells: Array, code: Array, label: Array, step: Array) -> int:
    """A round of push-relabel: each cell takes the neighbour with the lowest label, whose former
    mate goes on in the same way.

    That ends with an exposed neighbour. A neighbour that was taken is relabelled from the second
    lowest label. A cell gives up after a number of pushes that grows with its distance and its
    share of the board: earlier pushes have made labels stale, and a new search costs less. For the
    same reason all that are left give up at once when too many pushes were in vain. The first cell
    never gives up. Returns the number of those that did, and puts them in the place of those that
    started; in the place of the others it puts 0, a wall.
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
