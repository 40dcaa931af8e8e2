"""Counted models against brute force."""

from __future__ import annotations

from itertools import product

import pytest

from models.lemmas.geography import all_matchings
from models.lemmas.lemma import models_of
from models.lemmas.nogo import legal_positions
from puzzles.grid import grid_of
from puzzles.nogo.board import without_liberty
from tests.models.lemmas.brute_force import (
    boards,
    cells,
)


@pytest.mark.parametrize("shape", [(1, 1), (1, 4), (2, 2), (2, 3)])
def test_counts_against_brute_force(shape: tuple[int, int]) -> None:
    pytest.importorskip("pysdd")
    positions = sum(not without_liberty(grid_of(position)).size for position in boards(*shape, "XO."))
    assert models_of(legal_positions(*shape)) == positions
    pairs = [(a, b) for a, b in product(cells(*shape), repeat=2) if a < b and abs(a[0] - b[0]) + abs(a[1] - b[1]) == 1]
    chosen = ([pair for pair, taken in zip(pairs, mask, strict=True) if taken] for mask in product((0, 1), repeat=len(pairs)))
    matchings = sum(len({cell for pair in some for cell in pair}) == 2 * len(some) for some in chosen)
    assert models_of(all_matchings(*shape)) == matchings
