"""The first step: a board as kernels take it, and the closure of Amb's write-up: what single clues
force and what follows by chains of implications, until nothing changes.

Literal 2 * cell + v says that `cell` has v mines, v = 0 or 1. A clue with n mines among k unknown
cells gives implications between literals of two cells if n is 1 or k - 1: those of 2-SAT. A literal
that implies its own negation is false.

- Single clues are taken first (`take_single_clues`): they say most.
- With each implication comes its contrapositive. So a literal is false exactly where its
  consequences hold both literals of some cell (`opposite_of_false`).
- A literal is clear if a search of its consequences met no contradiction. Then its consequences are
  clear, too: what follows from them follows from it. A clear literal is searched again only after a
  clue has given new implications that it leads to (`reopen`). So a change costs a search only near
  it.
- A clue that gives implications leaves one of any two of its cells on the same side. What follows
  from both is true. `reopen` meets most of it on its way, so few searches are needed.
- The literals are searched in the order of the board. After a change the search goes back to the
  first literal that it reopened.

What is marked is true in every layout, but not all that is true is marked. The exact answer begins
with the closure too: `join_tree` decides what it leaves open. Where a literal implies only few
others, and a change reopens few, time is linear in the board.

Source: Amb@HDU, "Minesweeper: a new use of 2-SAT", 2011; for implications and their contrapositives
B. Aspvall, M. F. Plass, R. E. Tarjan, "A linear-time algorithm for testing the truth of certain
quantified boolean formulas", 1979.
"""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from direct.kernel import Array, inlined_kernel, inner_kernel, kernel

T = TypeVar("T", bound=np.generic)

NO_MINE, HAS_MINE, UNKNOWN = range(3)
"""What is known of a cell."""

_COVERED, _FLAG, _SAFE, _DOT, _ZERO, _EIGHT = (ord(character) for character in "#XO.08")


class Constraints(NamedTuple):
    """What is known of a board's cells, and what its clues say of the others.

    The cell (row, column) is at (row + 1) * stride + column + 1. The padding around the board is
    known to have no mine.

    Attributes:
        known: int8 per padded cell, NO_MINE, HAS_MINE or UNKNOWN.
        need: int8 per padded cell, at a clue the number of mines among its unknown neighbours; 0
            elsewhere.
        unknown_beside: int8 per padded cell, at a clue the number of its unknown neighbours; 0
            elsewhere.
        stride: columns + 1.
    """

    known: Array
    need: Array
    unknown_beside: Array
    stride: int


@inner_kernel
def constraints_of(grid: Array) -> Constraints:
    """The constraints that a board states; `grid`: its character codes, uint8 (rows, columns)."""
    rows, columns = grid.shape
    stride = columns + 1
    size = (rows + 2) * stride + 1
    known = np.zeros(size, np.int8)
    need = np.zeros(size, np.int8)
    unknown_beside = np.zeros(size, np.int8)
    steps = offsets_around(stride)
    for row in range(rows):
        for column in range(columns):
            cell = (row + 1) * stride + column + 1
            if grid[row, column] == _COVERED:
                known[cell] = UNKNOWN
            elif grid[row, column] == _FLAG:
                known[cell] = HAS_MINE
    for row in range(rows):
        for column in range(columns):
            code, cell = grid[row, column], (row + 1) * stride + column + 1
            if is_opened(code):
                mines, unknown = 0, 0
                for k in range(8):
                    near = known[cell + steps[k]]
                    unknown += near == UNKNOWN
                    mines += near == HAS_MINE
                unknown_beside[cell] = unknown
                need[cell] = (int(code) - _ZERO if code != _DOT else 0) - mines
    return Constraints(known, need, unknown_beside, stride)


@inner_kernel
def is_opened(code: int) -> bool:
    """Whether a board's character stands for an opened cell."""
    return code == _DOT or _ZERO <= code <= _EIGHT


@inner_kernel
def offsets_around(stride: int) -> Array:
    """The offsets of the eight neighbours in a padded array (int64)."""
    steps = np.empty(8, np.int64)
    for k in range(3):
        steps[k] = k - 1 - stride
        steps[5 + k] = k - 1 + stride
    steps[3] = -1
    steps[4] = 1
    return steps


@inner_kernel
def mark_certain(grid: Array, known: Array) -> Array:
    """The board of these character codes with `X` or `O` on each covered cell that is known."""
    rows, columns = grid.shape
    out = grid.copy()
    for row in range(rows):
        for column in range(columns):
            state = known[(row + 1) * (columns + 1) + column + 1]
            if out[row, column] == _COVERED and state != UNKNOWN:
                out[row, column] = _FLAG if state == HAS_MINE else _SAFE
    return out


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


