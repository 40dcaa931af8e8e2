"""Mistakes that people make in a puzzle of their own: each is a message that says what is wrong,
where, and what to do.

The puzzle is small: pay a sum with as few coins as can be.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import puzzles
from compare.commands.conform.points import findings
from tests.processes import compare, run_module

COINS = '''"""Pay a sum with as few coins as can be: a line holds the sum and the coins."""
from dataclasses import dataclass
from itertools import combinations
from random import Random

from puzzles.backend import backend
from puzzles.case import Case
from puzzles.case_solution import CaseSolution, CaseSolutionPuzzle
from puzzles.puzzle import Family


@dataclass(frozen=True, eq=False, repr=False)
class Coins(Case):
    puzzle = "coins"
    total: int
    coins: tuple

    def text(self):
        return f"{self.total} {' '.join(map(str, self.coins))}".strip() + "\\n"

    @classmethod
    def read(cls, reader):
        total, *coins = reader.list_of_numbers("the sum", rest="a coin")
        return cls(total, tuple(coins))


class CoinsPuzzle(CaseSolutionPuzzle):
    name = "coins"
    case_type = Coins
    better = "less"
    value_name = "the number of coins"

    def broken_rule(self, case, witness):
        if not set(witness) <= set(range(1, len(case.coins) + 1)):
            return "this is no place of a coin"
        paid = sum(case.coins[place - 1] for place in set(witness))
        return "" if paid == case.total else f"{paid} is paid"

    def value(self, case, witness):
        return len(witness)

    def candidates(self, case):
        places = range(1, len(case.coins) + 1)
        return [each for n in range(len(places) + 1) for each in combinations(places, n)]

    @property
    def families(self):
        return {"random": Family(random_coins, "size coins", ((2, 1), (3, 2)))}


def random_coins(size, seed):
    random = Random(f"{size} {seed}")
    coins = tuple(random.randint(1, 9) for _ in range(size))
    return Coins(sum(coins[::2]) + random.randint(0, 1), coins)


@backend("coins", "subsets", side="direct", source="a test", limit=40)
def subsets(case, *, certify=False):
    for witness in PUZZLE.candidates(case):
        if not PUZZLE.broken_rule(case, witness):
            return CaseSolution.optimal(len(witness), witness)
    return CaseSolution.infeasible()


@backend("coins", "other", side="models", source="a test")
def other(case, *, certify=False):
    return subsets(case)


PUZZLE = CoinsPuzzle()
'''
OPTIMAL = "return CaseSolution.optimal(len(witness), witness)"


def write_coins(folder: Path, right: str = "", wrong: str = "") -> str:
    """Write the puzzle with one mistake; returns its text."""
    assert not right or COINS.count(right) == 1
    text = COINS.replace(right, wrong) if right else COINS
    (folder / "coins.py").write_text(text)
    (folder / "one.in").write_text("1\n5 1 4 5\n")
    return text


def line_of(text: str, part: str) -> int:
    """The number of the line that holds this part."""
    assert text.count(part) == 1
    return 1 + text.count("\n", 0, text.index(part))


def test_the_kinds_of_answers_add_up(tmp_path: Path) -> None:
    write_coins(tmp_path)
    ended = compare("fuzz ./coins.py --cases 60 --size 3", cwd=tmp_path, status=0)
    (line,) = re.findall(r"^answers: (.*)$", ended.stdout, re.MULTILINE)
    shares = {kind: int(share) for share, kind in re.findall(r"(\d+)% (\w+)", line)}
    assert shares.keys() == {"POSSIBLE", "IMPOSSIBLE"}
    assert 99 <= sum(shares.values()) <= 101


def test_a_solution_without_its_value_is_malformed_whoever_asks(tmp_path: Path) -> None:
    text = write_coins(tmp_path, OPTIMAL, "return CaseSolution(True, witness)")
    line = line_of(text, '@backend("coins", "subsets"')
    sentence = (
        "malformed answer: it says that there is a solution, and not the number of coins: name the "
        "value, as CaseSolution(True, witness, value) does; the backend begins at "
        f"./coins.py:{line}\n"
    )
    ran = compare("run ./coins.py one.in -b subsets", cwd=tmp_path, status=1)
    assert f"(size 4): {sentence}" in ran.stdout
    assert ran.last_line.startswith("direct:subsets FAILED on 1 of 1: 1 ERROR; ")
    solved = run_module("direct", "./coins.py", "one.in", cwd=tmp_path)
    assert (solved.returncode, solved.stdout) == (2, "")
    assert solved.stderr == f"case 1: direct:subsets: {sentence}"
    tried = findings(puzzles.find(str(tmp_path / "coins.py")), "texts")
    assert [sentence[:60] in each.sentence for each in tried] == [True]
    heuristic = COINS.replace(OPTIMAL, "return CaseSolution(True, witness)")
    heuristic = heuristic.replace("limit=40", "complete=False")
    (tmp_path / "coins.py").write_text(heuristic)
    compare("run ./coins.py one.in -b subsets", cwd=tmp_path, status=0)


@pytest.mark.parametrize(
    ("returned", "what"),
    [
        ("(True, (True, False), 2)", "witness[0]: expected int, got True of type bool"),
        (
            "(True, range(3), 3)",
            "witness: expected tuple[int, ...] or None, got a value of type range",
        ),
        ("(True, (1,), '1')", "value: expected int or None, got '1' of type str"),
    ],
)
def test_the_part_of_an_answer_that_is_malformed_is_named(
    returned: str, what: str, tmp_path: Path
) -> None:
    text = write_coins(tmp_path, OPTIMAL, f"return CaseSolution{returned}")
    line = line_of(text, '@backend("coins", "subsets"')
    ended = compare("run ./coins.py one.in -b subsets", cwd=tmp_path, status=1)
    sentence = f"malformed answer: {what}; the backend begins at ./coins.py:{line}\n"
    assert f"(size 4): {sentence}" in ended.stdout


FAMILY = 'Family(random_coins, "size coins", ((2, 1), (3, 2)))'
TEXT = "    def text(self):\n        return f"
SIZE = "    @property\n    def size(self):\n        "
LIMIT = "limit=40"

REFUSED = {
    "a size without a return": (
        TEXT,
        f"{SIZE}len(self.coins)\n\n{TEXT}",
        "@property\n    def size",
        "size returned None of type NoneType: return a whole number that is not negative",
    ),
    "a size that is a text": (
        TEXT,
        f"{SIZE}return str(self.total)\n\n{TEXT}",
        "@property\n    def size",
        "size returned '13' of type str: return a whole number that is not negative",
    ),
    "a limit that is a text": (
        LIMIT,
        'limit="40"',
        '@backend("coins", "subsets"',
        "limit of the backend direct:subsets is '40': expected a whole number",
    ),
    "a bound that is a text": (
        FAMILY,
        'Family(random_coins, "size coins", most="30")',
        'return {"random"',
        "families raised TypeError: most is '30': expected a whole number: mend that line",
    ),
    "a family of an instance": (
        FAMILY,
        'Family(random_coins(1, 1), "size coins")',
        'return {"random"',
        "families raised TypeError: make is <Coins: size 2>: expected a function of a size and a "
        "seed: mend that line",
    ),
    "a generator without a seed": (
        'random_coins(size, seed):\n    random = Random(f"{size} {seed}")',
        "random_coins(size):\n    random = Random(size)",
        "def random_coins",
        "the family random, at size 3 and seed 1, raised TypeError: random_coins() takes 1 "
        "positional argument but 2 were given: mend `random_coins`, which begins there",
    ),
    "families without a decorator": (
        "    @property\n    def families",
        "    def families",
        "def families",
        "families is a plain method: write @property above `def families`",
    ),
    "a reader without a decorator": (
        "    @classmethod\n    def read",
        "    def read",
        "def read",
        "read is a plain method: write @classmethod above `def read`",
    ),
    "a reader without a return": (
        "return cls(total",
        "cls(total",
        "@classmethod",
        "parse raised TypeError: Coins.read returned None: return a Coins: mend `read`, which "
        "begins there",
    ),
    "a text without a return": (
        TEXT,
        TEXT.replace("return ", ""),
        "def text",
        "print_instances raised TypeError: text returned None: expected a string: mend `text`, "
        "which begins there",
    ),
    "refuses without certify": (
        LIMIT,
        'refuses=lambda case: ""',
        '@backend("coins", "subsets"',
        "refuses of the backend direct:subsets must take what the backend takes, as refuses(board, "
        "*, certify, **options) does: got an unexpected keyword argument 'certify'",
    ),
    "refuses that is no function": (
        LIMIT,
        "refuses=True",
        '@backend("coins", "subsets"',
        "refuses of the backend direct:subsets is True: expected a function",
    ),
}
"""What is right, the mistake in its place, where the line begins that is named, and the message."""


@pytest.mark.parametrize(("right", "wrong", "place", "message"), REFUSED.values(), ids=REFUSED)
def test_a_mistake_is_refused_with_its_line_before_anything_runs(
    right: str, wrong: str, place: str, message: str, tmp_path: Path
) -> None:
    text = write_coins(tmp_path, right, wrong)
    ended = compare("run ./coins.py", cwd=tmp_path, status=2)
    assert ended.stdout == ""
    assert ended.stderr == f"./coins.py:{line_of(text, place)}: {message}\n"


RULES = "    def broken_rule(self, case, witness):\n"

BROKEN = {
    "a value that is no whole number": (
        "return len(witness)",
        "return float(len(witness))",
        "def value",
        "value returned 1.0 of type float: return a whole number, an int",
    ),
    "a rule without a return": (
        'return "" if paid',
        '"" if paid',
        "def broken_rule",
        "broken_rule returned None of type NoneType: return a text, which is empty if nothing is "
        "wrong",
    ),
    "an exception that says nothing": (
        "return [each for n in",
        "raise IndexError\n        return [each for n in",
        "raise IndexError",
        "it raised IndexError",
    ),
    "a value that is True": (
        "return len(witness)",
        "return True",
        "class CoinsPuzzle",
        "it raised TypeError: `value` returned True: return a whole number, an int",
    ),
}


@pytest.mark.parametrize(("right", "wrong", "place", "message"), BROKEN.values(), ids=BROKEN)
def test_a_broken_check_names_the_line_of_the_user(
    right: str, wrong: str, place: str, message: str, tmp_path: Path
) -> None:
    text = write_coins(tmp_path, right, wrong)
    (tmp_path / "one.in").write_text("1\n5 5\n")
    (tmp_path / "one.out").write_text("1 1\n")
    ended = compare("check ./coins.py one.in one.out", cwd=tmp_path, status=1)
    assert f"the check is broken: ./coins.py:{line_of(text, place)}: {message}\n" in ended.stdout


@pytest.mark.parametrize(("output", "begins"), [("1 1\n", "a solution"), ("IMPOSSIBLE\n", "IMP")])
def test_candidates_that_are_none_are_said(output: str, begins: str, tmp_path: Path) -> None:
    write_coins(tmp_path, "return [each for n in", "[each for n in")
    (tmp_path / "one.in").write_text("1\n5 5\n")
    (tmp_path / "one.out").write_text(output)
    ended = compare("check ./coins.py one.in one.out", cwd=tmp_path)
    assert re.search(
        rf"UNPROVED: .*: {begins}.*; `candidates` returned None, so none were tried\n",
        ended.stdout,
    )


@pytest.mark.parametrize(("output", "worth"), [("1 1\n", " worth 0"), ("IMPOSSIBLE\n", "")])
def test_an_empty_solution_is_said_in_words(output: str, worth: str, tmp_path: Path) -> None:
    write_coins(tmp_path, 'return "" if paid == case.total', 'return "" if paid <= case.total')
    (tmp_path / "one.in").write_text("1\n5 5\n")
    (tmp_path / "one.out").write_text(output)
    ended = compare("check ./coins.py one.in one.out", cwd=tmp_path, status=1)
    assert f": a solution{worth} exists: the empty solution\n" in ended.stdout


@pytest.mark.parametrize(
    ("bounds", "sizes"),
    [
        ("most=3", [1, 2, 3]),
        ("least=5", [5, 6, 8]),
        ("least=9", [9, 10, 11, 12, 13, 14, 15]),
        ("least=9, most=10", [9, 10]),
        ("most=9", [1, 2, 3, 4, 5, 6, 8]),
    ],
)
def test_sizes_that_nobody_asked_for_are_those_of_the_family(
    bounds: str, sizes: list[int], tmp_path: Path
) -> None:
    write_coins(tmp_path, FAMILY, f'Family(random_coins, "size coins", {bounds})')
    family = puzzles.find(str(tmp_path / "coins.py")).family("random")
    assert [size for size, _ in family.bundled] == sizes
    compare("run ./coins.py -b subsets", cwd=tmp_path, status=0)


NUMPY_SIZE = """    @property
    def size(self):
        return __import__("numpy").int64(self.total)

