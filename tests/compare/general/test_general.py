"""The general solvers as puzzles:

`compare fuzz two-sat` and `compare fuzz graph`, and mistakes planted beside them.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import puzzles
from compare.conform.points import POINTS, findings
from tests.places import ROOT
from tests.processes import compare

NAMES = ("two-sat", "graph")


def text_of(name: str) -> str:
    """The file of a puzzle, under another name, as somebody's own."""
    text = (ROOT / "compare" / "general" / f"{name.replace('-', '_')}_puzzle.py").read_text()
    return re.sub(rf'(= |backend\(\n? *)"{name}"', rf'\1"my-{name}"', text)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("point", POINTS)
def test_a_point_holds(name: str, point: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(text_of(name))
    assert findings(puzzles.find(str(tmp_path / "mine.py")), point) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "old", "new", "smallest"),
    [
        (
            "two-sat",
            "np.array(case.clauses, np.int32)",
            "np.array(case.clauses[:-1], np.int32)",
            "1\n1 1\n-1 -1\n",
        ),
        ("graph", "edges[:, 1] + case.left)", "edges[:, 1] + case.left - 1)", "1\n1 1 1\n1 1\n"),
        (
            "graph",
            "matching.solve(matching.graph(case.left, case.right, edges)",
            "matching.solve(matching.graph(case.left, case.right, edges[1:])",
            "1\n1 1 1\n1 1\n",
        ),
    ],
)
def test_a_mistake_is_found_and_shrunk(
    name: str, old: str, new: str, smallest: str, tmp_path: Path
) -> None:
    text = text_of(name)
    assert text.count(old) == 1
    (tmp_path / "mine.py").write_text(text.replace(old, new))
    compare("fuzz ./mine.py --cases 100 --jobs 1 --size 6", cwd=tmp_path, status=1)
    saved = sorted(tmp_path.glob("*.in"), key=lambda path: len(path.read_text()))
    assert saved
    assert saved[0].read_text() == smallest


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_command_finds_nothing(name: str, tmp_path: Path) -> None:
    if name not in puzzles.installed_names():
        pytest.skip("this installation is older than the puzzle: run `pip install -e .` again")
    ended = compare(f"fuzz {name} --cases 200 --size 6 --jobs 1", cwd=tmp_path, status=0)
    assert ended.stderr == ""
    assert "nothing found" in ended.stdout
