"""The matchings of a board without walls, counted."""

from __future__ import annotations

from itertools import combinations

from models.cnf import Formula
from models.lemmas.lemma import Claim, Count
from models.lemmas.logic import grid, some


def all_matchings(rows: int, columns: int) -> Formula:
    """The matchings of a board without walls."""
    formula = Formula()
    pairs = sorted((cell, other) for cell, beside in enumerate(grid(rows, columns)) for other in beside if cell < other)
    matched = some(formula, len(pairs))
    for first, second in combinations(range(len(pairs)), 2):
        if set(pairs[first]) & set(pairs[second]):
            formula.add(-matched[first], -matched[second])
    return formula


LEMMAS: tuple[Claim, ...] = (
    Count(
        name="geography-matchings",
        puzzle="geography",
        statement="the matchings of a grid are as many as published",
        source="OEIS A028420",
        quote="Number of matchings in n X n grid graph: 1, 7, 131, 10012",
        size=16,
        bar=16,
        most=16,
        published={(1, 1): 1, (2, 2): 7, (3, 3): 131, (4, 4): 10012},
        state=all_matchings,
    ),
)
