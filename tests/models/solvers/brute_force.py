"""Random small formulas, and whether they have a model by trying all values."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from random import Random

from models.cnf import Formula


def random_formula(rng: Random) -> Formula:
    """A formula of up to five variables; about half of them have a model."""
    formula = Formula()
    formula.new(rng.randint(1, 5))
    literals = [sign * variable for variable in range(1, formula.variables + 1) for sign in (-1, 1)]
    for _ in range(rng.randint(0, 4 * formula.variables)):
        formula.add(*rng.sample(literals, rng.randint(1, min(3, len(literals)))))
    return formula


def satisfiable(variables: int, clauses: Sequence[Sequence[int]]) -> bool:
    """Whether some values satisfy all clauses; all values are tried."""
    models = (
        {v if value else -v for v, value in enumerate(values, 1)}
        for values in product((False, True), repeat=variables)
    )
    return any(all(model & {*clause} for clause in clauses) for model in models)


def units(literals: Sequence[int]) -> list[list[int]]:
    """A clause for each literal."""
    return [[literal] for literal in literals]
