"""What is wrong in a file whose instances are no grids is a message with the file and the line."""

from __future__ import annotations

from pathlib import Path

import pytest

import puzzles
from puzzles.user.user_file import PuzzleFault
from tests.places import ROOT

COVER = (ROOT / "examples" / "cover.py").read_text()
READ = "        left, right, number = reader"

FAULTS = [
    (
        "case_type = Graph",
        "case_type = 7",
        "class CoverPuzzle",
        "case_type is 7: expected your class of cases",
    ),
    (
        "def read(cls",
        "def reed(cls",
        "class Graph",
        "the class Graph lacks read: Read one case and leave the cursor behind it",
    ),
    (
        "def broken_rule(",
        "def rule(",
        "class CoverPuzzle",
        "the class CoverPuzzle has no rules: write broken_rule(self, case, ",
    ),
    (
        'ClassVar[str] = "cover"',
        'ClassVar[str] = "over"',
        "class Graph",
        "the cases are of the puzzle 'over': expected the ",
    ),
]


def load(folder: Path, text: str) -> None:
    (folder / "cover.py").write_text(text)
    puzzles.find(str(folder / "cover.py"))


@pytest.mark.parametrize(("right", "wrong", "place", "message"), FAULTS)
def test_a_file_that_cannot_be_used_says_why(
    right: str, wrong: str, place: str, message: str, tmp_path: Path
) -> None:
    assert COVER.count(right) == 1
    text = COVER.replace(right, wrong)
    with pytest.raises(PuzzleFault) as caught:
        load(tmp_path, text)
    line = 1 + text.count("\n", 0, text.index(place))
    assert str(caught.value).startswith(f"{tmp_path}/cover.py:{line}: {message}")


def test_a_reader_that_raises_says_where(tmp_path: Path) -> None:
    assert COVER.count(READ) == 1
    load(tmp_path, COVER.replace(READ, f"        reader.data[10**6]\n{READ}"))
    with pytest.raises(
        PuzzleFault,
        match=r"cover\.py:\d+: parse raised IndexError: index out of range: mend that line",
    ):
        puzzles.get("cover").of_text("1 1 0\n")
