"""What is wrong in a file whose instances are no grids is a message with the file and the line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import puzzles
from puzzles.user.user_file import Misread, PuzzleFault
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
    with pytest.raises(
        PuzzleFault,
        match=r"cover\.py:\d+: parse raised IndexError: index out of range: mend that line",
    ):
        load(tmp_path, COVER.replace(READ, f"        reader.data[10**6]\n{READ}"))


BAG = '''"""A bag of numbers and a word."""
from dataclasses import dataclass
from puzzles.case import Case
from puzzles.case_solution import CaseSolutionPuzzle
from puzzles.puzzle import Family


@dataclass(frozen=True, eq=False, repr=False)
class Bag(Case):
    puzzle = "bag"
    numbers: tuple
    word: str

    def text(self):
        return f"{len(self.numbers)}\\n{' '.join(map(str, self.numbers))}\\n{self.word}\\n"

    @classmethod
    def read(cls, reader):
        (count,) = reader.numbers("how many numbers")
        numbers = reader.numbers(*["a number"] * count)
        word = reader.line("a word")
        return cls(numbers, word)


class BagPuzzle(CaseSolutionPuzzle):
    name = "bag"
    case_type = Bag
    families = {"random": Family(lambda size, seed: Bag((seed,) * size, "ab"), "alike")}

    def broken_rule(self, case, witness):
        return ""


PUZZLE = BagPuzzle()
'''
RETURN = "return cls(numbers, word)"
NUMBERS = 'reader.numbers(*["a number"] * count)'
PRINTED = "' '.join(map(str, self.numbers))"
BAGS = "2\n3\n7 101 7\nAbc\n01\n5 \n\tx\n"
"""Two cases; zeros in front, blanks, and empty lines at the end say nothing."""

MISREAD = {
    "the rest of a line is dropped": (
        NUMBERS,
        "reader.list_of_numbers()[:count]",
        BAGS.replace("01\n5", "01\n5 6"),
        "in:6: '5 6' was written, and '5' was read",
    ),
    "numbers are clipped": (
        RETURN,
        "return cls(tuple(min(x, 100) for x in numbers), word)",
        BAGS,
        "in:3: '7 101 7' was written, and '7 100 7' was read",
    ),
    "equal numbers are read once": (
        RETURN,
        "return cls(tuple(dict.fromkeys(numbers)), word)",
        BAGS,
        "in:2: '3' was written, and '2' was read",
    ),
    "numbers are sorted": (
        RETURN,
        "return cls(tuple(sorted(numbers)), word)",
        BAGS,
        "in:3: '7 101 7' was written, and '7 7 101' was read",
    ),
    "one character is read": (RETURN, "return cls(numbers, word[:1])", BAGS, "in:4: 'Abc' was"),
    "words become small": (
        RETURN,
        "return cls(numbers, word.lower())",
        BAGS,
        "in:4: 'Abc' was written, and 'abc' was read",
    ),
    "words become short": (
        RETURN,
        "return cls(numbers, word[:99])",
        f"1\n1\n1\n{'(' * 120}\n",
        f"in:4: '...{'(' * 41}' was written, and '...{'(' * 20}' was read",
    ),
    "a part is printed": (PRINTED, f"{PRINTED}[:5]", BAGS,
    "in:3: '7 101 7' was written, and '7 101' was read"),
    "the end is not printed": (r"\n{self.word}\n", r"\n", "1\n1\n1\nx\n", "in:4: 'x' was written, "
    "and nothing was read"),
    "more is printed": (r"{self.word}\n", r"{self.word} 0\n", "1\n1\n1\nx\n", "in:4: 'x' was "
    "written, and 'x 0' was read"),
    "a case is left out": (
        "    def broken_rule",
        "    def read_instances(self, reader, count):\n"
        "        return super().read_instances(reader, count)[1:]\n\n    def broken_rule",
        BAGS,
        "in:1: '2' was written, and '1' was read",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("right", "wrong", "text", "message"), MISREAD.values(), ids=MISREAD)
def test_what_is_read_is_what_was_written(
    right: str, wrong: str, text: str, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "bag.py"
    path.write_text(BAG)
    assert [len(each.numbers) for each in puzzles.find(str(path)).parse(BAGS)] == [3, 1]
    assert BAG.count(right) == 1
    planted = BAG.replace(right, wrong)
    path.write_text(re.sub("families = .*", "families = {}", planted))
    with pytest.raises(Misread) as caught:
        puzzles.find(str(path)).parse(text, "in")
    assert f": {message}" in str(caught.value)
    assert re.match(rf"{path}(:\d+)?: in:", str(caught.value))
    assert ": mend `read" in str(caught.value)


@pytest.mark.parametrize(
    ("made", "message"),
    [
        ('Bag((101,), "A b")', "the family random, at size 3 and seed 1, gives what is refused"),
        ('Bag([7], "ab")', "numbers is [7], then (7,): mend the family, `text` or `read`"),
        ('Bag((7,), " ab ")', "word is ' ab ', then ' ab': mend the family, `text` or `read`"),
    ],
)
def test_what_a_family_gives_is_read_back_before_anything_runs(
    made: str, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "bag.py"
    text = BAG.replace('Bag((seed,) * size, "ab")', made)
    text = text.replace(
        RETURN, f"if ' ' in word[1:]:\n            reader.fail('two words')\n        {RETURN}"
    )
    path.write_text(text)
    with pytest.raises(PuzzleFault) as caught:
        puzzles.find(str(path))
    assert message in str(caught.value)
    assert str(caught.value).startswith(
        f"{path}:{1 + text[: text.index('families')].count(chr(10))}: "
    )