"""


def test_a_size_may_be_a_number_of_numpy(tmp_path: Path) -> None:
    write_coins(tmp_path, TEXT, f"{NUMPY_SIZE}{TEXT}")
    ended = compare("run ./coins.py one.in", cwd=tmp_path, status=0)
    assert ended.last_line.startswith("ALL AGREE")


def test_a_size_is_refused_where_it_was_asked_for(tmp_path: Path) -> None:
    write_coins(tmp_path, FAMILY, 'Family(random_coins, "size coins", most=3)')
    for words in ("run ./coins.py --family random --cases 2", "scale ./coins.py --repeat 1"):
        compare(f"{words} -b subsets", cwd=tmp_path, status=0)
    asked = compare("run ./coins.py --family random --size 4", cwd=tmp_path, status=2)
    assert asked.stderr == "the family random ends at size 3, not 4\n"
    scaled = compare("scale ./coins.py --largest 4", cwd=tmp_path, status=2)
    assert scaled.stderr == "--largest: family random ends at size 3, not 4\n"
    for words in ("--smallest 3 --largest 2", "--smallest 4"):
        scaled = compare(f"scale ./coins.py {words}", cwd=tmp_path, status=2)
        assert " is larger than the last size, " in scaled.stderr


PLUGIN = """from puzzles.backend import backend

@backend("coins", "mine", side="direct", source="a test")
def mine(case, *, certify=False):
    return None

@backend("{puzzle}", "{name}", side="direct", source="a test")
def other(case, *, certify=False):
    return None
"""


@pytest.mark.parametrize(
    ("puzzle", "name", "status", "message"),
    [
        ("coinz", "b", 2, "is for 'coinz', and there is no such puzzle: did you mean 'coins'? Or"),
        ("xyz", "b", 0, "is for 'xyz', and there is no such puzzle: choose from beams, coins, "),
        ("coins", "subsets", 2, "coins has a backend direct:subsets already; choose another name"),
    ],
)
def test_a_backend_of_a_plugin_is_never_dropped_without_a_word(
    puzzle: str, name: str, status: int, message: str, tmp_path: Path
) -> None:
    write_coins(tmp_path)
    (tmp_path / "plug.py").write_text(PLUGIN.format(puzzle=puzzle, name=name))
    ended = compare("run ./coins.py -b subsets --plugin plug.py", cwd=tmp_path, status=status)
    assert re.search(rf"plug\.py:7: (the backend direct:b )?{re.escape(message)}", ended.stderr)
