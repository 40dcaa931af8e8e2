"""The written rules of each puzzle: the command prints them, the page of the puzzle begins with
them.

What they have to say is a point of `compare conform`.
"""

from __future__ import annotations

import pytest

import puzzles
from tests.installed import needs
from tests.places import ROOT
from tests.processes import compare


def test_the_command_prints_them() -> None:
    ended = compare("rules", "nogo")
    assert (ended.returncode, ended.stdout) == (0, puzzles.get("nogo").rules)


@pytest.mark.parametrize("name", puzzles.names())
def test_the_page_of_a_puzzle_begins_with_its_rules(name: str) -> None:
    """In the checkout with a link to them, on the site with the rules themselves."""
    page = (ROOT / "docs" / "puzzles" / f"{name}.md").read_text()
    title, link, *_ = filter(None, page.splitlines())
    assert link.startswith(f"[The rules](../../puzzles/{name}/rules.md)")
    rules = puzzles.get(name).rules
    assert title == rules.splitlines()[0]
    assert rules.split("\n\n")[-1] not in page, "the rules stand once"
    needs("mkdocs")
    from docs.site_pages import with_rules

    assert with_rules(page, "docs/puzzles").startswith(rules)
