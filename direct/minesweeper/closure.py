"""Boards as kernels take them, and the closure of Amb's write-up: single clues and chains of
implications, until nothing changes.

The implications are those of two-literal clauses. The exact answer begins with the closure too:
`join_tree` decides what it leaves open.

Literal 2 * cell + v says that `cell` has v mines, v = 0 or 1. `assign` and `implied` run for each
cell and literal, so they take their arrays one by one: with named tuples the closure is a tenth
slower.
"""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from direct.kernel import Array, inlined_kernel, inner_kernel, kernel

T = TypeVar("T", bound=np.generic)

NO_MINE, MINE, UNKNOWN = range(3)
"""What is known of a cell."""

_COVERED, _FLAG, _SAFE, _DOT, _ZERO, _EIGHT = (ord(character) for character in "#XO.08")


class Constraints(NamedTuple):
    """Boards of one width below one another: what is known of the cells, and what the clues say of
    the others.

    The cell (row, column) of board b, rows counted through all boards, is at (row + b + 1) *
    stride + column + 1. The padding around and between the boards is known to have no mine.

    Attributes:
        known: int8 per padded cell, NO_MINE, MINE or UNKNOWN.
        need: int8 per padded cell, at a clue the number of mines among its unknown neighbours; 0
            elsewhere.
        unknown: int8 per padded cell, at a clue the number of its unknown neighbours; 0 elsewhere.
        stride: columns + 1.
    """

    known: Array
    need: Array
    unknown: Array
    stride: int


@inner_kernel
def constraints_of(grid: Array, starts: Array) -> Constraints:
    """The constraints that boards state.

    Args:
        grid: uint8 (rows, columns), the boards' character codes, board after board.
        starts: int64 (boards + 1), the row at which each board begins; last the number of rows.
    """
    rows, columns = grid.shape
    stride = columns + 1
    size = (rows + starts.size) * stride + 1
    known = np.zeros(size, np.int8)
    need = np.zeros(size, np.int8)
    unknown = np.zeros(size, np.int8)
    steps = around(stride)
    for count in range(2):
        for board in range(starts.size - 1):
            for row in range(starts[board], starts[board + 1]):
                at = (row + board + 1) * stride + 1
                for column in range(columns):
                    code = grid[row, column]
                    if count == 0:
                        if code == _COVERED:
                            known[at + column] = UNKNOWN
                        elif code == _FLAG:
                            known[at + column] = MINE
                    elif is_opened(code):
                        cell = at + column
                        mines = 0
                        open_cells = 0
                        for k in range(8):
                            near = known[cell + steps[k]]
                            open_cells += near == UNKNOWN
                            mines += near == MINE
                        unknown[cell] = open_cells
                        need[cell] = (int(code) - _ZERO if code != _DOT else 0) - mines
    return Constraints(known, need, unknown, stride)


@inner_kernel
def is_opened(code: int) -> bool:
    """Whether a board's character stands for an opened cell."""
    return code == _DOT or _ZERO <= code <= _EIGHT


@inner_kernel
def around(stride: int) -> Array:
    """The offsets of the eight neighbours in a padded array (int64)."""
    steps = np.empty(8, np.int64)
    for k in range(3):
        steps[k] = k - 1 - stride
        steps[5 + k] = k - 1 + stride
    steps[3] = -1
    steps[4] = 1
    return steps


@inner_kernel
def marked(grid: Array, starts: Array, known: Array) -> Array:
    """The boards (as `constraints_of` takes them) with `X` or `O` on each covered cell that is
    known.
    """
    columns = grid.shape[1]
    out = grid.copy()
    for board in range(starts.size - 1):
        for row in range(starts[board], starts[board + 1]):
            at = (row + board + 1) * (columns + 1) + 1
            for column in range(columns):
                if out[row, column] == _COVERED:
                    state = known[at + column]
                    if state != UNKNOWN:
                        out[row, column] = _FLAG if state == MINE else _SAFE
    return out


@inner_kernel
def board_of(cell: int, stride: int, starts: Array) -> int:
    """The number of the board that a padded cell belongs to, by binary search."""
    row = cell // stride
    low, high = 0, starts.size - 2
    while low < high:
        middle = (low + high + 1) >> 1
        if starts[middle] + middle + 1 <= row:
            low = middle
        else:
            high = middle - 1
    return low


