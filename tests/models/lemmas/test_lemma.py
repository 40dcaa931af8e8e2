"""Names, sizes and shapes of lemmas."""

from __future__ import annotations

import pytest

import puzzles
from models.lemmas.lemma import (
    CountingLemma,
    FormulaLemma,
    shapes_within,
)
from tests.models.lemmas.brute_force import EVERY, ids
from tests.places import ROOT


def test_names_are_unique_and_begin_with_the_puzzle() -> None:
    assert len({claim.name for claim in EVERY}) == len(EVERY)
    assert all(claim.name.startswith(f"{claim.puzzle}-") for claim in EVERY)
    assert {claim.puzzle for claim in EVERY} == set(puzzles.names())


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_shapes_that_fit_are_all_of_them_once_and_smaller_ones_first(size: int) -> None:
    fit = shapes_within(size)
    assert sorted(fit) == [(rows, columns) for rows in range(1, size + 1) for columns in range(rows, size + 1)]
    assert [rows * columns for rows, columns in fit] == sorted(rows * columns for rows, columns in fit)


@pytest.mark.parametrize(
    "claim", [claim for claim in EVERY if isinstance(claim, FormulaLemma) and claim.largest_size is None], ids=ids
)
def test_a_lemma_starts_at_the_first_size_that_says_anything(claim: FormulaLemma) -> None:
    not_vacuous = [size for size in range(1, 4) if claim.build(size, size, True).model() is not None]
    assert not_vacuous == list(range(claim.smallest_size, 4))


def test_counts_end_where_nothing_more_is_published() -> None:
    counted = [claim for claim in EVERY if isinstance(claim, CountingLemma)]
    assert len(counted) == 2
    assert all(claim.largest_size == claim.size == max(rows * columns for rows, columns in claim.published) for claim in counted)


def test_no_backend_uses_a_lemma() -> None:
    """The package stands by itself: of all that is installed only `compare prove` imports it."""
    users = {
        path.relative_to(ROOT).as_posix()
        for floor in ("puzzles", "direct", "models", "compare")
        for path in (ROOT / floor).rglob("*.py")
        if "models.lemmas" in path.read_text() or "from models import lemmas" in path.read_text()
    }
    assert {path for path in users if not path.startswith("models/lemmas/")} == {
        "compare/prove/claims.py",
        "compare/commands/prove.py",
    }
