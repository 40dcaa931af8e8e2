"""The closure of write-up 001: single clues and chains of implications, repeated until nothing changes."""

from __future__ import annotations

import numpy as np

from direct.kernel import Array, kernel

NO_MINE, MINE, UNKNOWN = range(3)
"""What is known of a cell; literal 2 * cell + v says that `cell` has v mines, v = 0 or 1."""


@kernel
def field(grid: Array, starts: Array) -> tuple[Array, Array, Array]:
    """Boards of one width in padded arrays, with what their clues still ask for.

    The cell (row, column) of board b, rows counted through all boards, stands at (row + b + 1) * stride + column + 1 with
    stride = columns + 1. The padding, between boards too, is known to have no mine.

    Args:
        grid: uint8 (rows, columns), the boards' character codes, board after board.
        starts: int64 (boards + 1), the row at which each board begins.

    Returns:
        know: int8 per padded cell, NO_MINE, MINE or UNKNOWN.
        need: int8, at a clue the mines among its unknown neighbours; 0 elsewhere.
        left: int8, at a clue the number of its unknown neighbours; 0 elsewhere.
    """
    rows, columns = grid.shape
    stride = columns + 1
    size = (rows + starts.size) * stride + 1
    know = np.zeros(size, np.int8)
    need = np.zeros(size, np.int8)
    left = np.zeros(size, np.int8)
    steps = around(stride)
    for count in range(2):
        for board in range(starts.size - 1):
            for row in range(starts[board], starts[board + 1]):
                at = (row + board + 1) * stride + 1
                for column in range(columns):
                    code = grid[row, column]
                    if count == 0:
                        if code == 35:
                            know[at + column] = UNKNOWN
                        elif code == 88:
                            know[at + column] = MINE
                    elif code == 46 or 48 <= code <= 56:
                        cell = at + column
                        mines = 0
                        unknown = 0
                        for k in range(8):
                            near = know[cell + steps[k]]
                            unknown += near == UNKNOWN
                            mines += near == MINE
                        left[cell] = unknown
                        need[cell] = (int(code) - 48 if code != 46 else 0) - mines
    return know, need, left


@kernel
def around(stride: int) -> Array:
    """The offsets of the eight neighbours in a padded array."""
    return np.array([-stride - 1, -stride, -stride + 1, -1, 1, stride - 1, stride, stride + 1])


@kernel
def marked(grid: Array, starts: Array, know: Array) -> Array:
    """The boards (as `field` takes them) with their covered cells marked `X` or `O` where they are known."""
    rows, columns = grid.shape
    out = np.empty((rows, columns), np.uint8)
    for board in range(starts.size - 1):
        for row in range(starts[board], starts[board + 1]):
            at = (row + board + 1) * (columns + 1) + 1
            for column in range(columns):
                code = grid[row, column]
                if code == 35:
                    state = know[at + column]
                    code = 88 if state == MINE else 79 if state == NO_MINE else 35
                out[row, column] = code
    return out


@kernel
def closed(grid: Array, starts: Array) -> tuple[Array, Array]:
    """The closure of boards: their clashes (see `close`) and the marked boards."""
    know, need, left = field(grid, starts)
    clash = close(know, need, left, grid.shape[1] + 1, starts)
    return clash, marked(grid, starts, know)


@kernel
def board_of(clue: int, stride: int, starts: Array) -> int:
    """The board that a padded cell belongs to."""
    row = clue // stride
    low, high = 0, starts.size - 2
    while low < high:
        middle = (low + high + 1) >> 1
        if starts[middle] + middle + 1 <= row:
            low = middle
        else:
            high = middle - 1
    return low


@kernel
def bury(know: Array, need: Array, left: Array) -> None:
    """Take all that is unknown out of a board."""
    for cell in range(know.size):
        if know[cell] == UNKNOWN:
            know[cell] = NO_MINE
        need[cell] = 0
        left[cell] = 0