@inner_kernel
def longer(array: Array, least: int) -> Array:
    """A copy of at least twice the length, with at least `least` entries; what the new ones hold is
    undefined.
    """
    wider = np.empty(max(2 * array.size, least), array.dtype)
    for k in range(
        array.size
    ):  # to compile the assignment of a slice takes Numba ten times as long
        wider[k] = array[k]
    return wider


def interior(padded: NDArray[T], columns: int) -> NDArray[T]:
    """The cells of one board in a padded array, as a view of shape (rows, columns)."""
    stride = columns + 1
    return padded[stride : padded.size - stride - 1].reshape(-1, stride)[:, 1:]


@inlined_kernel
def assign(
    known: Array,
    need: Array,
    unknown: Array,
    steps: Array,
    cell: int,
    mine: int,
    stack: Array,
    top: int,
    flags: Array,
) -> int:
    """Make an unknown cell known, and put the clues beside it on the stack; returns the stack's new
    height.
    """
    known[cell] = mine
    for k in range(8):
        clue = cell + steps[k]
        if unknown[clue] > 0:
            unknown[clue] -= 1
            need[clue] -= mine
            if not flags[clue] & 4:
                flags[clue] |= 4
                stack[top] = clue
                top += 1
    return top


@inlined_kernel
def root(link: Array, cell: int) -> int:
    """The literal of the cell's class that is true exactly if the cell has no mine; compresses the
    path to it.

    A class is a set of cells of which each determines every other; one cell stands for all. `link`
    (int32 per cell) holds a literal of a cell nearer to that one, true exactly if this cell has no
    mine.
    """
    top = cell
    odd = 0
    while link[top] >> 1 != top:
        odd ^= link[top] & 1
        top = link[top] >> 1
    literal = 2 * top + odd
    while link[cell] >> 1 != top:
        above = link[cell]
        link[cell] = 2 * top + odd
        odd ^= above & 1
        cell = above >> 1
    return literal


@inlined_kernel
def implied(
    known: Array, flags: Array, steps: Array, link: Array, cell: int, mine: int, near: Array
) -> int:
    """Put into `near` (room for 56) the literals that single clues imply if `cell` has `mine`
    mines; returns their number.
    """
    count = 0
    for i in range(8):
        clue = cell + steps[i]
        if flags[clue] & (2 - mine):
            for j in range(8):
                other = clue + steps[j]
                if known[other] == UNKNOWN and other != cell:
                    near[count] = root(link, other) ^ (1 - mine)
                    count += 1
    return count


@inner_kernel
def give_up(constraints: Constraints, starts: Array, clash: Array, clue: int) -> None:
    """Note a clue that cannot hold, and leave its board without clues and without unknown cells."""
    known, need, unknown, stride = constraints
    board = board_of(clue, stride, starts)
    clash[board] = clue
    for cell in range(
        (starts[board] + board) * stride, (starts[board + 1] + board + 2) * stride + 1
    ):
        if known[cell] == UNKNOWN:
            known[cell] = NO_MINE
        need[cell] = 0
        unknown[cell] = 0