class Chains(NamedTuple):
    """What the closure keeps besides the constraints.

    Attributes:
        steps: the offsets of the eight neighbours.
        stack: int32, the clues to look at again.
        changed: int8 per padded cell, not 0 at a clue on the stack: 1 if a safe cell beside it has
            become known since it was looked at, 2 if a mine has, 3 if both have.
        gained: int32, what gives new implications: 2 * clue + 1 for the mines beside a clue,
            2 * clue for its safe cells. Each gains once at most.
        clear: int8 per literal, 1 if it is known to lead to no contradiction.
        literals: int32, the literals that a search has reached.
        origin: int8 per literal, not 0 if the search has reached it: from which of the literals
            with which it began, 1 to 8.
        near: int32, room for the literals that one literal implies.
    """

    steps: Array
    stack: Array
    changed: Array
    gained: Array
    clear: Array
    literals: Array
    origin: Array
    near: Array


@inner_kernel
def close(constraints: Constraints) -> int:
    """Bring a board to the fixpoint of the closure, in place.

    Returns the padded cell of a clue that cannot hold, or 0. With such a clue the constraints are
    cleared, so that nothing more is deduced from them.
    """
    known, need, unknown_beside, _ = constraints
    chains, top = nothing_drawn(constraints)
    steps, stack, changed = chains.steps, chains.stack, chains.changed
    clash, gains = take_single_clues(constraints, chains, top, 0)
    first = end = chains.clear.size
    while clash == 0 and (gains > 0 or first < end):
        if gains > 0:
            gains -= 1
            true, reopened = reopen(constraints, chains, chains.gained[gains])
            first = min(first, reopened)
        else:
            true, first = opposite_of_false(constraints, chains, first)
        if true >= 0:
            top = assign(known, need, unknown_beside, steps, stack, changed, 0, true >> 1, true & 1)
            clash, gains = take_single_clues(constraints, chains, top, gains)
    for cell in range(known.size if clash > 0 else 0):
        known[cell] = NO_MINE if known[cell] == UNKNOWN else known[cell]
        need[cell] = unknown_beside[cell] = 0
    return clash


@inner_kernel
def nothing_drawn(constraints: Constraints) -> tuple[Chains, int]:
    """Each clue is on the stack, and no implication is drawn; the number of clues."""
    _, need, unknown_beside, stride = constraints
    size, top = need.size, 0
    stack, changed = np.empty(size, np.int32), np.zeros(size, np.int8)
    for cell in range(size):
        if unknown_beside[cell] > 0 or need[cell] != 0:
            changed[cell] = 3
            stack[top] = cell
            top += 1
    chains = Chains(
        offsets_around(stride),
        stack,
        changed,
        np.empty(2 * top, np.int32),
        np.ones(2 * size, np.int8),
        np.empty(2 * size, np.int32),
        np.zeros(2 * size, np.int8),
        np.empty(56, np.int32),
    )
    return chains, top


@inlined_kernel
def take_single_clues(
    constraints: Constraints, chains: Chains, top: int, gains: int
) -> tuple[int, int]:
    """Take what each of the `top` clues on the stack says by itself, and the clues beside what
    becomes known. Returns a clue that cannot hold, or 0; and how many clues have new implications.

    A clue with n mines to place on k unknown cells says: n = 0, all are safe; n = k, all are mines.
    It gives new implications if n has become 1, by a mine, or n = k - 1, by a safe cell.
    """
    known, need, unknown_beside, _ = constraints
    steps, stack, changed, gained = chains.steps, chains.stack, chains.changed, chains.gained
    while top > 0:
        top -= 1
        clue = stack[top]
        news, changed[clue] = changed[clue], 0
        n, k = need[clue], unknown_beside[clue]
        if n < 0 or n > k:
            return int(clue), gains
        if k > 0 and (n == 0 or n == k):
            for i in range(8):
                cell = clue + steps[i]
                if known[cell] == UNKNOWN:
                    mine = int(n > 0)
                    top = assign(
                        known, need, unknown_beside, steps, stack, changed, top, cell, mine
                    )
            continue
        for mine in range(2):
            if n == (1 if mine else k - 1) and news & (1 + mine):
                gained[gains] = 2 * clue + mine
                gains += 1
    return 0, gains


