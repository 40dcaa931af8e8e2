"""What is to be run: sets of boards, from the bundled data and families or from files and folders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from compare.work.contenders import Contender
from puzzles.answer import Answer
from puzzles.grid import Board
from puzzles.puzzle import Puzzle
from puzzles.text import UserError, read_source

EXPECTED = "expected"
"""The name of the contender that a set's `*.ans` file makes."""


@dataclass(frozen=True)
class Set:
    """Boards that are tabulated together.

    Attributes:
        name: the file's stem, or the bundled name.
        file: the file's stem where that is not the name; None where it is, or there is no file.
        family, seeds: where the boards were generated.
        answers: what the set's `*.ans` file says, one a board; empty without one.
    """

    name: str
    boards: tuple[Board, ...]
    file: str | None = None
    family: str | None = None
    seeds: tuple[int, ...] = ()
    answers: tuple[Answer, ...] = ()

    def seed(self, index: int) -> int | None:
        return self.seeds[index] if self.seeds else None


def bundled(puzzle: Puzzle) -> list[Set]:
    """The sets that come with the package: its data files, then the bundled boards of each family."""
    sets = [read_set(puzzle, str(path), path.parent.name) for path in sorted(puzzle.data.glob("*/*.in"))]
    for name, family in puzzle.families.items():
        boards = tuple(family.board(size, seed) for size, seed in family.bundled)
        sets.append(Set(name, boards, family=name, seeds=tuple(seed for _, seed in family.bundled)))
    return sets


def files(paths: Sequence[str]) -> Iterator[str]:
    """The input files that the paths name: files themselves, and `*.in` below folders, in order.

    Raises:
        UserError: a path is not there, or a folder holds no `*.in`.
    """
    for path in paths:
        if not Path(path).is_dir():
            yield path
            continue
        found = sorted(Path(path).rglob("*.in"))
        if not found:
            raise UserError(f"{path}: no *.in file in this folder")
        yield from map(str, found)


def read_set(puzzle: Puzzle, path: str, name: str | None = None, format: str | None = None) -> Set:
    """The set in an input file, with the answers of the `*.ans` file beside it if there is one.

    Raises:
        UserError: a file cannot be read; `InputError`: its text breaks the format.
    """
    text, shown = read_source(path)
    boards = puzzle.parse(text, shown)
    answers: list[Answer] = []
    beside = Path(path).with_suffix(".ans")
    if path != "-" and beside != Path(path) and beside.exists():
        said, ans_name = read_source(str(beside))
        answers = puzzle.parse_answers(said, boards, puzzle.format(format), ans_name)
    stem = Path(path).stem if path != "-" else "stdin"
    return Set(name or stem, tuple(boards), None if name in (None, stem) else stem, answers=tuple(answers))


def given(puzzle: Puzzle, name: str = EXPECTED) -> Contender:
    """The contender whose answers are those of the set."""
    return Contender(puzzle.name, name, given=True)
