"""Minesweeper: the board and the answer.

The task of Amb's write-up: a game under way is given. A clue counts the mines among its at most eight neighbours; a layout is a
placement of the mines that agrees with every clue. Mark every covered cell that holds a mine in all layouts (`X`), and every
covered cell that holds a mine in none (`O`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from puzzles.answer import Answer, Claims
from puzzles.grid import Board, grid_lines
from puzzles.minesweeper.chances import Chances

COVERED, MINE, SAFE, BLANK = (ord(c) for c in "#XO.")

SECONDS_EACH = 2.0
"""How long the search for one of an answer's `causes` may take."""

_CLAIM = np.zeros(256, np.int64)
_CLAIM[[COVERED, MINE]] = 2, 1


@dataclass(frozen=True, eq=False, repr=False)
class Minesweeper(Board):
    """A game under way.

    `0` to `8` are opened cells, the clues. `.` is an opened cell with no mine around it, the same as `0`. `#` is a covered cell,
    `X` a mine given as certain. `O` is a covered cell given as safe; it is no clue.

    Attributes:
        mines: the number of mines on the whole board, given ones included; None if the board does not say.
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


class Core(NamedTuple):
    """Clues that force what the answer claims of some cells; without cells, clues that contradict one another.

    Attributes:
        clues: flat indices.
        cells: flat indices of the forced cells.
        counted: whether the board's number of mines takes part.
    """

    clues: tuple[int, ...]
    cells: tuple[int, ...] = ()
    counted: bool = False


class Cause(NamedTuple):
    """Clues that force one cell, or that contradict one another.

    Attributes:
        cell: flat index; None for a contradiction.
        clues: flat indices.
        counted: whether the board's number of mines takes part.
        fewest: whether it is certain that no other set has fewer clues. The number of mines takes part only if no set of clues
            suffices without it.
    """

    cell: int | None
    clues: tuple[int, ...]
    counted: bool
    fewest: bool


@dataclass(frozen=True)
class Certificate:
    """What proves a deduction.

    Attributes:
        cores: every covered cell that is claimed to be a mine or safe is among the cells of one core. An inconsistent board has
            a core without cells.
        layouts: layouts that agree with every clue. Each is one byte a cell, 1 for a mine, else 0. Together they show both values
            of each undecided cell.
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


CauseSearch = Callable[[Minesweeper, "Deduction", int | None, float], Cause]
"""(board, certified answer, cell, seconds) -> the fewest clues that force the cell; without one, a contradiction."""


