"""NoGo by union-find: chains with their liberties, and for each colour a pointer that never goes back.

Source: write-up "P4997 不围棋" (Luogu P4997). A chain's liberties are counted once for each edge between a stone and an empty
point; the count is zero exactly where there is no liberty, and a stone put beside a chain lowers it by one for each edge
between them. A point that is illegal for a colour stays illegal for it, so each colour tests each point once.
"""

from __future__ import annotations

import time

import numpy as np

from direct.kernel import Array, kernel
from direct.union_find import root
from puzzles.backend import backend
from puzzles.nogo.board import BLACK, EMPTY, WHITE, Game, NoGo
from puzzles.puzzle import Effort

EDGE = 0


@backend(
    "nogo",
    "union-find",
    side="direct",
    source="write-up 003: union-find over chains, each point tested once for each colour",
    takes_for_granted="a point once illegal for a colour stays illegal for it",
)
def solve(board: NoGo, *, certify: bool = False) -> Game:
    """Play the whole game in time almost linear in the board (n log n at worst); the game is its own certificate."""
    started = time.perf_counter()
    stride = board.columns + 1
    field = np.zeros((board.rows + 2, stride), np.uint8)
    field[1:-1, :-1] = board.grid
    moves = play.at(board.cells)(field.ravel(), stride)
    moves.flags.writeable = False
    return Game(board, moves, effort=Effort(solve_s=time.perf_counter() - started))


@kernel
def play(points: Array, stride: int) -> Array:
    """Play the first-legal game on `points` and return its moves, int32 flat indices of the board without its edge.

    Args:
        points: uint8, the board's character codes row by row with one column of edge (0), and a row of edge above and
            below; the stones played are put there.
        stride: points a row, the edge included.
    """
    link = chains(points, stride)
    moves = np.empty(points.size, np.int32)
    beside = np.empty(4, np.int32)
    end = points.size - stride
    here, there = stride, stride
    own, other = BLACK, WHITE
    played = 0
    while True:
        while here < end and not put(points, link, stride, here, own, beside):
            here += 1
        if here == end:
            return moves[:played].copy()
        moves[played] = here - stride - here // stride + 1
        played += 1
        here, there = there, here + 1
        own, other = other, own


@kernel
def chains(points: Array, stride: int) -> Array:
    """The chains of a position: int32 a point, in the form of `direct.union_find.root`.

    The root of a chain holds -1 minus its liberties, counted over edges; entries of empty points and of the edge mean
    nothing.
    """
    link = np.empty(points.size, np.int32)
    for point in range(stride, points.size - stride):
        colour = points[point]
        if colour > EMPTY:
            free = 0
            for near in (point - stride, point - 1, point + 1, point + stride):
                if points[near] == EMPTY:
                    free += 1
            link[point] = -1 - free
            for near in (point - stride, point - 1):
                if points[near] == colour:
                    join(link, root(link, near), root(link, point))
    return link


@kernel
def join(link: Array, one: int, other: int) -> None:
    """Make one chain of two, given by their roots; the one with more liberties keeps its root."""
    if one != other:
        if link[one] > link[other]:
            one, other = other, one
        link[one] += link[other] + 1
        link[other] = one


@kernel
def put(points: Array, link: Array, stride: int, point: int, own: int, beside: Array) -> bool:
    """Put a stone of the colour `own` on `point` if that is legal, and say whether it was.

    Every chain beside the point is charged for the stone, edge by edge; the chains' counts then tell whether the move is
    legal, and if not they are given back. `beside` is room for four numbers.
    """
    if points[point] != EMPTY:
        return False
    free = 0
    chained = 0
    for near in (point - stride, point - 1, point + 1, point + stride):
        if points[near] == EMPTY:
            free += 1
        elif points[near] != EDGE:
            top = root(link, near)
            link[top] += 1
            beside[chained] = top
            chained += 1
    breathes = free > 0
    takes = False
    for k in range(chained):
        if points[beside[k]] == own:
            breathes = breathes or link[beside[k]] < -1
        else:
            takes = takes or link[beside[k]] == -1
    if takes or not breathes:
        for k in range(chained):
            link[beside[k]] -= 1
        return False
    points[point] = own
    link[point] = -1 - free
    for k in range(chained):
        if points[beside[k]] == own:
            join(link, root(link, beside[k]), root(link, point))
    return True
