"""Mistakes planted in the checks and backends of users' puzzles: a vertex cover, a partition of
numbers, a repair of brackets, dominoes, houses of a row. `conform` names each of them.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

import puzzles
from compare.commands.conform.corpus import State
from compare.commands.conform.points import findings
from tests.installed import slow
from tests.places import ROOT
from tests.processes import run_module

COVER, KNAPSACK = (ROOT / "examples" / f"{name}.py" for name in ("cover", "knapsack"))
PARTITION, BRACKETS, DOMINOES, ROBBER = (
    ROOT / "tests" / "user_puzzles" / f"{name}.py"
    for name in ("partition", "brackets", "dominoes", "robber")
)
TWO_COLOURS = ROOT / "compare" / "commands" / "new" / "templates" / "on_a_grid.py"


class Planted(NamedTuple):
    """A mistake: the file, what is put for what, and what a point says of it."""

    file: Path
    old: str
    new: str
    point: str
    sentence: str


PROVES = "the check proves a wrong answer to "
BETTER = "One of these two is better than the best: add the rule that is missing"

MISTAKES = {
    "edges of a matching that meet": Planted(
        COVER, "< 2 * len(bound)", "< len(bound)", "tiny", PROVES
    ),
    "a bound that is too weak by one": Planted(
        COVER, "if len(bound) >= value", "if len(bound) >= value - 1", "tiny", PROVES
    ),
    "an edge that need not be covered": Planted(
        COVER, "for edge in case.edges if not {*edge}", "for edge in case.edges[1:] if not {*edge}",
        *("tiny", BETTER),
    ),
    "an item that is packed twice": Planted(
        KNAPSACK, "len({*witness}) < len(witness) or not", "not", "tiny", PROVES
    ),
    "a place that is chosen twice": Planted(
        PARTITION, "len({*witness}) < len(witness)", "not witness", "tiny", PROVES
    ),
    "a group that is too large": Planted(
        PARTITION, "2 * chosen == sum", "2 * chosen >= sum", "tiny", PROVES
    ),
    "a core that is not looked at": Planted(
        PARTITION, "any(sum(group) == half", "any(sum(group) == -1", "tiny", PROVES
    ),
    "brackets of two kinds that match": Planted(
        BRACKETS, 'MATES = {', 'MATES = {(ord("{"), ord(")")), ', "tiny", PROVES
    ),
    "changes that are one too many": Planted(
        BRACKETS, "value <= least", "value <= 1 + least", "tiny", PROVES
    ),
    "half a domino that does not point back": Planted(
        DOMINOES, "not inside or halves[near[0]][near[1]] != back", "not inside", "tiny", PROVES
    ),
    "a wall on an open cell": Planted(
        TWO_COLOURS, 'not in "BW":', 'not in "BW#":', "tiny", f"{PROVES}`1 3/B.W`: "
    ),
    "prices below 0": Planted(
        ROBBER, "isinstance(price, int) and price >= 0", "isinstance(price, int)", "tiny", PROVES
    ),
    "a backend that hangs": Planted(
        COVER,
        "    reached: set[int] = set()\n",
        "    reached = set()\n    while case.left == 2:\n        pass\n",
        "answers",
        ": direct:matching on `2 ",
    ),
}  # fmt: skip


SLOW = {
    "a bound that is too weak by one",
    "a place that is chosen twice",
    "a group that is too large",
    "brackets of two kinds that match",
    "changes that are one too many",
}
"""Mistakes that the same point names with the same sentence as one of the others."""


@pytest.mark.parametrize("name", [slow(name) if name in SLOW else name for name in MISTAKES])
def test_a_planted_mistake_is_named(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("compare.commands.conform.corpus.SOLVE_S", 1.0)
    planted = MISTAKES[name]
    text = planted.file.read_text()
    assert text.count(planted.old) == 1
    path = tmp_path / planted.file.name
    path.write_text(text.replace(planted.old, planted.new))
    (found,) = findings(puzzles.find(str(path)), planted.point)
    assert found.state is State.FAILED
    assert planted.sentence in found.sentence


@pytest.mark.parametrize(
    "path",
    [PARTITION, slow(BRACKETS), slow(COVER)],
    ids=lambda path: path.stem,
)
def test_nothing_is_said_of_the_puzzles_without_a_mistake(path: Path) -> None:
    for point in ("answers", "proofs", "damage", "tiny"):
        assert findings(puzzles.find(str(path)), point) == []


@pytest.mark.parametrize("path", [DOMINOES, ROBBER], ids=lambda path: path.stem)
def test_only_certificates_are_missing_where_one_backend_makes_none(path: Path) -> None:
    puzzle = puzzles.find(str(path))
    for point in ("answers", "damage", "tiny"):
        assert findings(puzzle, point) == []
    (missing,) = findings(puzzle, "proofs")
    assert missing.state is State.MISSING
    assert " answers of models:" in missing.sentence


def test_an_answer_of_a_wrong_type_is_said_alike_by_conform_and_by_a_side(tmp_path: Path) -> None:
    right = "CaseSolution.optimal(*best[-1], certificate=tuple(prices))"
    wrong = "CaseSolution(True, best[-1][1], best[-1][0], tuple(prices))"
    text = ROBBER.read_text()
    assert text.count(right) == 1
    path = tmp_path / "robber.py"
    path.write_text(text.replace(right, wrong))
    sentence = "malformed answer: bound: expected int or None, got a value of type tuple"
    line = 1 + text.count("\n", 0, text.index('@backend("robber", "table"'))
    begins = f"the backend begins at {path}:{line}"
    puzzle = puzzles.find(str(path))
    for point in ("answers", "damage", "tiny", "texts", "pictures"):
        (finding,) = [each for each in findings(puzzle, point) if each.state is State.FAILED]
        assert finding.sentence.startswith("direct:table on `1/")
        assert finding.sentence.endswith(f"`: {sentence}; {begins}")
    ended = run_module("direct", str(path), text="1\n1\n7\n")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == f"case 1: direct:table: {sentence}; {begins}\n"