@inner_kernel
def close(constraints: Constraints, starts: Array) -> Array:
    """Bring every board to the fixpoint of the closure, in place.

    Returns `clash` (int32 per board): the padded cell of a clue that cannot hold, or 0. The
    constraints of such a board are cleared, so that nothing more is deduced from them. Boards do
    not touch, so all are closed at once.

    A clue with n mines to place on k unknown cells says: n = 0, all are safe; n = k, all are mines;
    n = 1, a mine implies that the others are safe; n = k - 1, a safe cell implies that the others
    are mines. A literal that implies its own negation is false. With each implication comes its
    contrapositive, so a literal is false exactly where its consequences hold both literals of some
    cell.

    Where a clue has one mine for two cells, each determines the other: such cells are merged into a
    class, and a search passes the class in one step. A literal is clear if a search of its
    consequences met no contradiction; then its consequences are clear too. A clear literal is
    searched again only after a clue has given new implications that it leads to, so a change
    reopens only literals near it. Where a search meets a contradiction, the nearest literal from
    which both sides of it follow is false.
    """
    known, need, unknown, stride = constraints
    size = known.size
    clash = np.zeros(starts.size - 1, np.int32)
    steps = around(stride)
    flags = np.zeros(
        size, np.int8
    )  # of a clue: 1 a mine beside it implies something, 2 a safe cell does, 4 on the stack
    stack = np.empty(size, np.int32)  # clues to look at again
    link = np.empty(size, np.int32)  # see `root`
    near = np.empty(56, np.int32)
    gained = np.empty(2 * size, np.int32)  # clues with new implications; each gains twice at most
    top = 0
    gains = 0
    most = 0
    for cell in range(size):
        link[cell] = 2 * cell
        if unknown[cell] > 0 or need[cell] != 0:
            flags[cell] = 4
            stack[top] = cell
            top += 1
        elif known[cell] == UNKNOWN:
            most += 2
    after = np.zeros(size, np.int32)  # of a cell, the next one of its class
    last = np.zeros(size, np.int32)  # of a class, its last cell; 0 if it has only one
    state = np.zeros(2 * size, np.int8)  # of a literal: 1 not clear, 2 waiting
    place = np.empty(2 * size, np.int32)  # of a literal, its place in `literals`, if that holds it
    literals = np.empty(most, np.int32)
    parent = np.empty(most, np.int32)
    waiting = np.empty(most, np.int32)
    pending = 0
    while True:
        while top > 0:
            top -= 1
            clue = stack[top]
            n, k = need[clue], unknown[clue]
            if n < 0 or n > k:
                give_up(constraints, starts, clash, clue)
                continue
            if k > 0 and (n == 0 or n == k):
                flags[clue] = 0
                for i in range(8):
                    cell = clue + steps[i]
                    if known[cell] == UNKNOWN:
                        top = assign(
                            known, need, unknown, steps, cell, 0 if n == 0 else 1, stack, top, flags
                        )
                continue
            gives = 0
            if k == 2:
                one, other = clue, clue
                for i in range(8):
                    cell = clue + steps[i]
                    if known[cell] == UNKNOWN:
                        one, other = other, cell
                one, other = root(link, one), root(link, other)
                if one == other:
                    give_up(constraints, starts, clash, clue)
                    continue
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
                if known[cell] == UNKNOWN:
                    for v in range(2):
                        literal = root(link, cell) ^ v
                        if (unknown[clue] == 2 or flags[clue] & (2 - v)) and not state[literal] & 1:
                            state[literal] |= 1
                            literals[tail] = literal ^ 1
                            tail += 1
            head = 0
            while (
                head < tail
            ):  # by contraposition: what implies a literal that is not clear is not clear
                literal = literals[head]
                head += 1
                if not state[literal ^ 1] & 2:
                    state[literal ^ 1] |= 2
                    waiting[pending] = literal ^ 1
                    pending += 1
                cell = literal >> 1
                while cell > 0:
                    v = root(link, cell) & 1 ^ literal & 1
                    for i in range(implied(known, flags, steps, link, cell, v, near)):
                        if not state[near[i] ^ 1] & 1:
                            state[near[i] ^ 1] |= 1
                            literals[tail] = near[i]
                            tail += 1
                    cell = after[cell]
        if pending == 0:
            return clash
        pending -= 1
        literal = waiting[pending]
        state[literal] &= 1
        literal = root(link, literal >> 1) ^ (literal & 1)
        if known[literal >> 1] != UNKNOWN or not state[literal] & 1:
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
                for i in range(implied(known, flags, steps, link, cell, v, near)):
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
                    live = live or unknown[cell + steps[i]] > 2
                if live:
                    before = cell
                else:
                    # every clue beside it has two unknown cells or fewer: it implies nothing
                    # outside its class
                    after[before] = after[cell]
                    if after[cell] == 0:
                        last[literal >> 1] = before
                cell = after[cell]
            head += 1
        if wrong >= 0:
            top = assign(
                known, need, unknown, steps, wrong >> 1, 1 - (wrong & 1), stack, top, flags
            )
        else:
            for i in range(tail):
                state[literals[i]] &= 2


@kernel
def close_boards(grid: Array, starts: Array) -> tuple[Array, Array]:
    """What the closure decides of boards (as `constraints_of` takes them).

    Returns:
        shown: uint8 (rows, columns), the boards with `X` or `O` on each cell that is decided.
        clash: int32 (boards), a clue (padded) that cannot hold, or 0.
    """
    constraints = constraints_of(grid, starts)
    clash = close(constraints, starts)
    return marked(grid, starts, constraints.known), clash
