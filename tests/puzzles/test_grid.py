"""What a grid puzzle gets without writing it, on a puzzle made up for this test; and boards as
instances.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import ClassVar

import numpy as np
import pytest

import puzzles
from puzzles.answer import Answer, Check, Claims, Verdict
from puzzles.coordinates import cells_of_lines, coordinate_lines
from puzzles.grid import Board, GridPuzzle, grid_of
from puzzles.puzzle import Family
from puzzles.space import space_of
from puzzles.text import InputError, Reader, UserError


@dataclass(frozen=True, eq=False)
class Lamps(Board):
    """Lamps, on or off; at least one is on."""

    puzzle: ClassVar[str] = "lamps"
    alphabet: ClassVar[bytes] = b"01"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (self.grid == ord("1")).any():
            raise ValueError("no lamp is on")


@dataclass(frozen=True, eq=False)
class Count(Answer):
    lit: int

    @property
    def claims(self) -> Claims:
        return np.array([self.lit], np.int64)


class LampsPuzzle(GridPuzzle[Lamps, Count]):
    name = title = source = "lamps"
    formats = ("plain",)
    example = "1\n1 2\n10\n"
    board_type = Lamps
    simplest_first = b"01"

    def print_answers(self, answers: Sequence[Count], format: str) -> str:
        return "".join(f"{answer.lit}\n" for answer in answers)

    def read_answer(self, reader: Reader, board: Lamps, /, case: int, format: str) -> Count:
        raise NotImplementedError

    def fields(self, answer: Count) -> dict[str, object]:
        return {"lit": answer.lit}

    def check(self, board: Lamps, /, answer: Count) -> Check:
        return Check(Verdict.UNPROVED)

    @property
    def families(self) -> Mapping[str, Family[Lamps]]:
        return {
            "all": Family(
                lambda size, seed: Lamps(np.full((size, size), ord("1"), np.uint8)),
                "all on",
                ((2, 1),),
            )
        }

    def picture(self, board: Lamps, /, answer: Count | None = None) -> str:
        return "<svg/>"


PUZZLE = LampsPuzzle()


def test_a_grid_puzzle_reads_and_prints_by_default() -> None:
    text = "3\n1 2\n10\n1 2\n01\n2 1\n1\n1\n"
    boards = PUZZLE.parse(text)
    assert [board.lines() for board in boards] == [["10"], ["01"], ["1", "1"]]
    assert PUZZLE.print_instances(boards) == text
    assert PUZZLE.parse(PUZZLE.example)[0].text() == "1 2\n10\n"
    with pytest.raises(InputError, match="^a.in:4:2: expected the number of columns"):
        PUZZLE.parse(text.replace("01\n2 1", "01\n2").replace("1 2\n01\n", ""), "a.in")


def test_shrinking_keeps_to_valid_boards() -> None:
    smaller = [board.lines()[0] for board in space_of(PUZZLE).smaller(Lamps(grid_of(["101"])))]
    assert smaller == ["1", "1", "01", "11", "10", "100", "001", "100"]


def test_what_only_one_puzzle_needs_has_a_default() -> None:
    board, answer = Lamps(grid_of(["10"])), Count(1)
    assert PUZZLE.requests == ()
    assert dict(PUZZLE.exact_options) == {}
    assert PUZZLE.many_instances
    assert not PUZZLE.square
    assert not PUZZLE.first_claim_is_consistency
    assert PUZZLE.extended(board, Random(1)) is board
    assert list(PUZZLE.extra_pictures(board, answer)) == []
    assert PUZZLE.decided_count(board, np.array([0, 1, 2, -1], np.int64)) == 2
    assert answer.as_incomplete() is answer
    assert answer.exact == {}
    assert board.in_contest_format


def test_a_puzzle_must_write_the_abstract_methods() -> None:
    class Unfinished(GridPuzzle[Lamps, Count]):
        name = "unfinished"

    with pytest.raises(TypeError, match="abstract.*print_answers"):
        Unfinished()  # type: ignore[abstract]


@pytest.mark.parametrize("name", puzzles.names())
def test_a_board_is_an_instance(name: str) -> None:
    puzzle = puzzles.get(name)
    for board in puzzle.parse(puzzle.example):
        assert isinstance(board, Board)
        assert board.digest == hashlib.sha256(board.text().encode()).hexdigest()[:16]
        assert board.size == board.cells
        assert board.shape == (board.rows, board.columns)
        assert board._repr_svg_() == puzzle.picture(board)


@pytest.mark.parametrize("name", ["geography", "nogo"])
def test_a_file_of_one_board_takes_no_other_number(name: str) -> None:
    puzzle = puzzles.get(name)
    boards = puzzle.parse(puzzle.example)
    for several in ([], boards * 2):
        with pytest.raises(UserError, match=f"a {name} file holds one board, not {len(several)}"):
            puzzle.print_instances(several)


@pytest.mark.parametrize(
    "shape",
    [
        *((3, 2), (9, 999), (1000, 1000), (2, 99_999), (1, 10_000_000)),
        pytest.param((2, 9_999_999), marks=pytest.mark.slow),
    ],
)
def test_cells_are_written_and_read_back_on_grids_of_all_sizes(shape: tuple[int, int]) -> None:
    last = shape[0] * shape[1] - 1
    cells = np.array([0, 1, shape[1] - 1, last - 1, last] * 5000, np.int32)
    text = coordinate_lines(cells, shape)
    assert text.splitlines() == [
        f"{cell // shape[1] + 1} {cell % shape[1] + 1}" for cell in cells.tolist()
    ]
    read = cells_of_lines(text.encode(), shape)
    assert read is not None
    assert read.tolist() == cells.tolist()


@pytest.mark.parametrize(
    "text", ["1 1", "1 1 \n", "1  1\n", "0 1\n", "4 1\n", "1 3\n", "1\n1 1 1\n"]
)
def test_cells_that_are_not_plainly_of_the_grid_are_left_to_the_reader(text: str) -> None:
    assert cells_of_lines(text.encode(), (3, 2)) is None
