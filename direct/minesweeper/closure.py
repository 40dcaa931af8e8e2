"""The first step: boards as kernels take them, and the closure of Amb's write-up: what single clues
force and what follows by chains of implications, until nothing changes.

Literal 2 * cell + v says that `cell` has v mines, v = 0 or 1. A clue with n mines among k unknown
cells gives implications between literals of two cells if n is 1 or k - 1: those of 2-SAT. A literal
that implies its own negation is false.

- Single clues are taken first (`take_single_clues`): they say most.
- With each implication comes its contrapositive. So a literal is false exactly where its
  consequences hold both literals of some cell (`false_literal`).
- A literal is clear if a search of its consequences met no contradiction. Then its consequences are
  clear, too: what follows from them follows from it. A clear literal is searched again only after a
  clue has given new implications that it leads to (`reopen`). So a change costs a search only near
  it.
- Where a clue has one mine for two cells, each determines the other. Such cells are merged into a
  class (`merge`), and a search passes the class in one step. Without that, each search would go
  through a long chain of such clues, cell by cell.

What is marked is true in every layout, but not all that is true is marked. The exact answer begins
with the closure too: `join_tree` decides what it leaves open. Where a literal implies only few
others, and a change reopens few, time is linear in the board.

Source: Amb@HDU, "Minesweeper: a new use of 2-SAT", 2011; for implications and their contrapositives
B. Aspvall, M. F. Plass, R. E. Tarjan, "A linear-time algorithm for testing the truth of certain
quantified boolean formulas", 1979; for classes R. E. Tarjan, "Efficiency of a good but not linear
set union algorithm", 1975.
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
    """Boards of one width below one another: what is known of the cells, and what the clues say of
    the others.

    The cell (row, column) of board b, rows counted through all boards, is at (row + b + 1) *
    stride + column + 1. The padding around and between the boards is known to have no mine.

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
    unknown_beside = np.zeros(size, np.int8)
    steps = offsets_around(stride)
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
                            known[at + column] = HAS_MINE
                    elif is_opened(code):
                        cell = at + column
                        mines = 0
                        open_cells = 0
                        for k in range(8):
                            near = known[cell + steps[k]]
                            open_cells += near == UNKNOWN
                            mines += near == HAS_MINE
                        unknown_beside[cell] = open_cells
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
def mark_certain(grid: Array, starts: Array, known: Array) -> Array:
    """The boards with `X` or `O` on each covered cell that is known. `grid`: their character codes;
    `starts`: the row at which each board begins, and last the number of rows.
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
                        out[row, column] = _FLAG if state == HAS_MINE else _SAFE
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


class Chains(NamedTuple):
    """What the closure keeps besides the constraints.

    Attributes:
        steps: the offsets of the eight neighbours.
        flags: int8 per padded cell, at a clue a sum: GIVES_SAFE if a mine beside it implies
            something, GIVES_MINES if a safe cell does, ON_STACK while it waits on `stack`.
        stack: int32, the clues to look at again.
        gained: int32, the clues with new implications; each gains twice at most.
        link: int32 per cell, the classes; see `root`.
        after, last: int32 per cell, the next cell of its class; of a cell that stands for a class
            the last one. 0 if there is none.
        state: int8 per literal, a sum: _OPEN if it may lead to a contradiction, _WAITING while it
            waits in `waiting`.
        waiting: int32, the literals to be searched.
        literals, parent: int32, the literals that a search has reached, and from which place in
            `literals` each.
        place: int32 per literal, its place in `literals`, if that holds it.
        near: int32, room for the literals that one literal implies.
    """

    steps: Array
    flags: Array
    stack: Array
    gained: Array
    link: Array
    after: Array
    last: Array
    state: Array
    waiting: Array
    literals: Array
    parent: Array
    place: Array
    near: Array


GIVES_SAFE, GIVES_MINES, ON_STACK = 1, 2, 4

_OPEN, _WAITING = 1, 2


@inner_kernel
def close(constraints: Constraints, starts: Array) -> Array:
    """Bring every board to the fixpoint of the closure, in place.

    Returns `clash` (int32 per board): the padded cell of a clue that cannot hold, or 0. The
    constraints of such a board are cleared, so that nothing more is deduced from them. Boards do
    not touch, so all are closed at once.
    """
    known, need, unknown_beside, _ = constraints
    chains, top = nothing_drawn(constraints)
    clash = np.zeros(starts.size - 1, np.int32)
    to_search = 0
    while True:
        gains = take_single_clues(constraints, chains, top, starts, clash)
        to_search = reopen(constraints, chains, gains, to_search)
        false, to_search = false_literal(constraints, chains, to_search)
        if false < 0:
            return clash
        cell, mine = false >> 1, 1 - (false & 1)
        top = assign(
            known, need, unknown_beside, chains.steps, chains.flags, chains.stack, 0, cell, mine
        )


@inner_kernel
def nothing_drawn(constraints: Constraints) -> tuple[Chains, int]:
    """No implication is drawn yet, and each clue is on the stack; the number of these."""
    known, need, unknown_beside, stride = constraints
    size = known.size
    flags, stack, link = np.zeros(size, np.int8), np.empty(size, np.int32), np.empty(size, np.int32)
    top, literals = 0, 0
    for cell in range(size):
        link[cell] = 2 * cell
        if unknown_beside[cell] > 0 or need[cell] != 0:
            flags[cell] = ON_STACK
            stack[top] = cell
            top += 1
        elif known[cell] == UNKNOWN:
            literals += 2
    chains = Chains(
        offsets_around(stride),
        flags,
        stack,
        np.empty(2 * size, np.int32),
        link,
        np.zeros(size, np.int32),
        np.zeros(size, np.int32),
        np.zeros(2 * size, np.int8),
        np.empty(literals, np.int32),
        np.empty(literals, np.int32),
        np.empty(literals, np.int32),
        np.empty(2 * size, np.int32),
        np.empty(56, np.int32),
    )
    return chains, top


@inlined_kernel
def take_single_clues(
    constraints: Constraints, chains: Chains, top: int, starts: Array, clash: Array
) -> int:
    """Take what each of the `top` clues on the stack says by itself. Returns how many clues give
    new implications.

    A clue with n mines to place on k unknown cells says: n = 0, all are safe; n = k, all are mines;
    n = 1, a mine implies that the others are safe; n = k - 1, a safe cell implies that the others
    are mines.
    """
    known, need, unknown_beside, _ = constraints
    steps, flags, stack, gained = chains.steps, chains.flags, chains.stack, chains.gained
    link, after, last, state = chains.link, chains.after, chains.last, chains.state
    gains = 0
    while top > 0:
        top -= 1
        clue = stack[top]
        n, k = need[clue], unknown_beside[clue]
        gives, is_new = 0, False
        if n < 0 or n > k:
            give_up(constraints, starts, clash, clue)
            continue
        if k > 0 and (n == 0 or n == k):
            flags[clue] = 0
            for i in range(8):
                cell = clue + steps[i]
                if known[cell] == UNKNOWN:
                    mine = int(n > 0)
                    top = assign(known, need, unknown_beside, steps, flags, stack, top, cell, mine)
            continue
        if k == 2:
            merged = merge(known, steps, link, after, last, state, clue)
            if merged < 0:
                give_up(constraints, starts, clash, clue)
                continue
            is_new = merged > 0
        elif k > 2:
            gives = GIVES_SAFE if n == 1 else GIVES_MINES if n == k - 1 else 0
            is_new = gives & ~flags[clue] != 0
        if is_new:
            gained[gains] = clue
            gains += 1
        flags[clue] = gives
    return gains


@inner_kernel
def give_up(constraints: Constraints, starts: Array, clash: Array, clue: int) -> None:
    """Note a clue that cannot hold, and leave its board without clues and without unknown cells."""
    known, need, unknown_beside, stride = constraints
    board = board_of(clue, stride, starts)
    clash[board] = clue
    for cell in range(
        (starts[board] + board) * stride, (starts[board + 1] + board + 2) * stride + 1
    ):
        if known[cell] == UNKNOWN:
            known[cell] = NO_MINE
        need[cell] = 0
        unknown_beside[cell] = 0


@inlined_kernel
def assign(
    known: Array,
    need: Array,
    unknown_beside: Array,
    steps: Array,
    flags: Array,
    stack: Array,
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
            if not flags[clue] & ON_STACK:
                flags[clue] |= ON_STACK
                stack[top] = clue
                top += 1
    return top


@inlined_kernel
def merge(
    known: Array, steps: Array, link: Array, after: Array, last: Array, state: Array, clue: int
) -> int:
    """Merge the classes of the two unknown cells of a clue that has one mine for them: each cell
    determines the other.

    Returns 1, or 0 if the cells are known to differ already, or -1 if they are known to be alike. A
    class that grew is to be opened again: it implies all that its parts imply.
    """
    one, other, merged = clue, clue, 1
    for i in range(8):
        cell = clue + steps[i]
        if known[cell] == UNKNOWN:
            one, other = other, cell
    one, other = root(link, one), root(link, other)
    above, below = one >> 1, other >> 1
    if above == below:
        merged = 0 if one != other else -1
    else:
        link[below] = 2 * above + ((one ^ other ^ 1) & 1)
        after[last[above] if last[above] else above] = below
        last[above] = last[below] if last[below] else below
        state[2 * above] &= ~_OPEN
        state[2 * above + 1] &= ~_OPEN
    return merged


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
def imply(
    known: Array, flags: Array, steps: Array, link: Array, cell: int, mine: int, near: Array
) -> int:
    """Put into `near` (room for 56) the literals that single clues imply if `cell` has `mine`
    mines; returns their number.
    """
    count = 0
    for i in range(8):
        clue = cell + steps[i]
        if flags[clue] & (GIVES_MINES - mine):  # GIVES_SAFE (1) after a mine, else GIVES_MINES (2)
            for j in range(8):
                other = clue + steps[j]
                if known[other] == UNKNOWN and other != cell:
                    near[count] = root(link, other) ^ (1 - mine)
                    count += 1
    return count


@inlined_kernel
def reopen(constraints: Constraints, chains: Chains, gains: int, to_search: int) -> int:
    """Open the literals from which a new implication can be reached, and let them wait; returns how
    many wait.

    With each implication comes its contrapositive. So what implies a literal is found by going on
    from the opposite literal, and taking the opposite of all that is reached.
    """
    known, _, unknown_beside, _ = constraints
    steps, flags, link = chains.steps, chains.flags, chains.link
    after, near, state, literals = chains.after, chains.near, chains.state, chains.literals
    gained, waiting = chains.gained, chains.waiting
    while gains > 0:
        gains -= 1
        clue = gained[gains]
        head, tail = 0, 0
        for i in range(8):
            cell = clue + steps[i]
            if known[cell] == UNKNOWN:
                for mine in range(2):
                    literal = root(link, cell) ^ mine
                    gives = unknown_beside[clue] == 2 or flags[clue] & (GIVES_MINES - mine)
                    if gives and not state[literal] & _OPEN:
                        state[literal] |= _OPEN
                        literals[tail] = literal ^ 1
                        tail += 1
        while head < tail:
            literal = literals[head]
            head += 1
            if not state[literal ^ 1] & _WAITING:
                state[literal ^ 1] |= _WAITING
                waiting[to_search] = literal ^ 1
                to_search += 1
            cell = literal >> 1
            while cell > 0:
                mine = root(link, cell) & 1 ^ literal & 1
                for i in range(imply(known, flags, steps, link, cell, mine, near)):
                    before = near[i] ^ 1
                    if not state[before] & _OPEN:
                        state[before] |= _OPEN
                        literals[tail] = near[i]
                        tail += 1
                cell = after[cell]
    return to_search


@inlined_kernel
def false_literal(constraints: Constraints, chains: Chains, to_search: int) -> tuple[int, int]:
    """Search all that the waiting literals imply, breadth-first, one literal after the other.

    On its way the search leaves out of the classes the cells that no clue outside of their class
    bears on: nothing follows from them, and later searches need not pass them.

    If both literals of some cell are reached, something is false: the nearest literal from which
    both follow. Else all that was reached is clear: it leads to no contradiction either. Returns
    the false literal, or -1 if no literal waits any more; and how many still wait.
    """
    known, _, unknown_beside, _ = constraints
    steps, flags, link = chains.steps, chains.flags, chains.link
    after, last, near, state = chains.after, chains.last, chains.near, chains.state
    literals, parent, place = chains.literals, chains.parent, chains.place
    waiting = chains.waiting
    while to_search > 0:
        to_search -= 1
        first = waiting[to_search]
        state[first] &= ~_WAITING
        first = root(link, first >> 1) ^ (first & 1)
        if known[first >> 1] != UNKNOWN or not state[first] & _OPEN:
            continue
        literals[0], parent[0], place[first] = first, 0, 0
        head, tail = 0, 1
        while head < tail:
            literal = literals[head]
            cell, before = literal >> 1, 0
            while cell > 0:  # through the class of the literal
                mine = root(link, cell) & 1 ^ literal & 1
                for i in range(imply(known, flags, steps, link, cell, mine, near)):
                    at = place[near[i]]
                    if 0 <= at < tail and literals[at] == near[i]:  # reached before
                        continue
                    at = place[near[i] ^ 1]
                    if 0 <= at < tail and literals[at] == near[i] ^ 1:
                        return int(literals[common_origin(parent, at, head)]), to_search
                    place[near[i]], parent[tail], literals[tail] = tail, head, near[i]
                    tail += 1
                lives = before == 0
                for i in range(8):
                    lives = lives or unknown_beside[cell + steps[i]] > 2
                if lives:
                    before = cell
                else:  # no clue beside it implies anything outside its class: leave it out
                    after[before] = after[cell]
                    if after[cell] == 0:
                        last[literal >> 1] = before
                cell = after[cell]
            head += 1
        for k in range(tail):
            state[literals[k]] &= ~_OPEN
    return -1, 0


@inlined_kernel
def common_origin(parent: Array, one: int, other: int) -> int:
    """The nearest place in a search from which two places were reached; parents come first."""
    while one != other:
        if one > other:
            one = parent[one]
        else:
            other = parent[other]
    return one


@kernel
def close_boards(grid: Array, starts: Array) -> tuple[Array, Array]:
    """What the closure decides of boards.

    Args:
        grid: uint8 (rows, columns), the boards' character codes, board after board.
        starts: int64 (boards + 1), the row at which each board begins; last the number of rows.

    Returns:
        shown: uint8 (rows, columns), the boards with `X` or `O` on each cell that is decided.
        clash: int32 (boards), a clue (padded) that cannot hold, or 0.
    """
    constraints = constraints_of(grid, starts)
    clash = close(constraints, starts)
    return mark_certain(grid, starts, constraints.known), clash
