"""Strict reading: what is refused, where, and with which words."""

from __future__ import annotations

import numpy as np
import pytest

from puzzles import beams
from puzzles.text import InputError, Reader

GOOD = "2\n1 3\n-.-\n2 2\n-.\n#|\n"


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        GOOD.replace("\n", "\r\n"),
        GOOD.rstrip("\n"),
        GOOD + "\n \n\t\n",
        GOOD.replace("\n", " \t\n"),
    ],
    ids=["plain", "CRLF", "no last LF", "blank lines at the end", "trailing blanks"],
)
def test_what_is_let_pass(text: str) -> None:
    assert [board.lines() for board in beams.parse(text)] == [["-.-"], ["-.", "#|"]]


def test_a_board_is_read_only_and_the_text_is_not_kept() -> None:
    board = beams.parse(GOOD)[1]
    with pytest.raises(ValueError, match="read-only"):
        board.grid[0, 0] = 0
    assert board.grid.dtype == np.uint8
    assert board.grid.flags.c_contiguous


def test_both_ways_of_reading_a_grid_agree() -> None:
    rng = np.random.default_rng(1)
    for _ in range(200):
        rows, columns = rng.integers(1, 6, 2)
        lines = ["".join(rng.choice(list("/\\-|#."), columns)) for _ in range(rows)]
        fast = Reader("\n".join(lines) + "\n").grid(rows, columns, b"/\\-|#.")
        slow = Reader("\r\n".join(lines) + "\r\n").grid(rows, columns, b"/\\-|#.")
        assert np.array_equal(fast, slow)
        assert [row.tobytes().decode() for row in fast] == lines


def test_each_number_of_a_line_has_its_own_least_value() -> None:
    assert Reader("1 0\n").numbers("a", "b", least=(1, 0)) == (1, 0)
    assert Reader("1  0\n").numbers("a", "b", least=(1, 0)) == (1, 0)
    for text, message in (
        ("0 0\n", "1:1: a must be at least 1, found 0"),
        ("1 x\n", "1:3: expected b, a whole number of at least 0"),
    ):
        with pytest.raises(InputError, match=message):
            Reader(text).numbers("a", "b", least=(1, 0))
