"""The written rules of each puzzle: their sample is answered as they say, they name every format,
the page of the puzzle begins with them.
"""

from __future__ import annotations

import re

import pytest

import direct
import puzzles
from puzzles.grid import GridPuzzle
from puzzles.puzzle import Puzzle
from puzzles.verdict import Verdict
from tests.installed import needs
from tests.places import ROOT
from tests.processes import compare


def sample(puzzle: Puzzle) -> list[str]:
    """The input and the output in the rules, without what stands beside them after three blanks."""
    blocks = re.findall(r"```text\n(.*?)```", puzzle.rules, re.S)
    return [re.sub(r"(?m)(?:^|(?<=\S)) {3,}.*$", "", block) for block in blocks]


@pytest.mark.parametrize("name", puzzles.names())
def test_the_sample_is_answered_as_the_rules_say(name: str) -> None:
    puzzle = puzzles.get(name)
    given, expected = sample(puzzle)
    assert direct.solve_text(puzzle.name, given) == expected
    boards = puzzle.parse(given)
    for board, answer in zip(
        boards, puzzle.parse_answers(expected, boards, puzzle.formats[0]), strict=True
    ):
        assert puzzle.check(board, answer).verdict is not Verdict.REFUTED


@pytest.mark.parametrize("name", puzzles.names())
def test_the_rules_name_the_source_every_kind_of_cell_and_every_format(name: str) -> None:
    puzzle = puzzles.get(name)
    assert isinstance(puzzle, GridPuzzle)
    assert puzzle.title in puzzle.rules
    kinds = set(puzzle.board_type.alphabet.decode()) - set("1234567")
    assert kinds <= set("".join(re.findall(r"`(.*?)`", puzzle.rules)))
    formats = puzzle.rules.partition("## Answer formats\n")[2]
    assert tuple(re.findall(r"^- `([a-z]+)`", formats, re.MULTILINE)) == puzzle.formats


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
