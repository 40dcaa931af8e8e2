"""2-SAT as a puzzle: `compare fuzz two-sat`, and a mistake planted in its file. What it owes as a
puzzle, `formula` and `maxsat` owe as well.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import puzzles
from compare.commands.conform.points import POINTS, findings
from tests.places import ROOT
from tests.processes import compare

FILE = ROOT / "compare" / "commands" / "fuzz_formula" / "two_sat_puzzle.py"
AS_SOMEBODYS_OWN = re.sub(r'(= |backend\(\n? *)"two-sat"', r'\1"my-two-sat"', FILE.read_text())


@pytest.mark.slow
@pytest.mark.parametrize("point", POINTS)
def test_a_point_holds(point: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(AS_SOMEBODYS_OWN)
    assert findings(puzzles.find(str(tmp_path / "mine.py")), point) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["formula", "maxsat"])
@pytest.mark.parametrize("point", POINTS)
def test_a_point_holds_for_solvers(name: str, point: str) -> None:
    """Only a second side is missing."""
    missing = [each.sentence for each in findings(puzzles.find(name), point)]
    assert all(each.startswith("there is no backend of the side direct") for each in missing)
    assert len(missing) == (point == "answers")


@pytest.mark.slow
def test_a_mistake_is_found_and_shrunk(tmp_path: Path) -> None:
    all_clauses = "np.array(case.clauses, np.int32)"
    assert AS_SOMEBODYS_OWN.count(all_clauses) == 1
    wrong = AS_SOMEBODYS_OWN.replace(all_clauses, "np.array(case.clauses[:-1], np.int32)")
    (tmp_path / "mine.py").write_text(wrong)
    compare("fuzz ./mine.py --cases 100 --jobs 1 --size 6", cwd=tmp_path, status=1)
    saved = sorted(tmp_path.glob("*.in"), key=lambda path: len(path.read_text()))
    assert saved
    assert saved[0].read_text() == "1\n1 1\n-1 -1\n"


@pytest.mark.slow
def test_the_command_finds_nothing(tmp_path: Path) -> None:
    if "two-sat" not in puzzles.installed_names():
        pytest.skip("this installation is older than the puzzle: run `pip install -e .` again")
    ended = compare("fuzz two-sat --cases 200 --size 6 --jobs 1", cwd=tmp_path, status=0)
    assert ended.stderr == ""
    assert "nothing found" in ended.stdout
