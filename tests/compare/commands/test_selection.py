"""`-k EXPR`."""

from __future__ import annotations

import pytest

from compare.commands.run.run_plan import parse_selection
from puzzles.text import UserError

NAMES = ("beams", "sample", "models:cnf-traced")


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("beams", True),
        ("BEAMS", True),
        ("nogo", False),
        ("cnf", True),
        ("models:cnf-traced", True),
        ("not sample", False),
        ("nogo or sample and cnf", True),
        ("(nogo or sample) and not traced", False),
        ("not (nogo or geography)", True),
        ("traced and not not beams", True),
    ],
)
def test_an_expression_holds_or_not(text: str, holds: bool) -> None:
    assert parse_selection(text)(NAMES) is holds


@pytest.mark.parametrize(
    "text", ["", "and", "beams cnf", "(beams", "beams or", "not", "()", "beams(cnf)"]
)
def test_what_is_no_expression_is_refused(text: str) -> None:
    with pytest.raises(UserError, match="-k takes names joined by and, or, not"):
        parse_selection(text)
