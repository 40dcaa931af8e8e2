"""Minesweeper: `--probabilities`, `--next`, `--why` and `--json` on the command line, and their
pictures.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from direct import SIDE as DIRECT
from models import SIDE as MODELS
from puzzles.backend import Side
from puzzles.minesweeper.board import Deduction
from puzzles.shell.shared_command import main
from tests.pictures import shown
from tests.places import ROOT
from tests.puzzles.minesweeper.boards import PUZZLE, of, solved

Ask = Callable[..., tuple[int, str, str]]


@pytest.fixture
def ask(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Ask:
    """What the command does with a text and these words: its exit status and its outputs."""

    def run(text: str, line: str, side: Side = DIRECT, puzzle: str = "minesweeper") -> Any:
        path = tmp_path / "board.in"
        path.write_text(text)
        return main(side, [puzzle, str(path), *line.split()]), *capsys.readouterr()

    return run


def test_pictures_show_probabilities_and_explanations() -> None:
    board = of("####/2#21")
    answer = solved(board, DIRECT, "frontier", probabilities=True)
    assert shown(PUZZLE.picture(board)).cells.count("<circle") == 0
    drawn = shown(PUZZLE.picture(board, answer)).cells
    assert drawn.count(">50</text>") == 4
    assert drawn.count("<circle") == 1
    plain = PUZZLE.picture(board, replace(answer, chances=None))
    assert ">50<" not in plain
    explanation = answer.why(0)
    drawn = shown(explanation._repr_svg_()).cells
    assert drawn.count('var(--light)" opacity') == 3
    assert drawn.count(">50</text>") == 4
    captions = [caption for caption, _ in PUZZLE.extra_pictures(board, answer)]
    assert answer.certificate is not None
    first = answer.why(answer.certificate.cores[0].cell)
    assert captions == ["how likely each covered cell is a mine, in percent", str(first)]


def test_the_picture_in_the_guide_is_what_the_command_draws(ask: Ask, tmp_path: Path) -> None:
    drawn, asked = tmp_path / "why.svg", "--probabilities --why 1,1 --svg"
    status, out, _ = ask("2 4\n####\n2#21\n", f"{asked} {drawn}")
    assert (status, "force it." in out) == (0, True)
    assert drawn.read_text() == (PUZZLE.data / "why.svg").read_text()
    guide = (ROOT / "docs" / "command-line.md").read_text()
    assert "(../puzzles/minesweeper/data/why.svg)" in guide
    assert f"-m direct minesweeper board.in {asked} why.svg" in guide


def test_the_next_move() -> None:
    safe = solved(of("###O/#2#O/###2"), DIRECT, "frontier").next_move
    assert safe is not None
    assert safe.risk == 0
    risky = DIRECT.solve(of("######/#1##2#/######", 3), probabilities=True)
    assert isinstance(risky, Deduction)
    assert risky.next_move is not None
    assert risky.next_move.risk == Fraction(1, 8)
    assert risky.next_move.cells.tolist() == [0, 1, 2, 6, 8, 12, 13, 14]
    for rows in ("8#", "X1/11"):
        assert solved(of(rows), DIRECT, "frontier").next_move is None


_RISKY = (
    "No cell is certainly safe. The least risky to open: 1,1 1,3\nEach of them is a mine with "
    "probability 50% (1/2).\n"
)

_ONE = (
    "The cell at 1,3 is a mine: the clue at 1,2 forces it.\nThe board with this clue alone:\n#2##\n"
)

_ONE_OF_MANY = (
    "The cell at 1,1 is a mine: the clue at 1,2 forces it.\n"
    "The board with this clue alone (_ is an opened cell whose clue is not needed):\n#1__\n____\n"
)


@pytest.mark.parametrize(
    ("line", "text", "printed"),
    [
        (
            "--probabilities",
            "2 4\n####\n2#21\n",
            "100%  50%  50%  50%\n [2]  50%  [2]  [1]\nlayouts: 4; 3 mines\n",
        ),
        ("--probabilities", "1 2\n8#\n", "INCONSISTENT\n"),
        ("--next", "1 4 1\n#1##\n", "Safe: 1,4\n"),
        ("--next", "1 3\n#1#\n", _RISKY),
        ("--probabilities --next", "1 2\n8#\n", "INCONSISTENT\n"),
        ("--why 1,3", "1 4 2\n#2##\n", _ONE),
        ("--why 1,1", "2 4\n#1..\n11..\n", _ONE_OF_MANY),
    ],
)
def test_the_command_line(ask: Ask, line: str, text: str, printed: str) -> None:
    assert ask(text, line)[:2] == (0, printed)


def test_json_has_the_counts(ask: Ask) -> None:
    text = "2\n1 4 1\n#1##\n1 2\n#8\n"
    status, out, _ = ask(text, "--json --next")
    assert status == 0
    first, second = map(json.loads, out.splitlines())
    assert first["layouts"] == "2"
    assert first["mines"] == [1, 1]
    assert first["probability"] == [["1/2", None, "1/2", "0"]]
    assert first["next"] == {"cells": [[1, 4]], "risk": "0"}
    assert second == {"case": 2, "consistent": False, "board": None, "next": None}
    status, out, _ = ask(text, "--json", MODELS)
    assert (status, "layouts" in out) == (0, False)


@pytest.mark.parametrize(
    ("side", "puzzle", "line", "message"),
    [
        (DIRECT, "minesweeper", "--why x", "expected ROW,COL, found 'x'"),
        (DIRECT, "minesweeper", "--why 2,1", "no cell 2,1"),
        (DIRECT, "minesweeper", "--why 1,1", "not certain"),
        (DIRECT, "beams", "--next", "beams has no --next"),
        (
            MODELS,
            "minesweeper",
            "--next",
            "models:cnf cannot answer --next: use --backend count or python -m direct\n",
        ),
        (
            DIRECT,
            "minesweeper",
            "--probabilities --backend two-sat",
            "direct:two-sat cannot answer --probabilities: use --backend frontier or python -m "
            "models --backend count\n",
        ),
    ],
)
def test_what_cannot_be_asked(ask: Ask, side: Side, puzzle: str, line: str, message: str) -> None:
    status, _, complaint = ask("1 3\n#1#\n", line, side, puzzle)
    assert (status, message in complaint) == (2, True)


@pytest.mark.parametrize("how", ["", "--json", "--svg"])
def test_what_cannot_be_said_why_names_the_case_and_who_says_only_a_part(
    ask: Ask, how: str, tmp_path: Path
) -> None:
    line = f"--why 1,1 {how} {tmp_path / 'x.svg' if how == '--svg' else ''}"
    status, _, complaint = ask("2\n1 2\n#1\n2 4\n####\n2#21\n", f"--backend two-sat {line}")
    unknown = "the cell at 1,1 is not found certain, which is no proof that it is not"
    assert (status, complaint) == (2, f"case 2: direct:two-sat: {unknown}\n")
    status, _, complaint = ask("2\n1 2\n#1\n1 3\n#1#\n", line)
    assert (status, complaint) == (2, "case 2: the cell at 1,1 is not certain\n")