@inlined_kernel
def assign(
    known: Array,
    need: Array,
    unknown_beside: Array,
    steps: Array,
    stack: Array,
    changed: Array,
    top: int,
    cell: int,
    mine: int,
) -> int:
    """Make an unknown cell known, and put the clues beside it on the stack; returns the stack's new
    height.
    """
    known[cell] = mine
    for k in range(8):
        clue = cell + steps[k]
        if unknown_beside[clue] > 0:
            unknown_beside[clue] -= 1
            need[clue] -= mine
            if not changed[clue]:
                stack[top] = clue
                top += 1
            changed[clue] |= 1 + mine
    return top


@inlined_kernel
def reopen(constraints: Constraints, chains: Chains, gain: int) -> tuple[int, int]:
    """Make those literals not clear that can lead to a clue's new implications: those that imply
    some cell beside it to be a mine, or safe, as `gain` says. Returns a literal that is true, or
    -1; and the first literal that is not clear any more, or the number of all literals.

    What implies a literal is found by its contrapositive: by going on from the opposite literal,
    and taking the opposite of all that is reached. A clear literal implies only clear ones. So
    there is nothing to do behind one that is not clear.

    The search begins with the opposite literals of the clue's cells. At most one of them is false.
    So a literal that it reaches from two of them is true.
    """
    known, need, unknown_beside, _ = constraints
    steps, near, clear = chains.steps, chains.near, chains.clear
    literals, origin = chains.literals, chains.origin
    clue, mine = gain >> 1, gain & 1
    beside, first, true = 0, clear.size, -1
    for i in range(8):
        if known[clue + steps[i]] == UNKNOWN:
            literals[beside] = 2 * (clue + steps[i]) + 1 - mine
            beside += 1
            origin[literals[beside - 1]] = beside
    head, tail = 0, beside
    while head < tail:
        literal = literals[head]
        # Those beside the clue are gone on from in any case: most that is true is near them.
        if clear[literal ^ 1] or head < beside:
            clear[literal ^ 1] = 0
            first = min(first, literal ^ 1)
            for i in range(imply(known, need, unknown_beside, steps, literal, near)):
                if not origin[near[i]]:
                    literals[tail], origin[near[i]] = near[i], origin[literal]
                    tail += 1
                elif origin[near[i]] != origin[literal]:
                    true = near[i]
        head += 1
    for k in range(tail):
        origin[literals[k]] = 0
    return int(true), int(first)


@inlined_kernel
def imply(
    known: Array, need: Array, unknown_beside: Array, steps: Array, literal: int, near: Array
) -> int:
    """Put the literals that single clues imply by this one into `near`; returns their number.

    A clue with n mines to place on k unknown cells says: n = 1, a mine makes the others safe; n = k
    - 1, a safe cell makes the others mines.
    """
    cell, mine, count = literal >> 1, literal & 1, 0
    for i in range(8):
        clue = cell + steps[i]
        if need[clue] > 0 and need[clue] == (1 if mine else unknown_beside[clue] - 1):
            for j in range(8):
                other = clue + steps[j]
                if known[other] == UNKNOWN and other != cell:
                    near[count] = 2 * other + 1 - mine
                    count += 1
    return count


@inlined_kernel
def opposite_of_false(constraints: Constraints, chains: Chains, first: int) -> tuple[int, int]:
    """Search all that the literals from `first` on imply, breadth-first, one literal after the
    other, if they are not clear. If both literals of some cell are reached, the literal is false.
    Else all that was reached is clear.

    Returns the opposite of the false literal, or -1 if there is none; and where the search has come
    to.
    """
    known, need, unknown_beside, _ = constraints
    steps, near, clear = chains.steps, chains.near, chains.clear
    literals, origin = chains.literals, chains.origin
    for start in range(first, clear.size):
        if clear[start] or known[start >> 1] != UNKNOWN:
            continue
        literals[0], origin[start] = start, 1
        head, tail, is_false = 0, 1, False
        while head < tail and not is_false:
            for i in range(imply(known, need, unknown_beside, steps, literals[head], near)):
                is_false = is_false or origin[near[i] ^ 1] > 0
                if not origin[near[i]]:
                    literals[tail], origin[near[i]] = near[i], 1
                    tail += 1
            head += 1
        for k in range(tail):
            origin[literals[k]] = 0
            if not is_false:
                clear[literals[k]] = 1
        if is_false:
            return start ^ 1, start
    return -1, clear.size


@kernel
def close_board(grid: Array) -> tuple[Array, int]:
    """What the closure decides of a board: the board with `X` or `O` on each cell that is decided,
    and a clue (padded) that cannot hold, or 0. `grid`: its character codes, uint8 (rows, columns).
    """
    constraints = constraints_of(grid)
    clash = close(constraints)
    return mark_certain(grid, constraints.known), clash
