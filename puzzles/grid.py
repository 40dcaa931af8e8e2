"""Grids: boards of characters, what all grid puzzles share, and grid puzzles that ask for a
solution.

The default format of an input file is the number of boards, then per board a line `rows columns`
and its rows. `read_instances` here reads them for every grid puzzle; `compare` opens the files, in
`compare/engine/campaign/plan.py`.
"""

from __future__ import annotations

import re
from abc import ABC
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from random import Random
from types import MappingProxyType
from typing import Any, ClassVar, Self, TypeVar

import numpy as np

from puzzles.answer import UNCLAIMED, Answer, Check, Claims, Verdict
from puzzles.derivation import DerivationStep
from puzzles.instance import AnswerT, Instance, read_only
from puzzles.puzzle import Family, Puzzle, WitnessPuzzle
from puzzles.text import Grid, Reader, UserError

_MAX_DRAWS = 1000
"""Random grids that are drawn until one of them is a board."""

_VERDICT = re.compile(r"(im)?possible", re.IGNORECASE | re.ASCII)


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

    def boards_on(self, grid: Grid, like: BoardT) -> Iterator[BoardT]:
        """All boards with these cells, where all small boards are tried; none if the puzzle allows
        none. By default one, which has all else from `like`: a puzzle whose boards have other
        fields as well says which values they take.
        """
        with suppress(ValueError):
            yield replace(like, grid=grid)

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


@dataclass(frozen=True, eq=False, repr=False)
class GridSolution(Answer):
    """Whether a board can be solved, and how.

    Attributes:
        possible: whether it can.
        board: the witness if possible: a board of the same size that shows the solution. None if
            impossible.
        certificate: the core if impossible, in plain values: tuples, numbers, texts, bytes, arrays.
            The check knows its form.
    """

    possible: bool
    board: Board | None = None

    @property
    def claims(self) -> Claims:
        return np.array([self.possible], np.int64)

    def __str__(self) -> str:
        if self.board is not None:
            return f"POSSIBLE\n{self.board}"
        return "POSSIBLE" if self.possible else "IMPOSSIBLE"


SolutionT = TypeVar("SolutionT", bound=GridSolution)


class SolutionPuzzle(WitnessPuzzle[BoardT, SolutionT], GridPuzzle[BoardT, SolutionT]):
    """A grid puzzle whose answers are solutions, with defaults for all but its name, its boards and
    its rules: the answer is POSSIBLE with a board that solves the given one, or IMPOSSIBLE.

    The rules are those of `WitnessPuzzle`. In an output file each answer is one of these words, and
    POSSIBLE is followed by the rows of the solution.

    Attributes:
        answer_type: the class of the answers; a subclass of `GridSolution` may add to it.
        solution_type: the class of solutions, if they hold characters that a board may not; by
            default the class of the boards.
    """

    plain_values = "True, False, None, or the rows of a solution"
    answer_type = GridSolution
    solution_type: type[Board] | None = None

    @property
    def solved_type(self) -> type[Any]:
        """The class of solutions."""
        return self.solution_type or self.board_type

    def check_solution(self, board: BoardT, answer: SolutionT, /) -> Check:
        solution = answer.board
        if solution is None:
            return Check(Verdict.UNPROVED, "POSSIBLE without a board")
        if solution.shape != board.shape:
            return Check(Verdict.REFUTED, board.other_shape(solution))
        broken = self.broken_rule(board, solution)
        return (
            Check(Verdict.REFUTED, broken) if broken else Check(Verdict.PROVED, "every rule holds")
        )

    def heading(self, case: int, format: str) -> str:
        """What stands before POSSIBLE or IMPOSSIBLE in an output file; by default nothing."""
        return ""

    def without_heading(self, line: str, case: int, format: str) -> str | None:
        """The rest of a line that begins with the heading of a case; None if it begins
        otherwise.
        """
        heading = self.heading(case, format)
        return line[len(heading) :] if line.startswith(heading) else None

    def answer_from(self, board: BoardT, /, value: object) -> SolutionT:
        """As `WitnessPuzzle.answer_from`; also a solution as a board or as a list of its rows."""
        if isinstance(value, list | tuple) and value and all(isinstance(row, str) for row in value):
            value = self.solved_type(grid_of(value))
        return (
            self.answer_type(True, value)
            if isinstance(value, self.solved_type)
            else super().answer_from(board, value)
        )

    def print_answers(self, answers: Sequence[SolutionT], format: str) -> str:
        """An output file: POSSIBLE and the solution, or IMPOSSIBLE; after the case's heading."""
        parts: list[str] = []
        for case, answer in enumerate(answers, 1):
            verdict = "POSSIBLE" if answer.possible else "IMPOSSIBLE"
            parts.append(f"{self.heading(case, format)}{verdict}\n")
            if answer.board is not None:
                parts.append(answer.board.body())
        return "".join(parts)

    def read_answer(self, reader: Reader, board: BoardT, /, case: int, format: str) -> SolutionT:
        """The answer to a board. Upper and lower case are the same.

        A printed board only has to be of its case's size; whether it solves the case is for the
        check to say.
        """
        start = reader.position
        expected = f"{self.heading(case, format)}POSSIBLE or IMPOSSIBLE"
        line = reader.line(expected)
        word = self.without_heading(line, case, format)
        verdict = None if word is None else _VERDICT.fullmatch(word)
        if verdict is None:
            reader.fail(
                f"expected {expected}; found {(line if word is None else word)[:40]!r}", start
            )
        if verdict[1] is not None:
            return self.answer_type(False)
        return self.answer_type(
            True,
            self.solved_type(reader.grid(board.rows, board.columns, self.solved_type.alphabet)),
        )

    def outcome(self, claims: Claims) -> str:
        return "POSSIBLE" if claims[0] else "IMPOSSIBLE"

    def fields(self, answer: SolutionT) -> dict[str, object]:
        """`possible`, and `board`: the rows of the solution, or null."""
        return {
            "possible": answer.possible,
            "board": answer.board and grid_lines(answer.board.grid),
        }


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
