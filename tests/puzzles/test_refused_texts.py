"""Every reader of texts: what is refused, where, and with which words."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

import puzzles
from compare.commands.fuzz_formula.formula_puzzle import PUZZLE as TRACES
from direct.two_sat import read_dimacs
from puzzles.dimacs_reader import DimacsReader
from puzzles.grid import GridPuzzle, grid_of
from puzzles.text import InputError
from tests.puzzles.test_case import FirstNegative


def answers(name: str, format: str, *boards: str) -> Callable[[str], object]:
    """The reader of a puzzle's answers to boards, each as its rows with `/` between them."""
    puzzle = puzzles.get(name)
    assert isinstance(puzzle, GridPuzzle)
    instances = [puzzle.board_type(grid_of(rows.split("/"))) for rows in boards]
    return lambda text: puzzle.parse_answers(text, instances, format, "x")


READERS: dict[str, Callable[[str], object]] = {
    **{name: partial(puzzles.get(name).parse, name="x") for name in puzzles.names()},
    "beams codejam": answers("beams", "codejam", "-./#|"),
    "minesweeper writeup": answers("minesweeper", "writeup", "#1", "#1"),
    "nogo first": answers("nogo", "first", "XOO/XO./X.."),
    "geography loj": answers("geography", "loj", ".../.../..."),
    "geography luogu": answers("geography", "luogu", ".../.../..."),
    "cases": lambda text: FirstNegative().parse(text, "x"),
    "traces": lambda text: TRACES.parse(text, "x"),
    "formula": lambda text: DimacsReader(text, "x").formula(9),
    "two_sat": lambda text: read_dimacs(text, "x"),
}

