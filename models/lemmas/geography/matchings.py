"""Counts the matchings of a board without walls."""

from __future__ import annotations

from itertools import combinations

from models.cnf import Formula
from models.lemmas.lemma import CountingLemma, Lemma
from models.lemmas.logic import cells_beside, new_variables


def all_matchings(rows: int, columns: int) -> Formula:
    """A formula whose models are the matchings of a board without walls; one variable for each pair of neighbours."""
    formula = Formula()
    pairs = sorted((cell, other) for cell, beside in enumerate(cells_beside(rows, columns)) for other in beside if cell < other)
    matched = new_variables(formula, len(pairs))
    for first, second in combinations(range(len(pairs)), 2):
        if set(pairs[first]) & set(pairs[second]):
            formula.add(-matched[first], -matched[second])
    return formula


LEMMAS: tuple[Lemma, ...] = (
    CountingLemma(
        name="geography-matchings",
        puzzle="geography",
        statement="the matchings of a grid are as many as published",
        source="OEIS A028420",
        quote="Number of matchings in n X n grid graph: 1, 7, 131, 10012",
        size=16,
        largest_size=16,
        published={(1, 1): 1, (2, 2): 7, (3, 3): 131, (4, 4): 10012},
        build=all_matchings,
    ),
)
