"""`compare new`: the file that it writes works at once, and it never overwrites one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import puzzles
from compare.commands.conform.points import POINTS, findings
from compare.commands.new.command import TEMPLATES, text_of_template
from puzzles.answer import Verdict
from tests.installed import slow
from tests.processes import compare, run_module


@pytest.mark.parametrize(
    ("words", "boards", "runs"),
    [
        ("", "boards", 14),
        ("--graph", "cases", 14),
        slow("--numbers", "cases", 14),
        ("--least", "cases", 21),
        slow("--greatest", "cases", 21),
    ],
)
def test_the_file_runs_agrees_is_proved_and_is_never_overwritten(
    words: str, boards: str, runs: int, tmp_path: Path
) -> None:
    written = compare(f"new hexes {words}", cwd=tmp_path, status=0)
    assert written.stderr == ""
    commands = re.findall(r"^  python -m compare (.*)$", written.stdout, re.MULTILINE)
    assert [command.split()[0] for command in commands] == ["run", "fuzz", "conform"]
    ended = compare(*commands[0].split(), cwd=tmp_path, status=0)
    assert (
        ended.last_line == f"ALL AGREE; 7 {boards} of 1 puzzle; runs: {runs} OK; "
        f"{runs} of {runs} answers PROVED."
    )
    before = (tmp_path / "hexes.py").read_text()
    again = compare("new hexes", cwd=tmp_path, status=2)
    assert again.stdout == ""
    assert (
        again.stderr
        == "hexes.py is there already, and is left as it is: take another name, or move that file\n"
    )
    assert (tmp_path / "hexes.py").read_text() == before


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("nogo", "nogo is the name of a puzzle of Twofold: choose another name"),
        ("two-sat", "the name two-sat has a meaning of its own in commands: choose another name"),
        ("all", "the name all has a meaning of its own in commands: choose another name"),
        (
            "random",
            "random is the name of a Python module, which the file would hide from every program "
            "here: take another",
        ),
        (
            "none",
            "a class of the file would be called None, which is a word of Python: take another "
            "name",
        ),
        (
            "../lights",
            "the name is '../lights': expected small letters, digits, - and _, such as lights",
        ),
        ("Lights", "the name is 'Lights': expected small letters, digits, - and _, such as lights"),
    ],
)
def test_names_that_a_puzzle_cannot_have(name: str, expected: str, tmp_path: Path) -> None:
    ended = compare(f"new {name}", cwd=tmp_path, status=2)
    assert (ended.stdout, ended.stderr) == ("", f"{expected}\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("board", "solution"), [("...", "###"), ("B.W", "B#W"), ("..", "B.")])
def test_an_open_cell_needs_a_colour(board: str, solution: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(text_of_template("mine", "on_a_grid"))
    puzzle = puzzles.find(str(tmp_path / "mine.py"))
    (instance,) = puzzle.parse(f"1\n1 {len(board)}\n{board}\n")
    (answer,) = puzzle.parse_answers(f"POSSIBLE\n{solution}\n", [instance], "default")
    check = puzzle.check(instance, answer)
    assert check.verdict is Verdict.REFUTED
    assert check.detail.endswith(" has no colour")


def test_the_picture_of_a_graph_without_a_colouring_marks_an_odd_circle(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(text_of_template("mine", "on_a_graph"))
    (tmp_path / "triangle.in").write_text("1\n3 3\n1 2\n2 3\n1 3\n")
    words = ["./mine.py", "triangle.in", "--svg", "t.svg"]
    assert run_module("direct", *words, cwd=tmp_path).stdout == "IMPOSSIBLE\n"
    picture = (tmp_path / "t.svg").read_text()
    assert "a circle of an odd number of" in picture
    assert picture.count('stroke-width="4"') == 3 + 1  # the edges, and the sign in the legend


@pytest.mark.slow
@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize("point", POINTS)
def test_a_template_holds_every_point(template: str, point: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(text_of_template("mine", template))
    assert findings(puzzles.find(str(tmp_path / "mine.py")), point) == []
