"""Minesweeper: `--probabilities`, `--next`, `--why` and `--json` on the command line, and their
pictures.
"""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from direct import SIDE as DIRECT
from models import SIDE as MODELS
from puzzles.backend import Side
from puzzles.minesweeper.board import Deduction
from puzzles.shell.shared_command import main
from tests.pictures import shown
from tests.places import ROOT
from tests.puzzles.minesweeper.boards import PUZZLE, of, solved


def test_pictures_show_probabilities_and_explanations() -> None:
    board = of("####/2#21")
    answer = solved(board, DIRECT, "frontier")
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
    captions = [
        caption
        for caption, _ in PUZZLE.extra_pictures(
            board, solved(board, DIRECT, "frontier", smallest_cores=2)
        )
    ]
    assert captions == ["how likely each covered cell is a mine, in percent", str(explanation)]


def test_the_picture_in_the_guide_is_what_the_command_draws(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "board.in").write_text("2 4\n####\n2#21\n")
    drawn = tmp_path / "why.svg"
    arguments = [
        "minesweeper",
        str(tmp_path / "board.in"),
        "--probabilities",
        "--why",
        "1,1",
        "--svg",
        str(drawn),
    ]
    assert main(DIRECT, arguments) == 0
    assert "force it." in capsys.readouterr().out
    assert drawn.read_text() == (PUZZLE.data / "why.svg").read_text()
    guide = (ROOT / "docs" / "command-line.md").read_text()
    assert "(../puzzles/minesweeper/data/why.svg)" in guide
    assert (
        f"-m direct {' '.join(arguments[:1])} board.in --probabilities --why 1,1 --svg why.svg"
        in guide
    )


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
    ("arguments", "text", "printed"),
    [
        (
            ["--probabilities"],
            "2 4\n####\n2#21\n",
            "100%  50%  50%  50%\n [2]  50%  [2]  [1]\nlayouts: 4; 3 mines\n",
        ),
        (["--probabilities"], "1 2\n8#\n", "INCONSISTENT\n"),
        (["--next"], "1 4 1\n#1##\n", "Safe: 1,4\n"),
        (["--next"], "1 3\n#1#\n", _RISKY),
        (["--probabilities", "--next"], "1 2\n8#\n", "INCONSISTENT\n"),
        (["--why", "1,3"], "1 4 2\n#2##\n", _ONE),
        (["--why", "1,1"], "2 4\n#1..\n11..\n", _ONE_OF_MANY),
    ],
)
def test_the_command_line(
    arguments: list[str], text: str, printed: str, tmp_path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "board.in"
    path.write_text(text)
    assert main(DIRECT, ["minesweeper", str(path), *arguments]) == 0
    assert capsys.readouterr().out == printed


def test_json_has_the_counts(tmp_path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "board.in"
    path.write_text("2\n1 4 1\n#1##\n1 2\n#8\n")
    assert main(DIRECT, ["minesweeper", str(path), "--json", "--next"]) == 0
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert first["layouts"] == "2"
    assert first["mines"] == [1, 1]
    assert first["probability"] == [["1/2", None, "1/2", "0"]]
    assert first["next"] == {"cells": [[1, 4]], "risk": "0"}
    assert second == {"case": 2, "consistent": False, "board": None, "next": None}
    assert main(MODELS, ["minesweeper", str(path), "--json"]) == 0
    assert "layouts" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("side", "arguments", "message"),
    [
        (DIRECT, ["minesweeper", "--why", "x"], "expected ROW,COL, found 'x'"),
        (DIRECT, ["minesweeper", "--why", "2,1"], "no cell 2,1"),
        (DIRECT, ["minesweeper", "--why", "1,1"], "not certain"),
        (DIRECT, ["beams", "--next"], "beams has no --next"),
        (
            MODELS,
            ["minesweeper", "--next"],
            "models:cnf cannot answer --next: use --backend count or python -m direct\n",
        ),
        (
            DIRECT,
            ["minesweeper", "--probabilities", "--backend", "two-sat"],
            "direct:two-sat cannot answer --probabilities: use --backend frontier or python -m "
            "models --backend count\n",
        ),
    ],
)
def test_what_cannot_be_asked(
    side: Side, arguments: list[str], message: str, tmp_path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "board.in"
    path.write_text("1 3\n#1#\n")
    assert main(side, [arguments[0], str(path), *arguments[1:]]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("how", [[], ["--json"], ["--svg"]])
def test_what_cannot_be_said_why_names_the_case_and_who_says_only_a_part(
    how: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "boards.in"
    how = [*how, str(tmp_path / "x.svg")] if "--svg" in how else how
    path.write_text("2\n1 2\n#1\n2 4\n####\n2#21\n")
    assert (
        main(DIRECT, ["minesweeper", str(path), "--backend", "two-sat", "--why", "1,1", *how]) == 2
    )
    unknown = "the cell at 1,1 is not found certain, which is no proof that it is not"
    assert capsys.readouterr().err == f"case 2: direct:two-sat: {unknown}\n"
    path.write_text("2\n1 2\n#1\n1 3\n#1#\n")
    assert main(DIRECT, ["minesweeper", str(path), "--why", "1,1", *how]) == 2
    assert capsys.readouterr().err == "case 2: the cell at 1,1 is not certain\n"
