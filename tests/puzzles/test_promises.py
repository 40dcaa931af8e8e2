"""What contests promise, on boards made by hand; and promised boards near others."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

import puzzles
from compare.commands.fuzz.streams import promised_boards
from compare.engine.search.boards import boards
from puzzles.grid import Board, grid_of
from puzzles.minesweeper import Minesweeper

MANY = "more than 100 turrets"
UNEQUAL = "not as many black as white stones"
BROKEN = [
    ("beams", "codejam", "#", "no turret"),
    ("beams", "codejam", ".", "no turret"),
    ("beams", "codejam", "-", "no open cell"),
    ("beams", "codejam", "-.", ""),
    ("beams", "codejam", f"{'-' * 50} {'|' * 50} {'.' * 50}", ""),
    ("beams", "codejam", f"{'-' * 50} {'|' * 50} {'.' * 49}-", MANY),
    ("beams", "codejam", f"-{'.' * 50}", "more than 50 rows or columns"),
    ("beams", "codejam", " ".join("-" + "." * 50), "more than 50 rows or columns"),
    ("beams", "luogu", "#", ""),
    ("beams", "luogu", f"{'-' * 50} {'|' * 50} {'.' * 49}-", ""),
    ("beams", "luogu", f"-{'.' * 50}", "more than 50 rows or columns"),
    ("nogo", "first", ".", ""),
    ("nogo", "first", "X. .O", ""),
    ("nogo", "first", "X. ..", UNEQUAL),
    ("nogo", "luogu", ".O O.", UNEQUAL),
    ("nogo", "first", " ".join(["." * 500] * 500), ""),
    ("nogo", "first", " ".join(["." * 501] * 501), "more than 500 rows"),
    ("geography", "loj", "#", ""),
    ("geography", "loj", "." * 100, ""),
    ("geography", "luogu", "." * 101, "more than 100 rows or columns"),
    ("minesweeper", "writeup", "##", ""),
    ("minesweeper", "writeup", "1#", ""),
    ("minesweeper", "writeup", "2#", "clues that no layout fits"),
    ("minesweeper", "writeup", "1#2", "clues that no layout fits"),
    ("minesweeper", "writeup", "X0", "clues that no layout fits"),
    ("minesweeper", "writeup", "#.", "a covered cell beside a clue 0"),
    ("minesweeper", "writeup", "0O #1", "a covered cell beside a clue 0"),
    ("minesweeper", "writeup", "0O1#", ""),
]


def board_of(name: str, rows: str) -> Board:
    puzzle: Any = puzzles.get(name)
    return puzzle.board_type(grid_of(rows.split()))


@pytest.mark.parametrize(("name", "format", "rows", "broken"), BROKEN)
def test_what_a_contest_promises(name: str, format: str, rows: str, broken: str) -> None:
    assert puzzles.get(name).broken_promise(board_of(name, rows), format) == broken


def test_a_number_of_mines_is_beyond_the_format_of_the_write_up() -> None:
    puzzle = puzzles.get("minesweeper")
    board = Minesweeper(grid_of(["1#"]), 1)
    assert "a number of mines" in puzzle.broken_promise(board, "writeup")


def test_a_layout_is_found_component_by_component() -> None:
    """As one search, 400 cells with two layouts each would be far beyond its branches."""
    row = "#1#O" * 100
    board = Minesweeper(grid_of([row, "O" * len(row), row]))
    assert puzzles.get("minesweeper").broken_promise(board, "writeup") == ""
    wrong = Minesweeper(grid_of([row, "O" * len(row), row[:-4] + "#3#O"]))
    assert puzzles.get("minesweeper").broken_promise(wrong, "writeup") != ""


@pytest.mark.parametrize("name", puzzles.names())
def test_most_boards_for_programs_keep_all_promises(name: str) -> None:
    puzzle = puzzles.get(name)
    for format in puzzle.formats:
        stream = boards(puzzle, 1, 0, 256, 14)
        promised = promised_boards(puzzle, stream, format)
        kept = [board for board in promised if not puzzle.broken_promise(board, format)]
        assert len(kept) > 0.75 * len(stream)
        assert sum(board in stream for board in kept) >= sum(
            not puzzle.broken_promise(board, format) for board in stream
        )
        assert promised_boards(puzzle, stream, format) == promised


@pytest.mark.parametrize("name", puzzles.names())
def test_boards_in_the_place_of_others_keep_all_promises_and_are_no_larger(name: str) -> None:
    puzzle = puzzles.get(name)
    for format in puzzle.formats:
        for board in boards(puzzle, 2, 1, 128, 14):
            for near in puzzle.promised_near(board, format, Random(1)):
                assert puzzle.broken_promise(near, format) == ""
                assert near.size <= board.size


def test_one_stone_too_many_is_each_of_them_in_turn() -> None:
    puzzle = puzzles.get("nogo")
    near = list(puzzle.promised_near(board_of("nogo", "X.X ... .O."), "first", Random(1)))
    assert {each.text() for each in near} == {"3\n..X\n...\n.O.\n", "3\nX..\n...\n.O.\n"}


def test_a_board_above_the_limit_becomes_a_part_of_it() -> None:
    wide = board_of("geography", "." * 130)
    (near,) = puzzles.get("geography").promised_near(wide, "loj", Random(1))
    assert near.shape == (1, 100)
    crowded = board_of("beams", " ".join(["-" * 60] * 60))
    (mended,) = puzzles.get("beams").promised_near(crowded, "codejam", Random(1))
    assert isinstance(mended, Board)
    assert mended.shape == (50, 50)
    assert np.isin(mended.grid, (ord("-"), ord("|"))).sum() in (99, 100)
