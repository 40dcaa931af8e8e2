"""What is quoted of answers that differ."""

from __future__ import annotations

import pytest

import puzzles
from compare.commands.fuzz.words import quotes


@pytest.mark.parametrize(
    ("puzzle", "answers", "lines"),
    [
        ("beams", ["POSSIBLE\n-\n", "IMPOSSIBLE\n"], ["POSSIBLE", "IMPOSSIBLE"]),
        ("nogo", ["1 1\n-1 -1\n", "1 2\n-1 -1\n"], ["1 1", "1 2"]),
        (
            "nogo",
            ["1 1\n1 3\n-1 -1\n", "1 1\n-1 -1\n"],
            ["1 3 in line 2", "-1 -1 in line 2"],
        ),
        (
            "nogo",
            ["1 1\n1 3\n", "1 1\n", "2 2\n"],
            ["1 3 in line 2", "nothing in line 2", "2 2"],
        ),
        ("geography", ["2\n1 1\n1 2\n", "2\n1 1\n"], ["1 2 in line 3", "nothing in line 3"]),
        (
            "beams",
            ["Case #1: POSSIBLE\n|-\n", "Case #1: POSSIBLE\n||\n"],
            ["|- in line 2", "|| in line 2"],
        ),
    ],
)
def test_answers_are_quoted_where_they_differ(
    puzzle: str, answers: list[str], lines: list[str]
) -> None:
    assert quotes(puzzles.get(puzzle), answers) == lines
