"""`python -m direct` and `python -m models`: the command line equals the library; mistakes are said with their place."""

from __future__ import annotations

import json
import subprocess
import sys

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
