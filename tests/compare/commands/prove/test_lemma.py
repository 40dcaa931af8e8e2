"""Names, sizes and shapes of lemmas."""

from __future__ import annotations

import pytest

from compare.commands.prove.lemma import (
    CountingLemma,
    FormulaLemma,
    shapes_within,
)
from tests.compare.commands.prove.brute_force import EVERY, ids
from tests.places import ROOT


def test_names_are_unique_and_begin_with_the_puzzle() -> None:
    assert len({claim.name for claim in EVERY}) == len(EVERY)
    assert all(claim.name.startswith(f"{claim.puzzle}-") for claim in EVERY)
    with_lemmas = {path.parent.name for path in (ROOT / "models").glob("*/lemmas.py")}
    assert {claim.puzzle for claim in EVERY} == with_lemmas


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_shapes_that_fit_are_all_of_them_once_and_smaller_ones_first(size: int) -> None:
    fit = shapes_within(size)
    assert sorted(fit) == [
        (rows, columns) for rows in range(1, size + 1) for columns in range(rows, size + 1)
    ]
    assert [rows * columns for rows, columns in fit] == sorted(
        rows * columns for rows, columns in fit
    )


@pytest.mark.parametrize(
    "claim",
    [claim for claim in EVERY if isinstance(claim, FormulaLemma) and claim.largest_size is None],
    ids=ids,
)
def test_a_lemma_starts_at_the_first_size_that_says_anything(claim: FormulaLemma) -> None:
    not_vacuous = [
        size for size in range(1, 4) if claim.build(size, size, True).model() is not None
    ]
    assert not_vacuous == list(range(claim.smallest_size, 4))


def test_counts_end_where_nothing_more_is_published() -> None:
    counted = [claim for claim in EVERY if isinstance(claim, CountingLemma)]
    assert {claim.name for claim in counted} >= {"geography-matchings", "nogo-positions"}
    assert all(
        claim.largest_size == claim.size == max(rows * columns for rows, columns in claim.published)
        for claim in counted
    )
