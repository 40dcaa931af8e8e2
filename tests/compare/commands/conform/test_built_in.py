"""What a puzzle of this project owes: each point says what is missing. CONTRIBUTING lists them."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import puzzles
from compare.commands.conform import built_in
from compare.commands.conform.built_in import BUILT_IN
from compare.commands.conform.corpus import State
from compare.commands.conform.points import POINTS, points_of
from puzzles.answer import Effort
from puzzles.puzzle import Puzzle
from puzzles.text import first_paragraph
from tests.places import ROOT

Patch = pytest.MonkeyPatch


@pytest.fixture
def puzzle() -> Puzzle[Any, Any]:
    return puzzles.get(puzzles.names()[0])


def sentences(puzzle: Puzzle, point: str) -> list[str]:
    """What a point says is wrong."""
    findings = list(BUILT_IN[point](puzzle))
    assert {each.state for each in findings} <= {State.FAILED}
    return [each.sentence for each in findings]


@pytest.mark.parametrize(
    ("attribute", "value", "sentence"),
    [
        ("title", "Another", "do not name the puzzle's title: write Another into them"),
        ("formats", ("codejam", "other"), "begins with - `codejam` and one with - `other`"),
        ("rules", "# beams\n", "the rules have 0 blocks of `text`: write one with an input, and"),
    ],
)
def test_rules_that_lack_something(
    attribute: str, value: object, sentence: str, puzzle: Puzzle, monkeypatch: Patch
) -> None:
    owner = type(puzzle) if attribute == "rules" else puzzle
    monkeypatch.setattr(owner, attribute, value)
    assert any(sentence in each for each in sentences(puzzle, "rules"))


def test_a_sample_in_the_rules_that_is_answered_otherwise(
    puzzle: Puzzle, monkeypatch: Patch
) -> None:
    _, output = re.findall(r"```text\n(.*?)```", puzzle.rules, re.S)
    monkeypatch.setattr(type(puzzle), "rules", puzzle.rules.replace(output, "PERHAPS\n"))
    (said,) = sentences(puzzle, "rules")
    assert said.startswith("the output in the rules is not what `direct` prints for their input: ")


def test_samples_that_are_not_there_or_have_no_answers(
    puzzle: Puzzle, monkeypatch: Patch, tmp_path: Path
) -> None:
    monkeypatch.setattr(type(puzzle), "data", tmp_path)
    (said,) = sentences(puzzle, "samples")
    assert said == f"there is no sample: write one as {tmp_path / 'sample'}/NAME.in"
    (tmp_path / "sample").mkdir()
    (tmp_path / "sample" / "some.in").write_text(puzzle.example)
    (said,) = sentences(puzzle, "samples")
    assert said == "some has no expected answers: write them as NAME.ans beside it"


def test_a_picture_without_numbers_and_legend(puzzle: Puzzle, monkeypatch: Patch) -> None:
    monkeypatch.setattr(type(puzzle), "picture", lambda *_: "<svg></svg>")
    said = " ".join(sentences(puzzle, "drawings"))
    assert "does not name its size" in said
    assert "has no numbers" in said
    assert "with its answer has no legend" in said


def test_backends_that_say_nothing_of_themselves(puzzle: Puzzle, monkeypatch: Patch) -> None:
    def silent(board: Any, *, certify: bool = False) -> Any:
        """solve it"""
        return replace(backend.solve(board, certify=certify), effort=Effort())

    backend = built_in.own_backends(puzzle)[0]
    two = [replace(backend, side=side, function=silent, source="me") for side in built_in.SIDES]
    monkeypatch.setattr(built_in, "own_backends", lambda puzzle: two)
    assert [each.partition(": ")[2] for each in sentences(puzzle, "effort")] == [
        "give Effort(solve_s=...)",
        "give Effort(solve_s=...)",
        "give the `effort` of a `models.stopwatch.Stopwatch`",
    ]
    assert [each.partition(": ")[2] for each in sentences(puzzle, "words")] == [
        "begin its docstring with them",
        "write its `source`",
        "begin its docstring with them",
        "say what is different",
        "write its `source`",
    ]


def test_a_puzzle_without_a_page_and_tests(puzzle: Puzzle, monkeypatch: Patch) -> None:
    monkeypatch.setattr(puzzle, "name", "nameless")
    assert [each.partition(": ")[2] for each in sentences(puzzle, "places")] == [
        "write docs/puzzles/nameless.md",
        "write tests/puzzles/nameless/test_NAME.py",
        "write puzzles/nameless.md into it",
        "write puzzles/nameless.md into it",
    ]


def test_contributing_lists_all_that_a_puzzle_owes(puzzle: Puzzle) -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    listed = dict(re.findall(r"^\| \*\*(\w+)\*\* \| (.*) \|$", text, re.MULTILINE))
    owed = {name: first_paragraph(point) for name, point in points_of(puzzle).items()}
    assert listed == owed, "copy what `compare conform PUZZLE` prints into CONTRIBUTING.md"
    assert listed.keys() == POINTS.keys() | BUILT_IN.keys()
