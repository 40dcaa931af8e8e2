"""Minesweeper: the board, the answer, and their texts.

The task of write-up 001: a game under way is given; mark every covered cell that holds a mine in all layouts of the mines
that agree with the clues (`X`), and every one that holds none in any of them (`O`). A clue counts the mines among its at
most eight neighbours.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzles.answer import Answer, Claims
from puzzles.grid import Board, bodies, grid_lines
from puzzles.minesweeper.chances import Chances, decimal, fraction_text
from puzzles.text import Reader

if TYPE_CHECKING:
    from puzzles.minesweeper.why import Reason

FORMATS = ("writeup",)
COVERED, MINE, SAFE, BLANK = (ord(c) for c in "#XO.")

_INCONSISTENT = b"INCONSISTENT"
_HEADER = ("the number of rows", "the number of columns", "the number of mines")
_CLAIM = np.zeros(256, np.int64)
_CLAIM[[COVERED, MINE]] = 2, 1


@dataclass(frozen=True, eq=False)
class Minesweeper(Board):
    """A game under way.

    `0` to `8` are opened cells, the clues; `.` is an opened cell with no mine around it, the same as `0`. `#` is covered. `X`
    is a mine given as certain; `O` a covered cell given as safe, which is no clue.

    Attributes:
        mines: how many mines there are on the whole board, those given included; None where that is not told.
    """

    puzzle: ClassVar[str] = "minesweeper"
    alphabet: ClassVar[bytes] = b".#XO012345678"

    mines: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.mines is not None and self.mines < 0:
            raise ValueError(f"a board has no {self.mines} mines")

    def text(self) -> str:
        count = "" if self.mines is None else f" {self.mines}"
        return f"{self.rows} {self.columns}{count}\n{self.body()}"

    @property
    def in_contest_format(self) -> bool:
        return self.mines is None

    def _repr_svg_(self) -> str:
        from puzzles.minesweeper.picture import picture

        return picture(self)


CAUSE_S = 2.0
"""Seconds that the search for each of an answer's `causes` may take."""


class Core(NamedTuple):
    """Clues (flat indices) that force what the answer claims of the cells; without cells, clues that contradict one another.

    With `counted` they do so together with the board's number of mines.
    """

    clues: tuple[int, ...]
    cells: tuple[int, ...] = ()
    counted: bool = False


class Cause(NamedTuple):
    """Clues (flat indices), with the number of mines if `counted`, that force a cell, or without one contradict one another.

    With `fewest` no other set has fewer clues; the number of mines takes part only where no set of clues suffices.
    """

    cell: int | None
    clues: tuple[int, ...]
    counted: bool
    fewest: bool


@dataclass(frozen=True)
class Certificate:
    """What proves a deduction.

    Attributes:
        cores: every covered cell that is claimed a mine or safe is among the cells of one core; an inconsistent board has
            a core without cells.
        layouts: layouts of the mines that agree with every clue, each `cells` bytes of 1 (a mine) or 0; together they give
            each undecided cell both values.
    """

    cores: tuple[Core, ...] = ()
    layouts: tuple[bytes, ...] = ()


class Move(NamedTuple):
    """Cells (flat indices, ascending) to open next, and the probability that any one of them is a mine."""

    cells: NDArray[np.int64]
    risk: Fraction


