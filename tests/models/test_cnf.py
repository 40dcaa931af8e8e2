"""Formulas: ranges, limits, and numbers that are compared."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from models.cnf import MAX_VARIABLES, Formula
from models.session import session
from puzzles.backend import Unsupported


@pytest.mark.parametrize("literal", [0, 3, -3, 2**31])
def test_literals_out_of_range_never_reach_a_solver(literal: int) -> None:
    formula = Formula.of(2, [])
    with pytest.raises(ValueError, match="out of range"):
        formula.add(1, literal)
    with pytest.raises(ValueError, match="out of range"):
        formula.extend(np.array([[1, 2], [2, literal]]))
    with pytest.raises(ValueError, match="out of range"):
        formula.extend_lists([[1], [2, literal]])
    assert formula.clauses == []


def test_too_many_variables_are_refused_before_anything_is_allocated() -> None:
    formula = Formula()
    with pytest.raises(Unsupported, match="more than"):
        formula.new(MAX_VARIABLES + 1)
    assert formula.new(MAX_VARIABLES) == 1


def test_a_number_is_below_another_exactly_where_it_is() -> None:
    formula, bits = Formula(), 3
    way = formula.new() + np.arange(1)
    lower, higher = (formula.new(bits) + np.arange(bits).reshape(1, bits) for _ in range(2))
    formula.less_than(way, lower, higher)
    with session(formula) as opened:
        for a, b in itertools.product(range(8), repeat=2):
            number = [int(v) if a >> k & 1 else -int(v) for k, v in enumerate(lower[0])]
            number += [int(v) if b >> k & 1 else -int(v) for k, v in enumerate(higher[0])]
            assert opened.solve([int(way[0]), *number]) is (a < b)
            assert opened.solve([-int(way[0]), *number])
