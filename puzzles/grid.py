"""Grids: boards of characters, and what all grid puzzles share.

The default format of an input file is the number of boards, then per board a line `rows columns`
and its rows. `read_instances` here reads them for every grid puzzle; `compare` opens the files, in
`compare/engine/campaign/plan.py`.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from types import MappingProxyType
from typing import Any, ClassVar, Self, TypeVar

import numpy as np

from puzzles.answer import UNCLAIMED, Claims
from puzzles.derivation import DerivationStep
from puzzles.instance import AnswerT, Instance, read_only
from puzzles.puzzle import Family, Puzzle
from puzzles.text import Grid, Reader, UserError

_MAX_DRAWS = 1000
"""Random grids that are drawn until one of them is a board."""


@dataclass(frozen=True, eq=False, repr=False)
class Board(Instance[AnswerT], ABC):
    """An instance that is a read-only grid of characters.

    Attributes:
        alphabet: the characters that a board may hold.
        meanings: what the characters stand for, in a word or two each; the empty cell first, then
            in the order in which people look for them.
        grid: uint8 array of shape (rows, columns) with the contest's own character codes.
    """

    alphabet: ClassVar[bytes]
    meanings: ClassVar[Mapping[str, str]] = MappingProxyType({})

    grid: Grid

    def __post_init__(self) -> None:
        grid = read_only(self.grid, np.uint8)
        if grid.ndim != 2 or 0 in grid.shape:
            raise ValueError(
                f"a board has at least one row and one column, not the shape {grid.shape}"
            )
        if grid.tobytes().translate(None, self.alphabet):
            raise ValueError(f"a {self.puzzle} board holds only {' '.join(self.alphabet.decode())}")
        object.__setattr__(self, "grid", grid)
        super().__post_init__()

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Unpickle, and make the grid read-only again: compiled kernels take a writable array for
        another type.
        """
        for name, value in state.items():
            object.__setattr__(self, name, value)
        self.grid.flags.writeable = False

    @classmethod
    def from_valid_grid(cls, grid: Grid, **rest: Any) -> Self:
        """A board over a contiguous uint8 grid that is known to be valid, such as the reader's;
        nothing is checked.
        """
        grid.setflags(write=False)
        return cls.unchecked(grid=grid, **rest)

    @property
    def rows(self) -> int:
        return self.grid.shape[0]

    @property
    def columns(self) -> int:
        return self.grid.shape[1]

    @property
    def cells(self) -> int:
        return self.grid.size

    @property
    def size(self) -> int:
        """The number of cells."""
        return self.grid.size

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.rows, self.columns

    def lines(self) -> list[str]:
        """The rows as strings."""
        return grid_lines(self.grid)

    def body(self) -> str:
        """The rows as one text, each row ended by LF."""
        ended = np.full((self.rows, self.columns + 1), ord("\n"), np.uint8)
        ended[:, :-1] = self.grid
        return str(ended.data, "ascii")

    def place(self, cell: int) -> str:
        """How a message names a flat cell index: `row,column`, counted from 1."""
        return f"{cell // self.columns + 1},{cell % self.columns + 1}"

    def other_shape(self, printed: Board) -> str:
        """What is wrong with an answer's board of another shape than this one."""
        return (
            f"the board printed is {printed.rows}x{printed.columns}, not {self.rows}x{self.columns}"
        )

    def header(self) -> str:
        """The line before the rows in the canonical text."""
        rows, columns = self.grid.shape
        return f"{rows} {columns}"

    def text(self) -> str:
        """The canonical text of this one board: its header and its rows, each ended by LF."""
        return f"{self.header()}\n{self.body()}"

    def places(self, cells: Sequence[int], most: int = 50) -> str:
        """How a text names flat cell indices:

        `1,1 2,3`; of more than `most` cells the first, and how many others there are.
        """
        shown = " ".join(map(self.place, cells[:most]))
        return shown if len(cells) <= most else f"{shown} and {len(cells) - most} more"

    def __str__(self) -> str:
        return self.body()[:-1]


BoardT = TypeVar("BoardT", bound=Board)


