"""How boards and answers show themselves: in a notebook, printed, and as a value in the shell of
Python.
"""

from __future__ import annotations

import pytest

import direct
import models
import puzzles
from puzzles.backend import Side

NO = {
    "beams": ("1\n2 2\n-\\\n\\/\n", "IMPOSSIBLE: these places contradict each other: 1,1"),
    "minesweeper": ("1\n1 3\n8##\n", "INCONSISTENT: these clues contradict each other: 1,1"),
}
"""A board of each puzzle that can answer no, and what a certified answer prints."""


@pytest.mark.parametrize("side", [direct.SIDE, models.SIDE], ids=lambda side: side.name)
@pytest.mark.parametrize("name", NO)
def test_a_no_shows_its_core_certified_or_not(name: str, side: Side) -> None:
    board = puzzles.get(name).parse(NO[name][0])[0]
    certified = side.solve(board, certify=True)
    drawn = certified._repr_svg_()
    assert drawn is not None
    assert drawn == puzzles.get(name).picture(board, certified)
    assert drawn != board._repr_svg_()
    assert side.solve(board)._repr_svg_() == drawn
    assert str(side.solve(board)) == NO[name][1].partition(":")[0]
    assert str(certified) == NO[name][1]


@pytest.mark.parametrize(
    ("name", "text", "printed"),
    [
        ("beams", "1\n2 2\n-.\n#|\n", "POSSIBLE\n-.\n#|"),
        ("minesweeper", "1\n2 4\n####\n2#21\n", "X###\n2#21"),
        ("nogo", "3\nXOO\nXO.\nX..\n", "1 move: 2,3"),
        ("nogo", "1\n.\n", "0 moves"),
        ("geography", "3 3\n.##\n...\n#.#\n", "2 losing cells: 2,3 3,2"),
    ],
)
def test_answers_and_boards_print_for_people(name: str, text: str, printed: str) -> None:
    board = puzzles.get(name).parse(text)[0]
    answer = direct.solve(board)
    assert str(answer) == printed
    assert repr(answer) == f"<{type(answer).__name__}: {printed.partition(chr(10))[0]}>"
    assert repr(board) == f"<{type(board).__name__}: {board.shape[0]}x{board.shape[1]}>"
    assert str(board) in text
    assert answer._repr_svg_() == puzzles.get(name).picture(
        board, direct.solve(board, certify=True)
    )


def test_a_long_list_of_cells_is_cut() -> None:
    board = puzzles.get("geography").family("walls-20").board(20, 1)
    printed = str(direct.solve(board))
    assert printed.endswith(" more")
    assert len(printed) < 500


def test_what_an_answer_answers_takes_no_part_in_equality() -> None:
    board = puzzles.get("beams").parse("1\n1 2\n-.\n")[0]
    bare = direct.get("beams").solve(board)
    assert direct.solve(board) == bare
    assert bare.question is None
    assert bare._repr_svg_() == puzzles.get("beams").picture(board, bare)
