"""Minesweeper: the board and the answer.

The task of Amb's write-up: a game under way is given. A clue counts the mines among its at most
eight neighbours; a layout is a placement of the mines that agrees with every clue. Mark every
covered cell that holds a mine in all layouts (`X`), and every covered cell that holds a mine in
none (`O`).

`puzzles/grid.py` reads it from text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzles.answer import Answer, Claims
from puzzles.grid import Board
from puzzles.minesweeper.chances import Chances
from puzzles.text import Grid

if TYPE_CHECKING:
    from puzzles.minesweeper.explain import Explanation

COVERED, MINE, SAFE, BLANK = (ord(c) for c in "#XO.")

NUMBER = {".": 0, **{str(mines): mines for mines in range(9)}}
"""How many mines each clue counts, by its character."""

SIMPLEST_FIRST = b"#O.X012345678"
"""The characters, from the one that constrains least to the one that constrains most."""

_CLAIM = np.zeros(256, np.int64)
_CLAIM[[COVERED, MINE]] = 2, 1


def numbers_around(marked: NDArray[np.bool_]) -> Grid:
    """How many of each cell's neighbours are marked."""
    rows, columns = marked.shape
    padded = np.zeros((rows + 2, columns + 2), np.uint8)
    padded[1:-1, 1:-1] = marked
    squares = padded[:-2] + padded[1:-1] + padded[2:]
    return squares[:, :-2] + squares[:, 1:-1] + squares[:, 2:] - marked


@dataclass(frozen=True, eq=False, repr=False)
class Minesweeper(Board["Deduction"]):
    """A game under way.

    `0` to `8` are opened cells, the clues. `.` is an opened cell with no mine around it, the same
    as `0`. `#` is a covered cell, `X` a mine given as certain. `O` is a covered cell given as safe;
    it is no clue.

    Attributes:
        mines: the number of mines on the whole board, given ones included; None if the board does
            not say.
    """

    puzzle: ClassVar[str] = "minesweeper"
    alphabet: ClassVar[bytes] = b".#XO012345678"
    meanings: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "#": "covered cell",
            ".": "opened cell without a mine around it",
            **{str(mines): f"opened cell, mines around it: {mines}" for mines in range(1, 9)},
            "X": "covered cell, given as a mine",
            "O": "covered cell, given as safe",
            "0": "opened cell, mines around it: 0",
        }
    )

    mines: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.mines is not None and self.mines < 0:
            raise ValueError(f"a board has no {self.mines} mines")

    def header(self) -> str:
        rows, columns = self.grid.shape
        return f"{rows} {columns}" if self.mines is None else f"{rows} {columns} {self.mines}"

    @property
    def in_contest_format(self) -> bool:
        return self.mines is None

    @cached_property
    def kinds(self) -> str:
        """The characters in row-major order."""
        return self.grid.tobytes().decode("ascii")

    @property
    def clues(self) -> list[int]:
        """The flat indices of the clues, ascending."""
        return [cell for cell, kind in enumerate(self.kinds) if kind in NUMBER]


class Core(NamedTuple):
    """An unsatisfiable core: clues that force what is claimed of some cells; without cells, clues
    that contradict one another.

    Attributes:
        clues: flat indices.
        cells: flat indices of the forced cells.
        counted: whether the board's number of mines takes part.
        fewest: whether it is certain that no other core of the same cells has fewer clues. The
            number of mines takes part only if no set of clues suffices without it.
    """

    clues: tuple[int, ...]
    cells: tuple[int, ...] = ()
    counted: bool = False
    fewest: bool = False

    @property
    def cell(self) -> int | None:
        """The first of its cells; None for a contradiction."""
        return next(iter(self.cells), None)


@dataclass(frozen=True)
class Certificate:
    """What proves a deduction.

    Attributes:
        cores: every covered cell that is claimed to be a mine or safe is among the cells of one
            core. An inconsistent board has a core without cells.
        layouts: layouts that agree with every clue. Each is one byte a cell, 1 for a mine, else 0.
            Together they show both values of each undecided cell.
    """

    cores: tuple[Core, ...] = ()
    layouts: tuple[bytes, ...] = ()


class Move(NamedTuple):
    """What to open next.

    Attributes:
        cells: flat indices, ascending; each is as good as the others.
        risk: the probability that such a cell is a mine.
    """

    cells: NDArray[np.int64]
    risk: Fraction


