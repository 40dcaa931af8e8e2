"""NoGo: the board and the game played on it.

Luogu P4997. Black (`X`) and white (`O`) take turns, black first, to put a stone on an empty point
(`.`). No stone is ever captured: a move is legal if every chain (stones of one colour connected
along the lines) still has a liberty afterwards, which is an empty point beside it. Nobody may pass;
the game ends when the player to move has no legal move. Both players take the first legal point in
row-major order.

`puzzles/nogo/__init__.py` reads and prints it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from puzzles.answer import Answer, Claims
from puzzles.grid import Board
from puzzles.instance import read_only
from puzzles.text import Grid, counted

BLACK, WHITE, EMPTY = b"XO."

Rule = Literal["first", "any"]


@dataclass(frozen=True, eq=False, repr=False)
class NoGo(Board):
    """A start position, black to move, in which every chain has a liberty.

    The contest's text holds square boards only.
    """

    puzzle: ClassVar[str] = "nogo"
    alphabet: ClassVar[bytes] = b"XO."
    meanings: ClassVar[Mapping[str, str]] = MappingProxyType(
        {".": "empty point", "X": "black stone", "O": "white stone"}
    )

    def forbidden(self) -> str:
        dead = without_liberty(self.grid)
        return f"the chain at {self.place(int(dead[0]))} has no liberty" if dead.size else ""

    def text(self) -> str:
        """The canonical text; raises `ValueError` for a board that is not square."""
        if self.rows != self.columns:
            raise ValueError(
                f"the contest's text holds square boards only, not {self.rows}x{self.columns}"
            )
        return super().text()

    def header(self) -> str:
        return str(self.rows)


@dataclass(frozen=True, eq=False, repr=False)
class Game(Answer):
    """A whole game. It is its own certificate: replaying it proves it.

    Attributes:
        board: the start position.
        moves: read-only int32 array of flat cell indices in the order of play, black's first move
            first.
        rule: `first` claims that every move is the first legal point; `any` claims only that the
            game is legal and complete.
    """

    board: NoGo
    moves: NDArray[np.int32]
    rule: Rule = "first"

    def __post_init__(self) -> None:
        moves = read_only(self.moves, np.int32)
        if moves.ndim != 1:
            raise ValueError(f"moves are one flat list of cells, not of the shape {moves.shape}")
        object.__setattr__(self, "moves", moves)

    @property
    def proves_itself(self) -> bool:
        return True

    @property
    def claims(self) -> Claims | None:
        return self.moves.astype(np.int64) if self.rule == "first" else None

    def __str__(self) -> str:
        moves = self.moves.tolist()
        made = counted(len(moves), "move")
        return f"{made}: {self.board.places(moves)}" if moves else made


def without_liberty(grid: Grid) -> NDArray[np.int64]:
    """The stones whose chain has no liberty, as ascending flat cell indices. Linear in the grid.

    A stone beside an empty point breathes, and so does a stone of its colour beside it.
    """
    stride = grid.shape[1] + 1  # one column of edge serves both sides
    edged = np.zeros((grid.shape[0] + 2, stride), np.uint8)
    edged[1:-1, :-1] = grid
    stones, covered = edged > EMPTY, edged != EMPTY
    breathless = stones.copy()
    breathless[1:] &= covered[:-1]
    breathless[:-1] &= covered[1:]
    breathless[:, 1:] &= covered[:, :-1]
    breathless[:, :-1] &= covered[:, 1:]
    rest = np.flatnonzero(breathless)
    kinds, waiting = edged.tobytes(), bytearray(breathless)
    breathing = np.flatnonzero(stones & ~breathless).tolist() if rest.size else []
    for cell in breathing:
        for near in (cell - stride, cell - 1, cell + 1, cell + stride):
            if waiting[near] and kinds[near] == kinds[cell]:
                waiting[near] = False
                breathing.append(near)
    dead = rest[np.frombuffer(waiting, np.bool_)[rest]]
    return (dead // stride - 1) * (stride - 1) + dead % stride
