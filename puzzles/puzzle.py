"""What every puzzle has, as the command lines and `compare` see it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

from puzzles.answer import UNCLAIMED, UNDECIDED, Answer, Claims
from puzzles.grid import Board
from puzzles.text import UnknownName, UserError
from puzzles.verdict import Check


@dataclass(frozen=True)
class Family:
    """A seeded family of boards.

    Attributes:
        make: (size, seed) -> board of about size x size cells; the same arguments give the same board.
        about: one line on what the family is made to exercise.
        bundled: the (size, seed) pairs that `compare` runs by default.
        least: the smallest size that the family can be made in.
        in_contest_format: whether its boards are; see `Board.in_contest_format`.
    """

    make: Callable[[int, int], Board]
    about: str
    bundled: tuple[tuple[int, int], ...]
    least: int = 1
    in_contest_format: bool = True

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
        print_instances: boards -> the text of an input file.
        print_answers: (answers, format) -> the text of an output file.
        parse_answers: (text, boards, format, name) -> the answers in an output file; raises `InputError`.
        fields: answer -> its natural fields for JSON.
        example: a small input file that any backend solves at once.
        first_claim_is_consistency: claim 0 says whether the board is consistent. If either answer sets it to 0, no other
            claim is compared.
        many_instances: the contest's format holds any number of boards; else exactly one.
        square: the contest's format holds square boards only.
        requests: what else it answers on the command line.
        exact_options: the options with which a backend that takes them gives all the exact claims that it can.
    """

    name: str
    title: str
    source: str
    formats: tuple[str, ...]
    example: str
    parse: Callable[[str | bytes, str], list[Any]]
    print_instances: Callable[[Sequence[Any]], str]
    print_answers: Callable[[Sequence[Any], str], str]
    parse_answers: Callable[[str | bytes, Sequence[Any], str, str], list[Any]]
    fields: Callable[[Any], dict[str, object]]
    first_claim_is_consistency: bool = False
    many_instances: bool = True
    square: bool = False
    requests: tuple[Request, ...] = ()
    exact_options: Mapping[str, Any] = field(default_factory=dict)

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

    def decided(self, board: Board, claims: Claims) -> int:
        """How many of the board's open questions these claims decide.

        The recall of an incomplete answer is this number divided by that of a complete one.
        """
        rooms = import_module(f"puzzles.{self.name}.board")
        if hasattr(rooms, "decided"):
            return rooms.decided(board, claims)
        return int(((claims != UNDECIDED) & (claims != UNCLAIMED)).sum())

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

    def extra_pictures(self, board: Board, answer: Answer) -> Iterator[tuple[str, str]]:
        """More pictures of an answer with all its exact claims, each with a caption; none where the puzzle knows of no more."""
        room = import_module(f"puzzles.{self.name}.picture")
        return room.extra_pictures(board, answer) if hasattr(room, "extra_pictures") else iter(())

    @property
    def data(self) -> Path:
        """The folder of the bundled files: one folder a set, `*.in` with optional `*.ans`."""
        return Path(__file__).parent / self.name / "data"
