"""What a plugin cannot do in a search, nor where it is imported; `tests/compare/attacks` plays more
hostile plugins.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.compare.attacks import plugins
from tests.installed import slow
from tests.processes import CompareHere, compare, environment, run_python

SIGNING = """
import os
from pathlib import Path
from puzzles.backend import backend
from puzzles.beams.board import Layout
with Path(__file__).with_name("imported").open("a") as file:
    file.write(f"{os.getpid()}\\n")
for name in ("one", "two"):
    @backend("beams", name, side="direct", source="a plugin")
    def solve(board, *, certify=False):
        return Layout(False)
"""
"""A plugin with two backends. It notes in a file beside it which processes import it."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "attack", "words"),
    [
        slow("none", "no_answers", "REFUSED: direct:none: it returned None instead of an answer"),
        (
            "no-truth",
            "wrong_fields",
            "ERROR: direct:no-truth: malformed answer: possible: expected bool, got 'yes' of "
            "type str",
        ),
    ],
)
def test_a_malformed_answer_is_a_fault_in_a_search(
    tmp_path: Path, name: str, attack: str, words: str
) -> None:
    plugin = ["--plugin", str(plugins.__file__), "--cases", "40", "--jobs", "1"]
    env = environment(TWOFOLD_ATTACK_NAME=attack)
    ended = run_python("-m", "compare", "fuzz", "beams", "-b", name, *plugin, cwd=tmp_path, env=env)
    assert ended.returncode == 1
    assert words in ended.stdout
    (saved,) = tmp_path.glob("*.in")
    assert saved.read_text().startswith("1\n1 1\n")


def test_only_children_that_run_nothing_else_import_a_plugin(
    tmp_path: Path, compare_here: CompareHere
) -> None:
    """One to describe its backends; then one for the run of each.

    The process that compares is none of them.
    """
    plugin, imported, board = tmp_path / "plugin.py", tmp_path / "imported", tmp_path / "board.in"
    plugin.write_text(SIGNING)
    board.write_text("1\n1 3\n.-.\n")
    ended = compare_here(f"run beams {board} -b one -b two --plugin {plugin} -q")
    assert "1 board of 1 puzzle; runs: 2 OK; " in ended.stdout
    pids = imported.read_text().split()
    assert len(pids) == len(set(pids)) == 1 + 2
    assert str(os.getpid()) not in pids


def test_a_plugin_cannot_take_the_name_of_a_backend_of_ours(tmp_path: Path) -> None:
    plugin = tmp_path / "plugin.py"
    plugin.write_text(
        "from puzzles.backend import backend\nfrom puzzles.beams.board import Layout\n"
        "import direct\ndirect.SIDE.backends('beams')\n"
        "@backend('beams', 'two-sat', side='direct', source='a plugin')\n"
        "def solve(board, *, certify=False):\n    return Layout(False)\n"
    )
    ended = compare(f"run beams --plugin {plugin}", status=2)
    assert (
        ended.stderr
        == f"--plugin {plugin}:5: beams has a backend direct:two-sat already; choose another name\n"
    )