@dataclass(frozen=True, eq=False)
class Deduction(Answer):
    """What is certain on a board.

    Attributes:
        consistent: False where no layout of the mines agrees with the clues.
        board: the board with `X` for the certain mines, `O` for the certain safe cells, `#` for the rest; where inconsistent,
            the board as it was given.
        complete: whether `#` claims that both values occur (and `consistent` that some layout exists); else both claim
            nothing.
        chances: the layouts counted, where that was asked for and the board is consistent.
        explain: of a certified answer, the backend's own search for a smallest cause of a cell, or of a contradiction
            (None): (given board, answer, cell, seconds that it may take) -> cause.
        causes: of some certain cells, where that was asked for.
        certificate: a `Certificate`.
    """

    consistent: bool
    board: Minesweeper
    complete: bool = True
    chances: Chances | None = field(default=None, compare=False)
    explain: Explain | None = field(default=None, compare=False)
    causes: tuple[Cause, ...] = field(default=(), compare=False)

    @property
    def mines(self) -> NDArray[np.int64]:
        """Flat indices of the cells that hold a mine for certain, those given included; ascending."""
        return np.flatnonzero(self.board.grid == MINE)

    @property
    def safe(self) -> NDArray[np.int64]:
        """Flat indices of the covered cells that hold no mine for certain, those given included; ascending."""
        return np.flatnonzero(self.board.grid == SAFE)

    @property
    def undecided(self) -> NDArray[np.int64]:
        """Flat indices of the covered cells of which nothing is claimed certain; ascending."""
        return np.flatnonzero(self.board.grid == COVERED)

    @property
    def claims(self) -> Claims:
        """Entry 0: 1 consistent, 0 inconsistent, -1 not claimed; then per cell 0 safe, 1 mine, 2 undecided, -1 not claimed.

        An inconsistent board claims nothing of its cells.
        """
        claims = np.full(self.board.cells + 1, -1, np.int64)
        claims[0] = 0 if not self.consistent else 1 if self.complete else -1
        if self.consistent:
            claims[1:] = _CLAIM[self.board.grid.ravel()]
            if not self.complete:
                claims[claims == 2] = -1
        return claims

    @property
    def probability(self) -> tuple[Fraction | None, ...]:
        """Per flat cell the probability that it is a mine, None where it is opened; empty where nothing was counted."""
        return () if self.chances is None else tuple(map(self.chances.of, range(self.board.cells)))

    @property
    def exact(self) -> Mapping[str, object]:
        fewest = {
            "why" if cause.cell is None else f"why {self.board.place(cause.cell)}": [len(cause.clues), cause.counted]
            for cause in self.causes
            if cause.fewest
        }
        return fewest if self.chances is None else {**self.chances.exact, **fewest}

    def explained(self, given: Minesweeper, count: int, explain: Explain) -> Deduction:
        """The certified answer able to say why, and with the causes of so many of its certain cells, spread over the board."""
        answer = replace(self, explain=explain)
        found = np.flatnonzero((given.grid == COVERED) & (self.board.grid != COVERED)).tolist()
        cells = [*found[:: max(1, -(-len(found) // count))]] if count else []
        if not self.consistent:
            cells = [None] if count else []
        return replace(answer, causes=tuple(explain(given, answer, cell, CAUSE_S) for cell in cells))

    @property
    def next_move(self) -> Move | None:
        """Every covered cell that is safe, or else those least likely to be a mine; None where there is nothing to be said.

        A cell that was given as safe is among them, for it is still covered.
        """
        if not self.consistent:
            return None
        if self.safe.size:
            return Move(self.safe, Fraction(0))
        if self.chances is None or not self.chances.safest.size:
            return None
        cells = self.chances.safest
        return Move(cells, self.chances.of(int(cells[0])) or Fraction(0))

    def why(self, cell: int | None) -> Reason:
        """Why a cell (flat index) is certain; of an inconsistent board, why it has no layout. See `puzzles.minesweeper.why`."""
        from puzzles.minesweeper.why import why

        return why(self, cell)

    def as_incomplete(self) -> Deduction:
        return replace(self, complete=False)

    def _repr_svg_(self) -> str:
        from puzzles.minesweeper.picture import picture

        return picture(self.board, self)


Explain = Callable[[Minesweeper, Deduction, int | None, float], Cause]


def parse(text: str | bytes, name: str = "<text>") -> list[Minesweeper]:
    """The boards of an input file: `T`, then per case `rows columns` or `rows columns mines`, and the rows.

    A file whose first line has two or three numbers holds one board and no `T`.

    Raises:
        InputError: the text breaks the format.
    """
    reader = Reader(text, name)
    cases = 1
    if len(reader.data[: reader.data.index(b"\n")].split()) < 2:
        (cases,) = reader.numbers("the number of cases")
    boards: list[Minesweeper] = []
    same = reader.alike(cases, 3, Minesweeper.alphabet)
    if same is not None:
        (_, _, *told), grids = same
        boards = [Minesweeper.from_valid_grid(grid, mines=told[0] if told else None) for grid in grids]
    while len(boards) < cases:
        rows, columns, mines = _header(reader)
        boards.append(Minesweeper.from_valid_grid(reader.grid(rows, columns, Minesweeper.alphabet), mines=mines))
    reader.end("the last case")
    return boards


def _header(reader: Reader) -> tuple[int, int, int | None]:
    start = reader.position
    numbers = reader.numbers(*_HEADER, optional=1, least=0)
    if 0 in numbers[:2]:
        wrong = numbers.index(0)
        token = list(re.finditer(rb"[0-9]+", reader.data[start : reader.position]))[wrong]
        reader.fail(f"{_HEADER[wrong]} must be at least 1, found 0", start + token.start())
    return numbers[0], numbers[1], numbers[2] if len(numbers) == 3 else None


def print_instances(boards: Sequence[Minesweeper]) -> str:
    """An input file with these boards."""
    return f"{len(boards)}\n" + "".join(board.text() for board in boards)


def print_answers(answers: Sequence[Deduction], format: str) -> str:
    """An output file with these answers, in `writeup` format, the only one."""
    shown = bodies([answer.board for answer in answers])
    parts: list[str] = []
    for case, (answer, body) in enumerate(zip(answers, shown, strict=True), 1):
        parts.append(f"Case {case}:\n{body if answer.consistent else 'INCONSISTENT' + chr(10)}\n")
    return "".join(parts)


def parse_answers(text: str | bytes, boards: Sequence[Minesweeper], format: str, name: str = "<text>") -> list[Deduction]:
    """The answers in an output file to these boards; the empty line after the last one may be missing.

    They come back as complete. Whether a printed board is right is for the check to say; here it only has to be one of the
    case's size.

    Raises:
        InputError: the text breaks the format, or holds more or fewer answers than there are boards.
    """
    reader = Reader(text, name)
    answers: list[Deduction] = []
    for case, board in enumerate(boards, 1):
        _expect(reader, f"Case {case}:")
        stop = reader.data.find(b"\n", reader.position)
        if stop >= 0 and reader.data[reader.position : stop].rstrip(b" \t\r") == _INCONSISTENT:
            reader.line("INCONSISTENT")
            answers.append(Deduction(False, board))
        else:
            grid = reader.grid(board.rows, board.columns, Minesweeper.alphabet)
            answers.append(Deduction(True, Minesweeper(grid, board.mines)))
        if not reader.exhausted:
            _expect(reader, "")
    reader.end("the last answer")
    return answers


def _expect(reader: Reader, line: str) -> None:
    start = reader.position
    found = reader.line(line)
    if found != line:
        reader.fail(f"expected {line or 'an empty line'}; found {found[:40]!r}", start)


def decided(board: Minesweeper, claims: Claims) -> int:
    """How many covered cells are claimed to be a mine or safe.

    Claim 0 does not count: an incomplete answer cannot say that a board is consistent.
    """
    cells = claims[1:][board.grid.ravel() == COVERED]
    return int(((cells == 0) | (cells == 1)).sum())


def fields(answer: Deduction) -> dict[str, object]:
    """The answer's fields for JSON; with `layouts`, `mines` and `probability` where the layouts were counted."""
    known: dict[str, object] = {
        "consistent": answer.consistent,
        "board": grid_lines(answer.board.grid) if answer.consistent else None,
    }
    chances = answer.chances
    if chances is not None:
        texts = [fraction_text(each) for each in chances.fractions]
        shown = [None if value < 0 else texts[value] for value in chances.value_of.tolist()]
        width = answer.board.columns
        known["layouts"] = decimal(chances.layouts)
        known["mines"] = list(chances.mines)
        known["probability"] = [shown[k : k + width] for k in range(0, len(shown), width)]
    return known
