"""Minesweeper: formats and pictures."""

from __future__ import annotations

import pytest

from direct import SIDE as DIRECT
from puzzles.grid import grid_of
from puzzles.minesweeper.board import Minesweeper
from puzzles.text import InputError
from tests.pictures import shown
from tests.puzzles.minesweeper.answers import BOARD, PUZZLE
from tests.puzzles.minesweeper.boards import of, solved


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
    for unlike in (plain.replace("2 3 4", "2 3  4", 1), plain.replace("123\n", "123 \n"), plain.replace("\n", "\r\n"), plain[:-1]):
        assert PUZZLE.parse(unlike) == boards
    assert [board.mines for board in PUZZLE.parse(plain.replace("2 3 4", "2 3 5", 1))] == [5, 4, 4]
    assert not boards[1].grid.flags.writeable
    for wrong, place in (("12", "7:3"), ("1239", "7:4"), ("1x3", "7:2")):
        with pytest.raises(InputError, match=f"^in:{place}: "):
            PUZZLE.parse(plain.replace("123", wrong), "in")


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("", "1:1", "the text is empty; expected the number of cases"),
        ("\n\n", "1:1", "the text is empty"),
        ("x\n", "1:1", "expected the number of cases, a whole number"),
        ("0\n", "1:1", "the number of cases must be at least 1, found 0"),
        ("2\n1 1\n#\n", "4:1", "the text ends here; expected the number of rows"),
        ("1\n1\n#\n", "2:2", "expected the number of columns, the line ends here"),
        ("0 3\n", "1:1", "the number of rows must be at least 1, found 0"),
        ("3  0 2\n", "1:4", "the number of columns must be at least 1, found 0"),
        ("1 2 x\n#1\n", "1:5", "expected the number of mines, a whole number"),
        ("1 2 -1\n#1\n", "1:5", "expected the number of mines, a whole number"),
        ("1 2 3 4\n#1\n", "1:7", "expected the end of the line after the number of mines"),
        ("1 1234567890\n#1\n", "1:3", "the number of columns is absurdly large"),
        ("1 2\n#9\n", "2:2", "'9' is not one of . # X O 0 1 2 3 4 5 6 7 8"),
        ("2 2\n#1\n#x\n", "3:2", "'x' is not one of"),
        ("1 3\n#1\n", "2:3", "row 1 of 1 has 2 characters, expected 3"),
        ("1 1\n#1\n", "2:2", "row 1 of 1 has 2 characters, expected 1"),
        ("2 2\n#1\n", "3:1", "the text ends here; expected row 2 of 2"),
        ("2 2\n\n#1\n#1\n", "2:1", "row 1 of 2 has 0 characters"),
        ("1 2\n#1\n1 2\n#1\n", "3:1", "unexpected text after the last case"),
        ("1\n1 2\n#1\n\nx\n", "5:1", "unexpected text after the last case"),
    ],
)
def test_malformed_boards(text: str, place: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        PUZZLE.parse(text, "in")
    assert str(caught.value).startswith(f"in:{place}: {message}")


def test_answers_go_round() -> None:
    boards = [of("####/2#21"), of("8#"), of("#1/11")]
    answers = [solved(board, DIRECT, "frontier", certify=False) for board in boards]
    text = PUZZLE.print_answers(answers, "writeup")
    assert text == "Case 1:\nX###\n2#21\n\nCase 2:\nINCONSISTENT\n\nCase 3:\nX1\n11\n\n"
    for printed in (text, text.rstrip("\n"), text.replace("\n", "\r\n")):
        read = PUZZLE.parse_answers(printed, boards, "writeup")
        assert [answer.claims.tolist() for answer in read] == [answer.claims.tolist() for answer in answers]
    assert [PUZZLE.fields(answer) for answer in answers[:2]] == [
        {"consistent": True, "board": ["X###", "2#21"]},
        {"consistent": False, "board": None},
    ]


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("", "1:1", "the text is empty; expected Case 1:"),
        ("Case #1:\n#1\n", "1:1", "expected Case 1:; found 'Case #1:'"),
        ("Case 2:\n#1\n", "1:1", "expected Case 1:; found 'Case 2:'"),
        ("Case 1:\n", "2:1", "the text ends here; expected row 1 of 1"),
        ("Case 1:\nINCONSISTENTLY\n", "2:1", "'I' is not one of"),
        ("Case 1:\ninconsistent\n", "2:1", "'i' is not one of"),
        ("Case 1:\n#11\n", "2:3", "row 1 of 1 has 3 characters, expected 2"),
        ("Case 1:\n#1\nCase 2:\n#1\n", "3:1", "expected an empty line; found 'Case 2:'"),
        ("Case 1:\n#1\n\n", "3:1", "the text ends here; expected Case 2:"),
        ("Case 1:\n#1\n\nCase 2:\nINCONSISTENT\n\nCase 3:\n", "7:1", "unexpected text after the last answer"),
    ],
)
def test_malformed_answers(text: str, place: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        PUZZLE.parse_answers(text, [of("#1"), of("#1")], "writeup", "out")
    assert str(caught.value).startswith(f"out:{place}: {message}")


def test_pictures_show_what_was_found() -> None:
    answer = solved(BOARD, DIRECT, "frontier")
    assert shown(PUZZLE.picture(BOARD)).cells.count("<circle") == 0
    assert shown(PUZZLE.picture(BOARD, answer)).cells.count("<circle") == 1
    broken = solved(of("8#"), DIRECT, "frontier")
    assert "inconsistent" in PUZZLE.picture(of("8#"), broken)
    assert answer._repr_svg_() is not None
    assert BOARD._repr_svg_() == PUZZLE.picture(BOARD)
