"""The written rules of each puzzle: the command prints them, the page of the puzzle begins with
them.

What they have to say is a point of `compare conform`.
"""

from __future__ import annotations

import pytest

import puzzles
from tests.places import ROOT
from tests.processes import compare


def test_the_command_prints_them() -> None:
    ended = compare("rules", "nogo")
    assert (ended.returncode, ended.stdout) == (0, puzzles.get("nogo").rules)


@pytest.mark.parametrize("name", puzzles.names())
def test_the_page_of_a_puzzle_begins_with_its_rules(name: str) -> None:
    page = (ROOT / "docs" / "puzzles" / f"{name}.md").read_text()
    assert page.startswith(puzzles.get(name).rules), (
        f"copy puzzles/{name}/rules.md to the beginning of docs/puzzles/{name}.md"
    )
