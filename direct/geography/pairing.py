"""Maximum matching of a board, each cell with a neighbour: greedy pairs, then short searches, then `direct.geography.rounds`.

The greedy step is that of R. M. Karp and M. Sipser, "Maximum matchings in sparse random graphs", 1981. `direct.bipartite` has the
same steps for any bipartite graph. Here a cell takes one byte, and nothing stores its neighbours. See `direct.geography.field`.
"""

from __future__ import annotations

import numpy as np

from direct import thresholds
from direct.geography.field import EVEN, FAR, FREE, JUMP, MATE, NATURAL, NONE, WALL, lay_out, parts
from direct.geography.rounds import measure, nearest_first, push_relabel
from direct.kernel import Array, inner_kernel, kernel


@kernel
def losing_cells(grid: Array, memory: Array, moves: Array) -> int:
    """Put the cells from which the first mover loses (flat, ascending) to the start of `memory`; returns their number.

    Memory is that of `direct.geography.field`; `code` becomes a maximum matching.
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
    begin, number, others, other_number = (0, even, half, odd) if even <= odd else (half, odd, 0, even)
    goal_colour = 1 if begin == 0 else 0
    first, step = 0, 1
    if number > 0 and (
        rounds_alone or augment_shortly(code, moves, exposed[begin : begin + number], degree, queue, thresholds.SHORT_SEARCH)
    ):
        while True:
            all_labelled = measure(exposed[others : others + other_number], goal_colour, code, label, way, queue, moves)
            number = nearest_first(exposed[begin : begin + number], code, label, queue, table, moves)
            if number == 0 or push_relabel(exposed[begin : begin + number], code, label, moves) == 0:
                break
        if not all_labelled:
            even, odd = list_exposed(code, exposed)
            number = even if begin == 0 else odd
            augment_shortly(code, moves, exposed[begin : begin + number], degree, queue, size)
        elif number == 0:  # the labels are of this matching, and say of one colour which cells are at even distance
            mark_labelled(code, label, goal_colour)
            first, step = begin // half, 2
    mark_even(code, queue, moves, first, step)
    return list_even(grid, code, moves, exposed)


@inner_kernel
def mark_labelled(code: Array, label: Array, colour: int) -> None:
    """Add EVEN to the code of each cell of a colour from which an alternating path leads to an exposed cell of this colour."""
    for at in range((code.size - colour + 1) // 2):
        code[2 * at + colour] |= (label[at] < FAR) * EVEN


@inner_kernel
def mark_even(code: Array, queue: Array, moves: Array, first: int, step: int) -> None:
    """Add EVEN to the code of each cell at even distance on an alternating path from an exposed one of first, first + step, ..."""
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
                near = (cell + moves[JUMP + 8 * k + (code[(cell + moves[k]) & NATURAL] & MATE)]) & NATURAL
                mark = code[near]
                code[near] = mark | EVEN
                queue[tail] = near
                tail += mark < EVEN


@inner_kernel
def list_even(grid: Array, code: Array, moves: Array, cells: Array) -> int:
    """Put the cells marked EVEN into `cells`, as flat indices of the board; returns their number."""
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
    """List the exposed cells in ascending order, even ones from the start of `exposed`, odd ones from its middle; count both."""
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
    """Karp and Sipser's matching: cells of degree one first, which is optimal, then each cell in turn with its rarest neighbour.

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
                    best, fewest = 0, NONE
                    for k in range(4):
                        rarity = (np.int64(degree[(v + step[k]) & NATURAL]) - 1) & NONE  # NONE for a neighbour that is not free
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
def augment_shortly(code: Array, step: Array, roots: Array, reached: Array, queue: Array, most: int) -> bool:
    """Augment by breadth-first search from one root at a time; give up a search of over `most` cells, and all if many do.

    A search that ends without a path leaves its tree in `reached` (uint8 per cell of the other colour, the direction to the cell
    it was reached from): no later path leads through that tree. Returns whether a search was given up; if none was, the matching
    is maximum.
    """
    for at in range(code.size // 2 + 1):
        reached[at] = NONE
    wasted = 0
    for root in roots:
        if wasted > code.size // 16:
            break
        v, end, head, tail = root, -1, 0, 0
        while True:
            for k in range(4):
                u = (v + step[k]) & NATURAL
                if code[u] == WALL or reached[u >> 1] != NONE:
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
            reached[(int(queue[k]) & NATURAL) >> 1] = NONE
    return wasted > 0