SmallestCoreSearch = Callable[[Minesweeper, "Deduction", Core, float], Core]
"""(board, certified answer, a core of one cell or of none, seconds) -> a core of the same with the
fewest clues; the given one if the seconds do not suffice.
"""


@dataclass(frozen=True, eq=False, repr=False)
class Deduction(Answer):
    """What is certain on a board.

    Attributes:
        consistent: False if no layout of the mines agrees with the clues.
        board: the board with `X` for the certain mines, `O` for the certain safe cells and `#` for
            the rest; the given board if it is inconsistent.
        complete: True if `#` claims that both values occur and `consistent` claims that some layout
            exists. Else both claim nothing.
        chances: the layouts counted, on request and if the board is consistent.
        smallest_core_search: how the backend that gave a certified answer searches for them; None
            if it does not. Like `certified_later` it is no field, and it stays in its process.
        certificate: a `Certificate`.
    """

    kept_here: ClassVar[tuple[str, ...]] = (*Answer.kept_here, "smallest_core_search")
    smallest_core_search: ClassVar[SmallestCoreSearch | None] = None

    consistent: bool
    board: Minesweeper
    complete: bool = True
    chances: Chances | None = field(default=None, compare=False)

    @property
    def mines(self) -> NDArray[np.int64]:
        """Flat indices of the cells that certainly hold a mine, given ones included; ascending."""
        return np.flatnonzero(self.board.grid == MINE)

    @property
    def safe(self) -> NDArray[np.int64]:
        """Flat indices of the covered cells that certainly hold no mine, given ones included;
        ascending.
        """
        return np.flatnonzero(self.board.grid == SAFE)

    @property
    def undecided(self) -> NDArray[np.int64]:
        """Flat indices of the covered cells of which the answer claims nothing certain;
        ascending.
        """
        return np.flatnonzero(self.board.grid == COVERED)

    @property
    def claims(self) -> Claims:
        """Entry 0: 1 consistent, 0 inconsistent, -1 not claimed; then per cell 0 safe, 1 mine, 2
        undecided, -1 not claimed.

        Of the cells of an inconsistent board nothing is claimed.
        """
        claims = np.empty(self.board.cells + 1, np.int64)
        claims[0] = 0 if not self.consistent else 1 if self.complete else -1
        claims[1:] = _CLAIM.take(self.board.grid.ravel()) if self.consistent else -1
        if not self.complete:
            claims[claims == 2] = -1
        return claims

    @property
    def probability(self) -> tuple[Fraction | None, ...]:
        """For each flat cell the probability that it is a mine, None if it is opened; empty if no
        layouts were counted.
        """
        return () if self.chances is None else tuple(map(self.chances.of, range(self.board.cells)))

    @property
    def exact(self) -> Mapping[str, object]:
        return {} if self.chances is None else self.chances.exact

    @property
    def next_move(self) -> Move | None:
        """Every covered cell that is safe, or else those least likely to be a mine; None if neither
        is known.

        A cell given as safe is among them, because it is still covered.
        """
        if not self.consistent:
            return None
        if self.safe.size:
            return Move(self.safe, Fraction(0))
        if self.chances is None or not self.chances.safest.size:
            return None
        cells = self.chances.safest
        return Move(cells, self.chances.of(int(cells[0])) or Fraction(0))

    @property
    def contradiction(self) -> Core | None:
        """The core of an inconsistent board; None if the board is consistent, or the answer not
        certified.
        """
        if (
            self.consistent
            or not isinstance(self.certificate, Certificate)
            or not self.certificate.cores
        ):
            return None
        return self.certificate.cores[0]

    def why(self, cell: int | None) -> Explanation:
        """Why a cell (flat index) is certain, or why an inconsistent board has no layout; see
        `puzzles.minesweeper.explain`.
        """
        from puzzles.minesweeper.explain import explain

        return explain(self, cell)

    def as_incomplete(self) -> Deduction:
        return replace(self, complete=False)

    def __str__(self) -> str:
        if self.consistent:
            return str(self.board)
        core = self.contradiction
        if core is None:
            return "INCONSISTENT"
        with_number = " and the number of mines" * core.counted
        return (
            f"INCONSISTENT: these clues{with_number} contradict each other: "
            f"{self.board.places(core.clues)}"
        )