REFUSED: dict[str, dict[str, str]] = {
    "beams": {
        "": "1:1: the text is empty; expected the number of cases",
        "  \n\n": "1:1: the text is empty; expected the number of cases",
        "0\n": "1:1: the number of cases must be at least 1, found 0",
        "-1\n": "1:1: expected the number of cases, a whole number of at least 1; found '-1'",
        "x\n": "1:1: expected the number of cases, a whole number of at least 1; found 'x'",
        "1.5\n": "1:1: expected the number of cases, a whole number of at least 1; found '1.5'",
        " 1\n1 1\n.\n": "1:1: a blank before the number of cases",
        "1 2\n1 1\n.\n": "1:3: expected the end of the line after the number of cases",
        "1\n": "2:1: the text ends here; expected the number of rows and the number of columns",
        "1\n3\n": "2:2: expected the number of columns, the line ends here",
        "1\n0 3\n": "2:1: the number of rows must be at least 1, found 0",
        "1\n3 -3\n": "2:3: expected the number of columns, a whole number of at least 1; found "
        "'-3'",
        "1\n1 99999999999999999999\n.\n": "2:3: the number of columns is absurdly large (20 "
        "digits)",
        "1\n"
        + "9" * 10_000
        + " 1\n.\n": "2:1: the number of rows is absurdly large (10000 digits)",
        "1\n1 999999999\n.\n": "3:2: row 1 of 1 has 1 character, expected 999999999",
        "1\n999999999 1\n.\n": "4:1: the text ends here; expected row 2 of 999999999",
        "999999999\n1 1\n.\n": "4:1: the text ends here; expected the number of rows and the "
        "number of columns",
        "1\n2 2\n..\n.\n": "4:2: row 2 of 2 has 1 character, expected 2",
        "1\n2 2\n...\n..\n": "3:3: row 1 of 2 has 3 characters, expected 2",
        "1\n2 2\n.x\n..\n": "3:2: 'x' is not one of / \\ - | # .",
        "1\n2 2\n..\n.é\n": "4:2: 'é' is not one of / \\ - | # .",
        "1\n2 2\n..\n\x00.\n": "4:1: '\\x00' is not one of / \\ - | # .",
        "1\n2 2\n..\n\n..\n": "4:1: row 2 of 2 has 0 characters, expected 2",
        "1\n1 1\n.\n1 1\n": "4:1: unexpected text after the last case",
        "1\n1 1\n.\n\n  x": "5:3: unexpected text after the last case",
        "\ufeff1\n1 1\n.\n": "1:1: expected the number of cases, a whole number of at least 1; "
        "found '\\ufeff1'",
        "\n1\n1 1\n.\n": "1:1: expected the number of cases, the line ends here",
    },
    "minesweeper": {
        "": "1:1: the text is empty; expected the number of cases",
        "\n\n": "1:1: the text is empty; expected the number of cases",
        "x\n": "1:1: expected the number of cases, a whole number of at least 1; found 'x'",
        "0\n": "1:1: the number of cases must be at least 1, found 0",
        "2\n1 1\n#\n": "4:1: the text ends here; expected the number of rows and the number of "
        "columns",
        "1\n1\n#\n": "2:2: expected the number of columns, the line ends here",
        "0 3\n": "1:1: the number of rows must be at least 1, found 0",
        "3  0 2\n": "1:4: the number of columns must be at least 1, found 0",
        "1 2 x\n#1\n": "1:5: expected the number of mines, a whole number of at least 0; found 'x'",
        "1 2 -1\n#1\n": "1:5: expected the number of mines, a whole number of at least 0; found "
        "'-1'",
        "1 2 3 4\n#1\n": "1:7: expected the end of the line after the number of mines",
        "1 1234567890\n#1\n": "1:3: the number of columns is absurdly large (10 digits)",
        "1 2\n#9\n": "2:2: '9' is not one of . # X O 0 1 2 3 4 5 6 7 8",
        "2 2\n#1\n#x\n": "3:2: 'x' is not one of . # X O 0 1 2 3 4 5 6 7 8",
        "1 3\n#1\n": "2:3: row 1 of 1 has 2 characters, expected 3",
        "1 2\n#1\xa0\n": "2:3: '\\xa0' is not one of . # X O 0 1 2 3 4 5 6 7 8",
        "1 2\n#1\u200b\n": "2:3: '\\u200b' is not one of . # X O 0 1 2 3 4 5 6 7 8",
        "1 1\n#1\n": "2:2: row 1 of 1 has 2 characters, expected 1",
        "2 2\n#1\n": "3:1: the text ends here; expected row 2 of 2",
        "2 2\n\n#1\n#1\n": "2:1: row 1 of 2 has 0 characters, expected 2",
        "1 2\n#1\n1 2\n#1\n": "3:1: unexpected text after the last case",
        "1\n1 2\n#1\n\nx\n": "5:1: unexpected text after the last case",
    },
    "nogo": {
        "": "1:1: the text is empty; expected the size of the board",
        "\n\n": "1:1: the text is empty; expected the size of the board",
        "0\n": "1:1: the size of the board must be at least 1, found 0",
        "x\n": "1:1: expected the size of the board, a whole number of at least 1; found 'x'",
        "2 2\n..\n..\n": "1:3: expected the end of the line after the size of the board",
        "2\n..\n": "3:1: the text ends here; expected row 2 of 2",
        "2\n..\n.\n": "3:2: row 2 of 2 has 1 character, expected 2",
        "2\n..\n...\n": "3:3: row 2 of 2 has 3 characters, expected 2",
        "2\n...\n...\n": "2:3: row 1 of 2 has 3 characters, expected 2",
        "2\n.x\n..\n": "2:2: 'x' is not one of X O .",
        "2\n..\n.é\n": "3:2: 'é' is not one of X O .",
        "2\n..\n..\n..\n": "4:1: unexpected text after the board",
        "2\n..\n..\n\n 2\n": "5:2: unexpected text after the board",
        "1\nX\n": "2:1: this chain has no liberty",
        "3\n...\n.XO\n.OX\n": "4:3: this chain has no liberty",
        "3\r\n.XO \r\n..X\r\n...\r\n": "2:3: this chain has no liberty",
        "3\nOX.\nX..\n...\n": "2:1: this chain has no liberty",
        "4\nXO..\nXO..\nXXO.\nOO..\n": "2:1: this chain has no liberty",
    },
    "geography": {
        "": "1:1: the text is empty; expected the number of rows and the number of columns",
        "3\n": "1:2: expected the number of columns, the line ends here",
        "0 3\n": "1:1: the number of rows must be at least 1, found 0",
        "2 2 2\n..\n..\n": "1:5: expected the end of the line after the number of columns",
        "2 2\n..\n": "3:1: the text ends here; expected row 2 of 2",
        "2 2\n..\n.\n": "3:2: row 2 of 2 has 1 character, expected 2",
        "2 2\n..\n...\n": "3:3: row 2 of 2 has 3 characters, expected 2",
        "2 2\n.X\n..\n": "2:2: 'X' is not one of . #",
        "2 2\n..\n..\n..\n": "4:1: unexpected text after the board",
        "999999999 999999999\n..\n": "2:3: row 1 of 999999999 has 2 characters, expected 999999999",
    },
    "beams codejam": {
        "": "1:1: the text is empty; expected Case #1: POSSIBLE or IMPOSSIBLE",
        "Case #2: IMPOSSIBLE\n": "1:1: expected Case #1: POSSIBLE or IMPOSSIBLE; found 'Case "
        "#2: IMPOSSIBLE'",
        "IMPOSSIBLE\n": "1:1: expected Case #1: POSSIBLE or IMPOSSIBLE; found 'IMPOSSIBLE'",
        "Case #1: MAYBE\n": "1:1: expected Case #1: POSSIBLE or IMPOSSIBLE; found 'MAYBE'",
        "Case #1: POßIBLE\n": "1:1: expected Case #1: POSSIBLE or IMPOSSIBLE; found 'POßIBLE'",
        **{
            f"{heading}\n": f"1:1: expected Case #1: POSSIBLE or IMPOSSIBLE; found '{heading[:40]}'"
            for heading in (
                *("Case #١: POSSIBLE", "Caſe #1: POSSIBLE"),
                f"Case #{'9' * 5000}: POSSIBLE",
            )
        },
        "Case #1: POSSIBLE\n-.\n": "3:1: the text ends here; expected row 2 of 2",
        "Case #1: POSSIBLE\n-.\n#x\n": "3:2: 'x' is not one of / \\ - | # .",
        "Case #1: IMPOSSIBLE\nCase #2: IMPOSSIBLE\n": "2:1: unexpected text after the last answer",
    },
    "minesweeper writeup": {
        "": "1:1: the text is empty; expected Case 1:",
        "Case #1:\n#1\n": "1:1: expected Case 1:; found 'Case #1:'",
        "Case 2:\n#1\n": "1:1: expected Case 1:; found 'Case 2:'",
        "Case 1:\n": "2:1: the text ends here; expected row 1 of 1",
        "Case 1:\nINCONSISTENTLY\n": "2:1: 'I' is not one of . # X O 0 1 2 3 4 5 6 7 8",
        "Case 1:\ninconsistent\n": "2:1: 'i' is not one of . # X O 0 1 2 3 4 5 6 7 8",
        "Case 1:\n#11\n": "2:3: row 1 of 1 has 3 characters, expected 2",
        "Case 1:\n#1\nCase 2:\n#1\n": "3:1: expected an empty line; found 'Case 2:'",
        "Case 1:\n#1\n\n": "3:1: the text ends here; expected Case 2:",
        "Case 1:\n#1\n\nCase 2:\nINCONSISTENT\n\nCase 3:\n": "7:1: unexpected text after the "
        "last answer",
    },
    "nogo first": {
        "": "1:1: the text is empty; expected a row and a column",
        "2 3\n": "2:1: the text ends here; expected a row and a column",
        "2 3\n-1\n": "2:3: expected a column, the line ends here",
        "2 3 1\n-1 -1\n": "1:5: expected the end of the line after a column",
        "2\n3\n-1 -1\n": "1:2: expected a column, the line ends here",
        " 2 3\n-1 -1\n": "1:1: a blank before a row and a column",
        "2 3\n\n-1 -1\n": "2:1: expected a row, the line ends here",
        "4 3\n-1 -1\n": "1:1: the row must be from 1 to 3, found 4",
        "2  10 \n-1 -1\n": "1:4: the column must be from 1 to 3, found 10",
        "2 3\n0 1\n-1 -1\n": "2:1: the row must be from 1 to 3, found 0",
        "2 3\n-1 2\n": "2:1: the row must be from 1 to 3, found -1",
        "2 3\n2 -1\n": "2:3: the column must be from 1 to 3, found -1",
        "2 99999999999999999999\n-1 -1\n": "1:3: a column is absurdly large (20 digits)",
        "b 3\n-1 -1\n": "1:1: expected a row, a whole number; found 'b'",
        "2 3\n-1 -1\n3 2\n": "3:1: unexpected text after -1 -1",
        "2 3\n-1 -1 \n\n-1 -1\n": "4:1: unexpected text after -1 -1",
    },
    "geography loj": {
        "": "1:1: the text is empty; expected the number of cells",
        "WIN\n": "1:1: expected the number of cells, a whole number of at least 0; found 'WIN'",
        "10\n": "1:1: 10 cells, but the board has only 9",
        "1\n": "2:1: the text ends here; expected a row and a column",
        "1\n1\n": "2:2: expected a column, the line ends here",
        "1\n4 1\n": "2:1: 4 1 is not on the 3x3 board",
        "1\n1 0\n": "2:3: a column must be at least 1, found 0",
        "2\n1 1\n1 1\n": "3:1: 1 1 is listed twice",
        "2\n2 1\n1 1\n": "3:1: 1 1 is listed out of row-major order",
        "1\n1 1\n2 2\n": "3:1: unexpected text after the last answer",
        "1\n1 x\n": "2:3: expected a column, a whole number of at least 1; found 'x'",
    },
    "geography luogu": {
        "win\n": "1:1: expected WIN or LOSE; found 'win'",
        "WIN\n": "2:1: the text ends here; expected a row and a column",
        "LOSE\n1 1\n": "2:1: unexpected text after the last answer",
        "WIN\n1 1\n3 4\n": "3:1: 3 4 is not on the 3x3 board",
        "WIN\n1 1\nLOSE\n": "3:1: unexpected text after the last answer",
    },
    "cases": {
        "1\n2\n1\n": "3:2: expected a number, the line ends here",
        "2\n1\n4\n": "4:1: the text ends here; expected how many",
        "1\n1\n4\n5\n": "4:1: unexpected text after the last case",
        "2\n1\n4\n2\n0 13\n": "4:1: 13 brings bad luck",
    },
    "traces": {
        "p inccnf\n1 x 0\n": "2:3: expected a literal or 0; found 'x'",
        "p inccnf\n1 a 0\n": "2:3: expected a literal or 0; found 'a'",
        "p inccnf\nb 1 0\n": "2:1: expected a literal, a or 0; found 'b'",
        "p icnf\n1 0\n": "2:1: expected i or q; found '1'",
        "p icnf\ni 1 q 0\n": "2:5: expected a literal or 0; found 'q'",
        "p inccnf\na 1\n": "2:4: the text ends within a step; expected 0",
        "p inccnf\n99999999 0\n": "2:1: literal 99999999 is beyond 67108864 variables",
        "1 0\np inccnf\n": "1:1: expected p cnf VARIABLES CLAUSES, p inccnf or p icnf; found '1 0'",
        "p inccnf\n1 0\n": "1:1: nothing is asked: the text has no line `a ... 0`",
        "p cnf 1 2\n1 0\n": "1:1: the header announces 2 clauses, the text has 1",
    },
    "formula": {
        " \n": "1:1: the text is empty; expected p cnf VARIABLES CLAUSES",
        "c a\nc b\n": "3:1: the text ends here; expected p cnf VARIABLES CLAUSES",
        "\n1 0\n": "2:1: expected p cnf VARIABLES CLAUSES; found '1 0'",
        "p cnf\n": "1:6: expected p cnf VARIABLES CLAUSES; the line ends before VARIABLES",
        "p cnf 2 1 1\n": "1:11: expected p cnf VARIABLES CLAUSES; found '1' behind CLAUSES",
        "p cnf -1 1\n": "1:7: expected p cnf VARIABLES CLAUSES; found '-1' in the place of "
        "VARIABLES",
        "p cnf 2 1\n1 -00\n": "2:3: expected a literal or 0; found '-00'",
        "p  cnf 10 1\n": "1:8: more than 9 variables",
        "p cnf 2 1\n1 +2 0\n": "2:3: expected a literal or 0; found '+2'",
        "p cnf 2 1\n1 1_0 0\n": "2:3: expected a literal or 0; found '1_0'",
        **{
            f"p cnf 2 1\n1 {digits}3 0\n": f"2:3: literal {digits[:20]} is out of range for 2 "
            "variables"
            for digits in ("0" * 20, "9" * 5000)
        },
        f"p cnf 2 1\n{'0' * 20}1 2 7 0\n": "2:25: literal 7 is out of range for 2 variables",
        "p cnf 2 1\nd 1 0\n": "2:1: expected a literal or 0; found 'd'",
        "p cnf 2 1\n1 --2 0\n": "2:3: expected a literal or 0; found '--2'",
        "p cnf 2 1\n1 -9223372036854775808 0\n": "2:3: literal -9223372036854775808 is out of "
        "range for 2 variables",
        "p cnf 2 1\n-4611686018427387904 0\n": "2:1: literal -4611686018427387904 is out of "
        "range for 2 variables",
        "p cnf 2 1\n1 2\nc end\n": "2:4: the text ends within a clause; expected 0",
        "c a\np cnf 2 1\n1 0\n2 0\n": "2:1: the header announces 1 clauses, the text has 2",
    },
    "two_sat": {
        "p cnf 3 1\n1 2 3 0\n": "2:5: a clause of more than two literals is no 2-CNF",
        "p cnf 67108865 0\n": "1:7: more than 67108864 variables",
    },
}
"""By reader and text, the place and the message."""


@pytest.mark.parametrize(
    ("reader", "text"), [(reader, text) for reader, texts in REFUSED.items() for text in texts]
)
def test_what_is_refused_and_where(reader: str, text: str) -> None:
    with pytest.raises(InputError) as caught:
        READERS[reader](text)
    assert str(caught.value) == f"x:{REFUSED[reader][text]}"
