"""`equivalent` says ALL AGREE of what it has compared alone: of cases of all small sizes, of a
large board of each family, and never where there was nothing to decide or the comparison crashed.
"""

from __future__ import annotations

import os
import re
from itertools import islice
from pathlib import Path

import pytest

import puzzles
from compare.command_line import main
from compare.commands.equivalent import equivalence
from compare.commands.equivalent.boards_compared import (
    LARGE_SIZE,
    boards_in_turn,
    largest_boards,
    new_boards,
    small_boards,
)
from tests.compare.commands.equivalent.test_command import DOTS
from tests.places import ROOT
from tests.processes import compare, interrupt_compare, run_module

JOBS = '''"""Jobs in an order."""
from dataclasses import dataclass
from itertools import combinations

from puzzles.backend import backend
from puzzles.case import Case
from puzzles.case_solution import CaseSolution, CaseSolutionPuzzle
from puzzles.puzzle import Family


@dataclass(frozen=True, eq=False, repr=False)
class Jobs(Case):
    puzzle = "jobs"
    times: tuple[tuple[int, int], ...]

    def text(self):
        return f"{len(self.times)}\\n" + "".join(f"{p} {d}\\n" for p, d in self.times)

    @classmethod
    def read(cls, reader):
        (count,) = reader.numbers("the number of jobs")
        return cls(tuple(reader.numbers("length", "due", least=(1, 0)) for _ in range(count)))

    @property
    def size(self):
        return len(self.times)


class JobsPuzzle(CaseSolutionPuzzle):
    name = "jobs"
    case_type = Jobs

    def broken_rule(self, case, witness):
        return ""

    @property
    def families(self):
        return {"long": Family(lambda size, seed: Jobs(((40 + seed, 90),) * size), "long jobs")}


PUZZLE = JobsPuzzle()


def order(case, transitive=True):
    jobs = range(len(case.times))
    before = {pair: k for k, pair in enumerate(combinations(jobs, 2), 1)}
    clauses = [
        [sign * before[i, j], sign * before[j, k], -sign * before[i, k]]
        for i, j, k in combinations(jobs, 3)
        for sign in (1, -1)
        if transitive
    ]
    return len(before), clauses, {v: f"{i} before {j}" for (i, j), v in before.items()}


def register(name, encode):
    @backend("jobs", name, side="models", source="mine", encode=encode)
    def solve(case, *, certify=False):
        return CaseSolution(False)


register("order", order)
register("again", order)
register("loose", lambda case: order(case, transitive=False))
register("nameless", lambda case: (*order(case)[:2], {}))
'''


@pytest.mark.slow
def test_small_cases_differ_in_size_first_and_a_wrong_model_is_found_among_them(
    tmp_path: Path,
) -> None:
    """One job has no order, so cases of one job alone would tell nothing."""
    (tmp_path / "jobs.py").write_text(JOBS)
    same = compare("equivalent ./jobs.py order again --cases 0 --boards 300", cwd=tmp_path)
    match = re.match(
        r"ALL AGREE: the same on small cases: (\d+) of size 1, (\d+) of size 2, "
        r"(\d+) of size 3, (\d+) of size 4, (\d+) of size 5, (\d+) of size 6 \(300 cases, ",
        same.stdout,
    )
    assert match is not None, same.stdout
    assert sum(map(int, match.groups())) == 300
    assert min(map(int, match.groups())) >= 40
    wrong = compare("equivalent ./jobs.py order loose --cases 0", cwd=tmp_path, status=1)
    assert wrong.stdout.startswith("DIFFERENT on this case (size 3)")
    assert "models:loose admits what models:order refuses" in wrong.stdout


