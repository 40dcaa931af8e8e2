"""What every puzzle has: boards, answers, independent checks, families of boards, and the texts that carry them."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from functools import cached_property
from importlib import import_module
from itertools import groupby
from pathlib import Path
from random import Random
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from puzzles.text import Grid, UnknownName, UserError

Claims = NDArray[np.int64]

_AT_ONCE = 32


@dataclass(frozen=True, eq=False)
class _Value:
    """Equality and hash of a frozen dataclass some of whose fields are arrays."""

    def _key(self) -> tuple[object, ...]:
        values = (getattr(self, f.name) for f in fields(self) if f.compare)
        return tuple(v if not isinstance(v, np.ndarray) else (v.shape, v.tobytes()) for v in values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Value) and type(self) is type(other) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash((type(self), self._key()))

    @classmethod
    def made(cls, **values: Any) -> Self:
        """An instance with these attributes, known to be valid; `__init__` takes four times as long, which shows on long files."""
        instance = object.__new__(cls)
        object.__setattr__(instance, "__dict__", values)
        return instance


@dataclass(frozen=True, eq=False)
class Board(_Value, ABC):
    """An instance of a puzzle: a frozen value over a read-only grid.

    Attributes:
        grid: uint8 array of shape (rows, columns) that holds the contest's own character codes.
    """

    puzzle: ClassVar[str]
    alphabet: ClassVar[bytes]

    grid: Grid

    def __post_init__(self) -> None:
        grid = np.ascontiguousarray(self.grid, np.uint8)
        if grid.ndim != 2 or 0 in grid.shape:
            raise ValueError(f"a board has at least one row and one column, not the shape {grid.shape}")
        if grid.tobytes().translate(None, self.alphabet):
            raise ValueError(f"a {self.puzzle} board holds only {' '.join(self.alphabet.decode())}")
        if grid.flags.writeable:
            grid = grid.copy()
            grid.flags.writeable = False
        object.__setattr__(self, "grid", grid)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Unpickle; the grid is read-only again, which for a compiled kernel is another type than an array that is not."""
        for name, value in state.items():
            object.__setattr__(self, name, value)
        self.grid.flags.writeable = False

    @classmethod
    def trusted(cls, grid: Grid, **rest: Any) -> Self:
        """A board over a contiguous uint8 grid that is known to be valid, such as the reader's: nothing is checked again."""
        grid.setflags(write=False)
        return cls.made(grid=grid, **rest)

    @property
    def rows(self) -> int:
        return self.grid.shape[0]

    @property
    def columns(self) -> int:
        return self.grid.shape[1]

    @property
    def cells(self) -> int:
        return self.grid.size

    def lines(self) -> list[str]:
        """The rows as strings."""
        return grid_lines(self.grid)

    def body(self) -> str:
        """The rows as one text, each ended by LF."""
        ended = np.empty((self.rows, self.columns + 1), np.uint8)
        ended.fill(10)
        ended[:, :-1] = self.grid
        return str(ended.data, "ascii")

    @property
    def plain(self) -> bool:
        """Whether the contest's own format can say all that the board tells; programs of the contest read only such boards."""
        return True

    def questions(self) -> NDArray[np.bool_] | None:
        """Which claims of an answer the board leaves open, as a mask over them; None for all.

        An incomplete backend's coverage is the share of the decided ones among these that it found.
        """
        return None

    def place(self, cell: int) -> str:
        """How a message names a flat cell index: `row,column`, counted from 1."""
        return f"{cell // self.columns + 1},{cell % self.columns + 1}"

    @abstractmethod
    def text(self) -> str:
        """The canonical text of this one board: its header and its rows, each ended by LF."""

    @property
    def digest(self) -> str:
        """16 hexadecimal digits of the SHA-256 of the canonical text."""
        return hashlib.sha256(self.text().encode()).hexdigest()[:16]

    def __str__(self) -> str:
        return self.body()[:-1]