@kernel
def settle(know: Array, need: Array, left: Array, steps: Array, cell: int, mine: int, stack: Array, top: int, flags: Array) -> int:
    """Make an unknown cell known, and put the clues beside it on the stack; returns the stack's new height."""
    know[cell] = mine
    for k in range(8):
        clue = cell + steps[k]
        if left[clue] > 0:
            left[clue] -= 1
            need[clue] -= mine
            if not flags[clue] & 4:
                flags[clue] |= 4
                stack[top] = clue
                top += 1
    return top


@kernel
def root(link: Array, cell: int) -> int:
    """The literal that is true just when the cell has no mine, of the cell that stands for its class; shortens the way there."""
    top = cell
    odd = 0
    while link[top] >> 1 != top:
        odd ^= link[top] & 1
        top = link[top] >> 1
    found = 2 * top + odd
    while link[cell] >> 1 != top:
        above = link[cell]
        link[cell] = 2 * top + odd
        odd ^= above & 1
        cell = above >> 1
    return found


@kernel
def implied(know: Array, flags: Array, steps: Array, link: Array, cell: int, mine: int, near: Array) -> int:
    """Put into `near` (room for 56) the literals that follow by one clue from a cell's being a mine or not; how many."""
    count = 0
    for i in range(8):
        clue = cell + steps[i]
        if flags[clue] & (2 - mine):
            for j in range(8):
                other = clue + steps[j]
                if know[other] == UNKNOWN and other != cell:
                    near[count] = root(link, other) ^ (1 - mine)
                    count += 1
    return count


@kernel
def close(know: Array, need: Array, left: Array, stride: int, starts: Array) -> Array:
    """Bring every board of a field to the closure's fixpoint in place.

    Returns `clash` (int32 per board): the padded cell of a clue that cannot hold, or 0. Such a board is left without clues
    and without unknown cells, which means nothing.
    """
    clash = np.zeros(starts.size - 1, np.int32)
    for board in range(clash.size):
        begin = (starts[board] + board) * stride
        end = (starts[board + 1] + board + 2) * stride + 1
        clue = close_board(know[begin:end], need[begin:end], left[begin:end], stride)
        if clue != 0:
            clash[board] = begin + clue
            bury(know[begin:end], need[begin:end], left[begin:end])
    return clash