def test_where_numbers_differ_the_case_is_made_smaller_and_cut_numbers_are_said(
    tmp_path: Path,
) -> None:
    """Three jobs have six orders, and the other model admits two more. Four jobs have too many."""
    (tmp_path / "jobs.py").write_text(JOBS)
    words = "equivalent ./jobs.py order loose --cases 0 --boards 60 --count --solutions 7"
    ended = compare(words, cwd=tmp_path, status=1)
    assert (
        "\nDIFFERENT NUMBERS of solutions on this case (size 3), made smaller from one of size 3: "
        "6 of models:order and more than 7 of models:loose\n\n    3\n    1 0\n    1 0\n    1 0\n"
    ) in ended.stdout
    assert re.search(
        r"of \d+ cases only the first 7 solutions were compared \(--solutions\)", ended.last_line
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("beams cnf", "equivalent takes a puzzle and the names of two of its models"),
        ("a.cnf b.cnf", "a.cnf is a formula in a file. Two such files are compared by a puzzle"),
        ("formula a.cnf b.cnf", "a.cnf is a formula in a file. Two such files are compared by"),
    ],
)
def test_what_is_no_pair_of_models_is_refused(words: str, message: str) -> None:
    assert message in compare(f"equivalent {words}", status=2).stderr


def test_small_cases_are_sorted_distinct_and_no_more_than_asked_for(tmp_path: Path) -> None:
    for path in ("knapsack.py", "cover.py"):
        puzzle = puzzles.find(str(ROOT / "examples" / path))
        cases = [*small_boards(puzzle, None, 200)]
        assert [each.size for each in cases] == sorted(each.size for each in cases)
        assert len({each.text() for each in cases}) == len(cases) <= 200
        assert len({each.size for each in cases}) >= 5


def test_all_small_boards_of_minesweeper_are_those_with_each_number_of_mines_too() -> None:
    """One cell: a covered one or a given mine has 0 mines or 1 or no number, any other 0 or none.
    On two covered cells there are up to two.
    """
    small = small_boards(puzzles.get("minesweeper"), None, 900)
    texts = [board.text() for board in small]
    assert (small.cells, small.number, len(set(texts))) == (2, 808, 808)
    assert [text for text in texts if text.endswith("\n##\n")] == [
        f"1 2{mines}\n##\n" for mines in ("", " 0", " 1", " 2")
    ]
    assert sum(text.startswith(("1 1\n", "1 1 0\n")) for text in texts) == 26
    assert {text for text in texts if text.startswith("1 1 1\n")} == {"1 1 1\n#\n", "1 1 1\nX\n"}


ONE = """
from dataclasses import dataclass

from puzzles.backend import backend
from puzzles.case import Case
from puzzles.case_solution import CaseSolution, CaseSolutionPuzzle
from puzzles.puzzle import Family


@dataclass(frozen=True, eq=False, repr=False)
class One(Case):
    puzzle = "one"
    number: int

    def text(self):
        return f"{self.number}\\n"

    @classmethod
    def read(cls, reader):
        (number,) = reader.numbers("the only case")
        if number != 1:
            reader.fail("there is no other case than 1")
        return cls(number)


class OnePuzzle(CaseSolutionPuzzle):
    name = "one"
    case_type = One

    def broken_rule(self, case, witness):
        return ""

    @property
    def families(self):
        return {"one": Family(lambda size, seed: One(1), "the only case")}


PUZZLE = OnePuzzle()


def register(name):
    @backend("one", name, side="models", source="mine",
             encode=lambda case: (2, [[1, 2]], {1: "a", 2: "b"}))
    def solve(case, *, certify=False):
        return CaseSolution(False)


register("first")
register("second")
"""


