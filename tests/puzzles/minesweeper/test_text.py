"""Minesweeper: formats."""

from __future__ import annotations

import pytest

from direct import SIDE as DIRECT
from puzzles.grid import grid_of
from puzzles.minesweeper.board import Minesweeper
from puzzles.text import InputError
from tests.puzzles.minesweeper.boards import PUZZLE, of, solved


def test_text_goes_round() -> None:
    text = "2\n2 3 4\n.0#\nXO8\n1 1\n#\n"
    boards = PUZZLE.parse(text)
    assert [board.mines for board in boards] == [4, None]
    assert PUZZLE.print_instances(boards) == text
    assert PUZZLE.parse("2 3 0\n.0#\nXO8\n")[0].mines == 0
    assert PUZZLE.parse("1 2\r\n#1 \r\n\r\n\n") == [of("#1")]
    assert PUZZLE.parse("1 2\n#1") == PUZZLE.parse(b"1\n1 2\n#1\n")
    with pytest.raises(ValueError, match="-1 mines"):
        Minesweeper(grid_of(["#"]), -1)


def test_files_of_boards_alike_are_read_like_any_other() -> None:
    rows = [".0#\nXO8\n", "###\n123\n", "8#.\n...\n"]
    plain = "3\n" + "".join(f"2 3 4\n{each}" for each in rows)
    boards = PUZZLE.parse(plain)
    assert PUZZLE.print_instances(boards) == plain
    for unlike in (
        plain.replace("2 3 4", "2 3  4", 1),
        plain.replace("123\n", "123 \n"),
        plain.replace("\n", "\r\n"),
        plain[:-1],
    ):
        assert PUZZLE.parse(unlike) == boards
    assert [board.mines for board in PUZZLE.parse(plain.replace("2 3 4", "2 3 5", 1))] == [5, 4, 4]
    assert not boards[1].grid.flags.writeable
    for wrong, place in (("12", "7:3"), ("1239", "7:4"), ("1x3", "7:2")):
        with pytest.raises(InputError, match=f"^in:{place}: "):
            PUZZLE.parse(plain.replace("123", wrong), "in")


def test_answers_go_round() -> None:
    boards = [of("####/2#21"), of("8#"), of("#1/11")]
    answers = [solved(board, DIRECT, "frontier", certify=False) for board in boards]
    text = PUZZLE.print_answers(answers, "writeup")
    assert text == "Case 1:\nX###\n2#21\n\nCase 2:\nINCONSISTENT\n\nCase 3:\nX1\n11\n\n"
    for printed in (text, text.rstrip("\n"), text.replace("\n", "\r\n")):
        read = PUZZLE.parse_answers(printed, boards, "writeup")
        assert [answer.claims.tolist() for answer in read] == [
            answer.claims.tolist() for answer in answers
        ]
    assert [PUZZLE.fields(answer) for answer in answers[:2]] == [
        {"consistent": True, "board": ["X###", "2#21"]},
        {"consistent": False, "board": None},
    ]