def bodies(boards: Sequence[Board]) -> list[str]:
    """The `body` of each board; some of one width are written at one stroke, not so many that they would leave the cache."""
    if len(boards) == 1:
        return [boards[0].body()]
    texts: list[str] = []
    for first in range(0, len(boards), _AT_ONCE):
        for columns, alike in groupby(boards[first : first + _AT_ONCE], lambda board: board.grid.shape[1]):
            grids = [board.grid for board in alike]
            ended = np.empty((sum(map(len, grids)), columns + 1), np.uint8)
            ended.fill(10)
            np.concatenate(grids, out=ended[:, :-1])
            text = str(ended.data, "ascii")
            stop = 0
            for grid in grids:
                start, stop = stop, stop + len(grid) * (columns + 1)
                texts.append(text[start:stop])
    return texts


def grid_lines(grid: Grid) -> list[str]:
    """The rows of an array of character codes as strings."""
    return [row.tobytes().decode("ascii") for row in grid]


def grid_of(rows: Sequence[str]) -> Grid:
    """Rows of equal length as an array of character codes."""
    if len({len(row) for row in rows}) > 1:
        raise ValueError("rows of unequal length")
    return np.frombuffer("".join(rows).encode("ascii"), np.uint8).reshape(len(rows), -1)


@dataclass(frozen=True)
class Effort:
    """What an answer cost: seconds to build and to solve, and the size of the formula; None where it does not apply."""

    build_s: float | None = None
    solve_s: float | None = None
    variables: int | None = None
    clauses: int | None = None

    def share(self, boards: int) -> Effort:
        """What each of so many boards cost that were solved together; the size stays that of the formula."""
        build_s, solve_s = (None if seconds is None else seconds / boards for seconds in (self.build_s, self.solve_s))
        return replace(self, build_s=build_s, solve_s=solve_s)


@dataclass(frozen=True, eq=False, kw_only=True)
class Answer(_Value, ABC):
    """What a backend says of a board.

    Attributes:
        certificate: what lets the check prove every claim; None where it was not asked for or is not to be had.
        effort: what the answer cost; not part of equality.
    """

    certificate: Any = None
    effort: Effort = field(default=Effort(), compare=False)

    @property
    @abstractmethod
    def claims(self) -> Claims | None:
        """What is claimed, as one flat array of small integers; None where nothing that can be related is claimed."""

    def in_part(self) -> Self:
        """The same answer from somebody who claims only part of one; itself where the puzzle knows no part."""
        return self

    @property
    def exact(self) -> Mapping[str, object]:
        """Further exact claims by name; two answers agree on a name that both have only where the values are equal."""
        return {}


class Verdict(StrEnum):
    """What a check says: every claim certified, some claim without a valid certificate, some claim false."""

    PROVED = "PROVED"
    UNPROVED = "UNPROVED"
    REFUTED = "REFUTED"


@dataclass(frozen=True)
class Check:
    """The outcome of checking one answer against the rules, and why."""

    verdict: Verdict
    detail: str = ""


@dataclass(frozen=True)
class Family:
    """A seeded family of boards.

    Attributes:
        make: (size, seed) -> board of about size x size cells; the same arguments give the same board.
        about: one line on what the family is made to exercise.
        bundled: the (size, seed) pairs that `compare` runs by default.
        least: the smallest size that the family can be made in.
        plain: whether its boards are; see `Board.plain`.
    """

    make: Callable[[int, int], Board]
    about: str
    bundled: tuple[tuple[int, int], ...]
    least: int = 1
    plain: bool = True

    def board(self, size: int, seed: int) -> Board:
        """The family's board of that size and seed.

        Raises:
            UserError: the size is below `least`.
        """
        if size < self.least:
            raise UserError(f"this family starts at size {self.least}, not {size}")
        return self.make(size, seed)


@dataclass(frozen=True)
class Request:
    """Something of its own that a puzzle answers on the command lines of `direct` and `models`: `--name`, or `--name VALUE`.

    Attributes:
        about: one line of help.
        solve: what the backend is asked for: `certify`, or options that it must take.
        text: (board, answer, value) -> what is printed in place of the contest's text; raises `UserError`.
        fields: (board, answer, value) -> fields for JSON; raises `UserError`.
        metavar: how the help names the value; None where there is none.
        in_json: JSON is answered with it unasked, by backends that can.
        picture: (board, answer, value) -> SVG, where `--svg` draws more with it than the answer; raises `UserError`.
    """

    name: str
    about: str
    solve: Mapping[str, Any]
    text: Callable[[Any, Any, str], str]
    fields: Callable[[Any, Any, str], dict[str, object]]
    metavar: str | None = None
    in_json: bool = False
    picture: Callable[[Any, Any, str], str] | None = None