def test_the_only_case_of_a_puzzle_is_compared_once(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text(ONE)
    ended = compare("equivalent ./one.py first second", cwd=tmp_path)
    assert ended.stdout == (
        "ALL AGREE: the same on small cases: 1 of size 1 (1 case, 3 solutions)\n"
    )


def test_boards_of_families_that_were_compared_before_are_replaced_by_others() -> None:
    puzzle, known = puzzles.get("nogo"), set[str]()
    small = {each.digest for each in new_boards(small_boards(puzzle, None, 100), known)}
    drawn = {each.digest for each in islice(boards_in_turn(puzzle, 3, 1), 60)}
    assert drawn & small
    of_families = [*islice(new_boards(boards_in_turn(puzzle, 3, 1), known), 60)]
    assert len(of_families) == 60
    assert len({each.digest for each in of_families} - small) == 60
    assert drawn - small <= {each.digest for each in of_families}


@pytest.mark.parametrize("count", ["", "--count"])
def test_without_anything_to_decide_nothing_is_compared(count: str, tmp_path: Path) -> None:
    (tmp_path / "jobs.py").write_text(JOBS)
    words = f"equivalent ./jobs.py order nameless --boards 30 --cases 2 {count}"
    ended = compare(words, cwd=tmp_path, status=3)
    assert re.match(
        r"NOTHING COMPARED: on none of \d+ cases have the models a common name, so there is "
        "nothing to decide: ",
        ended.last_line,
    )


def test_a_crash_of_the_comparison_is_a_failure_with_its_board(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    compare_boards = equivalence.on_board

    def crashing(*args: object, **named: object) -> object:
        (one, _), *_ = args  # type: ignore[misc]
        if one.formula.variables > 30:
            os.abort()
        return compare_boards(*args, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(equivalence, "on_board", crashing)
    words = "equivalent geography cnf cnf-cover --boards 10 --cases 12 -q --timeout 60"
    assert main(words.split()) == 1
    printed = capsys.readouterr().out
    assert re.match(
        r"FAILED on this board \(\d+x\d+\): the comparison ended with CRASH: killed by SIGABRT\n",
        printed,
    )
    assert "ALL AGREE" not in printed


WIDE = (
    DOTS.replace('b".#"', 'b"."')
    + """

def encode(board, wrong=False):
    names = {cell + 1: f"dot {divmod(cell, board.columns)}" for cell in range(board.cells)}
    clauses = [[-1]] if wrong and board.columns > 10 else []
    return board.cells, [*clauses, *([-k] for k in range(4, board.cells + 1))], names


def register(name, encode):
    @backend("dots", name, side="models", source="mine", encode=encode)
    def solve(board, *, certify=False):
        return GridSolution(True, board)


register("right", encode)
register("again", encode)
register("narrow", lambda board: encode(board, wrong=True))
"""
)


@pytest.mark.slow
def test_a_large_board_of_each_family_shows_what_small_ones_cannot(tmp_path: Path) -> None:
    (tmp_path / "dots.py").write_text(WIDE)
    words = "equivalent ./dots.py right {} --boards 20 --cases 5"
    wrong = compare(words.format("narrow"), cwd=tmp_path, status=1).stdout
    assert wrong.startswith("DIFFERENT on this board (1x11), made smaller from one of ")
    same = compare(words.format("again"), cwd=tmp_path).stdout
    match = re.search(r"of families up to (\d+)x(\d+), and on 1 large board up to (.*)\n", same)
    assert match is not None, same
    assert max(int(match[1]), int(match[2])) <= 6
    (large,) = largest_boards(puzzles.find(str(tmp_path / "dots.py")), 1)
    assert match[3] == large.shown_size
    assert large.shape is not None
    assert max(large.shape) == LARGE_SIZE
    none = compare(f"{words.format('narrow')} --largest 6", cwd=tmp_path).stdout
    assert "ALL AGREE: the same" in none
    assert "large board" not in none


LABELLED = """
from models.cnf import Formula
from models.dimacs import Encoding
from puzzles.backend import Unsupported, backend
from puzzles.beams import Layout


def encode(board, text):
    formula = Formula()
    turrets = [k for k, kind in enumerate("".join(board.lines())) if kind in "-|"]
    if not turrets or "." in str(board):
        raise Unsupported("turrets alone")
    first = formula.new(len(turrets))
    numbers = range(first, first + len(turrets))
    formula.name(numbers, "the turret at {} is horizontal", turrets)
    formula.rule("this states nothing")
    formula.add(*numbers, *(-k for k in numbers))
    formula.rule(text)
    for k in numbers:
        for other in range(k + 1, first + len(turrets)):
            formula.add(-k, -other)
    formula.rule("the first is vertical")
    formula.add(-first)
    return Encoding.of(formula, "POSSIBLE", board)


@backend("beams", "labelled", side="models", source="mine",
         encode=lambda board: encode(board, "no two are horizontal"))
def solve(board, *, certify=False):
    return Layout(False)


@backend("beams", "broken", side="models", source="mine", encode=lambda board: encode(board, "\\n"))
def broken(board, *, certify=False):
    return Layout(False)
"""


def test_rules_of_a_plugins_formula_reach_dimacs_and_the_core(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(LABELLED)
    (tmp_path / "b.in").write_text("1\n1 3\n-#-\n")
    words = "beams b.in --dimacs - --plugin mine.py --backend"
    formula = run_module("models", *words.split(), "labelled", cwd=tmp_path)
    assert formula.stdout == (
        "c POSSIBLE\nc 1 the turret at 1,1 is horizontal\nc 2 the turret at 1,3 is horizontal\n"
        "c clause 1: this states nothing\nc clause 2: no two are horizontal\n"
        "c clause 3: the first is vertical\np cnf 2 3\n1 2 -1 -2 0\n-1 -2 0\n-1 0\n"
    )
    broken = run_module("models", *words.split(), "broken", cwd=tmp_path)
    assert (broken.returncode, "as a rule: expected one line of text" in broken.stderr) == (2, True)
    words = "equivalent beams cnf labelled --plugin mine.py --boards 80 --cases 0"
    core = compare(words, cwd=tmp_path, status=1).stdout
    assert core.endswith(
        "by these clauses of models:labelled:\n"
        "  not: the turret at 1,1 is horizontal (the first is vertical)\n"
        "models:cnf and models:labelled in CONFLICT on a board of 1x1; 1 board compared\n"
    )


def test_clauses_of_a_model_of_ours_are_named_by_their_rules(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        LABELLED.replace("formula.add(-first)", "pass").replace("formula.add(-k, -other)", "pass")
    )
    words = "equivalent beams cnf labelled --plugin mine.py --boards 80 --cases 0"
    core = compare(words, cwd=tmp_path, status=1).stdout
    *clauses, last = core.partition("by these clauses of models:cnf:\n")[2].splitlines()
    assert last.startswith("models:cnf and models:labelled in CONFLICT on a board of ")
    assert clauses
    assert all(re.search(r" \([a-z].*\)$", clause) for clause in clauses), clauses


SLEEPER = """
import time
from models.beams.by_cnf import encode as known
from puzzles.backend import backend
from puzzles.beams import Layout

def encode(board):
    with open({log!r}, "a") as file:
        file.write(".")
    if file_size() > 20:
        time.sleep(1000)
    return known(board)

def file_size():
    with open({log!r}) as file:
        return len(file.read())

@backend("beams", "sleeper", side="models", source="mine", encode=encode)
def solve(board, *, certify=False):
    return Layout(False)
"""


def test_interrupted_it_says_what_was_compared(tmp_path: Path) -> None:
    """The sleeper states the boards of the first block, and then sleeps."""
    log = tmp_path / "log"
    (tmp_path / "mine.py").write_text(SLEEPER.format(log=str(log)))
    words = "equivalent beams cnf sleeper --plugin mine.py --boards 80 --timeout 1000 --cases 0"
    ended = interrupt_compare(
        words, cwd=tmp_path, once=lambda: log.exists() and log.stat().st_size > 20
    )
    assert (ended.returncode, ended.stderr) == (130, "interrupted\n")
    assert re.fullmatch(
        r"UNFINISHED: interrupted after 16 of 78 boards; so far the same \(16 boards, \d+ "
        r"solutions\)\n",
        ended.stdout,
    )
