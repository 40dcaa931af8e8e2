"""`python -m direct` and `python -m models`: the command line equals the library; mistakes are said with their place."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import puzzles
from compare.contender import SIDES
from puzzles.command import main

CASES = [(side, puzzle) for side in SIDES for puzzle in puzzles.names()]


def run(side: str, *arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", side, *arguments]
    ended = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert "Traceback" not in ended.stderr
    return ended


@pytest.mark.parametrize(("side", "puzzle"), CASES)
def test_the_command_line_equals_the_library(side: str, puzzle: str, capsys: pytest.CaptureFixture[str]) -> None:
    known = puzzles.get(puzzle)
    path = next(iter(sorted(known.data.glob("*/*.in"))))
    for backend in SIDES[side].backends(puzzle):
        for format in known.formats:
            assert main(SIDES[side], [puzzle, str(path), "--backend", backend, "--format", format]) == 0
            expected = SIDES[side].solve_text(puzzle, path.read_bytes(), backend=backend, format=format)
            assert capsys.readouterr().out == expected


@pytest.mark.parametrize("side", list(SIDES))
def test_standard_input_and_json(side: str) -> None:
    text = puzzles.get("beams").example
    assert run(side, "beams", text=text).stdout == SIDES[side].solve_text("beams", text)
    lines = [json.loads(line) for line in run(side, "beams", "--json", text=text).stdout.splitlines()]
    assert lines == [
        {"case": 1, "possible": False, "board": None},
        {"case": 2, "possible": True, "board": ["#.##", "#||#", "####"]},
    ]


@pytest.mark.parametrize(
    ("arguments", "text", "words"),
    [
        (["beams"], "1\n1 2\n.x\n", "<stdin>:3:2: 'x' is not one of"),
        (["beams"], "", "<stdin>:1:1: the text is empty"),
        (["beams", "nowhere"], "", "nowhere: No such file or directory"),
        (["beams", "/"], "", "/: Is a directory"),
        (["chess"], "", "unknown puzzle 'chess': choose from beams"),
        (["beams", "--backend", "magic"], "", "backend for beams 'magic': choose from"),
        (["beams", "--format", "magic"], "", "unknown beams format 'magic': choose from codejam, luogu"),
    ],
)
@pytest.mark.parametrize("side", list(SIDES))
def test_mistakes_are_said_on_stderr_alone(side: str, arguments: list[str], text: str, words: str) -> None:
    ended = run(side, *arguments, text=text)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert words in ended.stderr


def test_solvers() -> None:
    text = puzzles.get("beams").example
    assert run("models", "beams", "--solver", "minisat22", text=text).returncode == 0
    ended = run("models", "beams", "--solver", "magic", text=text)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "unknown solver 'magic': choose from cadical103, " in ended.stderr
    ended = run("models", "beams", "--backend", "cpsat", "--solver", "minisat22", text=text)
    assert ended.returncode == 2
    assert "models:cpsat has no option 'solver': it takes none" in ended.stderr


@pytest.mark.parametrize("side", list(SIDES))
def test_pictures_are_drawn_one_a_case(side: str, tmp_path: Path) -> None:
    puzzle = puzzles.get("beams")
    boards = puzzle.parse(puzzle.example, "<example>")
    plain = run(side, "beams", text=puzzle.example).stdout
    drawn = run(side, "beams", "--svg", str(tmp_path / "x.svg"), text=puzzle.example)
    assert (drawn.returncode, drawn.stdout) == (0, plain)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x-1.svg", "x-2.svg"]
    for case, board in enumerate(boards, 1):
        answer = SIDES[side].solve(board, certify=True)
        assert (tmp_path / f"x-{case}.svg").read_text() == puzzle.picture(board, answer)
        assert puzzle.picture(board, answer) != puzzle.picture(board)
    run(side, "beams", "--svg", str(tmp_path / "one.svg"), text=puzzle.print_boards(boards[:1]))
    assert (tmp_path / "one.svg").read_text() == (tmp_path / "x-1.svg").read_text()
    ended = run(side, "beams", "--svg", str(tmp_path / "none" / "x.svg"), text=puzzle.example)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "x-1.svg: No such file or directory" in ended.stderr