@dataclass(frozen=True, eq=False, repr=False)
class Deduction(Answer):
    """What is certain on a board.

    Attributes:
        consistent: False if no layout of the mines agrees with the clues.
        board: the board with `X` for the certain mines, `O` for the certain safe cells and `#` for the rest; the given board if
            it is inconsistent.
        complete: True if `#` claims that both values occur and `consistent` claims that some layout exists. Else both claim
            nothing.
        chances: the layouts counted, on request and if the board is consistent.
        cause_search: how the backend that gave a certified answer searches for causes; None if it does not. Like `certified_later`
            it is no field, and it stays in its process.
        causes: the causes of some certain cells, on request.
        certificate: a `Certificate`.
    """

    cause_search: ClassVar[CauseSearch | None] = None

    consistent: bool
    board: Minesweeper
    complete: bool = True
    chances: Chances | None = field(default=None, compare=False)
    causes: tuple[Cause, ...] = field(default=(), compare=False)

    @property
    def mines(self) -> NDArray[np.int64]:
        """Flat indices of the cells that certainly hold a mine, given ones included; ascending."""
        return np.flatnonzero(self.board.grid == MINE)

    @property
    def safe(self) -> NDArray[np.int64]:
        """Flat indices of the covered cells that certainly hold no mine, given ones included; ascending."""
        return np.flatnonzero(self.board.grid == SAFE)

    @property
    def undecided(self) -> NDArray[np.int64]:
        """Flat indices of the covered cells of which the answer claims nothing certain; ascending."""
        return np.flatnonzero(self.board.grid == COVERED)

    @property
    def claims(self) -> Claims:
        """Entry 0: 1 consistent, 0 inconsistent, -1 not claimed; then per cell 0 safe, 1 mine, 2 undecided, -1 not claimed.

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
        """For each flat cell the probability that it is a mine, None if it is opened; empty if no layouts were counted."""
        return () if self.chances is None else tuple(map(self.chances.of, range(self.board.cells)))

    @property
    def exact(self) -> Mapping[str, object]:
        fewest = {
            "why" if cause.cell is None else f"why {self.board.place(cause.cell)}": [len(cause.clues), cause.counted]
            for cause in self.causes
            if cause.fewest
        }
        return fewest if self.chances is None else {**self.chances.exact, **fewest}

    @property
    def next_move(self) -> Move | None:
        """Every covered cell that is safe, or else those least likely to be a mine; None if neither is known.

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

    def explained(self, search: CauseSearch, board: Minesweeper, most: int) -> Self:
        """The certified answer to `board` with this `cause_search`, and with the causes of some of its certain cells.

        These are at most `most` cells spread over the board; an inconsistent board has one cause, that of the contradiction.
        """
        certain = np.flatnonzero((board.grid == COVERED) & (self.board.grid != COVERED)).tolist()
        cells: Sequence[int | None] = certain[:: max(1, -(-len(certain) // max(most, 1)))] if self.consistent else [None]
        causes = tuple(search(board, self, cell, SECONDS_EACH) for cell in cells) if most else ()
        answer = replace(self, causes=causes)
        object.__setattr__(answer, "cause_search", search)
        return answer

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in super().__getstate__().items() if name != "cause_search"}

    def why(self, cell: int | None) -> Reason:
        """Why a cell (flat index) is certain, or why an inconsistent board has no layout; see `puzzles.minesweeper.why`."""
        from puzzles.minesweeper.why import why

        return why(self, cell)

    def as_incomplete(self) -> Deduction:
        return replace(self, complete=False)

    def __str__(self) -> str:
        if self.consistent:
            return str(self.board)
        if not isinstance(self.certificate, Certificate) or not self.certificate.cores:
            return "INCONSISTENT"
        core = self.certificate.cores[0]
        with_number = " and the number of mines" * core.counted
        return f"INCONSISTENT: these clues{with_number} contradict each other: {self.board.places(core.clues)}"


@dataclass(frozen=True)
class Reason:
    """Clues that force a cell.

    Attributes:
        cell: flat index; None if the clues contradict one another.
        mine: whether the cell is a mine.
        clues: flat indices; no proper subset of them (with the number of mines if `counted`) forces the cell.
        counted: whether the board's number of mines is needed.
        fewest: whether it is certain that no fewer clues force the cell.
        searched: whether a backend searched for the fewest, with or without success.
        board: the statement that forces the cell: a board with only these clues; of every other opened cell it says `O`, no more
            than that it is safe.
        answer: the answer that claims the cell.
        given: the board that the answer is for.
    """

    cell: int | None
    mine: bool
    clues: tuple[int, ...]
    counted: bool
    fewest: bool
    searched: bool
    board: Minesweeper
    answer: Deduction = field(compare=False, repr=False)
    given: Minesweeper = field(compare=False, repr=False)

    def __str__(self) -> str:
        """A sentence; rows and columns count from 1."""
        places = [self.board.place(clue) for clue in self.clues]
        listed = " and ".join([", ".join(places[:-1]), places[-1]] if len(places) > 1 else places)
        forcing = ["the clue" + "s" * (len(places) > 1) + " at " + listed] if places else []
        forcing += [f"the number of mines ({self.board.mines})"] if self.counted else []
        subject = " and ".join(forcing)
        plural = len(places) + self.counted > 1
        unknown = "whether fewer others do was not settled in time" if self.searched else "no search for the fewest was made"
        open_end = "" if self.fewest else f" None of them can be left out; {unknown}."
        if self.cell is None:
            return f"There is no layout: {subject} " + ("contradict one another." if plural else "cannot hold.") + open_end
        state = "a mine" if self.mine else "safe"
        return f"The cell at {self.board.place(self.cell)} is {state}: {subject} force{'' if plural else 's'} it.{open_end}"

    def text(self) -> str:
        """The sentence, and the board with the clues that it names; another opened cell is a `_`, which no board holds."""
        kinds = np.full(self.board.cells, ord("_"), np.uint8)
        symbols = self.given.grid.ravel()
        kept = np.isin(symbols, np.array([COVERED, MINE, SAFE], np.uint8))
        kept[list(self.clues)] = True
        kinds[kept] = symbols[kept]
        rows = grid_lines(kinds.reshape(self.board.grid.shape))
        clues = "no clue" if not self.clues else "this clue alone" if len(self.clues) == 1 else "these clues alone"
        unused = " (_ is an opened cell whose clue is not needed)" if "_" in "".join(rows) else ""
        return "".join(f"{line}\n" for line in [str(self), f"The board with {clues}{unused}:", *rows])

    def _repr_svg_(self) -> str:
        from puzzles.minesweeper.picture import picture

        return picture(self.given, self.answer, self)
