"""NoGo by union-find: chains with their liberties, and for each colour a pointer that never goes
back.

Source: write-up "P4997 不围棋" (Luogu P4997). A chain's liberties are counted by edges: one for
each edge between a stone of the chain and an empty point. The count is zero exactly if the chain
has no liberty, and a stone beside the chain lowers it by one for each edge between them. A point
that is illegal for a colour stays illegal for it, so each colour tests each point once.
"""

from __future__ import annotations

import time

import numpy as np

from direct.kernel import NATURAL, Array, inner_kernel, kernel
from puzzles.answer import Effort
from puzzles.backend import backend
from puzzles.nogo.board import BLACK, EMPTY, WHITE, Game, NoGo

NO_LIBERTY = -1
"""The entry at the root of a chain without liberty; each liberty lowers it by one."""


@backend(
    "nogo",
    "union-find",
    side="direct",
    default=True,
    source="the P4997 write-up: union-find over chains, each point tested once for each colour",
    assumes="a point once illegal for a colour stays illegal for it",
)
def solve(board: NoGo, *, certify: bool = False) -> Game:
    """It plays the game itself. Union-find keeps the chains of stones, and each chain keeps the
    number of its liberties. A point that was illegal for a colour once is never tried again for
    that colour.

    Time is almost linear in the board, n log n at worst. The game is its own certificate.
    """
    started = time.perf_counter()
    stride = board.columns + 1
    points = np.zeros((board.rows + 2, stride), np.uint8)
    points[1:-1, :-1] = board.grid
    moves = play.at(board.cells)(points.ravel(), stride)
    moves.flags.writeable = False
    return Game(board, moves, effort=Effort(solve_s=time.perf_counter() - started))


@kernel
def play(points: Array, stride: int) -> Array:
    """Play the first-legal game on `points` and return its moves, int32 flat indices of the board
    without its border.

    To test a point, every chain beside it loses one liberty for each edge to the point. If the
    counts then show that the move is illegal, they are restored. The four neighbours are written
    out: a loop takes twice the time.

    Args:
        points: uint8, flat: the board's character codes with a border of 0, one column at the right
            and one row above and below; changed to the final position.
        stride: entries a row, the border included.
    """
    link = _chains(points, stride)
    moves = np.empty(points.size, np.int32)
    end = points.size - stride
    here, there = stride, stride  # the pointers of the player to move and of the other
    own, other = BLACK, WHITE
    played = 0
    while here < end:
        here &= NATURAL
        if points[here] != EMPTY:
            here += 1
            continue
        up, left, right, down = (
            (here - stride) & NATURAL,
            (here - 1) & NATURAL,
            (here + 1) & NATURAL,
            (here + stride) & NATURAL,
        )
        north, west, east, south = points[up], points[left], points[right], points[down]
        a = charge(points, link, up)
        b = charge(points, link, left)
        c = charge(points, link, right)
        d = charge(points, link, down)
        free = int(north == EMPTY) + int(west == EMPTY) + int(east == EMPTY) + int(south == EMPTY)
        takes = (
            (north == other and link[a] == NO_LIBERTY)
            or (west == other and link[b] == NO_LIBERTY)
            or (east == other and link[c] == NO_LIBERTY)
            or (south == other and link[d] == NO_LIBERTY)
        )
        breathes = (
            free > 0
            or (north == own and link[a] != NO_LIBERTY)
            or (west == own and link[b] != NO_LIBERTY)
            or (east == own and link[c] != NO_LIBERTY)
            or (south == own and link[d] != NO_LIBERTY)
        )
        if takes or not breathes:
            for chain in (a, b, c, d):
                if chain >= 0:
                    link[chain] -= 1
            here += 1
            continue
        points[here] = own
        link[here] = NO_LIBERTY - free
        chain = here
        if north == own:
            chain = join(link, chain, a)
        if west == own:
            chain = join(link, chain, b)
        if east == own:
            chain = join(link, chain, c)
        if south == own:
            chain = join(link, chain, d)
        moves[played] = (
            here - stride - np.int64(np.uint32(here) // np.uint32(stride)) + 1
        )  # quicker than a 64-bit division
        played += 1
        here, there = there, here + 1
        own, other = other, own
    return moves[:played]


@inner_kernel
def _chains(points: Array, stride: int) -> Array:
    """The chains of a position: int32 per point, in the form that `_root` reads.

    The root of a chain holds `NO_LIBERTY` minus its liberties, counted by edges; entries of empty
    points and of the border mean nothing.
    """
    link = np.empty(points.size, np.int32)
    for point in range(stride, points.size - stride):
        colour = points[point]
        if colour > EMPTY:
            free = 0
            for near in (point - stride, point - 1, point + 1, point + stride):
                free += int(points[near] == EMPTY)
            link[point] = NO_LIBERTY - free
            chain = point
            if points[point - stride] == colour:
                chain = join(link, chain, point - stride)
            if points[point - 1] == colour:
                chain = join(link, chain, point - 1)
    return link


@inner_kernel
def _root(link: Array, point: int) -> int:
    """The root of the chain of the stone at `point`: from each stone of a chain, `link` leads to
    its root, whose own entry is negative. Halves the path.

    Source: R. E. Tarjan, J. van Leeuwen, "Worst-case analysis of set union algorithms", 1984.
    """
    point &= NATURAL
    up = int(link[point])
    while up >= 0:
        over = int(link[up & NATURAL])
        if over < 0:
            return up
        link[point] = over
        point = over & NATURAL
        up = int(link[point])
    return point


@inner_kernel
def charge(points: Array, link: Array, near: int) -> int:
    """Take one liberty from the chain of the stone at `near` and return its root; -1 where no stone
    is there.
    """
    if points[near] <= EMPTY:
        return -1
    chain = _root(link, near) & NATURAL
    link[chain] += 1
    return chain


@inner_kernel
def join(link: Array, chain: int, stone: int) -> int:
    """Unite the chain with root `chain` and the chain of `stone`; the root with more liberties
    remains, and is returned.
    """
    other = _root(link, stone)
    if other == chain:
        return chain
    if link[chain] > link[other]:
        chain, other = other, chain
    link[chain] += link[other] - NO_LIBERTY
    link[other] = chain
    return chain
