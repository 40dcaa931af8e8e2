"""The independent check of nogo: it replays the game and keeps the legality of every point up to
date by the rules alone.

Nothing here is shared with `direct` or `models` but the statement of the puzzle. In particular the
check does not assume that an illegal point stays illegal.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from puzzles.answer import Check, Verdict
from puzzles.nogo.board import Game, NoGo
from puzzles.text import Grid, count_noun

_MAX_CELLS = 1_000_000
"""Larger boards stay UNPROVED, because the replay keeps Python objects for every chain."""

COLOURS = {"black": ord("X"), "white": ord("O")}
_EMPTY, _EDGE = ord("."), 0


class _Chain(NamedTuple):
    """Connected stones of one colour and the empty points beside them."""

    stones: list[int]
    liberties: set[int]


class ReplayedGame:
    """A game under replay: the position, its chains with their liberties, and the legal points of
    each colour.

    A point is an index into the board with an edge around it, `stride` points a row.

    Attributes:
        kind: for each point `X`, `O`, `.` or the edge.
        chain: the chain of each stone.
        legal: by colour name, a 1 for each point where this colour may play.
    """

    def __init__(self, grid: Grid) -> None:
        self.rows, self.columns = grid.shape
        self.stride = self.columns + 1
        padding = bytes([_EDGE]) * self.stride
        self.kind = bytearray(
            padding + b"".join(row.tobytes() + bytes([_EDGE]) for row in grid) + padding
        )
        self.chain: dict[int, _Chain] = {}
        stones = [point for point, kind in enumerate(self.kind) if kind not in (_EMPTY, _EDGE)]
        for point in stones:
            if point not in self.chain:
                self._flood(point)
        self.legal = {name: bytearray(len(self.kind)) for name in COLOURS}
        self._none_before = dict.fromkeys(COLOURS, 0)
        for point, kind in enumerate(self.kind):
            if kind == _EMPTY:
                self._judge(point)

    def point(self, cell: int) -> int:
        """The point of a flat cell index."""
        return (cell // self.columns + 1) * self.stride + cell % self.columns

    def grid(self) -> Grid:
        """The position as the board's array of character codes."""
        edged = np.frombuffer(bytes(self.kind), np.uint8).reshape(self.rows + 2, self.stride)
        return edged[1:-1, :-1]

    def place(self, point: int) -> str:
        """How a message names a point: `row,column`, counted from 1."""
        return f"{point // self.stride},{point % self.stride + 1}"

    def around(self, point: int) -> tuple[int, int, int, int]:
        """The four points beside a point, some of them perhaps on the edge."""
        return point - self.stride, point - 1, point + 1, point + self.stride

    def first(self, name: str) -> int:
        """The first legal point of a colour, or -1.

        The search starts where the last one ended; a point before that which becomes legal moves
        it back.
        """
        point = self.legal[name].find(1, self._none_before[name])
        self._none_before[name] = point if point >= 0 else len(self.kind)
        return point

    def fault(self, point: int, own: int) -> str | None:
        """Why a stone of the colour `own` may not be put on a point; None if it may."""
        if self.kind[point] != _EMPTY:
            return "the point is taken"
        breathes = False
        for near in self.around(point):
            if self.kind[near] == _EMPTY:
                breathes = True
            elif self.kind[near] != _EDGE:
                spare = len(self.chain[near].liberties) > 1  # the point itself is one of them
                if self.kind[near] == own:
                    breathes = breathes or spare
                elif not spare:
                    return f"it takes the last liberty of the chain beside it at {self.place(near)}"
        return None if breathes else "its own chain would have no liberty"

    def put(self, point: int, own: int) -> None:
        """Put a stone of the colour `own` on a point where that is legal, and judge again every
        point that it can affect.

        The legality of a point depends on what stands on it and beside it, and on whether each
        chain beside it has another liberty. The first changes only at `point` and beside it. For
        the second, take a chain that touches `point` and another empty point q. Before the move the
        chain had `point` as another liberty. So q is affected only if q is the chain's only liberty
        after the move.
        """
        self.kind[point] = own
        chain = _Chain([point], {near for near in self.around(point) if self.kind[near] == _EMPTY})
        self.chain[point] = chain
        for near in self.around(point):
            if near in self.chain:
                self.chain[near].liberties.discard(point)
                if self.kind[near] == own and self.chain[near] is not chain:
                    chain = self._join(chain, self.chain[near])
        for legal in self.legal.values():
            legal[point] = False
        for near in (point, *self.around(point)):
            if self.kind[near] == _EMPTY:
                self._judge(near)
            elif near in self.chain and len(self.chain[near].liberties) == 1:
                self._judge(*self.chain[near].liberties)

    def _judge(self, point: int) -> None:
        """Compute whether each colour may play on an empty point."""
        for name, own in COLOURS.items():
            legal = self.fault(point, own) is None
            self.legal[name][point] = legal
            if legal:
                self._none_before[name] = min(point, self._none_before[name])

    def _join(self, one: _Chain, other: _Chain) -> _Chain:
        """Two chains as one.

        The smaller one is relabelled, so a stone is relabelled at most log2(n) times.
        """
        if len(one.stones) < len(other.stones):
            one, other = other, one
        one.stones.extend(other.stones)
        one.liberties.update(other.liberties)
        for stone in other.stones:
            self.chain[stone] = one
        return one

    def _flood(self, start: int) -> None:
        """Make the chain of a stone."""
        kind, chain_at = self.kind, self.chain
        own, stones, liberties = kind[start], [start], set[int]()
        chain = chain_at[start] = _Chain(stones, liberties)
        for stone in stones:
            for near in self.around(stone):
                beside = kind[near]
                if beside == _EMPTY:
                    liberties.add(near)
                elif beside == own and near not in chain_at:
                    chain_at[near] = chain
                    stones.append(near)


def check(board: NoGo, answer: Game) -> Check:
    """ReplayedGame a game: each move must be legal, and at the end no point may be legal.

    Under the rule `first` every earlier point must be illegal at the moment of the move. About 20
    microseconds a move.
    """
    if answer.board != board:
        return Check(Verdict.REFUTED, "the game starts from another board")
    if board.cells > _MAX_CELLS:
        return Check(
            Verdict.UNPROVED,
            f"the board has more than the {_MAX_CELLS} cells that are replayed",
            limited=True,
        )
    replay = ReplayedGame(board.grid)
    player, other = COLOURS
    for number, cell in enumerate(answer.moves.tolist(), 1):
        if not 0 <= cell < board.cells:
            return Check(
                Verdict.REFUTED, f"move {number} is the cell {cell}, which is not on the board"
            )
        point = replay.point(cell)
        fault, first = replay.fault(point, COLOURS[player]), replay.first(player)
        if fault is not None:
            return Check(
                Verdict.REFUTED,
                f"move {number}, {player} to {replay.place(point)}, is illegal: {fault}",
            )
        if answer.rule == "first" and first != point:
            skipped = replay.place(first)
            return Check(
                Verdict.REFUTED,
                f"move {number}, {player} to {replay.place(point)}, skips the legal point "
                f"{skipped}",
            )
        replay.put(point, COLOURS[player])
        player, other = other, player
    left = ReplayedGame(replay.grid()).first(player)  # judged from scratch
    moves = count_noun(answer.moves.size, "move")
    if left >= 0:
        return Check(
            Verdict.REFUTED, f"after {moves} {player} can still play at {replay.place(left)}"
        )
    return Check(Verdict.PROVED, f"{moves} replayed, then {player} has no legal point")
