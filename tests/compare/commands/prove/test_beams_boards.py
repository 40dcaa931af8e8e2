"""The boards that refute claims about beams are smallest ones, and each shows what it should."""

from __future__ import annotations

import pytest

from compare.commands.prove.lemma import (
    Counterexample,
    shapes_of_cells,
)
from puzzles.answer import Verdict
from puzzles.beams.board import Beams, Layout
from puzzles.beams.check import check
from puzzles.grid import grid_of
from tests.compare.commands.prove.beams_brute_force import (
    CLAIMS,
    COUNTEREXAMPLE,
    FALSE,
    SMALLEST,
    STRAIGHT,
    Rows,
    boards,
)


@pytest.mark.parametrize("name", FALSE)
def test_the_board_of_a_refuted_claim_is_a_smallest_one(name: str) -> None:
    shape, exhausted = SMALLEST[name]
    claim, kinds = CLAIMS[name], ".#-" if name in STRAIGHT else ".#/\\-"
    for cells in range(1, shape[0] * shape[1]):
        for smaller in shapes_of_cells(cells):
            assert claim.build(*smaller, False).model() is None
            if cells <= exhausted:
                assert not any(COUNTEREXAMPLE[name](rows, True) for rows in boards(*smaller, kinds))
    assert {
        other
        for other in shapes_of_cells(shape[0] * shape[1])
        if claim.build(*other, False).model()
    } == {shape}
    counterexample = claim.build(*shape, False).model()
    assert counterexample is not None
    assert claim.failure_on(counterexample)
    assert COUNTEREXAMPLE[name](counterexample.rows, True)


@pytest.mark.parametrize(
    ("name", "harmless"),
    [("beams-own-turret", "-."), ("beams-one-pass", "-."), ("beams-no-turrets", "#/")],
)
def test_the_naive_answer_is_wrong_where_the_claim_is_refuted(name: str, harmless: str) -> None:
    """And a right one where the claim does no harm."""
    counterexample = CLAIMS[name].build(*SMALLEST[name][0], False).model()
    naive_answer = CLAIMS[name].naive_answer
    assert counterexample is not None
    assert naive_answer is not None
    for board, verdict in (
        (Beams(grid_of(counterexample.rows)), Verdict.REFUTED),
        (Beams(grid_of([harmless])), Verdict.PROVED),
    ):
        answer = naive_answer(board)
        assert isinstance(answer, Layout)
        assert check(board, answer).verdict is verdict


def test_only_claims_that_an_answer_depends_on_have_a_naive_answer() -> None:
    assert [name for name in CLAIMS if CLAIMS[name].naive_answer] == [
        "beams-own-turret",
        "beams-no-turrets",
        "beams-one-pass",
    ]


@pytest.mark.parametrize(
    ("name", "rows", "details"),
    [
        ("beams-same-direction", ("-.-",), {"cell": (0, 1), "headings": ("east", "east")}),
        ("beams-opposite", ("-.#",), {"cell": (0, 1), "headings": ("east", "west")}),
        ("beams-opposite", ("-/-",), {"cell": (0, 1), "headings": ("east", "west")}),
        ("beams-reversible", ("-.-",), {"cell": (0, 2), "headings": ("east", "west")}),
        ("beams-no-loop", ("-\\", "\\/"), {"cell": (1, 1), "headings": ("south",)}),
        ("beams-two-literals", ("-.-",), {"cell": (0, 1), "headings": ("east", "west", "west")}),
        ("beams-own-turret", ("--",), {"cell": (0, 0), "headings": ("east",)}),
        ("beams-crosses-once", ("-.-",), {"cell": (0, 1), "headings": ("east", "west")}),
        ("beams-one-orientation", ("-.-",), {"cell": (0, 1), "headings": ("east", "west")}),
        ("beams-no-turrets", ("-.",), {"cell": (0, 1), "headings": ()}),
        ("beams-forced", ("-.",), {"already": {}}),
        ("beams-greedy", ("-.",), {"already": {}, "solution": ("-.",)}),
        ("beams-one-pass", ("|.",), {"already": {(0, 0): "|"}, "solution": ("|.",)}),
    ],
)
def test_a_conclusion_that_stands_is_not_said_to_fail(
    name: str, rows: Rows, details: dict[str, object]
) -> None:
    assert CLAIMS[name].failure_on(Counterexample(rows, details)) == ""