@dataclass(frozen=True)
class Puzzle:
    """One puzzle as the command lines and `compare` see it.

    The statement's texts are given as functions, all of them from the puzzle's `board` module; the rooms `check`,
    `families` and `picture` are imported when they are first asked for.

    Attributes:
        formats: names of the answer formats, the default first.
        parse: (text, name) -> boards of an input file; raises `InputError`.
        print_boards: boards -> the text of an input file.
        print_answers: (answers, format) -> the text of an output file.
        parse_answers: (text, boards, format, name) -> the answers in an output file; raises `InputError`.
        fields: answer -> its natural fields for JSON.
        example: a small input file that any backend solves at once.
        verdict_first: the first claim is a verdict from which, where it is 0, anything follows: if either of two answers
            claims 0 there, only that claim is compared.
        many_boards: the contest's format holds any number of boards; else exactly one.
        square: the contest's format holds square boards only.
        requests: what else it answers on the command line.
        exactly: the options with which a backend that takes them gives all the exact claims that it can.
    """

    name: str
    title: str
    source: str
    formats: tuple[str, ...]
    example: str
    parse: Callable[[str | bytes, str], list[Any]]
    print_boards: Callable[[Sequence[Any]], str]
    print_answers: Callable[[Sequence[Any], str], str]
    parse_answers: Callable[[str | bytes, Sequence[Any], str, str], list[Any]]
    fields: Callable[[Any], dict[str, object]]
    verdict_first: bool = False
    many_boards: bool = True
    square: bool = False
    requests: tuple[Request, ...] = ()
    exactly: Mapping[str, Any] = field(default_factory=dict)

    def format(self, name: str | None) -> str:
        """The format of that name (default: the first); raises `UnknownName`."""
        if name is None:
            return self.formats[0]
        if name not in self.formats:
            raise UnknownName(f"{self.name} format", name, list(self.formats))
        return name

    def check(self, board: Board, answer: Answer) -> Check:
        """Judge an answer by the statement alone; see the puzzle's `check` module."""
        return import_module(f"puzzles.{self.name}.check").check(board, answer)

    @cached_property
    def families(self) -> Mapping[str, Family]:
        return import_module(f"puzzles.{self.name}.families").FAMILIES

    def family(self, name: str) -> Family:
        """The family of that name; raises `UnknownName`."""
        if name not in self.families:
            raise UnknownName(f"{self.name} family", name, list(self.families))
        return self.families[name]

    def smaller(self, board: Board) -> Iterator[Board]:
        """Valid boards one step smaller or simpler than `board`, the largest steps first, for shrinking a failure."""
        return import_module(f"puzzles.{self.name}.families").smaller(board)

    def extended(self, board: Board, rng: Random) -> Board:
        """The board telling more than the contest's format can say, for fuzzing; the same where the puzzle has no more to tell."""
        rooms = import_module(f"puzzles.{self.name}.families")
        return rooms.extended(board, rng) if hasattr(rooms, "extended") else board

    def picture(self, board: Board, answer: Answer | None = None) -> str:
        """The board, with the answer drawn into it, as SVG."""
        return import_module(f"puzzles.{self.name}.picture").picture(board, answer)

    def further(self, board: Board, answer: Answer) -> Iterator[tuple[str, str]]:
        """More pictures of an answer with all its exact claims, each with a caption; none where the puzzle knows of no more."""
        room = import_module(f"puzzles.{self.name}.picture")
        return room.further(board, answer) if hasattr(room, "further") else iter(())

    @property
    def data(self) -> Path:
        """The folder of the bundled files: one folder a set, `*.in` with optional `*.ans`."""
        return Path(__file__).parent / self.name / "data"
