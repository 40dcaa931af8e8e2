"""`-q`: no progress and no tables. What is wrong is said all the same, and so is the verdict."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.processes import compare, impossible_program

BOARD, ANSWER = "1\n1 2\n-.\n", "Case #1: POSSIBLE\n-.\n"
"""A board of beams, and the right answer to it."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Some files: two programs that agree and one that is wrong, a generator, a board, its
    answer.
    """
    files = {
        "one.sh": "read number; echo $number",
        "two.sh": "read number; echo $number",
        "other.sh": "read number; echo $((number + 1))",
        "gen.sh": "echo $1",
        "board.in": BOARD,
        "right.txt": ANSWER,
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    "line",
    [
        "run beams board.in -b direct -b cnf",
        "check beams board.in right.txt",
        "fuzz beams -b direct -b cnf --kind ordinary --cases 20 --size 3",
        "fuzz nogo --slowest union-find -b direct --cases 2",
        "stress 'sh one.sh' 'sh two.sh' --generator 'sh gen.sh' --cases 4",
        "scale nogo -b direct --largest 9",
        "equivalent beams cnf cnf-traced --count --boards 30 --cases 0",
        "conform nogo --point rules",
    ],
)
def test_where_nothing_is_wrong_the_verdict_stands_alone(line: str, folder: Path) -> None:
    loud, quiet = (compare(f"{line}{option}", cwd=folder, status=0) for option in ("", " -q"))
    assert loud.stdout.count("\n") > 1
    assert quiet.stderr == ""
    lines = quiet.stdout.splitlines()
    if "--slowest" in line:  # the board that was asked for
        assert lines.pop(0).startswith("replay: ")
    assert [each.split(":")[0].split(";")[0] for each in lines] == [
        loud.last_line.split(":")[0].split(";")[0]
    ]


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("fuzz beams -b direct --size 2", ("WRONG: mine says IMPOSSIBLE", "replay: ")),
        ("run beams board.in -b direct", ("CONFLICT on beams", "--> IMPOSSIBLE")),
        (
            "stress 'sh one.sh' 'sh other.sh' --generator 'sh gen.sh'",
            ("WRONG: other: it differs", "replay: "),
        ),
    ],
)
def test_what_is_wrong_is_said(line: str, parts: tuple[str, ...], folder: Path) -> None:
    program = "" if line.startswith("stress") else f" --program '{impossible_program(folder)}'"
    ended = compare(f"{line}{program} -q", cwd=folder, status=1)
    assert all(part in ended.stdout for part in parts)
    assert "FAILED" in ended.last_line
    assert not ended.stdout.startswith(("fuzzing", "stress", "dataset"))


def test_the_answers_of_solve_are_no_progress(folder: Path) -> None:
    assert compare("solve beams board.in -q", cwd=folder, status=0).stdout == ANSWER
