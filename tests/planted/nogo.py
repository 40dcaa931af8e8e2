"""Wrong nogo backends: union-find with liberties counted per edge, and in each backend one defect
that somebody would write.
"""

from __future__ import annotations

import numpy as np

from puzzles.nogo.board import Game, NoGo
from tests.planted import plant

BUGS = {
    "suicide": "suicide allowed",
    "capture": "capture allowed",
    "counted-once": "a liberty that two stones of a chain share counted once when it is taken, "
    "twice before",
    "one-pointer": "one pointer to the first point not yet refused, for both colours",
    "white-first": "white moves first",
    "circular-liberties": "circular liberties, as in a model without cuts: a stone lives by a "
    "living one beside it",
}

COLOURS = b"XO"
EMPTY, EDGE = ord("."), 0


class Position:
    """A position; `liberties` counts, at a chain's root, the pairs of a stone and an empty point
    beside it.
    """

    def __init__(self, board: NoGo, bug: str) -> None:
        self.bug, self.stride = bug, board.columns + 1
        padding = bytes(self.stride)
        self.kind = bytearray(
            padding + b"".join(row.tobytes() + b"\0" for row in board.grid) + padding
        )
        self.root = list(range(len(self.kind)))
        self.points = [
            (1 + cell // board.columns) * self.stride + cell % board.columns
            for cell in range(board.cells)
        ]
        self.liberties = [0] * len(self.kind)
        stones = [point for point in self.points if self.kind[point] != EMPTY]
        for point in stones:
            self.liberties[point] = self.empty_beside(point)
        for point in stones:
            self.join(point)

    def around(self, point: int) -> list[int]:
        return [point - self.stride, point - 1, point + 1, point + self.stride]

    def find(self, point: int) -> int:
        while self.root[point] != point:
            point = self.root[point]
        return point

    def empty_beside(self, point: int) -> int:
        return sum(self.kind[near] == EMPTY for near in self.around(point))

    def join(self, point: int) -> None:
        for near in self.around(point):
            one, other = self.find(point), self.find(near)
            if self.kind[near] == self.kind[point] and one != other:
                self.root[other] = one
                self.liberties[one] += self.liberties[other]

    def beside(self, point: int, colour: int) -> list[int]:
        """The roots of the stones of a colour beside a point, one for each stone."""
        return [self.find(near) for near in self.around(point) if self.kind[near] == colour]

    def allowed(self, point: int, own: int) -> bool:
        ours, theirs = self.beside(point, own), self.beside(point, sum(COLOURS) - own)
        empty = self.empty_beside(point) > 0
        if self.bug == "circular-liberties":
            return (empty or bool(ours)) and all(
                self.beside(near, self.kind[near]) or self.empty_beside(near) > 1
                for near in self.around(point)
                if self.kind[near] == sum(COLOURS) - own
            )
        breathes = empty or any(self.liberties[root] > ours.count(root) for root in ours)
        takes = any(self.liberties[root] <= theirs.count(root) for root in theirs)
        return (breathes or self.bug == "suicide") and (not takes or self.bug == "capture")

    def put(self, point: int, own: int) -> None:
        self.kind[point] = own
        touched = self.beside(point, COLOURS[0]) + self.beside(point, COLOURS[1])
        for root in set(touched) if self.bug == "counted-once" else touched:
            self.liberties[root] -= 1
        self.liberties[point] = self.empty_beside(point)
        self.join(point)


def solve(board: NoGo, bug: str) -> Game:
    """The first legal points; no pointer goes back, for a point that is illegal once stays
    illegal.
    """
    position = Position(board, bug)
    order = COLOURS[::-1] if bug == "white-first" else COLOURS
    pointers = [0, 0]
    moves: list[int] = []
    while True:
        side = len(moves) % 2
        pointer = 0 if bug == "one-pointer" else side
        while pointers[pointer] < board.cells:
            point = position.points[pointers[pointer]]
            if position.kind[point] == EMPTY and position.allowed(point, order[side]):
                break
            pointers[pointer] += 1
        else:
            return Game(board, np.array(moves, np.int32))
        position.put(point, order[side])
        moves.append(pointers[pointer])


plant("nogo", BUGS, solve)