class GridPuzzle(Puzzle[BoardT, AnswerT]):
    """A puzzle whose instances are boards, with defaults for reading, printing, generating,
    shrinking and drawing them.

    Attributes:
        board_type: the class of the boards.
        simplest_first: the alphabet, from the character that constrains least to the one that
            constrains most; by default in the order in which the boards name it.
        header_names: what errors call the numbers in a board's header. The first two are the rows
            and the columns.
        optional_numbers: how many numbers at the end of a header may be missing.
        least_numbers: the least value of every number in a header, or of each.
    """

    noun = "board"
    board_type: type[BoardT]
    simplest_first: bytes = b""
    header_names: tuple[str, ...] = ("the number of rows", "the number of columns")
    optional_numbers: int = 0
    least_numbers: int | tuple[int, ...] = 1

    def read_instances(self, reader: Reader, count: int) -> list[BoardT]:
        boards: list[BoardT] = []
        for _ in range(count):
            start = reader.position
            rows, columns, *more = reader.numbers(
                *self.header_names, optional=self.optional_numbers, least=self.least_numbers
            )
            grid = reader.grid(rows, columns, self.board_type.alphabet)
            board = self.board_type.from_valid_grid(grid, **self.header_fields(*more))
            forbidden = board.forbidden()
            if forbidden:
                reader.fail(forbidden, start)
            boards.append(board)
        return boards

    def header_fields(self, *more: int) -> dict[str, Any]:
        """The fields of a board, beside its grid, from the numbers that follow rows and columns in
        its header.
        """
        return {}

    def differing_cells(self, board: BoardT, /, ours: Claims, theirs: Claims) -> list[int]:
        """The cells (flat indices, ascending) about which two answers claim different things; empty
        if claims are not about cells.

        By default claim k is about cell k if there is one claim for each cell.
        """
        if not ours.size == theirs.size == board.cells:
            return []
        return np.flatnonzero(
            (ours != theirs) & (ours != UNCLAIMED) & (theirs != UNCLAIMED)
        ).tolist()

    @property
    def families(self) -> Mapping[str, Family[BoardT]]:
        """One family, `random`: each cell holds any character of the alphabet."""
        return {"random": Family(self._random_board, "each cell holds any character")}

    def _random_board(self, size: int, seed: int) -> BoardT:
        rng, characters = (
            np.random.default_rng(seed),
            np.frombuffer(self.board_type.alphabet, np.uint8),
        )
        for _ in range(_MAX_DRAWS):
            with suppress(ValueError):  # the puzzle allows no such board
                return self.board_type(rng.choice(characters, (size, size)))
        raise UserError(
            f"{_MAX_DRAWS} random grids of size {size} are no boards of {self.name}: write "
            "`families` for it"
        )

    def picture(self, board: BoardT, /, answer: AnswerT | None = None) -> str:
        """The characters of the board, or of the answer's board; see `puzzles.pictures`."""
        from puzzles.pictures import plain_picture

        says = "" if answer is None or answer.claims is None else self.outcome(answer.claims)
        return plain_picture(board, self._drawn_board(board, answer), says)

    def cell_words(self, board: BoardT, /, answer: AnswerT) -> Iterable[str]:
        """What an answer says of each cell, in row-major order, for those who do not see the
        picture.

        By default what the character of the answer's board means, or that of the given board.
        """
        shown = self._drawn_board(board, answer)
        for before, symbol in zip("".join(board.lines()), "".join(shown.lines()), strict=True):
            yield shown.meanings.get(symbol, symbol) + (
                "" if before == symbol else ", of the solution"
            )

    def core_cells(self, board: BoardT, /, answer: AnswerT) -> Sequence[int]:
        """The cells (flat indices) of the core of a no, for those who look for them on a large
        board. By default the certificate, if that is made of cells.
        """
        core = answer.certificate
        if getattr(answer, "possible", True) or not isinstance(core, tuple):
            return ()
        return [cell for cell in core if isinstance(cell, int) and 0 <= cell < board.cells]

    def _drawn_board(self, board: BoardT, answer: AnswerT | None) -> Board:
        """The board of the answer, if it has one of the same size; else the given board."""
        solution = getattr(answer, "board", None)
        return solution if isinstance(solution, Board) and solution.shape == board.shape else board

    def steps(self, board: BoardT, /, answer: AnswerT) -> Iterable[DerivationStep]:
        """A derivation of the answer in words; none by default.

        A long derivation explains nothing, and is left out.
        """
        return ()


def grid_lines(grid: Grid) -> list[str]:
    """The rows of an array of character codes as strings."""
    return [row.tobytes().decode("ascii") for row in grid]


def part_of(grid: Grid, most: int, rng: Random) -> Grid:
    """A copy of a random part of at most `most` rows and columns."""
    rows, columns = (min(length, most) for length in grid.shape)
    top, left = rng.randint(0, len(grid) - rows), rng.randint(0, grid.shape[1] - columns)
    return grid[top : top + rows, left : left + columns].copy()


def grid_of(rows: Sequence[str]) -> Grid:
    """Rows of equal length as an array of character codes."""
    if len({len(row) for row in rows}) > 1:
        raise ValueError("rows of unequal length")
    return np.frombuffer("".join(rows).encode("ascii"), np.uint8).reshape(len(rows), -1)
