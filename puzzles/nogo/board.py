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
from puzzles.text import Grid, count_noun

BLACK, WHITE, EMPTY = b"XO."

MoveRule = Literal["first", "any"]

_SMALL = 400
"""Points of the largest board that `without_liberty` takes for small."""

_ONLY = [bytes(code == kind for code in range(256)) for kind in (BLACK, WHITE, EMPTY)]
"""Tables for `bytes.translate` that make one kind of point a 1 and all others a 0."""

_NOWHERE = read_only((), np.int64)


@dataclass(frozen=True, eq=False, repr=False)
class NoGo(Board["Game"]):
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
    rule: MoveRule = "first"

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
        number = count_noun(len(moves), "move")
        return f"{number}: {self.board.places(moves)}" if moves else number


def without_liberty(grid: Grid) -> NDArray[np.int64]:
    """The stones whose chain has no liberty, as ascending flat cell indices. Linear in the grid.

    A stone breathes if its chain is known to have a liberty. Passes over the whole array spread
    that from stone to stone of one colour, as long as a pass settles an eighth of the rest; then a
    flood, stone by stone, settles what is left. On a small board that takes longer than to look at
    sets of points.
    """
    if grid.size <= _SMALL:
        return _without_liberty_on_small(grid)
    stride = grid.shape[1] + 1  # one column of edge serves both sides
    edged = np.zeros((grid.shape[0] + 2, stride), np.uint8)
    edged[1:-1, :-1] = grid
    open_points = edged == EMPTY
    breathless = edged > EMPTY
    breathless[1:] &= ~open_points[:-1]
    breathless[:-1] &= ~open_points[1:]
    breathless[:, 1:] &= ~open_points[:, :-1]
    breathless[:, :-1] &= ~open_points[:, 1:]
    colour, gasping = edged.ravel(), breathless.ravel()
    rest = np.flatnonzero(gasping)
    settled = rest.size
    while settled and 8 * settled >= rest.size:
        saved = np.zeros(rest.size, np.bool_)
        for step in (-stride, -1, 1, stride):
            saved |= (colour[rest + step] == colour[rest]) & ~gasping[rest + step]
        gasping[rest[saved]] = False
        rest = rest[~saved]
        settled = int(saved.sum())
    if settled:
        rest = _enclosed_stones(colour, gasping, rest, stride)
    return (rest // stride - 1) * (stride - 1) + rest % stride


def _without_liberty_on_small(grid: Grid) -> NDArray[np.int64]:
    """As `without_liberty`.

    A set of points is an integer with a byte for each point, and an empty column parts the rows.
    """
    rows, stride = grid.shape[0], grid.shape[1] + 1
    kinds = bytes(1).join([row.tobytes() for row in grid])
    black, white, free = (int.from_bytes(kinds.translate(only), "little") for only in _ONLY)
    right, down = 8, 8 * stride
    dead = 0
    for stones in (black, white):
        known, alive = 0, stones & (free << right | free >> right | free << down | free >> down)
        while known != alive:
            known = alive
            alive |= stones & (known << right | known >> right | known << down | known >> down)
        dead |= stones ^ alive
    if not dead:
        return _NOWHERE
    marked = np.frombuffer(dead.to_bytes(rows * stride, "little"), np.uint8).reshape(rows, stride)
    return np.flatnonzero(marked[:, :-1])


def _enclosed_stones(
    colour: Grid, gasping: NDArray[np.bool_], rest: NDArray[np.int64], stride: int
) -> NDArray[np.int64]:
    """Those of the stones `rest` that no flood reaches from the breathing stones beside them."""
    kinds, waiting, steps = colour.tobytes(), bytearray(gasping), (-stride, -1, 1, stride)
    reached = [
        cell
        for cell in rest.tolist()
        if any(kinds[cell + s] == kinds[cell] and not waiting[cell + s] for s in steps)
    ]
    for cell in reached:
        waiting[cell] = False
    while reached:
        cell = reached.pop()
        for step in steps:
            near = cell + step
            if waiting[near] and kinds[near] == kinds[cell]:
                waiting[near] = False
                reached.append(near)
    return np.flatnonzero(np.frombuffer(waiting, np.bool_))
