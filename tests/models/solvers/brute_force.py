"""Random small formulas, and their models by trying all values."""

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


def models_of(variables: int, clauses: Sequence[Sequence[int]]) -> list[list[int]]:
    """Every model, as its literals; all values are tried."""
    signs = product((-1, 1), repeat=variables)
    every = ([sign * variable for variable, sign in enumerate(row, 1)] for row in signs)
    return [model for model in every if all({*model} & {*clause} for clause in clauses)]


def satisfiable(variables: int, clauses: Sequence[Sequence[int]]) -> bool:
    return bool(models_of(variables, clauses))


def units(literals: Sequence[int]) -> list[list[int]]:
    """A clause for each literal."""
    return [[literal] for literal in literals]