@kernel
def close_board(know: Array, need: Array, left: Array, stride: int) -> int:
    """Bring one padded board to the fixpoint; returns a clue that cannot hold, or 0.

    A clue with n mines to place on k unknown cells says: n = 0, all are safe; n = k, all are mines; n = 1, a mine implies
    that the others are safe; n = k - 1, a safe cell implies that the others are mines. A literal that implies its own
    negation is false. Implications come with their contrapositives, so a literal is false just when its consequences hold
    a cell in both states.

    Where one of two cells is a mine, each stands for the other: such cells are merged into classes, which a search passes
    in one step. A literal whose consequences were searched without a clash is clear, and so are its consequences; it need
    not be searched again until a clue comes to give new implications that it leads to. So a change only reopens what is
    near. Where a search does clash, the nearest literal that both sides of the clash go back to is false already.
    """
    size = know.size
    steps = around(stride)
    flags = np.zeros(size, np.uint8)  # of a clue: 1 it implies from mines, 2 it implies from safe cells, 4 on the stack
    stack = np.empty(size, np.int32)
    gained = np.empty(2 * size, np.int32)  # a clue gains twice at most
    link = np.empty(size, np.int32)  # see `root`
    top = 0
    gains = 0
    most = 0
    for cell in range(size):
        link[cell] = 2 * cell
        if left[cell] > 0 or need[cell] != 0:
            flags[cell] = 4
            stack[top] = cell
            top += 1
        elif know[cell] == UNKNOWN:
            most += 2
    after = np.zeros(size, np.int32)  # the next cell of the class
    last = np.zeros(size, np.int32)  # of a class, its last cell; 0 where that is the only one
    state = np.zeros(2 * size, np.uint8)  # of a literal: 1 not clear, 2 waiting
    place = np.empty(2 * size, np.int32)  # a literal is among the first n of `literals` if its place is below n and holds it
    literals = np.empty(most, np.int32)
    parent = np.empty(most, np.int32)
    waiting = np.empty(most, np.int32)
    near = np.empty(56, np.int32)
    pending = 0
    while True:
        while top > 0:
            top -= 1
            clue = stack[top]
            n, k = need[clue], left[clue]
            if n < 0 or n > k:
                return clue
            if k > 0 and (n == 0 or n == k):
                flags[clue] = 0
                for i in range(8):
                    cell = clue + steps[i]
                    if know[cell] == UNKNOWN:
                        top = settle(know, need, left, steps, cell, 0 if n == 0 else 1, stack, top, flags)
                continue
            gives = 0
            if k == 2:
                one, other = 0, 0
                for i in range(8):
                    cell = clue + steps[i]
                    if know[cell] == UNKNOWN:
                        one, other = other, cell
                one, other = root(link, one), root(link, other)
                if one == other:
                    return clue
                if one ^ other != 1:
                    above, below = one >> 1, other >> 1
                    link[below] = 2 * above + ((one ^ other ^ 1) & 1)
                    after[last[above] if last[above] else above] = below
                    last[above] = last[below] if last[below] else below
                    state[2 * above] &= 2
                    state[2 * above + 1] &= 2
                    gained[gains] = clue
                    gains += 1
            elif k > 2:
                gives = 1 if n == 1 else 2 if n == k - 1 else 0
                if gives & ~flags[clue]:
                    gained[gains] = clue
                    gains += 1
            flags[clue] = gives
        while gains > 0:
            gains -= 1
            clue = gained[gains]
            tail = 0
            for i in range(8):
                cell = clue + steps[i]
                if know[cell] == UNKNOWN:
                    for v in range(2):
                        literal = root(link, cell) ^ v
                        if (left[clue] == 2 or flags[clue] & (2 - v)) and not state[literal] & 1:
                            state[literal] |= 1
                            literals[tail] = literal ^ 1
                            tail += 1
            head = 0
            while head < tail:  # whatever leads to a literal is not clear either: its negation follows from the other's
                literal = literals[head]
                head += 1
                if not state[literal ^ 1] & 2:
                    state[literal ^ 1] |= 2
                    waiting[pending] = literal ^ 1
                    pending += 1
                cell = literal >> 1
                while cell > 0:
                    v = root(link, cell) & 1 ^ literal & 1
                    for i in range(implied(know, flags, steps, link, cell, v, near)):
                        if not state[near[i] ^ 1] & 1:
                            state[near[i] ^ 1] |= 1
                            literals[tail] = near[i]
                            tail += 1
                    cell = after[cell]
        if pending == 0:
            return 0
        pending -= 1
        literal = waiting[pending]
        state[literal] &= 1
        literal = root(link, literal >> 1) ^ (literal & 1)
        if know[literal >> 1] != UNKNOWN or not state[literal] & 1:
            continue
        literals[0] = literal
        place[literal] = 0
        parent[0] = 0
        head, tail = 0, 1
        wrong = -1
        while head < tail and wrong < 0:
            literal = literals[head]
            cell = literal >> 1
            before = 0
            while cell > 0 and wrong < 0:
                v = root(link, cell) & 1 ^ literal & 1
                for i in range(implied(know, flags, steps, link, cell, v, near)):
                    at = place[near[i]]
                    if 0 <= at < tail and literals[at] == near[i]:
                        continue
                    at = place[near[i] ^ 1]
                    if 0 <= at < tail and literals[at] == near[i] ^ 1:
                        other = head
                        while at != other:
                            if at > other:
                                at = parent[at]
                            else:
                                other = parent[other]
                        wrong = literals[at]
                        break
                    place[near[i]] = tail
                    parent[tail] = head
                    literals[tail] = near[i]
                    tail += 1
                live = before == 0
                for i in range(8):
                    live = live or left[cell + steps[i]] > 2
                if live:
                    before = cell
                else:  # only beside clues between two cells: nothing will ever follow from it
                    after[before] = after[cell]
                    if after[cell] == 0:
                        last[literal >> 1] = before
                cell = after[cell]
            head += 1
        if wrong >= 0:
            top = settle(know, need, left, steps, wrong >> 1, 1 - (wrong & 1), stack, top, flags)
        else:
            for i in range(tail):
                state[literals[i]] &= 2
